//! Budgets: each at its limit, where it holds, and one beyond.

use crate::archive::deflate_run;
use crate::archive::tar::{Header, Tar};
use crate::archive::zip::{Entry, Zip};

use super::{Case, reads, refused, refused_in};

pub(super) fn cases() -> Vec<Case> {
    let tar = || Tar::new().file("a", &[b'a'; 700]).file("b", &[b'b'; 700]).file("c", b"").end();
    let zip = || {
        Zip::of([Entry::stored("a", &[b'a'; 700]), Entry::stored("b", &[b'b'; 700]), Entry::stored("c", b"")])
            .bytes()
    };
    let abc = ["a", "b", "c"];
    let deep = |levels: usize| {
        let path = format!("{}x", "d/".repeat(levels - 1));
        Tar::new().header(&Header { name: path.into_bytes(), ..Header::new(b'0', "", 0) }).end()
    };
    let zeros = vec![0; 1 + 258 * 8_200];
    let run = || Zip::of([Entry::packed_as("zeros", &zeros, deflate_run(8_200))]).bytes();
    let length = zip().len() as u64;
    vec![
        reads("tar-entries-at-limit", "Three entries of three", tar(), &abc).limits([("entries", 3)]),
        refused(
            "tar-entries-over-limit",
            "Three entries of two",
            tar(),
            "too-many-entries",
            "tar-entries-at-limit",
        )
        .limits([("entries", 2)]),
        reads("zip-entries-at-limit", "Three entries of three", zip(), &abc).limits([("entries", 3)]),
        refused(
            "zip-entries-over-limit",
            "Three entries of two",
            zip(),
            "too-many-entries",
            "zip-entries-at-limit",
        )
        .limits([("entries", 2)]),
        reads(
            "tar-folders-at-limit",
            "Two folders that one name implies, and the name",
            deep(3),
            &["d/", "d/d/", "d/d/x"],
        )
        .limits([("entries", 3)]),
        refused_in(
            1,
            "tar-folders-over-limit",
            "Folders that one name implies count as entries",
            deep(3),
            "too-many-entries",
            "tar-folders-at-limit",
        )
        .limits([("entries", 2)]),
        reads("tar-depth-at-limit", "Three levels of three", deep(3), &["d/", "d/d/", "d/d/x"])
            .limits([("depth", 3)]),
        refused_in(
            1,
            "tar-depth-over-limit",
            "Three levels of two",
            deep(3),
            "path-too-deep",
            "tar-depth-at-limit",
        )
        .limits([("depth", 2)]),
        reads("tar-file-at-limit", "700 bytes of 700", tar(), &abc).limits([("file_bytes", 700)]),
        refused_in(
            1,
            "tar-file-over-limit",
            "700 bytes of 699",
            tar(),
            "file-too-large",
            "tar-file-at-limit",
        )
        .limits([("file_bytes", 699)]),
        reads("zip-file-at-limit", "700 bytes of 700", zip(), &abc).limits([("file_bytes", 700)]),
        refused_in(
            1,
            "zip-file-over-limit",
            "700 bytes of 699",
            zip(),
            "file-too-large",
            "zip-file-at-limit",
        )
        .limits([("file_bytes", 699)]),
        reads("tar-total-at-limit", "1,400 bytes of 1,400", tar(), &abc).limits([("total_bytes", 1400)]),
        refused_in(
            2,
            "tar-total-over-limit",
            "1,400 bytes of 1,399",
            tar(),
            "unpacks-too-large",
            "tar-total-at-limit",
        )
        .limits([("total_bytes", 1399)]),
        reads("zip-total-at-limit", "1,400 bytes of 1,400", zip(), &abc).limits([("total_bytes", 1400)]),
        refused_in(
            2,
            "zip-total-over-limit",
            "1,400 bytes of 1,399",
            zip(),
            "unpacks-too-large",
            "zip-total-at-limit",
        )
        .limits([("total_bytes", 1399)]),
        reads("zip-archive-at-limit", "An archive that is as long as it may be", zip(), &abc)
            .limits([("archive_bytes", length)]),
        refused(
            "zip-archive-over-limit",
            "An archive one byte too long",
            zip(),
            "too-large",
            "zip-archive-at-limit",
        )
        .limits([("archive_bytes", length - 1)]),
        reads(
            "zip-ratio-at-limit",
            "Zeros that unpack to 158 times what they are packed in",
            run(),
            &["zeros"],
        )
        .limits([("ratio", 158)]),
        refused_in(
            1,
            "zip-ratio-over-limit",
            "The same, where 157 times is allowed",
            run(),
            "ratio",
            "zip-ratio-at-limit",
        )
        .limits([("ratio", 157)]),
        refused_in(
            1,
            "tar-size-beyond-everything",
            "A header that claims 8 GiB: refused before a byte is read",
            Tar::new().header(&Header { size: b"77777777777\0".to_vec(), ..Header::new(b'0', "a", 0) }).end(),
            "file-too-large",
            "tar-plain",
        ),
        refused_in(
            1,
            "zip-size-beyond-everything",
            "A record that claims almost 4 GiB: refused before a byte is read",
            Zip::of([Entry::deflated("a", b"a").both(|header| header.size = u32::MAX - 1)]).bytes(),
            "unpacks-too-large",
            "zip-plain",
        ),
    ]
}
