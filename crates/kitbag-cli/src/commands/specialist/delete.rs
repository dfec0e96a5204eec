//! `kitbag specialist delete ID`

use kitbag::specialist::{self, Deletion, DeletionRequest};
use kitbag::store::Store;
use kitbag_core::formats::openscience::specialist::removal::{Removal, RemovalRefusal};

use crate::ask::{Consent, ask};
use crate::cli::HELP;
use crate::failure::{Answer, Failure};
use crate::interrupt;
use crate::render::{self, Plain, Shape};
use crate::terminal::Terminal;

use super::{StoreArg, failure};

const EXAMPLES: &str = "\
Examples:
  kitbag specialist delete rna-reader --store agents                 show what could go, ask, delete it
  kitbag specialist delete rna-reader --store agents --with-skills   and every Skill that nobody else needs
  kitbag specialist delete rna-reader --store agents --dry-run       only show it
  kitbag specialist delete rna-reader --store agents --revision 3 --with-skill notes --yes
                                                                     without a question, if nobody changed it
";

#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub(super) struct Args {
    /// The identity of the Specialist, as `list` says it
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArg,

    /// A Skill that goes as well
    #[arg(long, value_name = "SKILL", conflicts_with = "with_skills")]
    with_skill: Vec<String>,

    /// Every Skill goes as well that nobody else needs
    #[arg(long)]
    with_skills: bool,

    /// Only if the Specialist has this revision still
    #[arg(long, value_name = "NUMBER")]
    revision: Option<u64>,

    /// Show what could go and delete nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    /// Delete without a question
    #[arg(long)]
    yes: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    pub(super) fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let store = Store::at(&self.store.store);
        let looked = specialist::preview_deletion(&store, &self.id, &interrupt).map_err(failure)?;
        let mut removal = match looked {
            Ok(removal) => removal,
            Err(refusal) => return self.refused(&refusal, terminal),
        };
        if self.dry_run {
            match self.output {
                Shape::Human => terminal.words(|out| render::human::removal(&removal, &[], out))?,
                Shape::Json => terminal.data(|out| render::json::removal(&removal, out))?,
            }
            return Ok(Answer::Yes);
        }
        let skills = match self.named(&removal) {
            Ok(skills) => skills,
            Err(refusal) => return self.refused(&refusal, terminal),
        };
        if self.output == Shape::Human && !self.yes {
            terminal.words(|out| render::human::removal(&removal, &skills, out))?;
        }
        if !self.yes {
            let agreed = match self.output {
                Shape::Human => ask("Delete it?", terminal)?,
                Shape::Json => Consent::Unasked,
            };
            match agreed {
                Consent::Given => {}
                Consent::Refused => {
                    terminal.talk(|out| writeln!(out, "nothing was deleted"))?;
                    return Ok(Answer::No);
                }
                Consent::Unasked => {
                    let because = "nobody is here to be asked; --yes deletes without a question";
                    return self.say(because, "confirmation-required", terminal);
                }
            }
        }
        if let Some(revision) = self.revision {
            removal.revision = revision;
        }
        let request = DeletionRequest { seen: removal, skills };
        let outcome = specialist::delete(&request, &store, &interrupt).map_err(failure)?;
        match (&outcome, self.output) {
            (Deletion::Deleted(deleted), Shape::Human) => {
                terminal.words(|out| render::human::deleted(deleted, out))?;
                Ok(Answer::Yes)
            }
            (Deletion::Deleted(deleted), Shape::Json) => {
                terminal.data(|out| render::json::deleted(deleted, out))?;
                Ok(Answer::Yes)
            }
            (Deletion::Refused(refusal), _) => self.refused(refusal, terminal),
            _ => Ok(Answer::No),
        }
    }

    /// The local identities of the Skills that go. A name that the Specialist does not have is left as it is, to be refused.
    fn named(&self, removal: &Removal) -> Result<Vec<String>, RemovalRefusal> {
        if self.with_skills {
            let free = removal.skills.iter().filter(|skill| skill.is_deletable());
            return Ok(free.map(|skill| skill.local_id.clone()).collect());
        }
        let local = |name: &String| {
            let known = removal.skills.iter().find(|skill| skill.name == *name);
            let refused = || RemovalRefusal::ProtectedSkill { skill: name.clone() };
            known.map(|skill| skill.local_id.clone()).ok_or_else(refused)
        };
        self.with_skill.iter().map(local).collect()
    }

    fn refused(&self, refusal: &RemovalRefusal, terminal: &Terminal) -> Result<Answer, Failure> {
        self.say(&refusal.to_string(), refusal.code(), terminal)
    }

    fn say(&self, because: &str, code: &str, terminal: &Terminal) -> Result<Answer, Failure> {
        match self.output {
            Shape::Human => terminal.talk(|out| writeln!(out, "not deleted: {}", Plain(because)))?,
            Shape::Json => {
                terminal.data(|out| render::json::refused("specialist delete", code, because, out))?;
            }
        }
        Ok(Answer::No)
    }
}
