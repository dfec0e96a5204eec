//! How each program looks for skills, and which it therefore never finds.

use super::codes;
use super::fields::shown;
use super::situation::{Document, FILE_NAME, Inside, Neighbours, Reached, Situation};
use super::verdict::{At, Reason};

/// How a program looks for skills, below a folder of skills.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The deepest folder it looks into; 1 is directly below.
    pub depth: usize,
    /// How deep it looks when nothing was found where it looks first.
    pub depth_when_empty: usize,
    /// Whether it looks into hidden folders.
    pub hidden: Looks,
    /// Whether it follows links to folders.
    pub linked_folders: Looks,
    /// Whether it reads a SKILL.md that is a link.
    pub linked_documents: Looks,
    /// Whether a SKILL.md in the skills folder itself counts.
    pub skills_folder: Looks,
    /// Folder names it skips, at the depth it looks first and deeper.
    pub skipped: &'static [&'static str],
    /// Spellings of `SKILL.md` it knows.
    pub spellings: &'static [&'static str],
}

/// Whether a program looks there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// The only spelling most programs know.
pub const EXACT: &[&str] = &[FILE_NAME];

/// Why a program that looks like `reach` does not find the document called `file`.
#[must_use]
pub fn lost(reach: &Reach, situation: &Situation, file: &str) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if !reach.spellings.contains(&file) {
        reasons.push(Reason::lost(&codes::FILE_CASE, At::Document, format!("the file is called `{file}`")));
    }
    match &situation.document {
        Document::NotAFile => {
            let message = format!("`{file}` is not a regular file");
            reasons.push(Reason::lost(&codes::NOT_A_FILE, At::Document, message));
        }
        Document::LinkAstray { target } => {
            let message = format!("`{file}` is a symbolic link to `{}`, where no file is", shown(target));
            reasons.push(Reason::lost(&codes::LINK_DANGLES, At::Document, message));
        }
        Document::Link { target } | Document::LinkOut { target } if reach.linked_documents == Looks::No => {
            let message = format!("`{file}` is a symbolic link to `{}`", shown(target));
            reasons.push(Reason::lost(&codes::DOCUMENT_LINK, At::Document, message));
        }
        _ => {}
    }
    reasons.extend(folders(reach, situation));
    reasons
}

fn folders(reach: &Reach, situation: &Situation) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if situation.reached == Reached::Link && reach.linked_folders == Looks::No {
        reasons.push(Reason::lost(&codes::FOLDER_LINK, At::Package, "the skill's folder is a symbolic link"));
    }
    let depth = situation.depth();
    let deepest = match situation.neighbours {
        Neighbours::None => reach.depth.max(reach.depth_when_empty),
        Neighbours::Some => reach.depth,
    };
    if depth == 0 && reach.skills_folder == Looks::No {
        let message = "the SKILL.md lies in the skills folder itself";
        reasons.push(Reason::lost(&codes::IN_SKILLS_ROOT, At::Package, message));
    }
    if depth > deepest {
        let reason = match &situation.inside {
            Inside::Skill(_) => {
                let message =
                    format!("the skill lies inside another skill, {depth} folders below the skills folder");
                Reason::lost(&codes::INSIDE_SKILL, At::Package, message)
            }
            Inside::Nothing => {
                let message = format!("the skill lies {depth} folders below the skills folder");
                Reason::lost(&codes::TOO_DEEP, At::Package, message)
            }
        };
        reasons.push(reason);
    }
    if reach.hidden == Looks::No
        && let Some(hidden) = situation.below.iter().find(|name| name.starts_with('.'))
    {
        let message = format!("the folder `{}` is hidden", shown(hidden));
        reasons.push(Reason::lost(&codes::HIDDEN_FOLDER, At::Package, message));
    }
    if let Some(skipped) = situation.below.iter().find(|name| reach.skipped.contains(&name.as_str())) {
        let message = format!("a folder is called `{skipped}`");
        reasons.push(Reason::lost(&codes::SKIPPED_FOLDER, At::Package, message));
    }
    reasons
}
