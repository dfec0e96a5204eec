//! `kitbag unpack FILE FOLDER`

use std::path::PathBuf;

use kitbag::unpack::{Answer as Unpacking, Error, Refusal, Request, unpack};
use kitbag_core::digest::Sha256;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::interrupt;
use crate::progress::Progress;
use crate::render::{self, Plain, Shape};
use crate::terminal::Terminal;

use super::verify::digest;

const EXAMPLES: &str = "\
Examples:
  kitbag unpack notes.adcap notes                          a new folder `notes`, once all of it is verified
  kitbag unpack desk.tar.gz desk --expect sha256-2c76…     only if it is the one that was published
  kitbag unpack old.splice.json old                        a Splice bundle, too
";

/// Arguments of `unpack`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// The archive or bundle
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The folder to make; nothing may have its name yet
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// A digest of the package that somebody else named: of its archive, manifest or files
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    expect: Option<Sha256>,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Unpacks.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let request = Request { file: self.file, folder: self.folder, expected: self.expect };
        let interrupt = interrupt::on_signals()?;
        let progress = Progress::start("unpacking", terminal);
        let answer = unpack(&request, &interrupt).map_err(failure)?;
        drop(progress);
        if self.output == Shape::Json {
            terminal.data(|out| render::json::unpack(&answer, out))?;
        }
        match (&answer, self.output) {
            (Unpacking::Unpacked(unpacked), Shape::Human) => {
                terminal.words(|out| render::human::unpacked(unpacked, terminal.width(), out))?;
            }
            (Unpacking::Unverified(report), Shape::Human) => terminal.talk(|out| {
                render::human::verify(report, terminal.width(), out)?;
                writeln!(out, "nothing was written")
            })?,
            (Unpacking::Refused(refusal), Shape::Human) => {
                let (because, help) = (refusal.to_string(), help(refusal));
                terminal.talk(|out| writeln!(out, "not unpacked: {}\nhint: {help}", Plain(&because)))?;
            }
            _ => {}
        }
        Ok(if matches!(answer, Unpacking::Unpacked(_)) { Answer::Yes } else { Answer::No })
    }
}

fn failure(error: Error) -> Failure {
    let kind = match &error {
        Error::Read(_) => Kind::Input,
        _ => Kind::Output,
    };
    Failure::new(kind, error)
}

fn help(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NotAnArchive => "`kitbag verify` takes folders, too",
        Refusal::Exists { .. } => "name a folder that is not there yet, or remove this one",
        _ => "unpack it where such names can be stored",
    }
}
