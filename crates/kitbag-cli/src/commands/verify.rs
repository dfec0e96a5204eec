//! `kitbag verify PATH…`

use std::path::PathBuf;

use kitbag::verify::{Report, Request, verify};
use kitbag_core::digest::Sha256;
use kitbag_core::formats::Pin;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::progress::Progress;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag verify notes.adcap                          every file against the list in it
  kitbag verify desk.tar.gz --expect sha256-2c76…    the digest that a lock file or registry names
  kitbag verify installed/notes skills/              folders, too
";

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = EXAMPLES,
    help_template = HELP,
    after_help = "\
Outcomes: verified-bytes (every file is the one a digest names), unsigned (the archive was read strictly, and nothing says
what its bytes should be), unpinned (nothing was compared), tampered, refused. The exit code is 0 for the first two.
Signatures are not verified by this version: no outcome says who made a package."
)]
pub struct Args {
    /// Archives, bundles or folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// A digest of the package that somebody else named: of its archive, manifest or files
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    expect: Option<Sha256>,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Verifies.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        if self.expect.is_some() && self.paths.len() > 1 {
            return Err(Failure::new(
                Kind::Usage,
                "a digest is that of one package, and several paths are given",
            )
            .hint("verify them one by one"));
        }
        let progress = Progress::start("verifying", terminal);
        let mut report = Report::default();
        for path in self.paths {
            let request = Request { path, expected: self.expect };
            let one = verify(&request).map_err(|error| Failure::new(Kind::Input, error))?;
            report.packages.extend(one.packages);
            report.between.extend(one.between);
        }
        drop(progress);
        match self.output {
            Shape::Human => {
                terminal.words(|out| render::human::verify(&report, terminal.width(), out))?;
                terminal.talk(|out| render::human::between(&report, terminal.width(), out))?;
            }
            Shape::Json => terminal.data(|out| render::json::verify(&report, out))?,
        }
        Ok(if report.ok() { Answer::Yes } else { Answer::No })
    }
}

/// A digest as any format writes it.
pub(super) fn digest(text: &str) -> Result<Sha256, String> {
    Pin::parse(text).ok_or_else(|| {
        "a digest is 64 lower-case hexadecimal digits, alone or after `sha256-` or `sha256:`".to_owned()
    })
}
