//! `kitbag specialist install PACKAGE`

use std::path::PathBuf;

use kitbag::interrupt::Interrupt;
use kitbag::specialist::{
    self, ASKER, Answer as Looked, InstallRequest, Installation, Look, Seen, Token, WiderPermissions,
};
use kitbag::store::Store;
use kitbag_core::formats::openscience::specialist::install::{Choice, Decisions, Overwriting, Refusal};
use kitbag_core::formats::openscience::specialist::preview::Disposition;

use crate::ask::{Consent, ask};
use crate::cli::HELP;
use crate::failure::{Answer, Failure};
use crate::interrupt;
use crate::render::{self, Plain, Shape};
use crate::terminal::Terminal;

use super::{StoreArg, failure, now};

const EXAMPLES: &str = "\
Examples:
  kitbag specialist install rna-reader.zip --store agents
                                    show what it would do, ask, and install it
  kitbag specialist install rna-reader.zip --store agents --yes
                                    without a question; what overwrites or replaces has to be named
  kitbag specialist install new.zip --store agents --overwrite --replace tools --keep pens --yes
                                    the newer version, with its own `tools` for everybody who uses them
  kitbag specialist install new.zip --store agents --token 2c76…
                                    exactly what `preview --store` has shown
";

#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub(super) struct Args {
    /// The package: a ZIP or a folder
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// Install without a question; this agrees to nothing that has a flag of its own
    #[arg(long)]
    yes: bool,

    /// Overwrite the Specialist that is installed
    #[arg(long)]
    overwrite: bool,

    /// A Skill in conflict that takes the place of the installed one, for everybody who uses it
    #[arg(long, value_name = "SKILL")]
    replace: Vec<String>,

    /// A Skill in conflict whose installed one stays
    #[arg(long, value_name = "SKILL")]
    keep: Vec<String>,

    /// Let installed Specialists do more than they may now
    #[arg(long)]
    accept_wider: bool,

    /// What `preview --store` gave; there is no question then
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,

    /// Who asked for the preview
    #[arg(long, value_name = "NAME", default_value = ASKER, requires = "token")]
    asker: String,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    pub(super) fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let choose =
            |names: &[String], choice| names.iter().map(move |name| (name.clone(), choice)).collect();
        let mut choices: Vec<(String, Choice)> = choose(&self.replace, Choice::UseIncoming);
        choices.extend::<Vec<_>>(choose(&self.keep, Choice::UseInstalled));
        let overwriting = if self.overwrite { Overwriting::Confirmed } else { Overwriting::Unconfirmed };
        let wider = if self.accept_wider { WiderPermissions::Accepted } else { WiderPermissions::Refused };
        let mut request = InstallRequest {
            package: self.package.clone(),
            seen: Seen::Token(Token {
                text: self.token.clone().unwrap_or_default(),
                asker: self.asker.clone(),
            }),
            decisions: Decisions { overwriting, choices },
            wider,
            now: now(),
        };
        if self.token.is_none() {
            match self.ask(&mut request, terminal, &interrupt)? {
                Asked::Agreed => {}
                Asked::Answered(answer) => return Ok(answer),
            }
        }
        let store = Store::at(&self.store.store);
        request.now = now();
        let outcome = specialist::install(&request, &store, &interrupt).map_err(failure)?;
        match self.output {
            Shape::Json => terminal.data(|out| render::json::installation(&outcome, out))?,
            Shape::Human => match &outcome {
                Installation::Installed(installed) => {
                    terminal.words(|out| render::human::installed(installed, terminal.width(), out))?;
                }
                Installation::Refused(refusal, _) => tell(refusal, terminal)?,
                _ => {}
            },
        }
        Ok(if matches!(outcome, Installation::Installed(_)) { Answer::Yes } else { Answer::No })
    }

    /// Shows what would be done and asks what is not decided yet.
    fn ask(
        &self,
        request: &mut InstallRequest,
        terminal: &Terminal,
        interrupt: &Interrupt,
    ) -> Result<Asked, Failure> {
        let look = Look { package: self.package.clone(), store: self.store.store.clone(), now: request.now };
        let answer = specialist::look(&look, interrupt).map_err(failure)?;
        let is_human = self.output == Shape::Human;
        if is_human {
            terminal.words(|out| render::human::check(&answer.report, terminal.width(), out))?;
            terminal.words(|out| render::human::specialist(&answer, terminal.width(), out))?;
        }
        if answer.is_installed && !self.overwrite {
            match self.output {
                Shape::Human => terminal.talk(|out| writeln!(out, "it is installed already"))?,
                Shape::Json => terminal.data(|out| render::json::installed_already(&answer, out))?,
            }
            return Ok(Asked::Answered(Answer::Yes));
        }
        let open = open(&answer, request);
        let refusal = match &answer.candidate {
            None => Some(Refusal::NotInstallable),
            Some(_) if !open.is_empty() => Some(Refusal::ChoiceRequired { skills: open }),
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            return self.refused(refusal, answer, terminal);
        }
        let ask = |question: &str| if is_human { ask(question, terminal) } else { Ok(Consent::Unasked) };
        if answer.overwrite.is_some() && !self.overwrite {
            if ask("Overwrite what is installed?")? != Consent::Given {
                return self.refused(Refusal::ConfirmationRequired, answer, terminal);
            }
            request.decisions.overwriting = Overwriting::Confirmed;
        }
        // What stays as it is makes nothing wider, so that the library has the last word.
        let replaces = !answer.wider.is_empty() && self.keep.is_empty();
        if replaces && !self.accept_wider {
            if ask("Let them do more than they may now?")? != Consent::Given {
                return self.refused(Refusal::PermissionsRequired, answer, terminal);
            }
            request.wider = WiderPermissions::Accepted;
        }
        if !self.yes {
            match ask("Install it?")? {
                Consent::Given => {}
                Consent::Refused => {
                    terminal.talk(|out| writeln!(out, "nothing was installed"))?;
                    return Ok(Asked::Answered(Answer::No));
                }
                Consent::Unasked => return self.nobody(&answer, terminal),
            }
        }
        let Some(candidate) = answer.candidate else { return Ok(Asked::Answered(Answer::No)) };
        request.seen = Seen::Candidate(candidate);
        Ok(Asked::Agreed)
    }

    /// There is a question, and nobody to be asked.
    fn nobody(&self, answer: &Looked, terminal: &Terminal) -> Result<Asked, Failure> {
        let because = "nobody is here to be asked";
        match self.output {
            Shape::Human => terminal.talk(|out| {
                writeln!(out, "not installed: {because}\nhint: `--yes` installs without a question")
            })?,
            Shape::Json => terminal
                .data(|out| render::json::not_installed(answer, "confirmation-required", because, out))?,
        }
        Ok(Asked::Answered(Answer::No))
    }

    fn refused(&self, refusal: Refusal, answer: Looked, terminal: &Terminal) -> Result<Asked, Failure> {
        match self.output {
            Shape::Human => tell(&refusal, terminal)?,
            Shape::Json => {
                let outcome = Installation::Refused(refusal, Box::new(answer));
                terminal.data(|out| render::json::installation(&outcome, out))?;
            }
        }
        Ok(Asked::Answered(Answer::No))
    }
}

/// Whether everything was decided.
enum Asked {
    /// It was, in favour.
    Agreed,
    /// There is nothing more to do.
    Answered(Answer),
}

/// The Skills in conflict for which nobody chose.
fn open(answer: &Looked, request: &InstallRequest) -> Vec<String> {
    let in_conflict =
        answer.preview.skills.iter().filter(|planned| planned.disposition == Disposition::Conflict);
    let is_open = |name: &String| !request.decisions.choices.iter().any(|(chosen, _)| chosen == name);
    in_conflict.map(|planned| planned.skill.id.clone()).filter(is_open).collect()
}

fn tell(refusal: &Refusal, terminal: &Terminal) -> std::io::Result<()> {
    let hint = match refusal {
        Refusal::ChoiceRequired { skills } => {
            let first = skills.first().map(String::as_str).unwrap_or_default();
            format!(
                "`--keep {first}` leaves the installed one, `--replace {first}` replaces it for everybody who uses it"
            )
        }
        Refusal::ConfirmationRequired => "`--overwrite` agrees to that".to_owned(),
        Refusal::PermissionsRequired => "`--accept-wider` agrees to that".to_owned(),
        Refusal::Stale { .. } | Refusal::Expired | Refusal::RevisionConflict => {
            "look at it again with `kitbag specialist preview --store`".to_owned()
        }
        Refusal::NotInstallable | Refusal::Protected => {
            "`kitbag specialist preview` says what is wrong".to_owned()
        }
        _ => String::new(),
    };
    let because = refusal.to_string();
    terminal.talk(|out| {
        writeln!(out, "not installed: {}", Plain(&because))?;
        if hint.is_empty() { Ok(()) } else { writeln!(out, "hint: {}", Plain(&hint)) }
    })
}
