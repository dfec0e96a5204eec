//! What can be said about any package before its format is known.

use crate::finding::{Code, Grade, Severity};

/// Every code of this room.
pub static CODES: &[&Code] = &[
    &NO_FACE,
    &LINK,
    &SPECIAL_FILE,
    &UNREADABLE,
    &NAME_NOT_UTF8,
    &NESTED_ARCHIVE,
    &LINK_NOT_FOLLOWED,
    &ARCHIVE_NOT_OPENED,
    &TOO_MUCH,
    &NOT_EXPECTED,
];

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

/// An archive inside a package.
pub static NESTED_ARCHIVE: Code = Code {
    slug: "package/nested-archive",
    grade: Grade::Always(Severity::Info),
    clause: "kitbag",
    summary: "An archive is in the package; it is content like any other and was not opened.",
    why: "What is in it was not checked.",
    help: "If it is a package, check it by naming it; if it is data, nothing needs doing.",
};

/// A link between packages that leads out of what was read.
pub static LINK_NOT_FOLLOWED: Code = Code {
    slug: "package/link-not-followed",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A symbolic link outside any package leads out of what was checked.",
    why: "Links are never followed, so a package behind it was not checked, although a program may load it.",
    help: "Check what it points at by naming it, or name the link itself.",
};

/// An archive file beside the packages of a folder.
pub static ARCHIVE_NOT_OPENED: Code = Code {
    slug: "package/archive-not-opened",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A package archive lies outside any package; archives are opened only when they are named.",
    why: "If it holds a package, that package was not checked.",
    help: "Check it by naming it.",
};

/// A limit was reached.
pub static TOO_MUCH: Code = Code {
    slug: "package/too-much",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "There is more than kitbag reads: too many entries, folders too deep, or too many bytes.",
    why: "What lies past the limit was not checked, so this must not count as a pass.",
    help: "Name a smaller folder, or take out what does not belong to a package.",
};

/// Another digest was asked for.
pub static NOT_EXPECTED: Code = Code {
    slug: "package/not-expected",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "None of the package's digests is the one that was asked for.",
    why: "This is not the package that whoever named the digest meant.",
    help: "Get it again from where it was published, or ask its author for the digest; use nothing of this one.",
};
