//! `kitbag doctor`

use kitbag::doctor::{Freshness, Request, doctor};

use crate::cli::HELP;
use crate::environment;
use crate::failure::{Answer, Failure, Kind};
use crate::progress::Progress;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag doctor                    what holds here, and which interpreters run inside?
  kitbag doctor --fresh            try everything again
  kitbag doctor --output json      for a script: .ok, .chosen, .backends[].report
";

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = EXAMPLES,
    help_template = HELP,
    after_help = "\
A small program attempts, outside and in each kind of sandbox, what must be refused there: read what is not listed, reach the
network, start other programs, leave a process behind. What goes through is not claimed. The answer is kept until the
kernel, its settings or the programs change. The exit code is 0 when programs of strangers can be run here inside what they
declare, and 1 when not."
)]
pub struct Args {
    /// Try everything now, and do not believe what was kept
    #[arg(long)]
    fresh: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Examines.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let request = Request {
            stage: environment::myself()?,
            search: environment::search(),
            temporary: environment::temporary(),
            cache: environment::cache(),
            freshness: if self.fresh { Freshness::Fresh } else { Freshness::Kept },
        };
        let progress = Progress::start("examining", terminal);
        let diagnosis = doctor(&request).map_err(|error| Failure::new(Kind::Input, error))?;
        drop(progress);
        match self.output {
            Shape::Human => {
                terminal.words(|out| render::human::doctor(&diagnosis, terminal.width(), out))?;
            }
            Shape::Json => terminal.data(|out| render::json::doctor(&diagnosis, out))?,
        }
        Ok(if diagnosis.holds() { Answer::Yes } else { Answer::No })
    }
}
