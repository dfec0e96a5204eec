//! [`lower`]: what a package may do, where its symbolic folders are on this host, and what is started become a [`Plan`].
//!
//! A sandbox holds less than a declaration can say, and never more: whatever the plan lets a program do, the grants do,
//! and what they say beyond that is a loss. Scratch folders are the run's own and always there, and so is the package,
//! which is only read unless it may write to itself.

mod environment;
mod files;
mod losses;
mod names;
mod network;
mod programs;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kitbag_core::permit::{Allowed, Effect, LossKind, Lowered, Met, Scope};

use crate::plan::{Afterwards, Auditing, Item, Limits, Plan, Proc, Rights};
use crate::system::SystemError;

use files::Files;
use losses::Losses;
use names::Called;

pub use names::Names;

/// What the package is called inside.
pub const PACKAGE: &str = "/package";
/// What the project is called inside.
pub const PROJECT: &str = "/project";
/// The folder that the input is in.
pub const INPUT: &str = "/input";
/// The folder that the output is in, or is.
pub const OUTPUT: &str = "/output";
/// The run's own folder.
pub const WORK: &str = "/work";
/// The run's folder for temporary files.
pub const TEMP: &str = "/tmp";

/// Where on this host the symbolic folders of permissions are, for one run.
#[derive(Clone, Debug)]
pub struct Places {
    /// The package: the copy of it that was verified.
    pub package: PathBuf,
    /// The user's project.
    pub project: Option<PathBuf>,
    /// The input: a file or a folder.
    pub input: Option<PathBuf>,
    /// The output: a file or a folder. One that is not there yet is made in memory, and kept.
    pub output: Option<PathBuf>,
    /// The run's own folder.
    pub work: Work,
    /// What else a text that begins with a variable stands for, such as `$DEPENDENCY/publisher/name`.
    pub further: Vec<(String, PathBuf)>,
    /// How much a folder in memory holds.
    pub scratch: Scratch,
    /// Where programs are looked for by name, in order.
    pub search: Vec<PathBuf>,
    /// The variables that could be passed on.
    pub environment: Vec<(OsString, OsString)>,
}

/// The run's own folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// A folder of the host, which was made for this run.
    Folder(PathBuf),
    /// One in memory.
    Memory(Afterwards),
}

/// How much a folder in memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// In bytes.
    pub bytes: u64,
    /// In files.
    pub files: u64,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { bytes: 256 << 20, files: 16_384 }
    }
}

/// What is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The program, as it is called inside.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Programs of the host that it cannot do without: its interpreter, or itself.
    pub programs: Vec<PathBuf>,
    /// Whether files of the package are programs, which may be started, or only data.
    pub package: PackageFiles,
    /// Further things that exist inside, such as an interpreter's own folder.
    pub items: Vec<Item>,
    /// Further variables; they replace those of the same name.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it starts: [`WORK`] when nothing is said.
    pub folder: Option<PathBuf>,
    /// How much of `/proc` there is.
    pub proc: Proc,
    /// What it may use up.
    pub limits: Limits,
    /// What it reads from standard input.
    pub input: Vec<u8>,
}

/// What the files of a package are to the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageFiles {
    /// They are only read.
    Data,
    /// They may be started, and loaded as code.
    Programs,
}

/// The plan in which `start` may do what `met` allows and no more, and what could not be said in it.
///
/// # Errors
/// [`SystemError`] when a program that `start` cannot do without is not there.
pub fn lower(met: &Met, places: &Places, start: &Start) -> Result<Lowered<Plan>, SystemError> {
    lower_with(met, places, start, &Names::Own)
}

/// As [`lower`], with other names inside. The program and the folder of `start` are called what they are called there.
///
/// # Errors
/// [`SystemError`] when a program that `start` cannot do without is not there.
pub fn lower_with(
    met: &Met,
    places: &Places,
    start: &Start,
    names: &Names,
) -> Result<Lowered<Plan>, SystemError> {
    let called = Called::of(places, names);
    let mut losses = Losses::default();
    let allowed = |effect: &Effect| met.allowed.iter().find(|allowed| allowed.effect == *effect);
    let system = programs::system(allowed(&Effect::Exec), places, start, &called, &mut losses)?;
    let mut tree = system.items;
    tree.extend(start.items.iter().cloned());

    let mut files = Files::new((places, &called), &tree, start.package, &system.programs);
    // What may be written is shown first, so that what is read as well needs no place of its own.
    for (effect, rights) in [(Effect::Write, Rights::Write), (Effect::Read, Rights::Read)] {
        if let Some(allowed) = allowed(&effect) {
            files.grant(allowed, rights, &mut losses);
        }
    }
    let keeps_output = files.keeps_output();
    let shown = files.items();
    tree.extend(shown);
    tree.extend(scratch(places, &called, keeps_output));
    let tree = in_order(tree);

    let environment = environment::environment(met, places, start, &called, &mut losses);
    let network = network::network(allowed(&Effect::Network), &mut losses);
    for other in &met.allowed {
        others(other, &mut losses);
    }
    let plan = Plan {
        program: start.program.clone(),
        arguments: start.arguments.clone(),
        environment,
        folder: start.folder.clone().unwrap_or_else(|| called.work.clone()),
        tree,
        proc: start.proc,
        network,
        programs: system.programs,
        audit: Auditing::Off,
        limits: start.limits,
        input: start.input.clone(),
    };
    Ok(Lowered { value: plan, losses: losses.all })
}

/// The items so that what holds another comes first. In a folder of the host nothing is made, so a link that would lie in
/// one is left to the host's own.
fn in_order(mut tree: Vec<Item>) -> Vec<Item> {
    tree.sort_by(|one, other| one.at().cmp(other.at()));
    tree.dedup();
    let host = |item: &Item| matches!(item, Item::Host { .. }).then(|| item.at().to_owned());
    let folders: BTreeSet<PathBuf> = tree.iter().filter_map(host).collect();
    tree.retain(|item| {
        let mut above = item.at().ancestors().skip(1);
        !matches!(item, Item::Link { .. }) || !above.any(|above| folders.contains(above))
    });
    tree
}

/// The folders that are the run's own.
fn scratch(places: &Places, called: &Called, keeps_output: bool) -> Vec<Item> {
    let Scratch { bytes, files } = places.scratch;
    let memory = |at: &Path, afterwards| Item::Memory { at: at.into(), bytes, files, afterwards };
    let mut items = vec![match &places.work {
        Work::Folder(from) => {
            Item::Host { from: from.clone(), at: called.work.clone(), rights: Rights::Write }
        }
        Work::Memory(afterwards) => memory(&called.work, *afterwards),
    }];
    items.push(memory(&called.temp, Afterwards::Gone));
    if keeps_output {
        items.push(memory(&called.output_folder, Afterwards::Kept));
    }
    items
}

/// Effects that are none of a sandbox's.
fn others(allowed: &Allowed, losses: &mut Losses) {
    if allowed.scope == Scope::Nothing {
        return;
    }
    let because = match &allowed.effect {
        Effect::Spend => "what costs money is not seen by a sandbox; whoever runs this asks",
        Effect::Send => "a message is not told apart from other traffic; whoever runs this asks",
        Effect::Call => "calls of tools and connectors go through whoever runs this",
        _ => return,
    };
    losses.add(allowed, LossKind::Dropped, because.to_owned());
}
