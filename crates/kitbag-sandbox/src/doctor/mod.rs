//! What isolation is real on this host: in each backend a canary attempts what must be refused, after it has shown outside
//! that it could. A property whose canary sings is not claimed.

pub(crate) mod canary;
mod interpreters;

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

pub use interpreters::{Interpreter, Version, interpreters};

use crate::backend::{reason, works};
use crate::outcome::Ending;
use crate::plan::{Item, Limits, Plan, Programs, Rights};
use crate::report::{Backend, ExecIsolation, NetworkIsolation, Report};
use crate::run::run_with;
use crate::settings::{Choice, Degraded, Settings};
use crate::system::System;

/// What a canary attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Attack {
    /// A file that is not listed.
    Read,
    /// A folder that may only be read.
    Write,
    /// The network.
    Socket,
    /// A namespace of its own.
    Namespace,
    /// A program that is not listed.
    Program,
    /// The same by another call.
    ProgramAt,
    /// The same in a child that no tracer is told of.
    Untraced,
    /// A file that the caller left open.
    Descriptor,
    /// A variable of the caller.
    Variable,
    /// A process that is left behind.
    Daemon,
}

impl Attack {
    /// Every one of them, in the order in which they are tried.
    pub const ALL: [Self; 10] = [
        Self::Read,
        Self::Write,
        Self::Socket,
        Self::Namespace,
        Self::Program,
        Self::ProgramAt,
        Self::Untraced,
        Self::Descriptor,
        Self::Variable,
        Self::Daemon,
    ];

    /// What machines call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Socket => "socket",
            Self::Namespace => "namespace",
            Self::Program => "program",
            Self::ProgramAt => "execveat",
            Self::Untraced => "untraced",
            Self::Descriptor => "descriptor",
            Self::Variable => "variable",
            Self::Daemon => "daemon",
        }
    }

    /// What it is, in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Read => "read a file that is not listed",
            Self::Write => "write where it may only read",
            Self::Socket => "open a socket to the network",
            Self::Namespace => "make a namespace of its own",
            Self::Program => "start a program that is not listed",
            Self::ProgramAt => "start it by another call",
            Self::Untraced => "start it where no tracer looks",
            Self::Descriptor => "use a file that the caller left open",
            Self::Variable => "read a variable of the caller",
            Self::Daemon => "leave a process behind",
        }
    }
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It went through.
    Open,
    /// It was refused, with these words.
    Refused(String),
    /// Nothing is known of it.
    Unknown,
}

/// One attempt, outside and inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// What was attempted.
    pub attack: Attack,
    /// What became of it without a sandbox. Where it is refused there as well, the sandbox proves nothing by refusing it.
    pub outside: Tried,
    /// What became of it in the sandbox.
    pub inside: Tried,
}

impl Canary {
    /// Whether the sandbox held.
    #[must_use]
    pub fn held(&self) -> bool {
        matches!(self.inside, Tried::Refused(_))
    }
}

/// What was found out about one backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// Which.
    pub backend: Backend,
    /// What was found.
    pub health: Health,
}

/// Whether a backend works here, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It does not work here.
    Missing {
        /// Why.
        because: String,
    },
    /// It works.
    Works {
        /// What it holds of a plan with a list of programs; nothing is claimed whose canary sang.
        report: Report,
        /// What was tried.
        canaries: Vec<Canary>,
    },
}

impl Examined {
    /// Whether it works and nothing that was tried went through.
    #[must_use]
    pub fn holds(&self) -> bool {
        match &self.health {
            Health::Missing { .. } => false,
            Health::Works { canaries, .. } => canaries.iter().all(Canary::held),
        }
    }
}

/// Programs that do nothing, and are on every system.
const PROGRAMS: [&str; 2] = ["/usr/bin/true", "/bin/true"];
/// What the canary is called inside.
const INSIDE: &str = "/canary";

/// Examines every backend. `stage` is a program as [`Settings::stage`] names one; `folder` is an empty folder of the
/// caller's own, which everybody is let into.
///
/// # Errors
/// When the folder cannot be written to, or `stage` does not sing.
pub fn examine(stage: &Path, folder: &Path) -> io::Result<Vec<Examined>> {
    let (secret, closed) = (folder.join("secret"), folder.join("closed"));
    fs::create_dir(&closed)?;
    fs::write(&secret, "not listed anywhere")?;
    // Root's programs run as somebody else, for whom the mount must be what closes the folder.
    fs::set_permissions(&closed, Permissions::from_mode(0o777))?;
    fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    let program = PROGRAMS.map(Path::new).into_iter().find(|program| program.exists());
    let program =
        program.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no program `true`"))?;
    // Left open for everything that is started from here on.
    let open = File::open(&secret)?;
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty())?;
    let tried = Trial { stage, secret: &secret, closed: &closed, program };
    let outside = tried.outside()?;
    Ok(Backend::ALL.iter().map(|backend| tried.examined(*backend, &outside)).collect())
}

struct Trial<'t> {
    stage: &'t Path,
    secret: &'t Path,
    closed: &'t Path,
    program: &'t Path,
}

type Results = BTreeMap<Attack, Tried>;

impl Trial<'_> {
    /// What becomes of the attempts without a sandbox.
    fn outside(&self) -> io::Result<Results> {
        let word = word("outside");
        let sung = Command::new(self.stage)
            .args(canary::arguments(self.secret, self.closed, self.program, &word))
            // Whoever has no variables at all has none to lose.
            .env("KITBAG_CANARY", "1")
            .stdin(Stdio::null())
            .output()?;
        let mut results = read(&sung.stdout);
        // Whoever starts a program goes on before the system shows its command line.
        let begun = results.get(&Attack::Daemon) == Some(&Tried::Open);
        let left = end_all(&word)
            || begun
                && (0..LOOKS).any(|_| {
                    thread::sleep(LOOK_EVERY);
                    end_all(&word)
                });
        if results.is_empty() {
            let text = format!("{} does not lend itself to the sandbox", self.stage.display());
            return Err(io::Error::other(text));
        }
        results.insert(Attack::Daemon, if left { Tried::Open } else { Tried::Unknown });
        Ok(results)
    }

    fn examined(&self, backend: Backend, outside: &Results) -> Examined {
        let health = match self.inside(backend) {
            Ok((mut report, inside)) => {
                let result = |from: &Results, attack| from.get(&attack).cloned().unwrap_or(Tried::Unknown);
                let canary = |attack| Canary {
                    attack,
                    outside: result(outside, attack),
                    inside: result(&inside, attack),
                };
                let canaries: Vec<Canary> = Attack::ALL.into_iter().map(canary).collect();
                for canary in canaries.iter().filter(|canary| !canary.held()) {
                    withdraw(&mut report, canary.attack);
                }
                Health::Works { report, canaries }
            }
            Err(because) => Health::Missing { because },
        };
        Examined { backend, health }
    }

    fn inside(&self, backend: Backend) -> Result<(Report, Results), String> {
        let settings = Settings {
            backend: Choice::Only(backend),
            degraded: Degraded::Allowed,
            stage: Some(self.stage.to_owned()),
            ..Settings::default()
        };
        works(backend, &settings)?;
        let word = word(backend.name());
        let plan = self.plan(backend, &word).map_err(|error| error.to_string())?;
        let run = run_with(&plan, &settings).map_err(|error| reason(&error))?;
        let mut results = read(&run.outcome.output);
        let left = end_all(&word);
        if results.is_empty() {
            let said = String::from_utf8_lossy(&run.outcome.errors).trim().to_owned();
            return Err(match run.outcome.ending {
                Ending::Exited(code) => format!("the canary ended with code {code}: {said}"),
                ending => format!("the canary {ending}: {said}"),
            });
        }
        let daemon = match results.get(&Attack::Daemon) {
            Some(Tried::Open) if !left => Tried::Refused("it ended with the program".to_owned()),
            Some(Tried::Open) => Tried::Open,
            _ => Tried::Unknown,
        };
        results.insert(Attack::Daemon, daemon);
        Ok((run.report, results))
    }

    /// The canary is listed, and the program it starts is there and may be read.
    fn plan(&self, backend: Backend, word: &str) -> Result<Plan, crate::system::SystemError> {
        let system = System::with_programs(&[])?;
        let (mut tree, mut programs) = (system.items, system.programs);
        // Without namespaces everything is called what it is called outside.
        let called = |inside: &'static str, outside| match backend {
            Backend::Landlock => outside,
            _ => Path::new(inside),
        };
        let canary = called(INSIDE, self.stage);
        let denied = called("/denied/program", self.program);
        let closed = called("/closed", self.closed);
        if let Programs::Listed(listed) = &mut programs {
            listed.push(canary.to_owned());
        }
        let host = |from: &Path, at: &Path, rights| Item::Host { from: from.into(), at: at.into(), rights };
        tree.extend([
            host(self.stage, canary, Rights::Code),
            host(self.program, denied, Rights::Read),
            host(self.closed, closed, Rights::Read),
        ]);
        let arguments = canary::arguments(self.secret, closed, denied, word);
        let limits = Limits { wall: Duration::from_secs(30), ..Limits::default() };
        Ok(Plan { arguments, limits, ..Plan::new(canary, tree, programs) })
    }
}

/// Takes back what a report claims and a canary has shown not to hold.
fn withdraw(report: &mut Report, attack: Attack) {
    match attack {
        Attack::Read => report.files_hidden = false,
        Attack::Write => report.files_isolated = false,
        Attack::Socket => report.network = NetworkIsolation::Open,
        Attack::Program | Attack::ProgramAt | Attack::Untraced => report.exec = ExecIsolation::Unlisted,
        Attack::Namespace | Attack::Descriptor | Attack::Variable | Attack::Daemon => {}
    }
    report.degraded.push(format!("a canary could {}", attack.words()));
}

/// How often a process that has been started is looked for, and how long is waited in between.
const LOOKS: usize = 100;
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A word that no other process has on its command line.
fn word(name: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("kitbag-canary-{name}-{}-{}", std::process::id(), now.as_nanos())
}

/// The lines of a canary.
fn read(sung: &[u8]) -> Results {
    let text = String::from_utf8_lossy(sung);
    let line = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        let attack = Attack::ALL.into_iter().find(|attack| attack.name() == name)?;
        let tried = match rest.strip_prefix("refused ") {
            Some(words) => Tried::Refused(words.to_owned()),
            None if rest == "open" => Tried::Open,
            None => return None,
        };
        Some((attack, tried))
    };
    text.lines().filter_map(line).collect()
}

/// Ends every process that has `word` on its command line; whether there was one.
fn end_all(word: &str) -> bool {
    let has = |process: &i32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    };
    let Ok(entries) = fs::read_dir("/proc") else { return false };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let found: Vec<i32> = processes.filter(has).collect();
    for process in &found {
        if let Some(process) = rustix::process::Pid::from_raw(*process) {
            // It may have ended by itself.
            let _sent = rustix::process::kill_process(process, rustix::process::Signal::KILL);
        }
    }
    !found.is_empty()
}

/// What the kernel and its settings are, as far as they decide what is isolated: for whoever keeps what was examined.
#[must_use]
pub fn circumstances() -> String {
    const SETTINGS: [&str; 7] = [
        "/proc/sys/kernel/osrelease",
        "/proc/sys/kernel/version",
        "/proc/sys/kernel/unprivileged_userns_clone",
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "/proc/sys/user/max_user_namespaces",
        "/proc/sys/kernel/yama/ptrace_scope",
        "/sys/kernel/security/lsm",
    ];
    let mut all: Vec<String> = SETTINGS
        .iter()
        .map(|path| fs::read_to_string(path).map_or_else(|_| "-".to_owned(), |text| text.trim().to_owned()))
        .collect();
    all.push(format!("landlock {}", crate::inside::landlock_version()));
    all.push(format!("user {}", rustix::process::geteuid().as_raw()));
    all.join("\n")
}

/// What a backend that does not work needs, in words for whoever can give it.
#[must_use]
pub const fn help(backend: Backend) -> &'static str {
    match backend {
        Backend::Native => {
            "let this user make user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns, \
             kernel.unprivileged_userns_clone, user.max_user_namespaces), or install bubblewrap"
        }
        Backend::Bubblewrap => "install bubblewrap (the package `bubblewrap` of your system)",
        Backend::Landlock => {
            "use a kernel from 5.13 on that has Landlock switched on (`landlock` in the kernel's parameter lsm=)"
        }
    }
}

/// The programs that backends need and that were found, by path.
#[must_use]
pub fn needed_programs() -> Vec<PathBuf> {
    crate::backend::bwrap::find().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{Attack, Tried, read};

    #[test]
    fn what_a_canary_says_is_read_line_by_line_and_nothing_else() {
        let results =
            read(b"read refused No such file (os error 2)\nsocket open\nstrange open\nwrite what\nmore\n");
        assert_eq!(results.len(), 2);
        assert_eq!(results.get(&Attack::Socket), Some(&Tried::Open));
        assert!(matches!(results.get(&Attack::Read), Some(Tried::Refused(words)) if words.contains("file")));
    }

    #[test]
    fn what_a_canary_could_do_is_claimed_no_more() {
        let claimed = super::Report {
            backend: super::Backend::Native,
            files_isolated: true,
            files_hidden: true,
            network: super::NetworkIsolation::None,
            exec: super::ExecIsolation::Prevented,
            proc: crate::report::ProcView::Processes,
            landlock: Some(7),
            filter: 1,
            other_user: false,
            limits: Vec::new(),
            degraded: Vec::new(),
        };
        assert!(claimed.l2_eligible());
        for attack in Attack::ALL {
            let mut report = claimed.clone();
            super::withdraw(&mut report, attack);
            assert_eq!(report.degraded.len(), 1, "{attack:?}");
            let counts = matches!(attack, Attack::Read | Attack::Write | Attack::Socket);
            assert_eq!(report.l2_eligible(), !counts, "{attack:?}");
        }
    }

    #[test]
    fn every_attack_has_a_name_of_its_own() {
        let mut names: Vec<&str> = Attack::ALL.iter().map(|attack| attack.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Attack::ALL.len());
    }
}
