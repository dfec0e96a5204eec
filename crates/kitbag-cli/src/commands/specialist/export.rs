//! `kitbag specialist export ID`

use std::path::PathBuf;

use kitbag::pack::{Destination, Existing};
use kitbag::specialist::{self, ExportOutcome, ExportRequest};
use kitbag::store::Store;
use kitbag_core::formats::openscience::specialist::export::{ExportRefusal, Selection};

use crate::cli::HELP;
use crate::failure::{Answer, Failure};
use crate::interrupt;
use crate::render::{self, Plain, Shape};
use crate::terminal::Terminal;

use super::{StoreArg, failure};

const EXAMPLES: &str = "\
Examples:
  kitbag specialist export rna-reader --store agents                 under the name that Open-Science gives it
  kitbag specialist export rna-reader --store agents -o reader.zip   somewhere else
  kitbag specialist export rna-reader --store agents --dry-run       which Skills would come along?
  kitbag specialist export rna-reader --store agents --revision 3 --with-skill notes
                                                                     only if nobody changed it since
";

#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub(super) struct Args {
    /// The identity of the Specialist, as `list` says it
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArg,

    /// The archive to write; without it, the name that Open-Science gives it, in the current folder
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Only if the Specialist has this revision still
    #[arg(long, value_name = "NUMBER")]
    revision: Option<u64>,

    /// A Skill that it uses and did not bring along, and that comes along
    #[arg(long, value_name = "SKILL")]
    with_skill: Vec<String>,

    /// A Skill that it brought along, and that does not come along
    #[arg(long, value_name = "SKILL")]
    without_skill: Vec<String>,

    /// Show what would be exported and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Replace a file that is there
    #[arg(long)]
    force: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    pub(super) fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let store = Store::at(self.store.store);
        let request = ExportRequest {
            id: self.id,
            revision: self.revision,
            selection: Selection { with: self.with_skill, without: self.without_skill },
            to: self.out.map_or_else(|| Destination::Folder(PathBuf::new()), Destination::File),
            existing: if self.force { Existing::Replace } else { Existing::Keep },
        };
        if self.dry_run {
            let preview = specialist::preview_export(&request, &store, &interrupt).map_err(failure)?;
            return match preview {
                Ok(preview) => {
                    match self.output {
                        Shape::Human => terminal
                            .words(|out| render::human::export(&preview, None, terminal.width(), out))?,
                        Shape::Json => terminal.data(|out| render::json::export(&preview, None, out))?,
                    }
                    Ok(if preview.can_export { Answer::Yes } else { Answer::No })
                }
                Err(refusal) => refused(&refusal, self.output, terminal),
            };
        }
        let outcome = specialist::export(&request, &store, &interrupt).map_err(failure)?;
        match (&outcome, self.output) {
            (ExportOutcome::Exported(done), Shape::Human) => {
                terminal
                    .words(|out| render::human::export(&done.preview, Some(done), terminal.width(), out))?;
            }
            (ExportOutcome::Exported(done), Shape::Json) => {
                terminal.data(|out| render::json::export(&done.preview, Some(done), out))?;
            }
            (ExportOutcome::Unsound(preview), Shape::Human) => {
                terminal.words(|out| render::human::export(preview, None, terminal.width(), out))?;
            }
            (ExportOutcome::Unsound(preview), Shape::Json) => {
                terminal.data(|out| render::json::export(preview, None, out))?;
            }
            (ExportOutcome::Refused(refusal), output) => return refused(refusal, output, terminal),
            (ExportOutcome::Exists { path }, output) => {
                let because = format!("`{}` is there already", path.display());
                return say(&because, "exists", Some("`--force` replaces it"), output, terminal);
            }
            _ => {}
        }
        Ok(if matches!(outcome, ExportOutcome::Exported(_)) { Answer::Yes } else { Answer::No })
    }
}

fn refused(refusal: &ExportRefusal, output: Shape, terminal: &Terminal) -> Result<Answer, Failure> {
    let hint = match refusal {
        ExportRefusal::NotFound => Some("`kitbag specialist list` says what is installed"),
        ExportRefusal::Changed { .. } => Some("look at it again with `--dry-run`"),
        _ => None,
    };
    say(&refusal.to_string(), refusal.code(), hint, output, terminal)
}

fn say(
    because: &str,
    code: &str,
    hint: Option<&str>,
    output: Shape,
    terminal: &Terminal,
) -> Result<Answer, Failure> {
    match output {
        Shape::Human => terminal.talk(|out| {
            writeln!(out, "not exported: {}", Plain(because))?;
            hint.map_or(Ok(()), |hint| writeln!(out, "hint: {hint}"))
        })?,
        Shape::Json => {
            terminal.data(|out| render::json::refused("specialist export", code, because, out))?;
        }
    }
    Ok(Answer::No)
}
