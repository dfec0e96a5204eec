//! What a tar may look like, and what it may not.

use crate::archive::deflate_stored_then_run;
use crate::archive::gzip::Gzip;
use crate::archive::tar::{Header, Tar, pax_record};

use super::{Case, SKILL, reads, refused, refused_in};

fn skill() -> Tar {
    Tar::new().file("SKILL.md", SKILL)
}

fn gnu(kind: u8, name: &str, size: usize) -> Header {
    Header { magic: *b"ustar  \0", ..Header::new(kind, name, size) }
}

pub(super) fn cases() -> Vec<Case> {
    [good(), headers(), kinds(), pax(), gnu_names(), ends()].into_iter().flatten().collect()
}

fn good() -> Vec<Case> {
    let spaces =
        Header { size: b"         60 ".to_vec(), mode: b"   755 \0".to_vec(), ..gnu(b'0', "run.sh", 0) };
    vec![
        reads("tar-plain", "One file in exact ustar", skill().end(), &["SKILL.md"]),
        reads("tar-empty", "No entry at all, in a gzip", Gzip::of(&Tar::new().end()).bytes(), &[]),
        reads(
            "tar-folders",
            "Folders with entries of their own, below a root that is listed too",
            Tar::new()
                .bare(b'5', "./")
                .bare(b'5', "./a/")
                .file("./a/SKILL.md", SKILL)
                .bare(b'5', "./b")
                .end(),
            &["a/", "a/SKILL.md", "b/"],
        ),
        reads(
            "tar-spaces",
            "Numbers padded with spaces under GNU's magic",
            Tar::new().header(&spaces).content(SKILL).end(),
            &["run.sh"],
        ),
        reads(
            "tar-prefix",
            "A path that is split over prefix and name",
            Tar::new()
                .header(&Header { prefix: b"a/b".to_vec(), ..Header::new(b'0', "c/SKILL.md", 0) })
                .end(),
            &["a/", "a/b/", "a/b/c/", "a/b/c/SKILL.md"],
        ),
        reads(
            "tar-old-file",
            "A file of the old kind NUL",
            Tar::new().header(&Header::new(0, "SKILL.md", SKILL.len())).content(SKILL).end(),
            &["SKILL.md"],
        ),
        reads(
            "tar-record",
            "Zeros up to a record of 10,240 bytes",
            [skill().end(), vec![0; 10_240 - 2048]].concat(),
            &["SKILL.md"],
        ),
    ]
}

fn headers() -> Vec<Case> {
    let with = |header: Header| Tar::new().header(&header).content(SKILL).end();
    let plain = || Header::new(b'0', "SKILL.md", SKILL.len());
    let base256 = [&[0x80][..], &[0; 10], &[49]].concat();
    vec![
        refused_in(
            2,
            "tar-magic-none",
            "A header from before ustar",
            skill().header(&Header { magic: [0; 8], ..plain() }).end(),
            "tar-magic",
            "tar-plain",
        ),
        refused_in(
            1,
            "tar-checksum-wrong",
            "A header whose checksum is one too high",
            with(Header { checksum_off_by: 1, ..plain() }),
            "tar-checksum",
            "tar-plain",
        ),
        refused_in(
            1,
            "tar-size-base-256",
            "A size in GNU's base 256, which other readers take for zero",
            with(Header { size: base256, ..plain() }),
            "tar-number",
            "tar-plain",
        ),
        refused_in(
            1,
            "tar-size-not-octal",
            "A size with the digit 8",
            with(Header { size: b"00000000080\0".to_vec(), ..plain() }),
            "tar-number",
            "tar-plain",
        ),
        refused_in(
            1,
            "tar-size-missing",
            "A size without digits",
            with(Header { size: b"           \0".to_vec(), ..plain() }),
            "tar-number",
            "tar-plain",
        ),
        refused_in(
            1,
            "tar-size-two-numbers",
            "A size with more digits behind a NUL",
            with(Header { size: b"0000061\x00001\0".to_vec(), ..plain() }),
            "tar-number",
            "tar-plain",
        ),
        refused_in(
            1,
            "tar-name-behind-nul",
            "A name that goes on behind its NUL",
            with(Header { name: b"SKILL.md\0.exe".to_vec(), ..plain() }),
            "tar-field",
            "tar-plain",
        ),
        refused_in(
            1,
            "tar-gnu-prefix",
            "GNU's magic with a prefix, which GNU does not have there",
            with(Header { magic: *b"ustar  \0", prefix: b"evil".to_vec(), ..plain() }),
            "tar-field",
            "tar-spaces",
        ),
        refused_in(
            1,
            "tar-padding-used",
            "Bytes hidden behind a content",
            Tar::new().header(&plain()).raw(SKILL).raw(&[b'x'; 512 - SKILL.len()]).end(),
            "tar-padding",
            "tar-plain",
        ),
    ]
}

fn kinds() -> Vec<Case> {
    vec![
        reads(
            "tar-link",
            "A symbolic link is an entry to be reported, and is not followed",
            skill().link(b'2', "passwd", "/etc/passwd").end(),
            &["SKILL.md", "passwd -> /etc/passwd"],
        ),
        reads(
            "tar-special",
            "A pipe and a device are entries to be reported",
            skill().bare(b'6', "pipe").bare(b'3', "tty").bare(b'4', "disk").end(),
            &["SKILL.md", "disk = device", "pipe = named pipe", "tty = device"],
        ),
        refused_in(
            2,
            "tar-hard-link",
            "A hard link to a file outside",
            skill().link(b'1', "shadow", "/etc/shadow").end(),
            "hard-link",
            "tar-link",
        ),
        refused_in(
            2,
            "tar-sparse",
            "A sparse file of GNU's",
            skill().header(&gnu(b'S', "s", 0)).end(),
            "entry-kind",
            "tar-plain",
        ),
        refused_in(
            2,
            "tar-volume-label",
            "A volume label",
            skill().header(&gnu(b'V', "label", 0)).end(),
            "entry-kind",
            "tar-plain",
        ),
        refused_in(
            2,
            "tar-contiguous",
            "A contiguous file",
            skill().bare(b'7', "c").end(),
            "entry-kind",
            "tar-plain",
        ),
        refused_in(
            3,
            "tar-link-through",
            "A file behind a link of the same archive",
            skill().link(b'2', "home", "/root").file("home/authorized_keys", b"key").end(),
            "path-inside-file",
            "tar-link",
        ),
        refused_in(
            2,
            "tar-folder-with-size",
            "A folder that claims a content",
            skill().header(&Header::new(b'5', "a/", 512)).content(&[0; 512]).end(),
            "tar-size",
            "tar-folders",
        ),
        refused_in(
            2,
            "tar-link-with-size",
            "A link that claims a content, in which the next header hides",
            skill()
                .header(&Header { link: b"x".to_vec(), ..Header::new(b'2', "l", 512) })
                .file("hidden", b"")
                .end(),
            "tar-size",
            "tar-link",
        ),
    ]
}

fn pax() -> Vec<Case> {
    let before = |records: &[(&str, &str)]| Tar::new().pax(b'x', records).file("short", SKILL).end();
    let raw = |data: &[u8]| Tar::new().extension(b'x', "PaxHeaders/x", data).file("short", SKILL).end();
    vec![
        reads(
            "pax-path",
            "A name in a pax record, with a time and an attribute beside it",
            before(&[("mtime", "1700000000.5"), ("path", "SKILL.md"), ("SCHILY.xattr.user.x", "y")]),
            &["SKILL.md"],
        ),
        reads(
            "pax-global-comment",
            "git's comment for all entries",
            Tar::new().pax(b'g', &[("comment", "0123abcd")]).file("SKILL.md", SKILL).end(),
            &["SKILL.md"],
        ),
        reads("pax-size-agrees", "A pax size that is the header's", before(&[("size", "48")]), &["short"]),
        reads(
            "pax-link",
            "The target of a link in a pax record",
            Tar::new().pax(b'x', &[("linkpath", "b")]).link(b'2', "a", "other").file("b", b"").end(),
            &["a -> b", "b"],
        ),
        refused_in(
            1,
            "pax-size-lies",
            "A pax size by which the next header would be skipped",
            before(&[("size", "1024")]),
            "pax-size",
            "pax-size-agrees",
        ),
        refused_in(
            1,
            "pax-length-lies",
            "A record that claims to be longer than its block",
            raw(b"99 path=SKILL.md\n"),
            "pax-record",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-no-line-end",
            "A record without its line end",
            raw(b"16 path=SKILL.md"),
            "pax-record",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-padded-length",
            "A record whose length has a leading zero",
            raw(b"018 path=SKILL.md\n"),
            "pax-record",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-path-twice",
            "Two names in one extension",
            before(&[("path", "SKILL.md"), ("path", "other")]),
            "pax-record",
            "pax-path",
        ),
        refused_in(1, "pax-path-empty", "An empty name", before(&[("path", "")]), "pax-record", "pax-path"),
        refused_in(
            1,
            "pax-path-nul",
            "A name with a NUL",
            before(&[("path", "SKILL.md\0.exe")]),
            "pax-record",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-sparse",
            "A sparse file in pax form",
            before(&[("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")]),
            "pax-key",
            "pax-path",
        ),
        refused_in(1, "pax-unknown", "A key nobody defined", before(&[("pfad", "x")]), "pax-key", "pax-path"),
        refused_in(
            1,
            "pax-global-path",
            "One name for all entries",
            Tar::new().pax(b'g', &[("path", "SKILL.md")]).file("a", b"").file("b", b"").end(),
            "pax-key",
            "pax-global-comment",
        ),
        refused_in(
            1,
            "pax-binary-names",
            "Names said to be in no character set",
            before(&[("hdrcharset", "BINARY"), ("path", "SKILL.md")]),
            "name-not-utf8",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-path-not-utf8",
            "A name that is not UTF-8 in a record that must be",
            raw(&pax_record("path", b"caf\xe9")),
            "name-not-utf8",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-twice",
            "Two extensions for one entry",
            Tar::new().pax(b'x', &[("path", "a")]).pax(b'x', &[("path", "b")]).file("c", b"").end(),
            "tar-extension-order",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-and-gnu",
            "A pax name and a GNU name for one entry",
            Tar::new().pax(b'x', &[("path", "a")]).gnu(b'L', b"b\0").file("c", b"").end(),
            "tar-extension-order",
            "pax-path",
        ),
        refused(
            "pax-for-nothing",
            "An extension before the end",
            Tar::new().file("a", b"").pax(b'x', &[("path", "b")]).end(),
            "tar-extension-order",
            "pax-path",
        ),
        refused_in(
            1,
            "pax-too-large",
            "An extension of 300,000 bytes",
            Tar::new().header(&Header::new(b'x', "PaxHeaders/x", 300_000)).end(),
            "tar-extension-too-large",
            "pax-path",
        ),
    ]
}

fn gnu_names() -> Vec<Case> {
    vec![
        reads(
            "gnu-long-name",
            "A GNU long name and a GNU long link",
            Tar::new()
                .gnu(b'K', b"target\0")
                .gnu(b'L', b"link\0")
                .header(&Header { link: b"t".to_vec(), ..gnu(b'2', "l", 0) })
                .gnu(b'L', b"SKILL.md\0")
                .header(&gnu(b'0', "SKILL", SKILL.len()))
                .content(SKILL)
                .end(),
            &["SKILL.md", "link -> target"],
        ),
        refused_in(
            1,
            "gnu-long-name-nul",
            "A GNU long name that goes on behind its NUL",
            Tar::new().gnu(b'L', b"SKILL.md\0evil\0").header(&gnu(b'0', "SKILL", 0)).end(),
            "tar-field",
            "gnu-long-name",
        ),
        refused_in(
            1,
            "gnu-long-name-twice",
            "Two GNU long names for one entry",
            Tar::new().gnu(b'L', b"a\0").gnu(b'L', b"b\0").header(&gnu(b'0', "c", 0)).end(),
            "tar-extension-order",
            "gnu-long-name",
        ),
    ]
}

fn ends() -> Vec<Case> {
    let two = || skill().file("two", SKILL);
    vec![
        reads("tar-two", "Two files", two().end(), &["SKILL.md", "two"]),
        refused("tar-no-end", "No block of zeros at the end", two().unfinished(), "tar-end", "tar-two"),
        refused(
            "tar-one-zero-block",
            "One block of zeros at the end",
            two().raw(&[0; 512]).unfinished(),
            "tar-end",
            "tar-two",
        ),
        refused(
            "tar-zero-block-between",
            "One block of zeros between two entries",
            skill().raw(&[0; 512]).file("two", SKILL).end(),
            "tar-end",
            "tar-two",
        ),
        refused(
            "tar-after-end",
            "An entry behind the end, which readers that ignore zeros see",
            [skill().end(), Tar::new().file("two", SKILL).end()].concat(),
            "trailing-data",
            "tar-two",
        ),
        refused(
            "tar-endless-zeros",
            "More than a mebibyte of zeros behind the end",
            {
                let tar = skill().end();
                let zeros = 1 + 258 * 8_200;
                let deflate = deflate_stored_then_run(&tar, 8_200);
                Gzip { deflate, ..Gzip::of(&[tar, vec![0; zeros]].concat()) }.bytes()
            },
            "trailing-data",
            "tar-record",
        ),
        refused("tar-cut-in-header", "Cut in a header", &two().unfinished()[..1200], "truncated", "tar-two"),
        refused_in(
            2,
            "tar-cut-in-content",
            "Cut in a content",
            &two().unfinished()[..1550],
            "truncated",
            "tar-two",
        ),
        refused_in(
            2,
            "tar-cut-in-padding",
            "Cut in the padding",
            &two().unfinished()[..2000],
            "truncated",
            "tar-two",
        ),
        refused_in(
            1,
            "tar-cut-in-extension",
            "Cut in an extension",
            &Tar::new().pax(b'x', &[("path", "a")]).unfinished()[..514],
            "truncated",
            "pax-path",
        ),
    ]
}
