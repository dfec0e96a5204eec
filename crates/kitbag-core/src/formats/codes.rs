//! What can be said about any package before its format is known.

use crate::finding::{Code, Grade, Severity};

/// Every code of this room.
pub static CODES: &[&Code] =
    &[&NO_FACE, &LINK, &SPECIAL_FILE, &UNREADABLE, &NAME_NOT_UTF8, &UNCHECKED_FORMAT];

/// Nothing kitbag knows.
pub static NO_FACE: Code = Code {
    slug: "package/no-face",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "The folder or file is no package that kitbag knows.",
    why: "Nothing was checked, so nothing can be said about it.",
    help: "Name a folder with a SKILL.md, a skill.contract.json or another package document, or a folder of such folders.",
};

/// A symbolic link.
pub static LINK: Code = Code {
    slug: "package/link",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "A symbolic link is in the package.",
    why: "A link can point at any file of whoever installs the package, and programs differ on whether they follow it.",
    help: "Replace the link by a copy of what it points at.",
};

/// A pipe, socket or device.
pub static SPECIAL_FILE: Code = Code {
    slug: "package/special-file",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "A pipe, socket or device is in the package.",
    why: "Opening it can block for ever or reach a device, and no archive carries it.",
    help: "Remove it from the package.",
};

/// Something that could not be read.
pub static UNREADABLE: Code = Code {
    slug: "package/unreadable",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "A file or folder of the package cannot be read.",
    why: "What was not read was not checked.",
    help: "Make it readable, or remove it from the package.",
};

/// A name that no path can hold.
pub static NAME_NOT_UTF8: Code = Code {
    slug: "package/name-not-utf8",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "A file name is not valid UTF-8.",
    why: "No package format can name the file, so it can be neither listed nor signed.",
    help: "Rename the file.",
};

/// A format that a later version checks.
pub static UNCHECKED_FORMAT: Code = Code {
    slug: "package/unchecked-format",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "The document's format is recognised and not checked by this version.",
    why: "Nothing was checked, so this must not count as a pass.",
    help: "Wait for the version of kitbag that checks this format.",
};
