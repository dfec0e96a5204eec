//! Bubblewrap's command line for a plan.

use std::ffi::CString;
use std::fs;
use std::path::Path;

use rustix::process::{getegid, geteuid};

use super::{Argument, Installed, OWN, StageRights};
use crate::backend::carried::Carried;
use crate::backend::tree::{Owners, tree};
use crate::backend::{USER_INSIDE, nobody_for_root};
use crate::inside::Operation;
use crate::plan::{Plan, PlanError, Proc, text};
use crate::run::Error;
use crate::stage::STAGE;
use crate::step::Step;

/// The numbers of the user and of the group inside. What remains outside of one that is installed set-user-id becomes this
/// user out there: it must be nobody but its caller, or it neither dies with its caller nor is safe from that user.
fn identity(installed: Installed) -> (String, String) {
    let (user, group) = match (installed, nobody_for_root()) {
        (Installed::Plainly, _) => (USER_INSIDE, USER_INSIDE),
        (Installed::SetUserId, Some(nobody)) => (nobody.user, nobody.group),
        (Installed::SetUserId, None) => (geteuid().as_raw(), getegid().as_raw()),
    };
    (user.to_string(), group.to_string())
}

/// Its command line, in the order in which things are done.
pub(super) struct Arguments {
    words: Vec<Argument>,
    installed: Installed,
}

impl Arguments {
    pub(super) fn of(
        plan: &Plan,
        stage: &Carried,
        rights: StageRights,
        installed: Installed,
    ) -> Result<Vec<Argument>, Error> {
        let (user, group) = identity(installed);
        let mut all = Self { words: Vec::new(), installed };
        // 1. Every namespace there is; a user that is nobody, a session of its own, no rights, no variables.
        all.texts(&[
            "bwrap",
            "--unshare-all",
            "--unshare-user",
            "--as-pid-1",
            "--die-with-parent",
            "--new-session",
        ])?;
        all.texts(&["--info-fd"])?;
        all.words.push(Argument::Info);
        all.texts(&[
            "--clearenv",
            "--cap-drop",
            "ALL",
            "--uid",
            &user,
            "--gid",
            &group,
            "--hostname",
            "sandbox",
        ])?;
        if rights == StageRights::Network {
            // For the stage alone, which opens the doors and then gives these up with everything else.
            for right in ["CAP_NET_ADMIN", "CAP_NET_BIND_SERVICE", "CAP_SETPCAP"] {
                all.texts(&["--cap-add", right])?;
            }
        }
        // 2. The tree in the plan's order.
        let operations = tree(plan, Owners::Kept)?;
        for (index, operation) in operations.iter().enumerate() {
            // A place for something that is attached next is made with it.
            let next = operations.get(index + 1);
            let covered = |at| matches!(next, Some(Operation::Bind { at: place, .. }) if place == at);
            match operation {
                Operation::File(at, _) if covered(at) => {}
                _ => all.operation(operation)?,
            }
        }
        // 3. `/proc`, and over it what is not of processes; over the first process as well, which is the stage.
        if plan.proc != Proc::Absent {
            all.texts(&["--proc", "/proc"])?;
        }
        if plan.proc == Proc::Processes {
            all.hide_figures()?;
        }
        if plan.proc != Proc::Absent {
            all.emptied("/proc/1")?;
        }
        // 4. The stage.
        all.texts(&["--perms", "0311", "--tmpfs", OWN])?;
        let own = |name: &str| format!("{OWN}/{name}");
        all.bind("--ro-bind", &stage.program, &own("stage"))?;
        if let Some(loaded) = &stage.loaded {
            all.bind("--ro-bind", &loaded.loader, &own("loader"))?;
            for (name, path) in &loaded.libraries {
                all.bind("--ro-bind", path, &own(name))?;
            }
        }
        all.texts(&["--remount-ro", OWN, "--remount-ro", "/", "--chdir", "/"])?;
        // 5. What is started: the stage by its own loader, from its own folder.
        all.texts(&["--"])?;
        if let Some(loaded) = &stage.loaded {
            all.texts(&[&own("loader")])?;
            let musl =
                loaded.loader.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"ld-musl"));
            if !musl {
                all.texts(&["--inhibit-cache"])?;
            }
            all.texts(&["--library-path", OWN])?;
        }
        all.texts(&[&own("stage"), STAGE])?;
        all.words.push(Argument::Letter);
        Ok(all.words)
    }

    fn texts(&mut self, words: &[&str]) -> Result<(), PlanError> {
        for word in words {
            self.words.push(Argument::Text(text(word.as_ref())?));
        }
        Ok(())
    }

    fn path(&mut self, path: &Path) -> Result<(), PlanError> {
        self.words.push(Argument::Text(text(path.as_os_str())?));
        Ok(())
    }

    fn bind(&mut self, option: &str, from: &Path, at: &str) -> Result<(), PlanError> {
        self.texts(&[option])?;
        self.path(from)?;
        self.texts(&[at])
    }

    /// A text of the tree, and a place in it.
    fn place(&mut self, at: &CString) -> Result<(), PlanError> {
        let absolute = [b"/", at.as_bytes()].concat();
        self.words.push(Argument::Text(CString::new(absolute).map_err(|_nul| PlanError::TooMany)?));
        Ok(())
    }

    fn operation(&mut self, operation: &Operation) -> Result<(), PlanError> {
        match operation {
            Operation::Folder(at) => {
                self.texts(&["--perms", "0755", "--dir"])?;
                self.place(at)
            }
            Operation::File(at, content) => {
                self.texts(&["--perms", "0644", "--file"])?;
                self.words.push(Argument::Content(content.clone()));
                self.place(at)
            }
            Operation::Link(to, at) => {
                self.texts(&["--symlink"])?;
                self.words.push(Argument::Text(to.clone()));
                self.place(at)
            }
            Operation::Bind { from, at, attributes, copy: _ } => {
                self.texts(&[match *attributes {
                    Operation::DEVICE => "--dev-bind",
                    attributes if attributes & Operation::READ_ONLY != 0 => "--ro-bind",
                    _ => "--bind",
                }])?;
                self.words.push(Argument::Text(from.clone()));
                self.place(at)
            }
            Operation::Memory { at, size, .. } => {
                self.texts(&["--perms", "0755"])?;
                if self.installed == Installed::Plainly {
                    self.texts(&["--size"])?;
                    self.words.push(Argument::Text(size.clone()));
                }
                self.texts(&["--tmpfs"])?;
                self.place(at)
            }
        }
    }

    /// An empty folder that nobody reads, over one that is there.
    fn emptied(&mut self, at: &str) -> Result<(), PlanError> {
        // Nobody fills it: it is only read.
        self.texts(&["--perms", "0000", "--tmpfs", at, "--remount-ro", at])
    }

    /// Covers everything in `/proc` that tells of the system: what is a link there is about the reader.
    fn hide_figures(&mut self) -> Result<(), Error> {
        let listed = |source| Error::Step { step: Step::Proc, source };
        for entry in fs::read_dir("/proc").map_err(listed)? {
            let entry = entry.map_err(listed)?;
            let name = entry.file_name();
            // Processes come and go, and are what is to be seen.
            if name.as_encoded_bytes().iter().all(u8::is_ascii_digit) {
                continue;
            }
            let kind = entry.file_type().map_err(listed)?;
            let (false, Some(name)) = (kind.is_symlink(), name.to_str()) else { continue };
            let at = format!("/proc/{name}");
            if kind.is_dir() {
                self.emptied(&at)?;
            } else {
                // A device that is attached without the right to be one opens for nobody.
                self.texts(&["--ro-bind", "/dev/null", &at])?;
            }
        }
        Ok(())
    }
}
