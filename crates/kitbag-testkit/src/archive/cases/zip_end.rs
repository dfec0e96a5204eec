//! The layout of a zip: one end, one directory, and every byte part of something.

use crate::archive::zip::{Entry, Zip, zip64_end};

use super::{Case, SKILL, reads, refused, refused_in};

fn two() -> Zip {
    Zip::of([Entry::deflated("SKILL.md", SKILL), Entry::stored("b", b"b")])
}

fn zip64(spoil: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    two().bytes_with(
        |_| {},
        |end, at| {
            let mut records = zip64_end(end, at);
            spoil(&mut records);
            (end.entries, end.directory_bytes, end.directory) = (u16::MAX, u32::MAX, u32::MAX);
            records
        },
    )
}

pub(super) fn cases() -> Vec<Case> {
    [ends(), zip64s(), layout()].into_iter().flatten().collect()
}

fn ends() -> Vec<Case> {
    let names = ["SKILL.md", "b"];
    let with_comment = |comment: Vec<u8>| Zip { comment, ..two() }.bytes();
    let end = || Zip::default().bytes();
    let plain = two().bytes();
    vec![
        reads("zip-two", "Two files", two().bytes(), &names),
        reads("zip-comment", "A comment", with_comment(b"made by hand".to_vec()), &names),
        reads(
            "zip-longest-comment",
            "The longest comment there can be",
            with_comment(vec![b'c'; 65_535]),
            &names,
        ),
        refused(
            "zip-end-in-comment",
            "A whole end record in the comment, which readers that search from the back take",
            with_comment(end()),
            "zip-two-ends",
            "zip-comment",
        ),
        refused(
            "zip-end-signature-in-comment",
            "The signature of an end in the comment",
            with_comment(b"say PK\x05\x06 and no more".to_vec()),
            "zip-two-ends",
            "zip-comment",
        ),
        refused(
            "zip-after-end",
            "Bytes behind the end",
            Zip { suffix: b"junk".to_vec(), ..two() }.bytes(),
            "trailing-data",
            "zip-two",
        ),
        refused(
            "zip-second-zip-after",
            "A second zip behind the first",
            [two().bytes(), two().bytes()].concat(),
            "zip-prefix",
            "zip-two",
        ),
        refused("zip-no-end", "No end", &plain[..plain.len() - 22], "truncated", "zip-two"),
        refused("zip-cut-in-end", "Cut in the end", &plain[..plain.len() - 1], "truncated", "zip-two"),
        refused(
            "zip-disk",
            "Said to be the second file of an archive",
            two().bytes_with(|e| e.disk = 1, |_, _| vec![]),
            "zip-disks",
            "zip-two",
        ),
        refused(
            "zip-count-too-small",
            "An end that counts one entry of two",
            two().bytes_with(|e| e.entries = 1, |_, _| vec![]),
            "zip-directory",
            "zip-two",
        ),
        refused(
            "zip-count-too-large",
            "An end that counts three entries of two",
            two().bytes_with(|e| e.entries = 3, |_, _| vec![]),
            "zip-directory",
            "zip-two",
        ),
        refused(
            "zip-directory-too-large",
            "A directory said to reach into the end",
            two().bytes_with(|e| e.directory_bytes += 1, |_, _| vec![]),
            "zip-directory",
            "zip-two",
        ),
        refused(
            "zip-directory-elsewhere",
            "A directory said to begin one byte early",
            two().bytes_with(
                |e| (e.directory, e.directory_bytes) = (e.directory - 1, e.directory_bytes + 1),
                |_, _| vec![],
            ),
            "zip-directory",
            "zip-two",
        ),
    ]
}

fn zip64s() -> Vec<Case> {
    let refuse = |name, about, archive| refused(name, about, archive, "zip64", "zip64-end");
    vec![
        reads("zip64-end", "A zip64 end that would have fitted without", zip64(|_| {}), &["SKILL.md", "b"]),
        refuse(
            "zip64-no-end",
            "An end that points to a zip64 end that is not there",
            two().bytes_with(|e| e.entries = u16::MAX, |_, _| vec![]),
        ),
        refuse("zip64-locator-lies", "A locator that points elsewhere", zip64(|r| r[56 + 8] ^= 1)),
        refuse("zip64-end-signature", "No zip64 end before its locator", zip64(|r| r[0] = b'p')),
        refuse("zip64-end-longer", "A zip64 end that claims more than it has", zip64(|r| r[4] = 60)),
        refused(
            "zip64-disks",
            "A zip64 end of another file of the archive",
            zip64(|r| r[16] = 1),
            "zip-disks",
            "zip64-end",
        ),
        refuse(
            "zip64-two-counts",
            "An end and a zip64 end that count differently",
            two().bytes_with(
                |_| {},
                |end, at| {
                    let records = zip64_end(end, at);
                    end.entries = 1;
                    records
                },
            ),
        ),
    ]
}

fn layout() -> Vec<Case> {
    let b = || Entry::stored("b", b"b");
    vec![
        refused_in(
            1,
            "zip-prefix-adjusted",
            "The beginning of another zip before the zip, with offsets that count it",
            Zip { prefix: two().bytes()[..50].to_vec(), ..two() }.bytes(),
            "zip-prefix",
            "zip-two",
        ),
        refused(
            "zip-prefix-unadjusted",
            "A second zip before the zip, with offsets that do not count it",
            [&two().bytes()[..50], &two().bytes()].concat(),
            "zip-prefix",
            "zip-two",
        ),
        refused(
            "zip-prefix-of-nothing",
            "Bytes before a directory without records",
            Zip { prefix: b"PK\x03\x04 hidden".to_vec(), ..Zip::default() }.bytes(),
            "zip-prefix",
            "zip-empty",
        ),
        refused_in(
            1,
            "zip-gap-between",
            "Bytes between two entries",
            Zip::of([Entry { gap: b"hidden".to_vec(), ..Entry::deflated("SKILL.md", SKILL) }, b()]).bytes(),
            "zip-gap",
            "zip-two",
        ),
        refused_in(
            2,
            "zip-gap-before-directory",
            "A whole entry that the directory does not name",
            {
                let hidden = Zip::of([Entry::stored("hidden", b"x")]).bytes();
                Zip { before_directory: hidden[..37].to_vec(), ..two() }.bytes()
            },
            "zip-gap",
            "zip-two",
        ),
        refused(
            "zip-gap-after-directory",
            "Bytes between the directory and the end",
            Zip { after_directory: b"hidden".to_vec(), ..two() }.bytes(),
            "zip-gap",
            "zip-two",
        ),
        refused_in(
            1,
            "zip-shared-content",
            "Two records that share one content, as in a zip bomb without recursion",
            {
                let shared = Entry { has_local: false, offset: Some(0), ..b() };
                Zip::of([b(), shared]).bytes()
            },
            "zip-overlap",
            "zip-two",
        ),
        refused_in(
            1,
            "zip-quoted-content",
            "A content that reaches over the next local header",
            {
                let inner = Zip::of([b()]).bytes();
                let outer = Entry::stored("a", &inner[..32]);
                let quoted = Entry { has_local: false, offset: Some(31), ..b() };
                Zip::of([outer, quoted]).bytes()
            },
            "zip-overlap",
            "zip-two",
        ),
        refused_in(
            2,
            "zip-behind-directory",
            "A record that points behind the directory",
            Zip::of([b(), Entry { has_local: false, offset: Some(5000), ..Entry::stored("c", b"") }]).bytes(),
            "zip-overlap",
            "zip-two",
        ),
    ]
}
