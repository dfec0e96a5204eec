//! What the attacks are tried on: an attacker, a program that must not run, a secret, and a folder to work in.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use kitbag_sandbox::{
    Backend, Choice, Degraded, Ending, Error, Item, Limits, Outcome, Plan, Process, Programs, Rights, Run,
    Settings, Step, System, run_with, spawn_with,
};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;

use crate::gaps;

/// The folder of the compiled programs, for a run of these tests as another user.
pub const PROGRAMS: &str = "KITBAG_ATTACK_PROGRAMS";

/// What an attack came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It went through.
    Open,
    /// The kernel refused with this number.
    Errno(i32),
    /// The attacker was killed by this signal.
    Signal(i32),
    /// Something else was said.
    Text(String),
}

impl Seen {
    fn of(output: &[u8], signal: Option<i32>) -> Self {
        if let Some(signal) = signal {
            return Self::Signal(signal);
        }
        let text = String::from_utf8_lossy(output);
        match text.lines().next().unwrap_or_default() {
            "open" | "RAN" => Self::Open,
            line => match line.strip_prefix("errno ").and_then(|number| number.parse().ok()) {
                Some(number) => Self::Errno(number),
                None => Self::Text(line.to_owned()),
            },
        }
    }
}

/// Who can do this outside a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Twin {
    /// Anybody.
    Anyone,
    /// Root only; tried when the tests run as root.
    Root,
    /// Nobody: but outside it comes to something else.
    Is(&'static [Seen]),
}

/// One attack: its words, who can do it outside, and what it must come to inside.
pub struct Attack(pub &'static [&'static str], pub Twin, pub &'static [Seen]);

/// The compiled programs.
pub struct Tools {
    pub attack: PathBuf,
    pub marker: PathBuf,
    /// A program that talks over a network as a test wants.
    pub speaker: PathBuf,
    /// A script that starts a program in ways that tracers miss.
    pub evade: PathBuf,
    /// The inner part of backends that need one.
    pub stage: PathBuf,
    /// A program that starts another where a call is refused.
    pub refuse: PathBuf,
}

impl Tools {
    fn of(folder: &Path) -> Self {
        let [attack, marker, speaker, evade, stage, refuse] =
            ["attack", "marker", "speaker", "evade.py", "stage", "refuse"].map(|name| folder.join(name));
        Self { attack, marker, speaker, evade, stage, refuse }
    }
}

/// The compiled programs; `None`, and said so, where they cannot be made.
pub fn tools() -> Option<&'static Tools> {
    static MADE: OnceLock<Option<(Tools, Option<Folder>)>> = OnceLock::new();
    MADE.get_or_init(make).as_ref().map(|(tools, _)| tools)
}

fn make() -> Option<(Tools, Option<Folder>)> {
    if let Some(folder) = std::env::var_os(PROGRAMS).map(PathBuf::from) {
        return Some((Tools::of(&folder), None));
    }
    if !cases::tool("cc") {
        return None;
    }
    let folder = Folder::new();
    open_to_all(folder.path());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks/programs");
    let build = |name: &str, options: &[&str]| {
        let program = folder.at(name);
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-o"]).arg(&program).arg(source.join(name).with_extension("c")).args(options);
        assert!(compiler.status().is_ok_and(|status| status.success()), "{compiler:?}");
    };
    build("attack", &["-static", "-pthread"]);
    build("marker", &[]);
    build("speaker", &["-static"]);
    build("refuse", &["-static"]);
    // A copy, because the project may lie where another user does not get.
    let tools = Tools::of(folder.path());
    fs::copy(source.join("evade.py"), &tools.evade).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_kitbag-stage"), &tools.stage).unwrap();
    Some((tools, Some(folder)))
}

/// Lets everybody read and write a folder.
pub fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
}

/// A folder that everybody may write to, with a folder to work in and a secret.
fn places() -> (Folder, PathBuf, PathBuf) {
    let folder = Folder::new().file("secret", "the secret").folder("work");
    open_to_all(folder.path());
    let (work, secret) = (folder.at("work"), folder.at("secret"));
    open_to_all(&work);
    (folder, work, secret)
}

/// Whether the tests run as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// One attacker's world.
pub struct World {
    tools: &'static Tools,
    folder: Folder,
    pub work: PathBuf,
    pub secret: PathBuf,
    pub settings: Settings,
    pub backend: Backend,
}

impl World {
    /// A world of the backend that is preferred; `None`, and said so, where it cannot be made.
    pub fn new() -> Option<Self> {
        Self::on(Backend::Native)
    }

    /// A world of `backend`; `None`, and said so, where it cannot be made.
    pub fn on(backend: Backend) -> Option<Self> {
        let tools = tools()?;
        if backend == Backend::Bubblewrap && !cases::tool("bwrap") {
            return None;
        }
        let (folder, work, secret) = places();
        // What a backend does not hold is in `gaps`, not in the way.
        let settings = Settings {
            backend: Choice::Only(backend),
            degraded: if backend == Backend::Native { Degraded::Refused } else { Degraded::Allowed },
            stage: Some(tools.stage.clone()),
            ..Settings::default()
        };
        let world = Self { tools, folder, work, secret, settings, backend };
        match world.inside(&world.plan(&Programs::Any), &["nothing"]) {
            Err(Error::Unavailable { because, .. }) if backend == Backend::Landlock => {
                assert!(std::env::var_os("KITBAG_TOOLS").is_none(), "no Landlock here: {because}");
                cases::skip(&format!("this host has no Landlock: {because}"));
                None
            }
            Err(Error::Step { step: step @ (Step::Clone | Step::MapUser | Step::Launch), source }) => {
                assert!(
                    std::env::var_os("KITBAG_TOOLS").is_none(),
                    "no user namespaces here: {step}: {source}"
                );
                cases::skip(&format!("this host lets nobody make namespaces: {source}"));
                None
            }
            _ => Some(world),
        }
    }

    /// Tries `attack` on `backend`, where a world of it can be made.
    pub fn with(backend: Backend, attack: impl Fn(&Self)) {
        if let Some(world) = Self::on(backend) {
            attack(&world);
        }
    }

    /// Another world like this one, whose settings can be others.
    pub fn again(&self) -> Self {
        let (folder, work, secret) = places();
        Self {
            tools: self.tools,
            folder,
            work,
            secret,
            settings: self.settings.clone(),
            backend: self.backend,
        }
    }

    /// Runs `plan` on this world's backend.
    pub fn run(&self, plan: &Plan) -> Result<Run, Error> {
        run_with(plan, &self.settings)
    }

    /// Starts `plan` on this world's backend.
    pub fn spawn(&self, plan: Plan) -> Result<Process, Error> {
        spawn_with(plan, self.settings.clone())
    }

    /// A file in a folder of the host that no plan lists.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.at(name)
    }

    /// What `outside` is called inside, where it can have a name of its own there: `inside`.
    pub fn called(&self, inside: &str, outside: &Path) -> PathBuf {
        match self.backend {
            Backend::Landlock => outside.to_owned(),
            _ => inside.into(),
        }
    }

    /// The attacker, as it is called inside.
    pub fn attack(&self) -> PathBuf {
        self.called("/attack", &self.tools.attack)
    }

    /// The program that must not run, as it is called inside.
    pub fn marker(&self) -> PathBuf {
        self.called("/denied/marker", &self.tools.marker)
    }

    /// The folder to work in, as it is called inside.
    pub fn inner_work(&self) -> PathBuf {
        self.called("/work", &self.work)
    }

    /// A place where nothing is outside.
    pub fn free(&self, name: &str) -> PathBuf {
        self.called(&format!("/{name}"), &self.folder.at(name))
    }

    /// Something of the host that is listed, `inside` by name where it can have one of its own.
    pub fn item(&self, outside: &Path, inside: &str, rights: Rights) -> Item {
        Item::Host { from: outside.to_owned(), at: self.called(inside, outside), rights }
    }

    /// A plan with the attacker at `/attack`, the folder `/work`, and the program that must not run at `/denied/marker`.
    /// With [`Programs::Listed`] only the attacker and the dynamic loader are listed, besides what is given.
    pub fn plan(&self, programs: &Programs) -> Plan {
        let (system, rights) = match programs {
            Programs::Any => (System::whole(), Rights::Code),
            Programs::Listed(more) => (System::with_programs(more).unwrap(), Rights::Read),
        };
        let mut programs = system.programs;
        if let Programs::Listed(listed) = &mut programs {
            listed.push(self.attack());
        }
        let mut tree = system.items;
        tree.extend([
            self.item(&self.tools.attack, "/attack", Rights::Code),
            self.item(&self.tools.marker, "/denied/marker", rights),
            self.item(&self.work, "/work", Rights::Write),
        ]);
        let limits = Limits { wall: Duration::from_secs(120), ..Limits::default() };
        Plan { folder: self.inner_work(), limits, ..Plan::new(self.attack(), tree, programs) }
    }

    /// Runs the attacker inside.
    pub fn inside(&self, plan: &Plan, words: &[&str]) -> Result<Run, Error> {
        let arguments = self.words(words, &self.inner_work(), &self.marker(), &self.attack());
        self.run(&Plan { arguments, ..plan.clone() })
    }

    /// Runs the attacker inside; it must get as far as its end.
    pub fn outcome(&self, plan: &Plan, words: &[&str]) -> Outcome {
        self.inside(plan, words).unwrap_or_else(|error| panic!("{words:?}: {error}: {error:?}")).outcome
    }

    /// Runs the attacker inside and says what that came to.
    pub fn seen_inside(&self, plan: &Plan, words: &[&str]) -> Seen {
        let outcome = self.outcome(plan, words);
        let signal = match outcome.ending {
            Ending::Signalled(signal) => Some(signal),
            Ending::Exited(99) => panic!("{words:?}: {}", String::from_utf8_lossy(&outcome.errors)),
            _ => None,
        };
        Seen::of(&outcome.output, signal)
    }

    /// Runs the attacker outside and says what that came to.
    pub fn seen_outside(&self, words: &[&str]) -> Seen {
        let Tools { attack, marker, .. } = self.tools;
        let output = Command::new(attack)
            .args(self.words(words, &self.work, marker, attack))
            .current_dir(&self.work)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(99), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        Seen::of(&output.stdout, output.status.signal())
    }

    fn words(&self, words: &[&str], work: &Path, marker: &Path, attack: &Path) -> Vec<OsString> {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let fill = |word: &&str| {
            word.replace("{work}", &text(work))
                .replace("{marker}", &text(marker))
                .replace("{attack}", &text(attack))
                .replace("{secret}", &text(&self.secret))
                .into()
        };
        words.iter().map(fill).collect()
    }

    /// What `words` come to inside: what is `expected` everywhere, but for what is told of this backend.
    pub fn expected(&self, words: &[&str], expected: &'static [Seen]) -> &'static [Seen] {
        gaps::of(self.backend, words).unwrap_or(expected)
    }

    /// Tries each attack outside and inside.
    pub fn withstands(&self, plan: &Plan, attacks: &[Attack]) {
        let mut wrong = Vec::new();
        for Attack(words, twin, expected) in attacks {
            let outside = self.seen_outside(words);
            match twin {
                Twin::Root if !is_root() => {}
                Twin::Anyone | Twin::Root if outside == Seen::Open => {}
                Twin::Anyone | Twin::Root => {
                    cases::skip(&format!("the attack {words:?} does not work on this host: {outside:?}"));
                }
                Twin::Is(seen) if seen.contains(&outside) => {}
                Twin::Is(_) => wrong.push(format!("{words:?} came to {outside:?} outside")),
            }
            let inside = self.seen_inside(plan, words);
            let expected = self.expected(words, expected);
            if !expected.contains(&inside) {
                wrong.push(format!("{words:?} came to {inside:?} inside"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

pub const OPEN: &[Seen] = &[Seen::Open];
pub const EPERM: &[Seen] = &[Seen::Errno(1)];
pub const ENOENT: &[Seen] = &[Seen::Errno(2)];
pub const EACCES: &[Seen] = &[Seen::Errno(13)];
pub const EXDEV: &[Seen] = &[Seen::Errno(18)];
pub const EROFS: &[Seen] = &[Seen::Errno(30)];
pub const EOPNOTSUPP: &[Seen] = &[Seen::Errno(95)];
pub const ENOSYS: &[Seen] = &[Seen::Errno(38)];
pub const EAFNOSUPPORT: &[Seen] = &[Seen::Errno(97)];
pub const SIGSYS: &[Seen] = &[Seen::Signal(31)];
