//! What an import of Skills can find. Every budget of the specification has a code of its own.

use crate::finding::{Code, Grade, Severity};

const ERROR: Grade = Grade::Always(Severity::Error);
const WARNING: Grade = Grade::Always(Severity::Warning);
const INFO: Grade = Grade::Always(Severity::Info);

/// A file is neither an archive nor a Markdown document.
pub static NOT_A_BUNDLE: Code = Code {
    slug: "open-science/import-not-a-bundle",
    grade: ERROR,
    clause: "Skill import, inputs",
    summary: "A file is neither an archive nor a Markdown document.",
    why: "There is nothing in it that a Skill could be made of.",
    help: "Name a folder, a .zip or .skill archive, or a .md document.",
};

/// No SKILL.md is where a Skill could begin.
pub static NO_SKILL: Code = Code {
    slug: "open-science/import-no-skill",
    grade: ERROR,
    clause: "Skill import, roots",
    summary: "No SKILL.md is where a Skill could begin.",
    why: "A Skill begins where its SKILL.md is, at most three folders deep; a folder that holds everything of an archive is not counted.",
    help: "Name the folder or archive that holds the Skill.",
};

/// What is imported at once has more than 256 MiB.
pub static BUNDLE_SIZE: Code = Code {
    slug: "open-science/import-bundle-size",
    grade: ERROR,
    clause: "Skill import budgets, outer uploaded bundle",
    summary: "What is imported at once has more than 256 MiB.",
    why: "Open-Science takes no more at once, packed or unpacked; what comes after is left out.",
    help: "Import the Skills in several steps, or make their files smaller.",
};

/// A bundle has more than 32,768 files.
pub static ENTRIES: Code = Code {
    slug: "open-science/import-entries",
    grade: ERROR,
    clause: "Skill import budgets, outer bundle entries",
    summary: "A bundle has more than 32,768 files.",
    why: "What comes after is left out.",
    help: "Import the Skills in several steps.",
};

/// A file or archive in a bundle has more than 64 MiB.
pub static ENTRY_SIZE: Code = Code {
    slug: "open-science/import-entry-size",
    grade: ERROR,
    clause: "Skill import budgets, nested compressed Skill archive",
    summary: "A file or archive in a bundle has more than 64 MiB.",
    why: "It is left out, and the Skill it belongs to with it.",
    help: "Make it smaller, or import the archive by itself.",
};

/// A bundle has more than 256 Skills.
pub static SKILLS: Code = Code {
    slug: "open-science/import-skills",
    grade: ERROR,
    clause: "Skill import budgets, Skills per bundle",
    summary: "A bundle has more than 256 Skills.",
    why: "Those after the 256th are left out.",
    help: "Import the Skills in several steps.",
};

/// A Skill has more than 16,384 files.
pub static SKILL_FILES: Code = Code {
    slug: "open-science/import-skill-files",
    grade: ERROR,
    clause: "Skill import budgets, files in one Skill",
    summary: "A Skill has more than 16,384 files.",
    why: "It is not imported.",
    help: "Take out what is not needed.",
};

/// A file of a Skill has more than 50 MiB.
pub static FILE_SIZE: Code = Code {
    slug: "open-science/import-file-size",
    grade: ERROR,
    clause: "Skill import budgets, individual decompressed file",
    summary: "A file of a Skill has more than 50 MiB.",
    why: "The Skill is not imported.",
    help: "Make the file smaller, or let the Skill fetch it.",
};

/// The files of a Skill have more than 128 MiB in all.
pub static SKILL_SIZE: Code = Code {
    slug: "open-science/import-skill-size",
    grade: ERROR,
    clause: "Skill import budgets, total decompressed Skill",
    summary: "The files of a Skill have more than 128 MiB in all.",
    why: "It is not imported.",
    help: "Make the Skill smaller.",
};

/// A file lies more than 8 folders deep.
pub static DEPTH: Code = Code {
    slug: "open-science/import-depth",
    grade: ERROR,
    clause: "Skill import budgets, directory nesting",
    summary: "A file lies more than 8 folders deep.",
    why: "It is left out, and the Skill it belongs to with it.",
    help: "Flatten the folders.",
};

/// The documents of what is previewed at once have more than 4 MiB in all.
pub static PREVIEW_SIZE: Code = Code {
    slug: "open-science/import-preview-size",
    grade: WARNING,
    clause: "Skill import budgets, aggregate raw SKILL.md content in one preview response",
    summary: "The documents of what is previewed at once have more than 4 MiB in all.",
    why: "What this one says is not shown before the import. It can be imported all the same.",
    help: "Read the document before you import it, or make it shorter.",
};

/// The archives in a bundle unpack to more than 1 GiB in all.
pub static NESTED_SIZE: Code = Code {
    slug: "open-science/import-nested-size",
    grade: ERROR,
    clause: "kitbag",
    summary: "The archives in a bundle unpack to more than 1 GiB in all.",
    why: "Open-Science has no limit here, and a bundle of archives could fill any disk. Those after it are not opened.",
    help: "Import the archives by themselves.",
};

/// A .zip or .skill in a bundle is no ZIP.
pub static NESTED: Code = Code {
    slug: "open-science/import-nested-archive",
    grade: ERROR,
    clause: "Skill import, nested archives",
    summary: "A .zip or .skill in a bundle is no ZIP.",
    why: "Nothing can be imported from it.",
    help: "Pack it anew, or leave it out.",
};

/// A Skill has a file that cannot be imported.
pub static INCOMPLETE: Code = Code {
    slug: "open-science/import-incomplete",
    grade: ERROR,
    clause: "Skill import, roots",
    summary: "A Skill has a file that cannot be imported.",
    why: "Without it the Skill would be another than the one its author made.",
    help: "Mend what the message names.",
};

/// A name leads out of its Skill, or could on another system.
pub static UNSAFE_NAME: Code = Code {
    slug: "open-science/import-unsafe-name",
    grade: ERROR,
    clause: "Skill import, path rule",
    summary: "A name leads out of its Skill, or could on another system.",
    why: "It is not read.",
    help: "Rename the file: no backslash, no drive, no `..`, and UTF-8.",
};

/// A Skill has a link, a special file or one that cannot be read.
pub static ENTRY_KIND: Code = Code {
    slug: "open-science/import-entry-kind",
    grade: ERROR,
    clause: "kitbag",
    summary: "A Skill has a link, a special file or one that cannot be read.",
    why: "Open-Science makes an ordinary file of a link in a ZIP; nobody meant that.",
    help: "Put the file itself in its place.",
};

/// Names that begin with a dot are left out.
pub static HIDDEN: Code = Code {
    slug: "open-science/import-hidden",
    grade: WARNING,
    clause: "Skill import, path rule",
    summary: "Names that begin with a dot are left out.",
    why: "Open-Science leaves them out without a word: whoever relies on them does not find them.",
    help: "Rename what the Skill needs; the rest can stay out.",
};

/// Files belong to no Skill and are left out.
pub static OUTSIDE: Code = Code {
    slug: "open-science/import-outside",
    grade: INFO,
    clause: "Skill import, roots",
    summary: "Files belong to no Skill and are left out.",
    why: "A Skill is what lies beside and below its SKILL.md.",
    help: "Move them into a Skill where one needs them.",
};

/// A SKILL.md lies more than three folders deep and begins no Skill.
pub static DOCUMENT_DEPTH: Code = Code {
    slug: "open-science/import-document-depth",
    grade: WARNING,
    clause: "Skill import, roots",
    summary: "A SKILL.md lies more than three folders deep and begins no Skill.",
    why: "Open-Science does not see it and says nothing.",
    help: "Name the folder it is in, or move it up.",
};

/// The SKILL.md has no name that can be read.
pub static NAME_MISSING: Code = Code {
    slug: "open-science/import-name-missing",
    grade: ERROR,
    clause: "Skill import, preview",
    summary: "The SKILL.md has no name that can be read.",
    why: "A Skill is called by its name. Front matter that is no YAML, or that stands behind a byte order mark, has none.",
    help: "Begin SKILL.md with `---`, `name: …`, `description: …` and `---`.",
};

/// The name is none that a Skill may have, once it is made one.
pub static NAME: Code = Code {
    slug: "open-science/import-name",
    grade: ERROR,
    clause: "Skill names",
    summary: "The name is none that a Skill may have, once it is made one.",
    why: "Open-Science shows such a Skill in its preview and refuses it then.",
    help: "Choose up to 64 lower-case letters, digits and single hyphens, not beginning with os- or mcp-.",
};

/// The name becomes another one.
pub static NAME_CHANGED: Code = Code {
    slug: "open-science/import-name-changed",
    grade: INFO,
    clause: "Skill names, normalised for import",
    summary: "The name becomes another one.",
    why: "Whoever calls the Skill by its old name does not find it.",
    help: "Check the new name, and use it wherever the Skill is named.",
};

/// The name belongs to another Skill, so that this one gets a number.
pub static NAME_TAKEN: Code = Code {
    slug: "open-science/import-name-taken",
    grade: WARNING,
    clause: "Skill names, allocation",
    summary: "The name belongs to another Skill, so that this one gets a number.",
    why: "Two Skills of one name cannot be told apart.",
    help: "Rename one of them where that matters.",
};

/// A Skill brings along a file that belongs to the application.
pub static RESERVED_FILE: Code = Code {
    slug: "open-science/import-reserved-file",
    grade: ERROR,
    clause: "Skill import, application-owned metadata",
    summary: "A Skill brings along a file that belongs to the application.",
    why: "It could take over what is known about another Skill.",
    help: "Remove .source.json and .specialist-package.json from the root of the Skill.",
};

/// Files of a Skill cannot lie in one folder.
pub static PATHS: Code = Code {
    slug: "open-science/import-paths",
    grade: ERROR,
    clause: "Skill import, write checks",
    summary: "Files of a Skill cannot lie in one folder.",
    why: "One would take the place of another on some system.",
    help: "Rename the file that the message names.",
};

/// The SKILL.md cannot be written with its new name.
pub static DOCUMENT: Code = Code {
    slug: "open-science/import-document",
    grade: ERROR,
    clause: "Skill import, canonical document",
    summary: "The SKILL.md cannot be written with its new name.",
    why: "An import keeps what the document says and adds the name; it has to read it for that.",
    help: "Write the document in UTF-8, with front matter that is YAML.",
};

/// An import from GitHub takes more than 512 requests.
pub static REQUESTS: Code = Code {
    slug: "open-science/import-requests",
    grade: ERROR,
    clause: "Skill import budgets, GitHub requests per import",
    summary: "An import from GitHub takes more than 512 requests.",
    why: "Each file and each folder is a request, and GitHub counts them for everybody who shares an address.",
    help: "Download the archive of the repository and import that.",
};

/// A Skill on GitHub has a link, a submodule or something else that is no file.
pub static LEFT_OUT: Code = Code {
    slug: "open-science/import-left-out",
    grade: WARNING,
    clause: "Skill import, GitHub",
    summary: "A Skill on GitHub has a link, a submodule or something else that is no file.",
    why: "Open-Science leaves it out without a word: whoever relies on it does not find it.",
    help: "Check whether the Skill needs it.",
};

/// Something else has the name already.
pub static CONFLICT: Code = Code {
    slug: "open-science/import-conflict",
    grade: ERROR,
    clause: "Skill import, replacement",
    summary: "Something else has the name already.",
    why: "Only whoever imports can say which of the two is wanted.",
    help: "Choose with --existing: skip, keep-both or replace.",
};
