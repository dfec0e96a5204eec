//! `kitbag show PATH`

use std::path::PathBuf;

use kitbag::show::{Request, show};

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::progress::Progress;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

use super::input;

const EXAMPLES: &str = "\
Examples:
  kitbag show my-skill                  what is it, what is in it, and what may it do?
  kitbag show download.skill            the same, before anything is unpacked
  kitbag show --tools my-skill          what can be called, how, and what each tool may do
  kitbag show --output json skills/     for programs
";

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// A folder, an archive or a document; `-` is standard input
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// The file name of standard input; without it, the content decides
    #[arg(long, value_name = "NAME")]
    stdin_name: Option<String>,

    /// Only what can be called: each tool with its input, output, runtime and permissions
    #[arg(long)]
    tools: bool,

    #[command(flatten)]
    profiles: input::Profiles,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Shows.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let request = Request {
            profiles: self.profiles.wanted()?,
            source: input::source(self.path, self.stdin_name.as_deref())?,
        };
        let progress = Progress::start("reading", terminal);
        let shown = show(&request).map_err(|error| Failure::new(Kind::Input, error))?;
        drop(progress);
        let width = terminal.width();
        match (self.output, self.tools) {
            (Shape::Human, true) => terminal.words(|out| render::human::tools(&shown, width, out))?,
            (Shape::Human, false) => terminal.words(|out| render::human::show(&shown, width, out))?,
            (Shape::Json, true) => terminal.data(|out| render::json::tools(&shown, out))?,
            (Shape::Json, false) => terminal.data(|out| render::json::show(&shown, out))?,
        }
        if self.output == Shape::Human {
            terminal.talk(|out| render::human::remarks(&shown, width, out))?;
        }
        Ok(if shown.packages.is_empty() { Answer::No } else { Answer::Yes })
    }
}
