//! How Open-Science counts, trims and names. Its programs run JavaScript, so a length is in UTF-16 code units and white
//! space is what `String.prototype.trim` takes away.

/// Length of a text in UTF-16 code units: an emoji counts as two.
#[must_use]
pub fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A text without white space, line ends and byte order marks at both ends, as JavaScript trims.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Whether nothing but white space is in it.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// What JavaScript trims: Unicode's white space without U+0085, and the byte order mark.
fn is_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

/// Prefixes that Open-Science keeps for itself.
pub const RESERVED_PREFIXES: [&str; 2] = ["os-", "mcp-"];

/// Longest name of a Skill and of a Connector, in UTF-16 code units.
pub const NAME_UNITS: usize = 64;

/// What is wrong with the name of a Skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillNameFault {
    /// There is none.
    Empty,
    /// It has other characters, or hyphens at its ends or in a row, or is too long.
    Shape,
    /// It begins with a reserved prefix.
    Reserved,
}

impl SkillNameFault {
    /// The sentence by which Open-Science says it.
    #[must_use]
    pub const fn upstream(self) -> &'static str {
        match self {
            Self::Empty => "Skill name is required.",
            Self::Shape => "Skill name must use up to 64 lowercase letters, numbers, and single hyphens.",
            Self::Reserved => "Skill name may not start with os- or mcp-.",
        }
    }
}

/// Whether a Skill may be called `name` (names, §1.3): up to 64 of `a-z0-9` in words joined by single hyphens, not
/// beginning with a reserved prefix.
///
/// # Errors
/// The first rule it breaks.
pub fn skill_name(name: &str) -> Result<(), SkillNameFault> {
    if name.is_empty() {
        return Err(SkillNameFault::Empty);
    }
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.len() > NAME_UNITS || !name.split('-').all(is_word) {
        return Err(SkillNameFault::Shape);
    }
    if RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return Err(SkillNameFault::Reserved);
    }
    Ok(())
}

/// A name as an import makes it: lower case, runs of anything but `a-z0-9` become a hyphen, none at the ends, cut at 64.
/// Empty when nothing is left. The cut may leave a hyphen at the end, which no name may have.
#[must_use]
pub fn normalised(name: &str) -> String {
    let mut made = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            made.push(character);
        } else if !made.is_empty() && !made.ends_with('-') {
            made.push('-');
        }
    }
    if made.ends_with('-') {
        made.pop();
    }
    made.truncate(NAME_UNITS);
    made
}

/// Whether a Connector may be called `name`: `^[a-z0-9-]+$`. Prefixes are not reserved here.
#[must_use]
pub fn is_connector_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Names of the Connectors that are built into Open-Science. Data, not a rule: the list grew between versions.
pub static BUILT_IN_CONNECTORS: &[&str] = &[
    "alliance",
    "biomart",
    "biorxiv",
    "cancer-models",
    "cellguide",
    "cellosaurus",
    "cellxgene-discover",
    "chembl",
    "chemistry",
    "clinical-genomics",
    "clinical-trials",
    "drug-regulatory",
    "expression",
    "gdc",
    "genes",
    "genomes",
    "hmmer",
    "human-genetics",
    "iedb",
    "interproscan",
    "literature",
    "molecule",
    "monarch",
    "omics-archives",
    "pathway-commons",
    "protein-annotation",
    "pubmed",
    "regulation",
    "research-resources",
    "rna",
    "structures",
    "variants",
    "zenodo",
    "zinc",
];

/// Names of the Skills that are built into Open-Science, for the same reason as data.
pub static BUILT_IN_SKILLS: &[&str] = &[
    "alphafold2",
    "boltz",
    "borzoi",
    "chai1",
    "customize",
    "diffdock",
    "env-management",
    "esmfold2",
    "evo2",
    "fair-esm2",
    "indication-dossier",
    "ligandmpnn",
    "literature-review",
    "openfold3",
    "proteinmpnn",
    "remote-compute-ssh",
    "scgpt",
    "scvi-tools",
    "self-awareness",
    "skill-creator",
    "solublempnn",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_counts_as_javascript_counts() {
        assert_eq!(units("a技😀"), 4);
        assert_eq!(trim("\u{feff} a\u{2028}\n"), "a");
        assert_eq!(trim("\u{85}a"), "\u{85}a");
        assert!(is_blank(" \u{3000}\t"));
        assert!(!is_blank("."));
    }

    #[test]
    fn a_skill_name_is_words_joined_by_single_hyphens() {
        for good in ["a", "a-1", "os", "mcp", "osx", &"a".repeat(64)] {
            assert_eq!(skill_name(good), Ok(()), "{good}");
        }
        for (bad, fault) in [
            ("", SkillNameFault::Empty),
            ("a--b", SkillNameFault::Shape),
            ("-a", SkillNameFault::Shape),
            ("a-", SkillNameFault::Shape),
            ("A", SkillNameFault::Shape),
            ("技", SkillNameFault::Shape),
            (&"a".repeat(65), SkillNameFault::Shape),
            ("os-x", SkillNameFault::Reserved),
            ("mcp-x", SkillNameFault::Reserved),
        ] {
            assert_eq!(skill_name(bad), Err(fault), "{bad}");
        }
    }

    #[test]
    fn names_are_normalised_before_they_are_judged() {
        assert_eq!(normalised("MCP tools"), "mcp-tools");
        assert_eq!(normalised("foo--bar"), "foo-bar");
        assert_eq!(normalised("技能"), "");
        assert_eq!(normalised(&format!("{}-b", "a".repeat(63))), format!("{}-", "a".repeat(63)));
    }

    #[test]
    fn the_lists_are_sorted_so_that_a_reader_finds_a_name() {
        assert!(BUILT_IN_CONNECTORS.is_sorted() && BUILT_IN_SKILLS.is_sorted());
    }
}
