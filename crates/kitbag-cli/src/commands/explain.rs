//! `kitbag explain [CODE…]`

use kitbag_core::finding::Code;
use kitbag_core::formats::all_codes;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag explain                             every code, by format
  kitbag explain skillpact/NAME_MISMATCH     what one code means and what to do
  kitbag explain NAME_MISMATCH               the format may be left out
";

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// Codes to explain; without any, all are listed
    codes: Vec<String>,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Explains.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let mut asked = Vec::new();
        for name in &self.codes {
            asked.extend(find(name)?);
        }
        match self.output {
            Shape::Human if self.codes.is_empty() => {
                let all: Vec<_> = all_codes().collect();
                terminal.words(|out| render::human::list_codes(&all, terminal.width(), out))?;
            }
            Shape::Human => {
                terminal.words(|out| render::human::explain(&asked, terminal.width(), out))?;
            }
            Shape::Json => {
                if self.codes.is_empty() {
                    asked = all_codes().collect();
                }
                terminal.data(|out| render::json::explain(&asked, out))?;
            }
        }
        Ok(Answer::Yes)
    }
}

/// The code of this name; without a format, every code whose slug it is.
fn find(name: &str) -> Result<Vec<&'static Code>, Failure> {
    let named = |code: &&Code| {
        let slug = code.slug.split_once('/').map_or(code.slug, |(_, slug)| slug);
        code.slug.eq_ignore_ascii_case(name) || slug.eq_ignore_ascii_case(name)
    };
    let found: Vec<_> = all_codes().filter(named).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let wanted = name.to_ascii_lowercase();
    let near: Vec<_> = all_codes()
        .map(|code| code.slug)
        .filter(|slug| slug.to_ascii_lowercase().contains(&wanted))
        .take(5)
        .collect();
    let failure = Failure::new(Kind::Usage, format!("there is no code `{name}`"));
    Err(if near.is_empty() {
        failure.hint("`kitbag explain` lists every code")
    } else {
        failure.hint(format!("did you mean {}?", near.join(", ")))
    })
}
