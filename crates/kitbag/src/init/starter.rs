//! The packages to begin with: files with gaps for names.

use kitbag_core::path::PackagePath;

use super::Refusal;

/// Which kind of package to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    /// A Splice package with a tool that runs in Node.
    Splice,
    /// An .adcap capability with a skill and a tool that runs in Python.
    Adcap,
}

/// Who publishes a package until somebody says so.
const STAND_IN: &str = "example";

/// Longest name of a skill, and the shorter one of the two formats' limits.
const MOST_CHARACTERS: usize = 64;

const PUBLISHER: &str = "{{publisher}}";
const NAME: &str = "{{name}}";

type File = (&'static str, &'static str);

const SPLICE: [File; 4] = [
    ("manifest.json", include_str!("../../starters/splice/manifest.json")),
    ("SKILL.md", include_str!("../../starters/splice/SKILL.md")),
    ("tools/count-words.mjs", include_str!("../../starters/splice/tools/count-words.mjs")),
    ("examples/count-words.json", include_str!("../../starters/splice/examples/count-words.json")),
];

const ADCAP: [File; 4] = [
    ("capability.json", include_str!("../../starters/adcap/capability.json")),
    ("skills/{{name}}/SKILL.md", include_str!("../../starters/adcap/skill/SKILL.md")),
    ("tools/count_words.py", include_str!("../../starters/adcap/tools/count_words.py")),
    ("examples/count_words.json", include_str!("../../starters/adcap/examples/count_words.json")),
];

impl Starter {
    /// The format's name.
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::Splice => "splice",
            Self::Adcap => "adcap",
        }
    }

    /// The document that makes the folder a package.
    pub(super) const fn document(self) -> &'static str {
        match self {
            Self::Splice => SPLICE[0].0,
            Self::Adcap => ADCAP[0].0,
        }
    }

    /// The files of the package called `named`, in a folder called `folder`.
    pub(super) fn files(self, named: &Named, folder: &str) -> Vec<(PackagePath, String)> {
        let files = match self {
            Self::Splice => &SPLICE,
            Self::Adcap => &ADCAP,
        };
        let fill = |text: &str| text.replace(PUBLISHER, &named.publisher).replace(NAME, &named.name);
        files
            .iter()
            .map(|(path, text)| {
                let path = PackagePath::new(&fill(path))
                    .expect("the paths of a starter are plain, and so is every name that was let through");
                let mut text = fill(text);
                // A skill is called as its folder is. Where the package is called otherwise, the file is documentation,
                // which is all that Splice asks for.
                if path.as_str() == "SKILL.md" && named.name != folder {
                    text = without_front_matter(&text).to_owned();
                }
                (path, text)
            })
            .collect()
    }
}

fn without_front_matter(text: &str) -> &str {
    let body = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    body.map_or(text, |(_, body)| body.trim_start())
}

/// Who publishes a package, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub publisher: String,
    pub name: String,
    /// Whether nobody said who publishes it.
    pub stand_in: bool,
}

impl Named {
    /// Of `asked`, or of the folder's own name.
    pub fn new(asked: Option<&str>, folder: &str) -> Result<Self, Refusal> {
        let (publisher, name) = match asked {
            Some(asked) => {
                let asked = asked.strip_prefix('@').unwrap_or(asked);
                match asked.split_once('/') {
                    Some((publisher, name)) => (Some(publisher.to_owned()), name.to_owned()),
                    None => (None, asked.to_owned()),
                }
            }
            None => match made_of(folder) {
                Some(name) => (None, name),
                None => return Err(Refusal::FolderName { name: folder.to_owned() }),
            },
        };
        for part in publisher.iter().chain([&name]) {
            if let Err(because) = judge(part) {
                return Err(Refusal::Name { name: part.clone(), because: because.to_owned() });
            }
        }
        let stand_in = publisher.is_none();
        Ok(Self { publisher: publisher.unwrap_or_else(|| STAND_IN.to_owned()), name, stand_in })
    }

    /// The whole id, as the format writes it.
    pub fn id(&self, starter: Starter) -> String {
        match starter {
            Starter::Splice => format!("@{}/{}", self.publisher, self.name),
            Starter::Adcap => format!("{}/{}", self.publisher, self.name),
        }
    }
}

/// What is wrong with a name. Both formats agree on these letters; what only one of them allows (two dashes, one at the
/// end) is no name for the skill inside.
fn judge(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("nothing is there");
    }
    if name.len() > MOST_CHARACTERS {
        return Err("it has more than 64 characters");
    }
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        return Err("only lower-case letters, digits and dashes are taken");
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        return Err("a dash stands between two letters or digits");
    }
    Ok(())
}

/// A name made of what a folder is called: `My Tool 2` becomes `my-tool-2`.
fn made_of(folder: &str) -> Option<String> {
    let lower = folder.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        if name.len() + word.len() >= MOST_CHARACTERS {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(word);
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(asked: Option<&str>, folder: &str) -> Result<String, Refusal> {
        Named::new(asked, folder).map(|named| named.id(Starter::Splice))
    }

    #[test]
    fn a_name_is_taken_as_asked_or_made_of_the_folder_s() {
        for (asked, folder, id) in [
            (None, "my-tool", "@example/my-tool"),
            (None, "My Tool_2", "@example/my-tool-2"),
            (None, "..x..", "@example/x"),
            (Some("b"), "a", "@example/b"),
            (Some("acme/b"), "a", "@acme/b"),
            (Some("@acme/b"), "a", "@acme/b"),
        ] {
            assert_eq!(named(asked, folder).as_deref(), Ok(id));
        }
        let long = named(None, &"a ".repeat(200)).unwrap();
        assert!(judge(long.strip_prefix("@example/").unwrap()).is_ok(), "{long}");
    }

    #[test]
    fn what_is_no_name_is_refused_with_the_reason() {
        for asked in ["", "A", "a b", "-a", "a-", "a--b", "a/b/c", "/a", "a/", "../a", "ä", &"a".repeat(65)]
        {
            assert!(matches!(named(Some(asked), "x"), Err(Refusal::Name { .. })), "{asked}");
        }
        assert_eq!(named(None, "技能"), Err(Refusal::FolderName { name: "技能".to_owned() }));
        assert!(named(Some(&"a".repeat(64)), "x").is_ok());
    }

    #[test]
    fn front_matter_is_left_out_where_the_folder_is_called_otherwise() {
        let named = Named::new(Some("a"), "b").unwrap();
        let skill = |folder: &str| Starter::Splice.files(&named, folder).remove(1).1;
        assert!(skill("a").starts_with("---\nname: a\n"));
        assert!(skill("b").starts_with("# Count"), "{}", skill("b"));
    }
}
