//! What the strict profile refuses and the ordinary one reads.

use crate::archive::tar::{Header, Tar};

use super::{Case, SKILL, reads, refused, refused_in};

pub(super) fn cases() -> Vec<Case> {
    let skill = || Tar::new().file("SKILL.md", SKILL);
    let with = |header: Header| Tar::new().header(&header).content(SKILL).end();
    let plain = || Header::new(b'0', "SKILL.md", SKILL.len());
    let cases = vec![
        reads(
            "strict-plain",
            "What a reproducible writer makes",
            skill()
                .header(&Header {
                    prefix: b"a/b".to_vec(),
                    mode: b"0000755\0".to_vec(),
                    ..Header::new(b'0', "run.sh", 0)
                })
                .end(),
            &["SKILL.md", "a/", "a/b/", "a/b/run.sh"],
        ),
        refused_in(
            2,
            "strict-folder",
            "A folder has an entry",
            skill().bare(b'5', "a/").end(),
            "not-a-file",
            "strict-plain",
        ),
        refused_in(
            2,
            "strict-link",
            "A symbolic link",
            skill().link(b'2', "l", "SKILL.md").end(),
            "not-a-file",
            "strict-plain",
        ),
        refused_in(
            2,
            "strict-pipe",
            "A named pipe",
            skill().bare(b'6', "p").end(),
            "not-a-file",
            "strict-plain",
        ),
        refused_in(
            1,
            "strict-old-file",
            "A file of the old kind NUL",
            with(Header { kind: 0, ..plain() }),
            "entry-kind",
            "strict-plain",
        ),
        refused_in(
            1,
            "strict-pax",
            "A pax extension",
            Tar::new().pax(b'x', &[("mtime", "1.5")]).file("SKILL.md", SKILL).end(),
            "tar-extension",
            "strict-plain",
        ),
        refused_in(
            1,
            "strict-gnu-magic",
            "GNU's magic",
            with(Header { magic: *b"ustar  \0", ..plain() }),
            "tar-magic",
            "strict-plain",
        ),
        refused_in(
            1,
            "strict-spaces",
            "A size padded with spaces",
            with(Header { size: b"         60 ".to_vec(), ..plain() }),
            "tar-number",
            "strict-plain",
        ),
        refused_in(
            1,
            "strict-dot-prefix",
            "`./` before a name",
            Tar::new().file("./SKILL.md", SKILL).end(),
            "path-traversal",
            "strict-plain",
        ),
        refused(
            "strict-three-zero-blocks",
            "A third block of zeros",
            [skill().end(), vec![0; 512]].concat(),
            "trailing-data",
            "strict-plain",
        ),
    ];
    cases.into_iter().map(Case::strict).collect()
}
