//! `kitbag init FOLDER`

use std::path::PathBuf;

use kitbag::init::{Answer as Beginning, Begun, Refusal, Request, Starter, init};

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::interrupt;
use crate::render::{self, Plain, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag init my-tool --splice                   a Splice package with a tool that runs in Node
  kitbag init my-tool --adcap                    an .adcap capability with a skill and a tool in Python
  kitbag init . --splice --name acme/my-tool     here, in an empty folder, under your own name
";

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// The folder: one that is not there yet, or an empty one
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    #[command(flatten)]
    kind: KindOf,

    /// The name, or PUBLISHER/NAME; without it, as the folder is called
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

/// Which kind of package.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct KindOf {
    /// A Splice package: manifest.json, SKILL.md, a tool and an example of its input and output
    #[arg(long)]
    splice: bool,

    /// An .adcap capability: capability.json, a skill, a tool and an example of its input and output
    #[arg(long)]
    adcap: bool,
}

impl Args {
    /// Begins.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        // One of the two is set, as clap makes sure of.
        let starter = if self.kind.adcap { Starter::Adcap } else { Starter::Splice };
        let request = Request { folder: self.folder, starter, name: self.name };
        let interrupt = interrupt::on_signals()?;
        let answer = init(&request, &interrupt).map_err(|error| Failure::new(Kind::Output, error))?;
        if self.output == Shape::Json {
            terminal.data(|out| render::json::init(&answer, out))?;
        }
        match (&answer, self.output) {
            (Beginning::Begun(begun), Shape::Human) => terminal.words(|out| told(begun, out))?,
            (Beginning::Refused(refusal), Shape::Human) => terminal.talk(|out| {
                writeln!(out, "nothing was written: {}", Plain(&refusal.to_string()))?;
                writeln!(out, "hint: {}", help(refusal))
            })?,
            _ => {}
        }
        Ok(if matches!(answer, Beginning::Begun(_)) { Answer::Yes } else { Answer::No })
    }
}

fn told(begun: &Begun, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let folder = begun.folder.display().to_string();
    writeln!(out, "{}  {} {}", Plain(&folder), begun.starter.format(), begun.id)?;
    for file in &begun.files {
        writeln!(out, "  {file}")?;
    }
    writeln!(out)?;
    if begun.stand_in {
        let document = begun.files.first().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "Put your own name for `example` into {document} before others get it.")?;
    }
    writeln!(out, "Next: kitbag check, kitbag show --tools, kitbag pack")
}

const fn help(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Taken { .. } => "name a folder that is not there yet, or an empty one",
        Refusal::FolderName { .. } => "say how it is called with --name",
        _ => {
            "a name has 1 to 64 lower-case letters, digits and single dashes; --name PUBLISHER/NAME takes both"
        }
    }
}
