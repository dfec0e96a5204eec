//! The verbs: one file each, thin. A verb turns words into a request to the library and hands the answer to a renderer.
//!
//! To add one: `commands/<verb>.rs` with `Args` and `Args::run`, and one line in each of the three lists below.

mod cache;
mod check;
mod completions;
mod connector;
mod diff;
mod doctor;
mod explain;
mod fix;
mod init;
mod input;
mod man;
mod pack;
mod run;
mod show;
mod skill;
mod skillpact;
mod specialist;
mod supply;
mod unpack;
mod verify;
mod workflow;

pub use skill::ImportOutcome;

use clap::Subcommand;

use crate::failure::{Answer, Failure};
use crate::terminal::Terminal;

/// The verbs, in the order of the help.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check packages: is it sound, and which programs would load it?
    Check(check::Args),
    /// Show a package: what is it, what is in it, and what may it do?
    Show(show::Args),
    /// Begin a package: a small one that works, to be changed into your own
    Init(init::Args),
    /// Compare two versions of a package: what changed, what it asks for now, and what its version should be
    Diff(diff::Args),
    /// Apply the safe fixes of findings
    Fix(fix::Args),
    /// Pack a folder: the archive of its format, the same bytes wherever it is built
    Pack(pack::Args),
    /// Verify packages: are these the bytes that their digests name?
    Verify(verify::Args),
    /// Unpack an archive into a new folder, once all of it is verified
    Unpack(unpack::Args),
    /// Run a tool of a package, inside exactly its permissions
    Run(run::Args),
    /// Run a workflow of a package, step by step, up to what only an agent can do
    Workflow(workflow::Args),
    /// List, verify and collect what is kept on this machine: resources, copies of packages, what tools keep
    Cache(cache::Args),
    /// Check, import and export Open-Science Connectors and the servers of MCP clients
    Connector(connector::Args),
    /// Check and import Skills of Open-Science
    Skill(skill::Args),
    /// Preview, install, export and delete Open-Science Specialists
    Specialist(specialist::Args),
    /// Examine this host: what isolation is real here, and which interpreters are there?
    Doctor(doctor::Args),
    /// Answer as SkillPact's reference implementation does, for scripts written for it
    #[command(name = "skillpact")]
    SkillPact(skillpact::Args),
    /// Explain a code: when it is raised, why it matters, what to do
    Explain(explain::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Print a manual page
    Man(man::Args),
}

impl Command {
    /// Does it.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        match self {
            Self::Check(args) => args.run(terminal),
            Self::Show(args) => args.run(terminal),
            Self::Init(args) => args.run(terminal),
            Self::Diff(args) => args.run(terminal),
            Self::Fix(args) => args.run(terminal),
            Self::Pack(args) => args.run(terminal),
            Self::Verify(args) => args.run(terminal),
            Self::Unpack(args) => args.run(terminal),
            Self::Run(args) => args.run(terminal),
            Self::Workflow(args) => args.run(terminal),
            Self::Cache(args) => args.run(terminal),
            Self::Connector(args) => args.run(terminal),
            Self::Skill(args) => args.run(terminal),
            Self::Specialist(args) => args.run(terminal),
            Self::Doctor(args) => args.run(terminal),
            Self::SkillPact(args) => args.run(terminal),
            Self::Explain(args) => args.run(terminal),
            Self::Completions(args) => args.run(terminal),
            Self::Man(args) => args.run(terminal),
        }
    }
}
