//! Everything that can be said about a `SKILL.md`. Clauses of "Agent Skills" are the headings of its specification; those
//! of "kitbag" are observed behaviour of programs, recorded in `docs/formats/agentskill.md`.

use crate::finding::{Code, Grade, Severity};

/// Every code of this format, in the order of its documentation.
pub static CODES: &[&Code] = &[
    &NOT_READ,
    &NOT_UTF8,
    &CONTROL,
    &BYTE_ORDER_MARK,
    &TEXT_BEFORE,
    &NO_FRONT_MATTER,
    &UNCLOSED,
    &FENCE_SPACE,
    &FENCE_LINE,
    &FENCE_EARLY,
    &LINE_ENDS,
    &TOO_LARGE,
    &INVALID_YAML,
    &UNQUOTED_COLON,
    &UNQUOTED_INDICATOR,
    &TAB_INDENT,
    &UNCLOSED_QUOTE,
    &BAD_ESCAPE,
    &SEVERAL_DOCUMENTS,
    &DUPLICATE_FIELD,
    &NOT_A_MAPPING,
    &YAML_LIMIT,
    &FLOW,
    &ANCHOR,
    &TAG,
    &TAB,
    &LINE_SEPARATOR,
    &DIALECT,
    &NAME_MISSING,
    &NAME_EMPTY,
    &NAME_NOT_TEXT,
    &NAME_WORD,
    &NAME_TOO_LONG,
    &NAME_UPPER_CASE,
    &NAME_CHARACTERS,
    &NAME_HYPHENS,
    &NAME_NOT_DIRECTORY,
    &NAME_RESERVED,
    &DESCRIPTION_MISSING,
    &DESCRIPTION_EMPTY,
    &DESCRIPTION_NOT_TEXT,
    &DESCRIPTION_WORD,
    &DESCRIPTION_TOO_LONG,
    &BODY_SHOWN,
    &COMPATIBILITY_NOT_TEXT,
    &COMPATIBILITY_EMPTY,
    &COMPATIBILITY_TOO_LONG,
    &LICENSE_NOT_TEXT,
    &METADATA_NOT_MAPPING,
    &METADATA_VALUE,
    &TOOLS_NOT_TEXT,
    &TOOLS_COMMAS,
    &UNEXPECTED_FIELD,
    &EXTENSION_FIELD,
    &NOT_OFFERED,
    &SHORT_DESCRIPTION,
    &LONG_BODY,
    &FILE_CASE,
    &FILE_TWICE,
    &NOT_A_FILE,
    &DOCUMENT_LINK,
    &LINK_LEAVES,
    &LINK_DANGLES,
    &FOLDER_LINK,
    &TOO_DEEP,
    &IN_SKILLS_ROOT,
    &INSIDE_SKILL,
    &HIDDEN_FOLDER,
    &SKIPPED_FOLDER,
    &FOLDER_NAME,
    &REFERENCE_MISSING,
];

/// The content of the SKILL.md cannot be had.
pub static NOT_READ: Code = Code {
    slug: "agent-skill/document-not-read",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "The content of the SKILL.md cannot be had.",
    why: "What was not read was not checked.",
    help: "Make it a readable regular file of reasonable size.",
};

/// The file is not valid UTF-8.
pub static NOT_UTF8: Code = Code {
    slug: "agent-skill/not-utf8",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, SKILL.md format",
    summary: "The file is not valid UTF-8.",
    why: "Some programs refuse the file, others replace the bytes, so what is read differs from what was written.",
    help: "Save the file as UTF-8.",
};

/// A control character stands in the front matter.
pub static CONTROL: Code = Code {
    slug: "agent-skill/control-character",
    grade: Grade::Always(Severity::Error),
    clause: "YAML 1.2.2 §5.1",
    summary: "A control character stands in the front matter.",
    why: "YAML forbids it: some programs refuse the block, others read it.",
    help: "Remove the character, or write it as an escape in double quotes.",
};

/// The file begins with a byte order mark.
pub static BYTE_ORDER_MARK: Code = Code {
    slug: "agent-skill/byte-order-mark",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, SKILL.md format",
    summary: "The file begins with a byte order mark.",
    why: "Programs that look for `---` at the first byte find none.",
    help: "Save the file without a byte order mark; `kitbag fix` removes it.",
};

/// Something stands before the front matter.
pub static TEXT_BEFORE: Code = Code {
    slug: "agent-skill/text-before-front-matter",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, SKILL.md format",
    summary: "Something stands before the front matter.",
    why: "Front matter is only read at the very beginning of the file.",
    help: "Begin the file with `---`.",
};

/// The file has no front matter.
pub static NO_FRONT_MATTER: Code = Code {
    slug: "agent-skill/no-front-matter",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, SKILL.md format",
    summary: "The file has no front matter.",
    why: "Without it a skill has neither name nor description.",
    help: "Begin the file with `---`, `name:`, `description:` and `---`, each on its own line.",
};

/// The front matter is never closed.
pub static UNCLOSED: Code = Code {
    slug: "agent-skill/front-matter-unclosed",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, SKILL.md format",
    summary: "The front matter is never closed.",
    why: "No field is read; the whole file is taken for the body.",
    help: "Write `---` alone on a line after the last field.",
};

/// White space follows the `---` that opens the front matter.
pub static FENCE_SPACE: Code = Code {
    slug: "agent-skill/fence-trailing-space",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, SKILL.md format",
    summary: "White space follows the `---` that opens the front matter.",
    why: "Programs that compare the whole line find no front matter.",
    help: "Remove the white space; `kitbag fix` does.",
};

/// The `---` that closes the front matter is not alone on its line.
pub static FENCE_LINE: Code = Code {
    slug: "agent-skill/fence-not-alone",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, SKILL.md format",
    summary: "The `---` that closes the front matter is not alone on its line.",
    why: "Programs disagree on whether such a line closes the block.",
    help: "Write `---` alone, at the start of the line.",
};

/// `---` stands inside the front matter.
pub static FENCE_EARLY: Code = Code {
    slug: "agent-skill/dashes-in-front-matter",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, SKILL.md format",
    summary: "`---` stands inside the front matter.",
    why: "Programs that search for the next `---` anywhere end the block there and read the rest as body.",
    help: "Write something else than three dashes, such as an em dash.",
};

/// Lines end with a lone carriage return.
pub static LINE_ENDS: Code = Code {
    slug: "agent-skill/carriage-returns",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, SKILL.md format",
    summary: "Lines end with a lone carriage return.",
    why: "Only a few programs take it for a line end; for the others the file is one line.",
    help: "Save the file with LF line ends.",
};

/// The file is larger than a program reads.
pub static TOO_LARGE: Code = Code {
    slug: "agent-skill/too-large",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The file is larger than a program reads.",
    why: "The program skips the skill without a word to the model.",
    help: "Move material into files below `references/`.",
};

/// The front matter is not YAML.
pub static INVALID_YAML: Code = Code {
    slug: "agent-skill/invalid-yaml",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, frontmatter",
    summary: "The front matter is not YAML.",
    why: "A strict program refuses the skill; a lenient one guesses, and guesses differ.",
    help: "Correct the line; quote the value where in doubt.",
};

/// A value without quotes contains a colon followed by white space.
pub static UNQUOTED_COLON: Code = Code {
    slug: "agent-skill/unquoted-colon",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, frontmatter",
    summary: "A value without quotes contains a colon followed by white space.",
    why: "In YAML that begins a mapping, so strict programs refuse the skill; others quote the value themselves, each by its own rules.",
    help: "Put the value in double quotes; `kitbag fix` does.",
};

/// A value without quotes begins with a character that means something in YAML.
pub static UNQUOTED_INDICATOR: Code = Code {
    slug: "agent-skill/unquoted-indicator",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, frontmatter",
    summary: "A value without quotes begins with a character that means something in YAML.",
    why: "Strict programs refuse the skill; others quote the value themselves, each by its own rules.",
    help: "Put the value in double quotes; `kitbag fix` does.",
};

/// A tab is used for indentation.
pub static TAB_INDENT: Code = Code {
    slug: "agent-skill/tab-indentation",
    grade: Grade::Always(Severity::Error),
    clause: "YAML 1.2.2 §6.1",
    summary: "A tab is used for indentation.",
    why: "YAML forbids it; strict programs refuse the skill.",
    help: "Indent with spaces.",
};

/// A quoted value does not end where its line suggests.
pub static UNCLOSED_QUOTE: Code = Code {
    slug: "agent-skill/unclosed-quote",
    grade: Grade::Always(Severity::Error),
    clause: "YAML 1.2.2 §7.3",
    summary: "A quoted value does not end where its line suggests.",
    why: "The block cannot be read from there on.",
    help: "Close the quote, or escape the ones inside.",
};

/// A double-quoted value contains a backslash sequence that YAML does not know.
pub static BAD_ESCAPE: Code = Code {
    slug: "agent-skill/bad-escape",
    grade: Grade::Always(Severity::Error),
    clause: "YAML 1.2.2 §5.7",
    summary: "A double-quoted value contains a backslash sequence that YAML does not know.",
    why: "The block cannot be read from there on.",
    help: "Double the backslash, or use single quotes.",
};

/// The front matter holds more than one YAML document.
pub static SEVERAL_DOCUMENTS: Code = Code {
    slug: "agent-skill/several-documents",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, frontmatter",
    summary: "The front matter holds more than one YAML document.",
    why: "Programs refuse it or drop every field.",
    help: "Keep one document; remove the `...` or `---` between them.",
};

/// A key is there twice.
pub static DUPLICATE_FIELD: Code = Code {
    slug: "agent-skill/duplicate-field",
    grade: Grade::Always(Severity::Error),
    clause: "YAML 1.2.2 §3.2.1.3",
    summary: "A key is there twice.",
    why: "YAML forbids it: some programs refuse the skill, others let the last or the first win.",
    help: "Keep one of the two.",
};

/// The front matter is not a mapping of fields.
pub static NOT_A_MAPPING: Code = Code {
    slug: "agent-skill/not-a-mapping",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, frontmatter",
    summary: "The front matter is not a mapping of fields.",
    why: "No field can be read from it.",
    help: "Write fields as `name: value`, one per line.",
};

/// The front matter is larger or deeper than kitbag reads.
pub static YAML_LIMIT: Code = Code {
    slug: "agent-skill/yaml-limit",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "The front matter is larger or deeper than kitbag reads.",
    why: "It was not read to its end, so nothing can be said about it.",
    help: "Keep the front matter small; data belongs into files.",
};

/// A value is written with brackets or braces.
pub static FLOW: Code = Code {
    slug: "agent-skill/flow-style",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A value is written with brackets or braces.",
    why: "Programs that read strict block YAML refuse the whole front matter.",
    help: "Write lists as lines beginning with `- `, and maps as indented lines.",
};

/// An anchor or alias is used.
pub static ANCHOR: Code = Code {
    slug: "agent-skill/anchor",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "An anchor or alias is used.",
    why: "Programs that read strict block YAML refuse the whole front matter.",
    help: "Write the value out.",
};

/// A YAML tag such as `!!str` is used.
pub static TAG: Code = Code {
    slug: "agent-skill/tag",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A YAML tag such as `!!str` is used.",
    why: "Some programs refuse tags, some drop them, some show them as text.",
    help: "Remove the tag; use quotes to make something text.",
};

/// A tab stands outside quotes in the front matter.
pub static TAB: Code = Code {
    slug: "agent-skill/tab",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A tab stands outside quotes in the front matter.",
    why: "Some YAML readers refuse tabs between tokens.",
    help: "Use spaces.",
};

/// A value contains a Unicode line separator.
pub static LINE_SEPARATOR: Code = Code {
    slug: "agent-skill/line-separator",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A value contains a Unicode line separator.",
    why: "YAML 1.1 readers take it for a line end and stop there.",
    help: "Replace it by a space.",
};

/// The front matter uses a corner of YAML that programs read differently.
pub static DIALECT: Code = Code {
    slug: "agent-skill/yaml-dialect",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The front matter uses a corner of YAML that programs read differently.",
    why: "What one program accepts, another refuses.",
    help: "Write it in the plainest form: one line per field, doubtful values in double quotes.",
};

/// There is no `name`.
pub static NAME_MISSING: Code = Code {
    slug: "agent-skill/name-missing",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "There is no `name`.",
    why: "The field is required: some programs refuse the skill, others call it after its folder.",
    help: "Add `name:` with the name of the folder.",
};

/// The `name` is empty.
pub static NAME_EMPTY: Code = Code {
    slug: "agent-skill/name-empty",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The `name` is empty.",
    why: "A name has 1 to 64 characters.",
    help: "Write the name of the folder.",
};

/// The `name` is a list or a mapping.
pub static NAME_NOT_TEXT: Code = Code {
    slug: "agent-skill/name-not-text",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The `name` is a list or a mapping.",
    why: "A name is text.",
    help: "Write the name of the folder as plain text.",
};

/// The `name` is a number, a truth value or null to YAML.
pub static NAME_WORD: Code = Code {
    slug: "agent-skill/name-read-as-value",
    grade: Grade::Always(Severity::Warning),
    clause: "YAML 1.2.2 §10.3",
    summary: "The `name` is a number, a truth value or null to YAML.",
    why: "Programs that look at the type refuse it or print it in another spelling.",
    help: "Put it in double quotes; `kitbag fix` does.",
};

/// The `name` has more than 64 characters.
pub static NAME_TOO_LONG: Code = Code {
    slug: "agent-skill/name-too-long",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The `name` has more than 64 characters.",
    why: "Some programs refuse it, others cut it or do not show it.",
    help: "Choose a shorter name, and rename the folder.",
};

/// The `name` contains upper-case letters.
pub static NAME_UPPER_CASE: Code = Code {
    slug: "agent-skill/name-upper-case",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The `name` contains upper-case letters.",
    why: "Names are lower case, so that they are the same on every file system.",
    help: "Write it in lower case, and rename the folder.",
};

/// The `name` contains something else than letters, digits and hyphens.
pub static NAME_CHARACTERS: Code = Code {
    slug: "agent-skill/name-characters",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The `name` contains something else than letters, digits and hyphens.",
    why: "Programs rewrite or hide such names, so that the skill is called differently everywhere.",
    help: "Use lower-case letters, digits and single hyphens.",
};

/// The `name` begins or ends with a hyphen, or contains two in a row.
pub static NAME_HYPHENS: Code = Code {
    slug: "agent-skill/name-hyphens",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The `name` begins or ends with a hyphen, or contains two in a row.",
    why: "The specification forbids it.",
    help: "Use single hyphens between words.",
};

/// The `name` is not the name of the folder.
pub static NAME_NOT_DIRECTORY: Code = Code {
    slug: "agent-skill/name-not-directory",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The `name` is not the name of the folder.",
    why: "Some programs call the skill by its name and some by its folder.",
    help: "Make them equal; `kitbag fix` changes the name to that of the folder.",
};

/// The `name` begins with a prefix that a program keeps for itself.
pub static NAME_RESERVED: Code = Code {
    slug: "agent-skill/name-reserved",
    grade: Grade::Always(Severity::Warning),
    clause: "Open-Science §1.3",
    summary: "The `name` begins with a prefix that a program keeps for itself.",
    why: "The program refuses the import.",
    help: "Choose another name.",
};

/// There is no `description`.
pub static DESCRIPTION_MISSING: Code = Code {
    slug: "agent-skill/description-missing",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, description",
    summary: "There is no `description`.",
    why: "The field is required: it is what an agent chooses a skill by.",
    help: "Say in one or two sentences what the skill does and when to use it.",
};

/// The `description` is empty.
pub static DESCRIPTION_EMPTY: Code = Code {
    slug: "agent-skill/description-empty",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, description",
    summary: "The `description` is empty.",
    why: "It is what an agent chooses a skill by.",
    help: "Say in one or two sentences what the skill does and when to use it.",
};

/// The `description` is a list or a mapping.
pub static DESCRIPTION_NOT_TEXT: Code = Code {
    slug: "agent-skill/description-not-text",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, description",
    summary: "The `description` is a list or a mapping.",
    why: "A description is text.",
    help: "Put the value in double quotes.",
};

/// The `description` is a number, a truth value or null to YAML.
pub static DESCRIPTION_WORD: Code = Code {
    slug: "agent-skill/description-read-as-value",
    grade: Grade::Always(Severity::Warning),
    clause: "YAML 1.2.2 §10.3",
    summary: "The `description` is a number, a truth value or null to YAML.",
    why: "Programs that look at the type refuse it or take it for absent.",
    help: "Put it in double quotes; `kitbag fix` does.",
};

/// The `description` has more than 1,024 characters.
pub static DESCRIPTION_TOO_LONG: Code = Code {
    slug: "agent-skill/description-too-long",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, description",
    summary: "The `description` has more than 1,024 characters.",
    why: "It is loaded into every conversation; programs refuse or cut longer ones.",
    help: "Shorten it; details belong into the body.",
};

/// A program shows the first line of the body instead of the description.
pub static BODY_SHOWN: Code = Code {
    slug: "agent-skill/body-shown-instead",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A program shows the first line of the body instead of the description.",
    why: "An agent chooses the skill by a line that was not written for it.",
    help: "Write a description that is plain text.",
};

/// The `compatibility` is not text.
pub static COMPATIBILITY_NOT_TEXT: Code = Code {
    slug: "agent-skill/compatibility-not-text",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, compatibility",
    summary: "The `compatibility` is not text.",
    why: "The field is text of 1 to 500 characters.",
    help: "Write it as one sentence.",
};

/// The `compatibility` is empty.
pub static COMPATIBILITY_EMPTY: Code = Code {
    slug: "agent-skill/compatibility-empty",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, compatibility",
    summary: "The `compatibility` is empty.",
    why: "The field is text of 1 to 500 characters.",
    help: "Remove it, or say what the skill needs.",
};

/// The `compatibility` has more than 500 characters.
pub static COMPATIBILITY_TOO_LONG: Code = Code {
    slug: "agent-skill/compatibility-too-long",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, compatibility",
    summary: "The `compatibility` has more than 500 characters.",
    why: "The field is text of 1 to 500 characters.",
    help: "Shorten it; details belong into the body.",
};

/// The `license` is not text.
pub static LICENSE_NOT_TEXT: Code = Code {
    slug: "agent-skill/license-not-text",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, license",
    summary: "The `license` is not text.",
    why: "The field is the name of a licence or of a bundled file.",
    help: "Write a name such as `MIT`, or the name of the licence file.",
};

/// The `metadata` is not a mapping.
pub static METADATA_NOT_MAPPING: Code = Code {
    slug: "agent-skill/metadata-not-mapping",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, metadata",
    summary: "The `metadata` is not a mapping.",
    why: "The field maps text to text.",
    help: "Write it as indented lines of `key: value`.",
};

/// A value of `metadata` is a list or a mapping.
pub static METADATA_VALUE: Code = Code {
    slug: "agent-skill/metadata-value",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, metadata",
    summary: "A value of `metadata` is a list or a mapping.",
    why: "The field maps text to text.",
    help: "Write the value as text.",
};

/// The `allowed-tools` is not text.
pub static TOOLS_NOT_TEXT: Code = Code {
    slug: "agent-skill/allowed-tools-not-text",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, allowed-tools",
    summary: "The `allowed-tools` is not text.",
    why: "The field is one line of tools separated by spaces.",
    help: "Write the tools on one line, separated by spaces; `kitbag fix` does.",
};

/// The tools in `allowed-tools` are separated by commas.
pub static TOOLS_COMMAS: Code = Code {
    slug: "agent-skill/allowed-tools-commas",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, allowed-tools",
    summary: "The tools in `allowed-tools` are separated by commas.",
    why: "The separator is a space; a program may take the comma for part of the tool's name.",
    help: "Separate the tools by spaces.",
};

/// A field is neither in the specification nor known to any program.
pub static UNEXPECTED_FIELD: Code = Code {
    slug: "agent-skill/unexpected-field",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, frontmatter",
    summary: "A field is neither in the specification nor known to any program.",
    why: "The reference validator refuses it, and every program ignores it.",
    help: "Move it below `metadata`.",
};

/// A field is not in the specification, and some program reads it.
pub static EXTENSION_FIELD: Code = Code {
    slug: "agent-skill/extension-field",
    grade: Grade::Always(Severity::Info),
    clause: "Agent Skills, frontmatter",
    summary: "A field is not in the specification, and some program reads it.",
    why: "It works there and is ignored elsewhere; the reference validator refuses it.",
    help: "Keep it if the skill is meant for that program.",
};

/// The author asks a program not to offer the skill to the model.
pub static NOT_OFFERED: Code = Code {
    slug: "agent-skill/not-offered-to-model",
    grade: Grade::Always(Severity::Info),
    clause: "kitbag",
    summary: "The author asks a program not to offer the skill to the model.",
    why: "The model will not use it by itself there.",
    help: "Remove the field if that is not meant.",
};

/// `metadata.short-description` is not text.
pub static SHORT_DESCRIPTION: Code = Code {
    slug: "agent-skill/short-description-not-text",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "`metadata.short-description` is not text.",
    why: "The program that reads it refuses the whole skill.",
    help: "Write it as text.",
};

/// The body has more than 500 lines.
pub static LONG_BODY: Code = Code {
    slug: "agent-skill/body-long",
    grade: Grade::Always(Severity::Info),
    clause: "Agent Skills, progressive disclosure",
    summary: "The body has more than 500 lines.",
    why: "The whole body is loaded when the skill is used; the specification recommends less.",
    help: "Move details into files below `references/`.",
};

/// The file is not called exactly `SKILL.md`.
pub static FILE_CASE: Code = Code {
    slug: "agent-skill/file-not-upper-case",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, directory structure",
    summary: "The file is not called exactly `SKILL.md`.",
    why: "Programs look for `SKILL.md` in exactly that spelling.",
    help: "Rename it to `SKILL.md`.",
};

/// The folder holds `SKILL.md` in two spellings.
pub static FILE_TWICE: Code = Code {
    slug: "agent-skill/file-in-two-spellings",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The folder holds `SKILL.md` in two spellings.",
    why: "On a file system that ignores case only one of them survives.",
    help: "Remove the one that is not called `SKILL.md`.",
};

/// `SKILL.md` is not a regular file.
pub static NOT_A_FILE: Code = Code {
    slug: "agent-skill/not-a-regular-file",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, directory structure",
    summary: "`SKILL.md` is not a regular file.",
    why: "No program reads it.",
    help: "Make it a file.",
};

/// The SKILL.md is a symbolic link.
pub static DOCUMENT_LINK: Code = Code {
    slug: "agent-skill/document-is-link",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The SKILL.md is a symbolic link.",
    why: "Some programs ignore it, and it is lost when the folder is copied alone.",
    help: "Replace the link by the file.",
};

/// The SKILL.md is a symbolic link that leads out of what was checked.
pub static LINK_LEAVES: Code = Code {
    slug: "agent-skill/document-link-leaves",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The SKILL.md is a symbolic link that leads out of what was checked.",
    why: "What it leads to differs from machine to machine, so it was not read.",
    help: "Replace the link by the file.",
};

/// The SKILL.md is a symbolic link that leads nowhere.
pub static LINK_DANGLES: Code = Code {
    slug: "agent-skill/document-link-dangles",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "The SKILL.md is a symbolic link that leads nowhere.",
    why: "No program finds a document.",
    help: "Replace the link by the file.",
};

/// The skill's folder is a symbolic link.
pub static FOLDER_LINK: Code = Code {
    slug: "agent-skill/folder-is-link",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The skill's folder is a symbolic link.",
    why: "Some programs do not look into links.",
    help: "Put the folder itself in its place.",
};

/// The skill lies deeper below the skills folder than a program looks.
pub static TOO_DEEP: Code = Code {
    slug: "agent-skill/nested-too-deep",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The skill lies deeper below the skills folder than a program looks.",
    why: "The program does not find it.",
    help: "Put the folder directly below the skills folder.",
};

/// The SKILL.md lies in the skills folder itself.
pub static IN_SKILLS_ROOT: Code = Code {
    slug: "agent-skill/in-skills-root",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The SKILL.md lies in the skills folder itself.",
    why: "Programs look for one folder per skill.",
    help: "Put it into a folder of its own.",
};

/// The skill lies inside another skill.
pub static INSIDE_SKILL: Code = Code {
    slug: "agent-skill/inside-another-skill",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The skill lies inside another skill.",
    why: "Programs that find the outer one may not look further.",
    help: "Put the two folders side by side.",
};

/// The skill lies in a hidden folder.
pub static HIDDEN_FOLDER: Code = Code {
    slug: "agent-skill/hidden-folder",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The skill lies in a hidden folder.",
    why: "Programs that skip hidden folders do not find it.",
    help: "Choose a folder name without a leading dot.",
};

/// The skill lies in a folder that a program skips or keeps for itself.
pub static SKIPPED_FOLDER: Code = Code {
    slug: "agent-skill/skipped-folder",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The skill lies in a folder that a program skips or keeps for itself.",
    why: "The program does not find it.",
    help: "Choose another folder name.",
};

/// The folder's name has characters that a program refuses.
pub static FOLDER_NAME: Code = Code {
    slug: "agent-skill/folder-name",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "The folder's name has characters that a program refuses.",
    why: "The program does not offer the skill.",
    help: "Use lower-case letters, digits and hyphens.",
};

/// The body refers to a file that is not there.
pub static REFERENCE_MISSING: Code = Code {
    slug: "agent-skill/reference-missing",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, file references",
    summary: "The body refers to a file that is not there.",
    why: "An agent that follows the reference finds nothing.",
    help: "Add the file, or correct the path; paths start at the skill's folder.",
};
