//! Names that an entry may have, the same in both containers.

use crate::archive::tar::{Header, Tar};
use crate::archive::zip::{Entry, Zip};

use super::{Case, SKILL, reads, refused_in};

/// Names of tar and zip case, the name of the entry, why, and the code.
const REFUSED: &[(&str, &str, &str, &str, &str)] = &[
    ("tar-path-parent", "zip-path-parent", "../SKILL.md", "A path out of the folder", "path-traversal"),
    (
        "tar-path-parent-inside",
        "zip-path-parent-inside",
        "a/../../b",
        "A path out of the folder and back",
        "path-traversal",
    ),
    ("tar-path-dot", "zip-path-dot", "a/./b", "A path with a dot", "path-traversal"),
    ("tar-path-absolute", "zip-path-absolute", "/etc/cron.d/x", "A path from the root", "path-absolute"),
    ("tar-path-drive", "zip-path-drive", "C:/x", "A path on a drive", "path-drive"),
    (
        "tar-path-drive-relative",
        "zip-path-drive-relative",
        "c:x",
        "A path on a drive, relative",
        "path-drive",
    ),
    ("tar-path-backslash", "zip-path-backslash", "a\\..\\b", "A path with backslashes", "path-backslash"),
    ("tar-path-control", "zip-path-control", "a\x1b[2Jb", "A path with an escape sequence", "path-control"),
    ("tar-path-delete", "zip-path-delete", "a\x7fb", "A path with U+007F", "path-control"),
    ("tar-path-c1", "zip-path-c1", "a\u{9b}b", "A path with a C1 control character", "path-control"),
    (
        "tar-path-empty-segment",
        "zip-path-empty-segment",
        "a//b",
        "A path with an empty segment",
        "path-empty-segment",
    ),
    ("tar-path-empty", "zip-path-empty", "", "An empty path", "path-empty-segment"),
    ("tar-path-device", "zip-path-device", "a/nul.txt", "A name that is a device on Windows", "path-device"),
    ("tar-path-inside-file", "zip-path-inside-file", "SKILL.md/x", "A path below a file", "path-inside-file"),
    ("tar-path-twice", "zip-path-twice", "SKILL.md", "A path that is there already", "duplicate-path"),
];

pub(super) fn cases() -> Vec<Case> {
    let tar = |name: &str| {
        let header = Header { name: name.as_bytes().to_vec(), ..Header::new(b'0', "", 0) };
        Tar::new().file("SKILL.md", SKILL).header(&header).end()
    };
    let zip = |name: &str| {
        let entry = Entry::stored(name, b"").both(|header| header.flags |= 1 << 11);
        Zip::of([Entry::stored("SKILL.md", SKILL), entry]).bytes()
    };
    let mut cases = Vec::new();
    for &(in_tar, in_zip, name, about, code) in REFUSED {
        cases.push(refused_in(2, in_tar, about, tar(name), code, "tar-names"));
        cases.push(refused_in(2, in_zip, about, zip(name), code, "zip-names"));
    }
    let odd = ["..a", "-rf", "a b", "技能/ü.md", "e\u{301}", "é", "skill.md"];
    let entries = ["-rf", "..a", "SKILL.md", "a b", "e\u{301}", "skill.md", "é", "技能/", "技能/ü.md"];
    let odd_tar = odd.iter().fold(Tar::new().file("SKILL.md", SKILL), |tar, name| tar.file(name, b""));
    let odd_zip = odd.iter().map(|name| Entry::stored(name, b"").both(|header| header.flags |= 1 << 11));
    let raw = |name: &[u8], flags| {
        let entry =
            Entry::stored("", b"").both(|header| (header.name, header.flags) = (name.to_vec(), flags));
        Zip::of([entry]).bytes()
    };
    let bytes =
        |name: &[u8]| Tar::new().header(&Header { name: name.to_vec(), ..Header::new(b'0', "", 0) }).end();
    cases.extend([
        reads(
            "tar-names",
            "Odd names that are legal, with two that differ in case and two in their accents",
            odd_tar.end(),
            &entries,
        ),
        reads(
            "zip-names",
            "Odd names that are legal, with two that differ in case and two in their accents",
            Zip::of([Entry::stored("SKILL.md", SKILL)].into_iter().chain(odd_zip)).bytes(),
            &entries,
        ),
        reads("zip-name-utf8-unmarked", "A name in UTF-8 without the flag", raw("é".as_bytes(), 0), &["é"])
            .remarks(&["name-encoding"]),
        reads(
            "tar-name-unportable",
            "A name that Windows cannot store",
            tar("what?"),
            &["SKILL.md", "what?"],
        )
        .remarks(&["name-unportable"]),
        refused_in(
            1,
            "tar-name-not-utf8",
            "A name in Latin-1",
            bytes(b"caf\xe9"),
            "name-not-utf8",
            "tar-names",
        ),
        refused_in(
            1,
            "zip-name-not-utf8",
            "A name in Latin-1 without the flag",
            raw(b"caf\xe9", 0),
            "name-not-utf8",
            "zip-names",
        ),
        refused_in(
            1,
            "zip-name-flag-lies",
            "A name said to be UTF-8 that is not",
            raw(b"caf\xe9", 1 << 11),
            "name-not-utf8",
            "zip-names",
        ),
        refused_in(
            1,
            "zip-name-nul",
            "A name with a NUL",
            raw(b"SKILL.md\0.exe", 0),
            "path-control",
            "zip-names",
        ),
    ]);
    cases
}
