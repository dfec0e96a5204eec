//! Splice artifacts from anybody: what the strict reader takes, what it refuses, and what it never lets out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

use std::io;

use kitbag_core::archive::Error;
use kitbag_core::digest::Sha256;
use kitbag_core::formats::splice::digests::{self, Integrity};
use kitbag_core::formats::splice::pack::{self, ReadError};
use kitbag_core::formats::splice::{ARCHIVE_BYTES, UNPACKED_BYTES, bundle};
use kitbag_core::formats::{PackError, Pins};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use kitbag_testkit::archive::gzip::Gzip;
use kitbag_testkit::archive::tar::{Header, Tar};

fn gzip(tar: &[u8]) -> Vec<u8> {
    Gzip::of(tar).bytes()
}

fn paths(tree: &Tree) -> Vec<String> {
    tree.iter().filter(|(_, node)| matches!(node, Node::File(_))).map(|(path, _)| path.to_string()).collect()
}

fn reads(tar: &[u8]) -> Vec<String> {
    paths(&pack::read(&gzip(tar)).unwrap_or_else(|error| panic!("{error}")))
}

fn refusal(bytes: &[u8]) -> String {
    match pack::read(bytes) {
        Err(ReadError::Archive(Error::Refused(refusal))) => refusal.code.slug.to_owned(),
        Err(error) => error.to_string(),
        Ok(tree) => panic!("read as {:?}", paths(&tree)),
    }
}

fn tree(files: &[(&str, Node)]) -> Tree {
    let mut tree = Tree::new(None, Root::Folder);
    for (path, node) in files {
        tree.insert(PackagePath::new(path).unwrap(), node.clone()).unwrap();
    }
    tree
}

fn file(content: &str) -> Node {
    Node::File(Blob::from_bytes(content))
}

#[test]
fn what_ordinary_tools_write_is_read() {
    let plain = Tar::new().file("SKILL.md", b"x").file("manifest.json", b"{}");
    assert_eq!(reads(&plain.clone().end()), ["SKILL.md", "manifest.json"]);
    let folders =
        Tar::new().bare(b'5', "./").bare(b'5', "./tools/").file("./tools/a.ts", b"").file("./b", b"");
    assert_eq!(reads(&folders.end()), ["b", "tools/a.ts"]);
    let record = Tar::new().file("a", b"x").raw(&[0; 9216]).end();
    assert_eq!(reads(&record), ["a"]);
    let old = Tar::new().header(&Header::new(0, "a", 0)).end();
    assert_eq!(reads(&old), ["a"]);
    let gnu = Tar::new().header(&Header { magic: *b"ustar  \0", ..Header::new(b'0', "a", 0) }).end();
    assert_eq!(reads(&gnu), ["a"]);
}

#[test]
fn a_published_name_stays_readable_however_unwise_it_is() {
    let names = ["CON", "aux.txt", "a\u{1}b", "e\u{301}", "b\u{202e}c", "trailing. ", "x:y", "-x"];
    let tar = names.iter().fold(Tar::new(), |tar, name| tar.file(&format!("n/{name}"), b""));
    assert_eq!(reads(&tar.end()).len(), names.len());
}

#[test]
fn only_regular_files_in_plain_headers_come_out() {
    let hostile: [(&str, Tar, &str); 12] = [
        ("symbolic link", Tar::new().link(b'2', "a", "/etc/passwd"), "archive/not-a-file"),
        ("hard link", Tar::new().link(b'1', "a", "b"), "archive/hard-link"),
        ("device", Tar::new().bare(b'3', "a"), "archive/not-a-file"),
        ("pipe", Tar::new().bare(b'6', "a"), "archive/not-a-file"),
        ("contiguous file", Tar::new().bare(b'7', "a"), "archive/entry-kind"),
        ("sparse file", Tar::new().bare(b'S', "a"), "archive/entry-kind"),
        ("pax", Tar::new().pax(b'x', &[("path", "b")]).file("a", b""), "archive/tar-extension"),
        ("pax for all", Tar::new().pax(b'g', &[("comment", "b")]).file("a", b""), "archive/tar-extension"),
        ("GNU long name", Tar::new().gnu(b'L', b"b\0").file("a", b""), "archive/tar-extension"),
        (
            "checksum",
            Tar::new().header(&Header { checksum_off_by: 1, ..Header::new(b'0', "a", 0) }),
            "archive/tar-checksum",
        ),
        (
            "magic",
            Tar::new().header(&Header { magic: *b"USTAR\x0000", ..Header::new(b'0', "a", 0) }),
            "archive/tar-magic",
        ),
        (
            "base 256",
            Tar::new().header(&Header {
                size: vec![0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
                ..Header::new(b'0', "a", 0)
            }),
            "archive/tar-number",
        ),
    ];
    for (what, tar, code) in hostile {
        assert_eq!(refusal(&gzip(&tar.end())), code, "{what}");
    }
    assert_eq!(reads(&Tar::new().file("a", b"").end()), ["a"]);
}

#[test]
fn a_path_that_is_not_safe_is_refused_and_its_plain_twin_is_read() {
    for (path, code) in [
        ("../../etc/passwd", "archive/path-traversal"),
        ("a/../../x", "archive/path-traversal"),
        ("a/./x", "archive/path-traversal"),
        ("/etc/passwd", "archive/path-absolute"),
        ("a\\b", "archive/path-backslash"),
        ("C:/x", "archive/path-drive"),
        ("a//b", "archive/path-empty-segment"),
    ] {
        assert_eq!(refusal(&gzip(&Tar::new().file(path, b"").end())), code, "{path}");
    }
    assert_eq!(reads(&Tar::new().file("etc/passwd", b"").end()), ["etc/passwd"]);
    let long = Header { prefix: vec![b'p'; 155], ..Header::new(b'0', &"n".repeat(100), 0) };
    assert_eq!(reads(&Tar::new().header(&long).end())[0].len(), 256);
    let twins = |one: &str, other: &str| Tar::new().file(one, b"1").file(other, b"2").end();
    assert!(refusal(&gzip(&twins("A.md", "a.md"))).contains("the same path but for case"));
    assert_eq!(refusal(&gzip(&twins("a.md", "a.md"))), "archive/duplicate-path");
    assert_eq!(refusal(&gzip(&twins("a", "a/b"))), "archive/path-inside-file");
    assert_eq!(reads(&twins("A.md", "b.md")), ["A.md", "b.md"]);
}

#[test]
fn an_artifact_is_read_to_its_bounds_and_no_further() {
    let many = |count: usize| (0..count).fold(Tar::new(), |tar, at| tar.file(&format!("f{at}"), b"")).end();
    assert_eq!(reads(&many(500)).len(), 500);
    assert!(refusal(&gzip(&many(501))).contains("more than 500 files"));
    // Twenty mebibytes of zeros in a few kilobytes.
    let bomb = |bytes: u64| {
        let content = vec![0; usize::try_from(bytes).unwrap()];
        let tar = Tar::new().file("z", &content).end();
        let mut gzip = kitbag_core::archive::gzip::Deflated::new(
            Vec::new(),
            kitbag_core::archive::gzip::Header::ANONYMOUS,
        )
        .unwrap();
        io::Write::write_all(&mut gzip, &tar).unwrap();
        gzip.finish().unwrap()
    };
    assert!(bomb(20 << 20).len() < 64 << 10);
    assert!(refusal(&bomb(20 << 20)).contains("archive"), "its file alone is too long");
    // The content fits and the tar around it does not.
    assert!(refusal(&bomb(UNPACKED_BYTES - 512)).contains("expands beyond"));
    assert_eq!(paths(&pack::read(&bomb(UNPACKED_BYTES - 1536)).unwrap()), ["z"]);
    let long = vec![0x1f; usize::try_from(ARCHIVE_BYTES).unwrap() + 1];
    assert!(refusal(&long).contains("longer than"));
}

#[test]
fn a_gzip_is_one_member_and_nothing_after_it() {
    let good = gzip(&Tar::new().file("a", b"x").end());
    assert_eq!(paths(&pack::read(&good).unwrap()), ["a"]);
    assert_eq!(refusal(&[good.clone(), good.clone()].concat()), "archive/gzip-members");
    assert_eq!(refusal(&[&good[..], b"junk"].concat()), "archive/trailing-data");
    assert_eq!(refusal(&[&good[..], &[0; 512]].concat()), "archive/trailing-data");
    for cut in 2..good.len() {
        assert!(pack::read(&good[..cut]).is_err(), "cut at {cut}");
    }
    for at in 0..good.len() {
        let mut flipped = good.clone();
        flipped[at] ^= 0x10;
        // The time and system in the header and the bits before a stored block change nothing; all else is noticed.
        if let Ok(tree) = pack::read(&flipped) {
            assert!((4..=10).contains(&at), "byte {at}");
            assert_eq!(paths(&tree), ["a"]);
        }
    }
}

#[test]
fn what_is_no_gzip_is_a_bundle_or_nothing() {
    let text = r#"{"format":"splice-bundle","formatVersion":1,"files":[{"path":"a","content":"aGkK"}]}"#;
    let tree = pack::read(text.as_bytes()).unwrap();
    assert_eq!(tree.file("a").unwrap().read(9).unwrap(), b"hi\n");
    let mut written = Vec::new();
    bundle::write(pack::files(&tree), &mut written).unwrap();
    assert_eq!(written, text.as_bytes());
    assert!(refusal(b"nope").contains("not valid UTF-8 JSON"));
    assert!(refusal(br#"{"format":"zip"}"#).contains("not a Splice bundle"));
}

#[test]
fn the_writer_refuses_what_no_archive_may_hold_before_it_writes() {
    let refuses = |files: &[(&str, Node)]| {
        let mut out = Vec::new();
        let error = pack::write(&tree(files), &mut out).unwrap_err();
        assert!(out.is_empty(), "{error}");
        assert!(matches!(error, PackError::Unsound { .. }), "{error}");
        error.to_string()
    };
    let link = || Node::Link { target: "/etc".to_owned() };
    assert!(refuses(&[("a", link())]).contains("symbolic link"));
    assert!(refuses(&[("a", file("")), ("A", file(""))]).contains("but for case"));
    assert!(refuses(&[("a\\b", file(""))]).contains("backslash"));
    assert!(refuses(&[("c:x", file(""))]).contains("drive letter"));
    let large = Node::File(Blob::from_bytes(vec![0; (2 << 20) + 1]));
    assert!(refuses(&[("a", large)]).contains("larger than"));
    let two = || Node::File(Blob::from_bytes(vec![0; 2 << 20]));
    assert!(refuses(&[("a", two()), ("b", two()), ("c", two())]).contains("5242880 are allowed"));
    // What is not packed is not looked at, and its twin is written.
    let sound = tree(&[
        ("a", file("hi\n")),
        (".git/link", link()),
        ("node_modules/x", link()),
        ("tools/.s", file("")),
    ]);
    let mut out = Vec::new();
    let pins = pack::write(&sound, &mut out).unwrap();
    assert_eq!(pins, Pins::ArchiveBytes { sha256: Sha256::of(&out), size: out.len() as u64 });
    assert_eq!(paths(&pack::read(&out).unwrap()), ["a"]);
}

#[test]
fn the_bytes_do_not_depend_on_the_order_or_the_modes_of_the_files() {
    let executable = |content: &str| {
        let bytes = content.as_bytes().to_vec();
        Node::File(Blob::new(bytes.len() as u64, kitbag_core::tree::Executable::Yes, Box::new(bytes)))
    };
    let packed = |files: &[(&str, Node)]| {
        let mut out = Vec::new();
        pack::write(&tree(files), &mut out).unwrap();
        out
    };
    let one = packed(&[("b", file("2")), ("a", file("1")), ("c/d", file(""))]);
    let other = packed(&[("c/d", executable("")), ("a", executable("1")), ("b", executable("2"))]);
    assert!(one == other);
}

#[test]
fn integrity_is_sha256_in_lower_case_and_nothing_else() {
    let hex = Sha256::of(b"abc").to_string();
    let text = format!("sha256-{hex}");
    assert_eq!(Integrity::parse(&text).unwrap().to_string(), text);
    for bad in
        [format!("md5-{hex}"), hex.clone(), text.to_uppercase(), format!("{text}0"), "sha256-".to_owned()]
    {
        assert_eq!(Integrity::parse(&bad), None, "{bad}");
    }
}

#[test]
fn the_digest_of_files_is_over_path_and_content_in_the_order_of_utf16() {
    let files = [("\u{ff5e}", file("1")), ("\u{1f980}", file("2"))];
    let [one, two] = ["1", "2"].map(|content| Sha256::of(content.as_bytes()));
    let expected = Sha256::of(format!("\u{1f980}\0{two}\n\u{ff5e}\0{one}\n").as_bytes());
    let tree = tree(&files);
    assert_eq!(digests::files_digest(pack::files(&tree)).unwrap(), Integrity(expected));
}

mod with_an_oracle {
    use std::collections::BTreeMap;
    use std::io::Read as _;

    use proptest::prelude::*;

    use super::{Blob, Node, PackagePath, Root, Tree, pack};

    /// Paths of every length a header holds, with characters on both sides of the surrogates.
    fn files() -> impl Strategy<Value = BTreeMap<String, Vec<u8>>> {
        let path = prop::collection::vec("[a-d\u{e9}\u{ff5e}\u{1f980}]{1,24}", 1..5)
            .prop_map(|segments| segments.join("/"))
            .prop_filter("a header holds it", |path| path.len() <= 100);
        prop::collection::btree_map(path, prop::collection::vec(any::<u8>(), 0..1500), 0..12)
    }

    fn tree(files: &BTreeMap<String, Vec<u8>>) -> Tree {
        let mut tree = Tree::new(None, Root::Folder);
        for (path, content) in files {
            // A file that would be a folder too is left out: no tree can hold it.
            let _refused = tree
                .insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(content.as_slice())));
        }
        tree
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn another_reader_sees_the_same_files_in_the_order_of_utf16(files in files()) {
            let tree = tree(&files);
            let mut bytes = Vec::new();
            pack::write(&tree, &mut bytes).unwrap();
            let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
            let mut seen = Vec::new();
            for entry in archive.entries().unwrap() {
                let mut entry = entry.unwrap();
                let header = entry.header().clone();
                prop_assert_eq!(header.mode().unwrap(), 0o644);
                prop_assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()), (0, 0, 0));
                let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
                let mut content = vec![0; usize::try_from(entry.size()).unwrap()];
                entry.read_exact(&mut content).unwrap();
                seen.push((path, content));
            }
            let mut expected: Vec<(String, Vec<u8>)> = pack::files(&tree)
                .map(|(path, blob)| (path.to_string(), blob.read(1 << 20).unwrap()))
                .collect();
            expected.sort_by_key(|(path, _)| path.encode_utf16().collect::<Vec<_>>());
            prop_assert_eq!(seen, expected);
        }

        #[test]
        fn what_is_written_is_read_back_and_a_spoilt_copy_never_panics(
            files in files(), at in any::<prop::sample::Index>(), bit in 0..8u32,
        ) {
            let tree = tree(&files);
            let mut bytes = Vec::new();
            pack::write(&tree, &mut bytes).unwrap();
            let read = pack::read(&bytes).unwrap();
            let contents = |tree: &Tree| -> Vec<_> {
                pack::files(tree).map(|(path, blob)| (path.clone(), blob.digest().unwrap())).collect()
            };
            prop_assert_eq!(contents(&read), contents(&tree));
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(read) = pack::read(&bytes) {
                prop_assert_eq!(contents(&read), contents(&tree));
            }
        }
    }
}
