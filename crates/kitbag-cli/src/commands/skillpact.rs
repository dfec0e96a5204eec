//! `kitbag skillpact …`: the command line of SkillPact's reference implementation, word for word, so that scripts and
//! workflows written for it keep working. Nothing here follows kitbag's own conventions on purpose.

mod arguments;

use std::ffi::OsString;

use kitbag::skillpact::{ValidateLevel, ValidateReport, validate};
use serde::Serialize;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::terminal::Terminal;

use arguments::{Asked, Parsed};

const EXAMPLES: &str = "\
Examples:
  kitbag skillpact validate my-skill
  kitbag skillpact validate my-skill --contract drafts/my-skill.json
";

/// Arguments of `skillpact`, as they were typed.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP, disable_help_flag = true)]
pub struct Args {
    /// A command of the reference implementation and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl Args {
    /// Does what the reference would do.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        match arguments::parse(&self.arguments) {
            Parsed::Run(Asked::Validate { folder, contract }) => {
                let report = validate(&folder, contract.as_deref())
                    .map_err(|error| Failure::new(Kind::Input, error))?;
                terminal.data(|out| {
                    serde_json::to_writer_pretty(&mut *out, &Document::of(&report))?;
                    writeln!(out)
                })?;
                Ok(if report.ok() { Answer::Yes } else { Answer::No })
            }
            Parsed::Help(text) => {
                terminal.data(|out| out.write_all(text.as_bytes()))?;
                Ok(Answer::Yes)
            }
            Parsed::Wrong(text) => {
                terminal.talk(|out| out.write_all(text.as_bytes()))?;
                Ok(Answer::Misused)
            }
        }
    }
}

/// The reference's document, member by member.
#[derive(Serialize)]
struct Document<'r> {
    ok: bool,
    errors: usize,
    warnings: usize,
    findings: Vec<Entry<'r>>,
}

#[derive(Serialize)]
struct Entry<'r> {
    level: &'static str,
    code: &'static str,
    message: &'r str,
    #[serde(rename = "where")]
    place: &'r str,
}

impl<'r> Document<'r> {
    fn of(report: &'r ValidateReport) -> Self {
        let findings = report.findings.iter().map(|finding| Entry {
            level: finding.level.word(),
            code: finding.code,
            message: &finding.message,
            place: &finding.place,
        });
        Self {
            ok: report.ok(),
            errors: report.count(ValidateLevel::Error),
            warnings: report.count(ValidateLevel::Warn),
            findings: findings.collect(),
        }
    }
}
