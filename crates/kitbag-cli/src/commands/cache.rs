//! `kitbag cache ls|verify|gc`

use std::time::{Duration, SystemTime};

use clap::Subcommand;
use kitbag::resource::{Cache, Collect, Data, Dry, Error};

use crate::cli::HELP;
use crate::environment;
use crate::failure::{Answer, Failure, Kind};
use crate::interrupt;
use crate::progress::Progress;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag cache ls                     what is kept on this machine, and how large is it?
  kitbag cache verify                 is all of it still what it should be?
  kitbag cache gc                     take away what was not used for 30 days
";

/// Arguments of `cache`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = EXAMPLES,
    help_template = HELP,
    arg_required_else_help = true,
    after_help = "\
The cache is the folder that KITBAG_CACHE names, or else kitbag's in the user's folder for caches.
Everything in it but what tools keep (`data`) can be fetched or made again."
)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    verb: Verb,
}

/// What to do with what is kept on this machine.
#[derive(Debug, Subcommand)]
enum Verb {
    /// List what is kept: resources, beginnings of some, copies of packages, what tools keep
    #[command(visible_alias = "list")]
    Ls(Ls),
    /// Verify what is kept: is every byte still what its name says?
    Verify(Verify),
    /// Collect what was not used for a while; what a program uses now stays
    Gc(Gc),
}

const LS: &str = "\
Examples:
  kitbag cache ls
  kitbag cache ls --output json      for a script: .entries[].kind, .name, .bytes, .lastUsed
";

#[derive(Debug, clap::Args)]
#[command(before_help = LS, help_template = HELP)]
struct Ls {
    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

const VERIFY: &str = "\
Examples:
  kitbag cache verify                every byte is compared; exit code 1 when one is wrong
  kitbag cache verify --output json
";

#[derive(Debug, clap::Args)]
#[command(
    before_help = VERIFY,
    help_template = HELP,
    after_help = "\
What is wrong is never used: whoever needs it next fetches or copies it again."
)]
struct Verify {
    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

const GC: &str = "\
Examples:
  kitbag cache gc                            take away what was not used for 30 days
  kitbag cache gc --unused-for 0             take away everything that no program uses now
  kitbag cache gc --dry-run                  only say what would go
  kitbag cache gc --unused-for 0 --data      and what tools keep between runs, which nobody can fetch again
";

#[derive(Debug, clap::Args)]
#[command(before_help = GC, help_template = HELP)]
struct Gc {
    /// How long something must have been of no use
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    unused_for: u32,

    /// Take away what tools keep between runs, however lately it was used
    #[arg(long)]
    data: bool,

    /// Take nothing away, only say what would go
    #[arg(long)]
    dry_run: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Does it.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let folder = environment::cache().ok_or_else(|| {
            Failure::new(Kind::Usage, "nothing says where your cache is")
                .hint("set KITBAG_CACHE to a folder of yours, as an absolute path")
        })?;
        let cache = Cache::at(&folder);
        match self.verb {
            Verb::Ls(args) => args.run(&cache, terminal),
            Verb::Verify(args) => args.run(&cache, terminal),
            Verb::Gc(args) => args.run(&cache, terminal),
        }
    }
}

fn failure(error: Error) -> Failure {
    Failure::new(Kind::Input, error)
}

impl Ls {
    fn run(self, cache: &Cache, terminal: &Terminal) -> Result<Answer, Failure> {
        let entries = cache.list().map_err(failure)?;
        match self.output {
            Shape::Human => {
                let now = SystemTime::now();
                terminal.words(|out| render::human::cache(&entries, now, out))?;
            }
            Shape::Json => terminal.data(|out| render::json::cache(&entries, out))?,
        }
        Ok(Answer::Yes)
    }
}

impl Verify {
    fn run(self, cache: &Cache, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let progress = Progress::start("verifying", terminal);
        let checked = cache.verify(&interrupt);
        drop(progress);
        let checked = checked.map_err(failure)?;
        match self.output {
            Shape::Human => terminal.words(|out| render::human::cache_verified(&checked, out))?,
            Shape::Json => terminal.data(|out| render::json::cache_verified(&checked, out))?,
        }
        Ok(if checked.iter().all(|one| one.is_right) { Answer::Yes } else { Answer::No })
    }
}

impl Gc {
    fn run(self, cache: &Cache, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let unused_for = Duration::from_secs(u64::from(self.unused_for) * 86_400);
        let now = SystemTime::now();
        let unused_since = match self.unused_for {
            // Whatever was of use this very moment, too.
            0 => now + Duration::from_secs(1),
            _ => now.checked_sub(unused_for).unwrap_or(SystemTime::UNIX_EPOCH),
        };
        let data = if self.data { Data::Goes } else { Data::Stays };
        let dry = if self.dry_run { Dry::Yes } else { Dry::No };
        let progress = Progress::start("collecting", terminal);
        let collected = cache.collect(&Collect { unused_since, data, dry }, &interrupt);
        drop(progress);
        let collected = collected.map_err(failure)?;
        match self.output {
            Shape::Human => terminal.words(|out| render::human::cache_collected(&collected, dry, out))?,
            Shape::Json => terminal.data(|out| render::json::cache_collected(&collected, dry, out))?,
        }
        Ok(Answer::Yes)
    }
}
