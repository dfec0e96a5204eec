//! What a gzip may look like, and what it may not.

use crate::archive::gzip::Gzip;
use crate::archive::tar::Tar;
use crate::archive::{crc32, deflate_run};

use super::{Case, SKILL, reads, refused};

pub(super) fn cases() -> Vec<Case> {
    around(&Tar::new().file("SKILL.md", SKILL).end())
}

/// The same ways to spoil a gzip, with this tar in it.
pub(super) fn around(tar: &[u8]) -> Vec<Case> {
    let plain = || Gzip::of(tar);
    let flags = |flags: u8, optional: &[u8]| {
        let mut gzip = plain();
        gzip.header[3] = flags;
        Gzip { optional: optional.to_vec(), ..gzip }
    };
    let header_crc = |crc: u32| {
        let mut gzip = flags(0b0001_1110, b"\x04\0abcdname\0comment\0");
        let crc = crc ^ crc32(&[&gzip.header[..], &gzip.optional].concat());
        gzip.optional.extend(&crc.to_le_bytes()[..2]);
        gzip.bytes()
    };
    let cut = |from_end: usize| {
        let mut bytes = plain().bytes();
        bytes.truncate(bytes.len() - from_end);
        bytes
    };
    let mut method = plain();
    method.header[2] = 9;
    let mut broken = plain();
    broken.deflate[0] = 0b110;
    let mut long_name = vec![b'n'; 70_000];
    long_name.push(0);
    vec![
        reads("gzip-plain", "A tar in a gzip without options", plain().bytes(), &["SKILL.md"]),
        reads(
            "gzip-options",
            "Every optional field, with the header's own checksum",
            header_crc(0),
            &["SKILL.md"],
        ),
        refused(
            "gzip-method",
            "A compression method other than deflate",
            method.bytes(),
            "gzip-header",
            "gzip-plain",
        ),
        refused(
            "gzip-reserved-flag",
            "A reserved flag",
            flags(0x20, b"").bytes(),
            "gzip-header",
            "gzip-plain",
        ),
        refused(
            "gzip-header-crc",
            "A wrong checksum of the header",
            header_crc(1),
            "gzip-header",
            "gzip-options",
        ),
        refused(
            "gzip-long-header",
            "A file name of 70,000 bytes",
            flags(8, &long_name).bytes(),
            "gzip-header",
            "gzip-options",
        ),
        refused(
            "gzip-broken",
            "A block type that deflate does not have",
            broken.bytes(),
            "deflate",
            "gzip-plain",
        ),
        refused(
            "gzip-crc",
            "A wrong checksum",
            Gzip { crc: plain().crc ^ 1, ..plain() }.bytes(),
            "checksum",
            "gzip-plain",
        ),
        refused(
            "gzip-length",
            "A wrong length",
            Gzip { length: plain().length + 1, ..plain() }.bytes(),
            "gzip-length",
            "gzip-plain",
        ),
        refused(
            "gzip-two-members",
            "A second member, which some readers append",
            [plain().bytes(), plain().bytes()].concat(),
            "gzip-members",
            "gzip-plain",
        ),
        refused(
            "gzip-zeros-after",
            "Zeros behind the member, which some readers ignore",
            Gzip { suffix: vec![0; 512], ..plain() }.bytes(),
            "trailing-data",
            "gzip-plain",
        ),
        refused(
            "gzip-junk-after",
            "Other bytes behind the member",
            Gzip { suffix: b"junk".to_vec(), ..plain() }.bytes(),
            "trailing-data",
            "gzip-plain",
        ),
        refused("gzip-cut-in-header", "Cut in the header", &plain().bytes()[..7], "truncated", "gzip-plain"),
        refused("gzip-cut-in-data", "Cut in the data", cut(100), "truncated", "gzip-plain"),
        refused("gzip-cut-in-trailer", "Cut in the checksum and length", cut(3), "truncated", "gzip-plain"),
        refused("gzip-without-trailer", "Cut behind the data", cut(8), "truncated", "gzip-plain"),
        refused(
            "gzip-of-text",
            "A gzip that holds no tar",
            Gzip::of(&SKILL.repeat(40)).bytes(),
            "tar-magic",
            "gzip-plain",
        )
        .in_entry(1),
        refused(
            "gzip-of-gzip",
            "A gzip in a gzip",
            Gzip::of(&plain().bytes()).bytes(),
            "tar-magic",
            "gzip-plain",
        )
        .in_entry(1),
        refused(
            "gzip-bomb-of-zeros",
            "Zeros behind the end of the tar, a hundred times what the archive is",
            {
                let zeros = vec![0; 1 + 258 * 8_200];
                Gzip { deflate: deflate_run(8_200), ..Gzip::of(&zeros) }.bytes()
            },
            "ratio",
            "gzip-plain",
        )
        .limits([("ratio", 100)]),
        refused("not-an-archive", "A text", SKILL, "unknown", "gzip-plain"),
        refused("empty-file", "Nothing", *b"", "unknown", "gzip-plain"),
    ]
}
