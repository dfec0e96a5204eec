//! `kitbag pack FOLDER`

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use kitbag::pack::{Answer as Packing, Destination, Error, Existing, Form, Refusal, Request, pack};

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::interrupt;
use crate::progress::Progress;
use crate::render::{self, Plain, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag pack my-package                         its archive, under the name of its format
  kitbag pack my-package -o build/my.adcap       somewhere else
  kitbag pack my-package --as splice --force     one of two readings; replace an older file
  kitbag pack my-package --output json           with digests, for programs
";

/// Arguments of `pack`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// The folder of a package
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// As what to pack it; without it, as what it is
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: Option<AsForm>,

    /// The archive to write; without it, the name that its format gives it, in the current folder
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace a file that is there
    #[arg(long)]
    force: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

/// [`Form`], as it is typed.
#[derive(Clone, Copy, Debug)]
struct AsForm(Form);

impl ValueEnum for AsForm {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [AsForm; Form::ALL.len()] = {
            let mut all = [AsForm(Form::ALL[0]); Form::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = AsForm(Form::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Form::Splice => "a Splice package, as a .tar.gz",
            Form::SpliceBundle => "a Splice package, as the JSON bundle of old versions",
            Form::Adcap => "a capability, as an .adcap",
            Form::Specialist => "an Open-Science Specialist with its Skills, as a ZIP",
            Form::SkillZip => "any skill, as the ZIP in which Open-Science exports one",
            _ => "",
        };
        Some(PossibleValue::new(self.0.word()).help(help))
    }
}

impl Args {
    /// Packs.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let request = Request {
            folder: self.folder,
            form: self.form.map(|form| form.0),
            to: self.out.map_or_else(|| Destination::Folder(PathBuf::new()), Destination::File),
            existing: if self.force { Existing::Replace } else { Existing::Keep },
        };
        let interrupt = interrupt::on_signals()?;
        let progress = Progress::start("packing", terminal);
        let answer = pack(&request, &interrupt).map_err(failure)?;
        drop(progress);
        if let Packing::Refused(refusal @ Refusal::Ambiguous { .. }) = &answer {
            return Err(Failure::new(Kind::Usage, refusal.to_string()).hint(help(refusal)));
        }
        if self.output == Shape::Json {
            terminal.data(|out| render::json::pack(&answer, out))?;
        }
        match (&answer, self.output) {
            (Packing::Packed(packed), Shape::Human) => {
                terminal.words(|out| render::human::packed(packed, terminal.width(), out))?;
                terminal.talk(|out| render::human::packed_summary(packed, out))?;
            }
            (Packing::Unsound(packages), Shape::Human) => {
                terminal.talk(|out| render::human::unsound(packages, terminal.width(), out))?;
            }
            (Packing::Refused(refusal), Shape::Human) => {
                let (because, help) = (refusal.to_string(), help(refusal));
                terminal
                    .talk(|out| writeln!(out, "not packed: {}\nhint: {}", Plain(&because), Plain(&help)))?;
            }
            _ => {}
        }
        Ok(if matches!(answer, Packing::Packed(_)) { Answer::Yes } else { Answer::No })
    }
}

fn failure(error: Error) -> Failure {
    let kind = match &error {
        Error::Read(_) => Kind::Input,
        _ => Kind::Output,
    };
    Failure::new(kind, error)
}

fn help(refusal: &Refusal) -> String {
    match refusal {
        Refusal::NotAFolder => "`kitbag unpack` makes a folder of an archive".to_owned(),
        Refusal::NoPackage { inside } if inside.is_empty() => {
            "name a folder with a manifest.json of Splice or a capability.json".to_owned()
        }
        Refusal::NoPackage { inside } => {
            let first: Vec<String> = inside.iter().take(5).map(ToString::to_string).collect();
            format!("name one of them: {}", first.join(", "))
        }
        Refusal::NoArchive { .. } => {
            "write a manifest.json of Splice or a capability.json beside it; the skill itself stays as it is"
                .to_owned()
        }
        Refusal::NotOfForm { .. } => "without `--as` it is packed as what it is".to_owned(),
        Refusal::Ambiguous { forms } => {
            let words: Vec<String> = forms.iter().map(|form| format!("`--as {form}`")).collect();
            format!("say which: {}", words.join(" or "))
        }
        Refusal::Exists { .. } => "`--force` replaces it, `-o` names another".to_owned(),
        Refusal::Inside { .. } => "name a file outside of the package with `-o`".to_owned(),
        _ => "`kitbag check` says more about the package".to_owned(),
    }
}
