//! .adcap archives: written the same everywhere, read strictly, and verified before anything is used (§2, §4).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test lets other programs extract what core has written"
)]

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read as _, Write as _};

use kitbag_core::archive::gzip::{Deflated, Header, Stored};
use kitbag_core::archive::{Error, InMemory, LIMITS, Reading, Spool, Unpacked};
use kitbag_core::digest::Sha256;
use kitbag_core::finding::{Findings, Severity};
use kitbag_core::formats::adcap::{
    BuildError, Built, Capability, Kept, Outcome, Verification, begins_package, build, codes, verify,
};
use kitbag_core::formats::{self, Document as _};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Content, Executable, Node, Root, Tree};
use kitbag_testkit::archive::tar::{Header as TarHeader, Tar};
use kitbag_testkit::folder::Folder;
use kitbag_testkit::{cases, vectors};
use serde_json::Value;

fn path(text: &str) -> PackagePath {
    PackagePath::new(text).unwrap()
}

/// The whole package of `vectors/adcap/checks`, its files put in by `order` and marked `executable`.
fn source(reversed: Order, executable: Executable) -> Tree {
    let whole = vectors::walk("adcap/checks").into_iter().find(|case| case.name == "whole").unwrap().case;
    let mut files: Vec<(String, String)> = whole["files"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(path, text)| (path.clone(), text.as_str().unwrap().to_owned()))
        .collect();
    files.push(("capability.json".to_owned(), serde_json::to_string_pretty(&whole["manifest"]).unwrap()));
    if reversed == Order::Reversed {
        files.reverse();
    }
    let mut tree = Tree::new(Some("field-notes".to_owned()), Root::Folder);
    for (at, text) in files {
        let bytes = text.into_bytes();
        let blob = Blob::new(bytes.len() as u64, executable, Box::new(bytes));
        tree.insert(path(&at), Node::File(blob)).unwrap();
    }
    tree
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Listed,
    Reversed,
}

fn pack(tree: &Tree) -> Result<(Vec<u8>, Built), BuildError> {
    let mut archive = Vec::new();
    let built = build(&Capability::at_root(tree).unwrap(), tree, &mut archive)?;
    Ok((archive, built))
}

fn whole() -> (Vec<u8>, Built) {
    pack(&source(Order::Listed, Executable::No)).unwrap()
}

fn read(bytes: &[u8]) -> Result<Unpacked, Error> {
    let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
    formats::read_archive(&mut Cursor::new(bytes), reading)
}

/// The code of the refusal.
fn refused(bytes: &[u8]) -> &'static str {
    match read(bytes) {
        Err(Error::Refused(refusal)) => refusal.code.slug,
        Err(error) => panic!("{error}"),
        Ok(unpacked) => panic!("read: {:?}", unpacked.tree),
    }
}

fn verified(bytes: &[u8], pinned: Option<&Sha256>) -> Verification {
    let unpacked = read(bytes).unwrap();
    assert!(unpacked.remarks.is_empty(), "{:?}", unpacked.remarks);
    verify(&Capability::at_root(&unpacked.tree).unwrap(), &unpacked.tree, pinned)
}

fn slugs(findings: &Findings) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code.slug).collect()
}

/// The entries of an archive: path, mode and content, in order, as the `tar` crate reads them.
fn entries(archive: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    tar.entries()
        .unwrap()
        .map(|entry| {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()), (0, 0, 0));
            assert_eq!(header.entry_type(), tar::EntryType::Regular);
            (String::from_utf8(entry.path_bytes().to_vec()).unwrap(), header.mode().unwrap(), content)
        })
        .collect()
}

/// An archive of these entries, built field by field.
fn made(fill: impl FnOnce(Tar) -> Tar) -> Vec<u8> {
    gzip(&fill(Tar::new()).end())
}

fn gzip(tar: &[u8]) -> Vec<u8> {
    let mut gzip = Deflated::new(Vec::new(), Header::ANONYMOUS).unwrap();
    gzip.write_all(tar).unwrap();
    gzip.finish().unwrap()
}

/// The entries of the whole package, changed and packed again.
fn repacked(change: impl FnOnce(&mut Vec<(String, Vec<u8>)>)) -> Vec<u8> {
    let mut list: Vec<(String, Vec<u8>)> =
        entries(&whole().0).into_iter().map(|(path, _, content)| (path, content)).collect();
    change(&mut list);
    made(|tar| list.iter().fold(tar, |tar, (path, content)| tar.file(path, content)))
}

#[test]
fn the_archive_is_laid_out_as_the_specification_says() {
    let (archive, built) = whole();
    assert_eq!(archive[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    let entries = entries(&archive);
    let paths: Vec<&str> = entries.iter().map(|(path, ..)| &**path).collect();
    assert_eq!(paths[0], "capability.json");
    assert!(paths[1..].is_sorted() && paths.len() == 8, "{paths:?}");
    for (path, mode, _) in &entries {
        assert_eq!(*mode, if path == "bin/measure" { 0o755 } else { 0o644 }, "{path}");
    }
    assert_eq!(built.entries, 8);
    assert_eq!(built.archive_bytes, archive.len() as u64);
    assert_eq!(built.archive_sha256, Sha256::of(&archive));
    assert_eq!(built.manifest_sha256, Sha256::of(&entries[0].2));
    let manifest: Value = serde_json::from_slice(&entries[0].2).unwrap();
    let files = manifest["files"].as_array().unwrap();
    let listed: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(listed, paths[1..]);
    for (file, (_, mode, content)) in files.iter().zip(&entries[1..]) {
        assert_eq!(file["sha256"].as_str().unwrap(), Sha256::of(content).to_string());
        assert_eq!(file["size"], content.len());
        assert_eq!(file.get("executable").is_some(), *mode == 0o755);
    }
}

#[test]
fn the_same_files_give_the_same_bytes_whatever_their_order_and_their_marks_on_disk() {
    let first = whole().0;
    assert!(first == pack(&source(Order::Reversed, Executable::Yes)).unwrap().0);
    let again = read(&first).unwrap().tree;
    assert!(first == pack(&again).unwrap().0, "a package that was read packs to itself");
}

#[test]
fn what_was_packed_verifies_and_checks_clean() {
    let (archive, built) = whole();
    assert!(begins_package(&mut Cursor::new(&archive)).unwrap());
    let verification = verified(&archive, Some(&built.manifest_sha256));
    assert_eq!(verification.outcome, Outcome::VerifiedBytes, "{:?}", verification.findings);
    assert_eq!(verification.manifest_sha256, Some(built.manifest_sha256));
    let tree = read(&archive).unwrap().tree;
    let mut findings = Findings::default();
    Capability::at_root(&tree).unwrap().check(&tree, &mut findings);
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn every_change_to_the_files_is_seen_before_anything_is_used() {
    type Change = fn(&mut Vec<(String, Vec<u8>)>);
    let changes: [(&str, &str, Change); 6] = [
        ("a byte", "adcap/files-digest", |list| list[2].1[0] ^= 1),
        ("a longer file", "adcap/files-size", |list| list[2].1.push(b'\n')),
        ("a file taken away", "adcap/files-missing", |list| drop(list.remove(2))),
        ("a file put in", "adcap/files-unlisted", |list| list.push(("zz".into(), b"sh".to_vec()))),
        ("a file under another name", "adcap/files-unlisted", |list| list[2].0.push('x')),
        ("two files exchanged", "adcap/files-size", |list| {
            let one = std::mem::take(&mut list[2].1);
            list[2].1 = std::mem::replace(&mut list[3].1, one);
        }),
    ];
    let pinned = whole().1.manifest_sha256;
    for (what, code, change) in changes {
        let verification = verified(&repacked(change), Some(&pinned));
        assert_eq!(verification.outcome, Outcome::Tampered, "{what}");
        assert!(slugs(&verification.findings).contains(&code), "{what}: {:?}", verification.findings);
    }
    let unchanged = verified(&repacked(|_| {}), Some(&pinned));
    assert_eq!(unchanged.outcome, Outcome::VerifiedBytes);
}

#[test]
fn an_archive_has_no_corner_that_its_list_does_not_reach() {
    let hidden = repacked(|list| list.push((".git/hooks/pre-commit".into(), b"sh".to_vec())));
    let verification = verified(&hidden, None);
    assert_eq!(verification.outcome, Outcome::Tampered);
    assert_eq!(slugs(&verification.findings), [codes::FILES_UNLISTED.slug]);
    // In a folder, the same files belong to a program.
    let (archive, _) = whole();
    let unpacked = read(&archive).unwrap().tree;
    let mut folder = Tree::new(Some("field-notes".to_owned()), Root::Folder);
    for (at, node) in unpacked.iter() {
        folder.insert(at.clone(), node.clone()).unwrap();
    }
    folder.insert(path(".git/HEAD"), Node::File(Blob::from_bytes("ref"))).unwrap();
    assert_eq!(verify(&Capability::at_root(&folder).unwrap(), &folder, None).outcome, Outcome::VerifiedBytes);
    folder.insert(path("HEAD"), Node::File(Blob::from_bytes("ref"))).unwrap();
    assert_eq!(verify(&Capability::at_root(&folder).unwrap(), &folder, None).outcome, Outcome::Tampered);
}

#[test]
fn every_format_is_asked_in_one_way_what_its_bytes_are_worth() {
    let ask = |tree: &Tree| {
        let capability = Capability::at_root(tree).unwrap();
        let archive = formats::ArchiveBytes { sha256: Sha256::of(b"archive"), size: 7 };
        formats::Document::verify(&capability, tree, Some(&archive))
    };
    let (archive, built) = whole();
    let answer = ask(&read(&archive).unwrap().tree);
    assert_eq!((answer.outcome, answer.seal), (formats::Outcome::VerifiedBytes, formats::Seal::Absent));
    assert_eq!(answer.compared, 7);
    let pins: Vec<_> = answer.pins.iter().map(|pin| (pin.name, pin.value())).collect();
    let whole_archive = Sha256::of(b"archive").to_string();
    assert_eq!(
        pins,
        [("manifestSha256", built.manifest_sha256.to_string()), ("archiveSha256", whole_archive)]
    );
    let source = ask(&source(Order::Listed, Executable::No));
    assert_eq!(source.outcome, formats::Outcome::Unpinned, "what was never built lists nothing");
    assert_eq!(source.pins.len(), 1);
    let tampered = ask(&read(&repacked(|list| list[2].1[0] ^= 1)).unwrap().tree);
    assert_eq!(tampered.outcome, formats::Outcome::Tampered);
    let unbuilt = repacked(|list| {
        let mut manifest: Value = serde_json::from_slice(&list[0].1).unwrap();
        manifest.as_object_mut().unwrap().remove("files");
        list[0].1 = manifest.to_string().into_bytes();
    });
    assert_eq!(ask(&read(&unbuilt).unwrap().tree).outcome, formats::Outcome::Refused);
    let signed =
        |text: &'static [u8]| repacked(|list| list.push(("SIGNATURE.json".to_owned(), text.to_vec())));
    for (text, signatures) in [(&b"{\"signatures\":[{},{}]}"[..], 2), (b"{}", 1), (b"not JSON", 1)] {
        let answer = ask(&read(&signed(text)).unwrap().tree);
        assert_eq!(answer.seal, formats::Seal::Present { signatures });
        assert_eq!(answer.outcome, formats::Outcome::VerifiedBytes, "whether it holds is another question");
    }
}

#[test]
fn a_manifest_that_was_changed_with_its_files_is_another_package() {
    let pinned = whole().1.manifest_sha256;
    let other = repacked(|list| {
        let text = String::from_utf8(list[0].1.clone()).unwrap();
        list[0].1 = text.replace("Reads one page.", "Reads two pages").into_bytes();
    });
    let verification = verified(&other, Some(&pinned));
    assert_eq!(verification.outcome, Outcome::Tampered);
    assert_eq!(slugs(&verification.findings), [codes::MANIFEST_DIGEST.slug]);
    // Its files are still what it lists: alone, it is a package like any other.
    assert_eq!(verified(&other, None).outcome, Outcome::VerifiedBytes);
    // White space is no part of the identity.
    let spaced = repacked(|list| list[0].1.extend_from_slice(b"\n\n"));
    assert_eq!(verified(&spaced, Some(&pinned)).outcome, Outcome::VerifiedBytes);
}

#[test]
fn a_source_that_was_never_built_cannot_be_verified() {
    let tree = source(Order::Listed, Executable::No);
    let verification = verify(&Capability::at_root(&tree).unwrap(), &tree, None);
    assert_eq!(verification.outcome, Outcome::Unverifiable);
    assert_eq!(slugs(&verification.findings), [codes::NOT_BUILT.slug]);
    let archive = repacked(|list| {
        let mut manifest: Value = serde_json::from_slice(&list[0].1).unwrap();
        manifest.as_object_mut().unwrap().remove("files");
        list[0].1 = manifest.to_string().into_bytes();
    });
    let tree = read(&archive).unwrap().tree;
    let mut findings = Findings::default();
    Capability::at_root(&tree).unwrap().check(&tree, &mut findings);
    assert_eq!(slugs(&findings), [codes::NOT_BUILT.slug]);
    let broken = repacked(|list| list[0].1 = b"{\"adcap\": \"2.0\"}".to_vec());
    assert_eq!(verified(&broken, None).outcome, Outcome::Unverifiable);
}

#[test]
fn entries_that_are_no_regular_files_end_the_reading() {
    let manifest = b"{\"adcap\":\"1.0\"}";
    let begun = || Tar::new().file("capability.json", manifest);
    let hostile: [(&str, Tar); 9] = [
        ("archive/not-a-file", begun().bare(b'5', "tools/")),
        ("archive/not-a-file", begun().link(b'2', "a", "/etc/passwd")),
        ("archive/hard-link", begun().link(b'1', "a", "capability.json")),
        ("archive/not-a-file", begun().bare(b'3', "a")),
        ("archive/not-a-file", begun().bare(b'6', "a")),
        ("archive/tar-extension", begun().pax(b'x', &[("path", "b")]).file("a", b"")),
        ("archive/tar-extension", begun().pax(b'g', &[("comment", "c")]).file("a", b"")),
        ("archive/duplicate-path", begun().file("a", b"1").file("a", b"1")),
        ("archive/path-inside-file", begun().file("a", b"1").file("a/b", b"1")),
    ];
    for (code, tar) in hostile {
        assert_eq!(refused(&gzip(&tar.end())), code);
    }
    for bad in ["../a", "/a", "a//b", "a\\b", "./a", "a/./b"] {
        let _refused: &str = refused(&gzip(&begun().file(bad, b"").end()));
    }
    assert!(
        read(&gzip(&begun().file("a/b", b"1").file("a/c", b"1").end())).is_ok(),
        "the plain twin is read"
    );
}

#[test]
fn the_manifest_stands_first_and_the_signature_last() {
    let remarks = |change: fn(&mut Vec<(String, Vec<u8>)>)| slugs(&read(&repacked(change)).unwrap().remarks);
    assert_eq!(remarks(|list| list.rotate_left(1)), [codes::FIRST_ENTRY.slug]);
    let signature = || ("SIGNATURE.json".to_owned(), b"{}".to_vec());
    assert!(remarks(|list| list.push(("SIGNATURE.json".to_owned(), b"{}".to_vec()))).is_empty());
    let before = repacked(|list| list.insert(3, signature()));
    let remarked = read(&before).unwrap().remarks;
    assert_eq!(slugs(&remarked), [codes::SIGNATURE_ENTRY.slug]);
    assert_eq!(remarked.count(Severity::Error), 1);
    assert!(!begins_package(&mut Cursor::new(repacked(|list| list.rotate_left(1)))).unwrap());
    assert!(!begins_package(&mut Cursor::new(b"no archive")).unwrap());
}

#[test]
fn twenty_thousand_entries_are_read_and_one_more_is_not() {
    let with = |count: usize| {
        let mut tar = Tar::new().file("capability.json", b"{\"adcap\":\"1.0\"}");
        for at in 1..count {
            tar = tar.file(&format!("data/{}/{at}", at % 50), b"");
        }
        gzip(&tar.end())
    };
    assert_eq!(read(&with(20_000)).unwrap().tree.len(), 20_000);
    assert_eq!(refused(&with(20_001)), "archive/too-many-entries");
}

/// Takes contents without keeping them.
struct Nowhere;

impl Spool for Nowhere {
    fn store(&mut self, _: &PackagePath, content: &mut dyn io::Read) -> io::Result<Box<dyn Content>> {
        io::copy(content, &mut io::sink())?;
        Ok(Box::new(Vec::new()))
    }
}

#[test]
fn half_a_gibibyte_is_read_and_a_byte_more_is_refused_by_its_header_alone() {
    let manifest = b"{\"adcap\":\"1.0\"}";
    let most = (512 << 20) - manifest.len();
    let archive = |size: usize, content: usize| {
        let mut out = Stored::new(Vec::new(), Header::ANONYMOUS).unwrap();
        out.write_all(&Tar::new().file("capability.json", manifest).unfinished()).unwrap();
        out.write_all(&Tar::new().header(&TarHeader::new(b'0', "data", size)).unfinished()).unwrap();
        io::copy(&mut io::repeat(0).take(content as u64), &mut out).unwrap();
        out.write_all(&vec![0; 1024 + (512 - content % 512) % 512]).unwrap();
        out.finish().unwrap()
    };
    let read = |bytes: &[u8]| {
        let reading = Reading { name: None, limits: LIMITS, spool: &mut Nowhere };
        formats::read_archive(&mut Cursor::new(bytes), reading).map(|unpacked| unpacked.tree.len())
    };
    let over = read(&archive(most + 1, 0));
    assert!(matches!(over, Err(Error::Refused(refusal)) if refusal.code.slug == "archive/unpacks-too-large"));
    // Whether the largest package is read at all is asked of one a thousandth of the size in every run, and of the whole
    // one where somebody has the memory for it.
    let size = if std::env::var_os("KITBAG_LARGE").is_some() { most } else { most / 1000 };
    assert_eq!(read(&archive(size, size)).unwrap(), 2);
}

#[test]
fn what_no_reader_would_take_is_not_built() {
    let with = |add: &dyn Fn(&mut Tree)| {
        let mut tree = source(Order::Listed, Executable::No);
        add(&mut tree);
        pack(&tree).map(|(_, built)| built)
    };
    let link = with(&|tree| tree.insert(path("l"), Node::Link { target: "a".into() }).unwrap());
    assert!(matches!(link, Err(BuildError::NotAFile { path }) if path.as_str() == "l"));
    let accent = with(&|tree| tree.insert(path("é"), Node::File(Blob::from_bytes("x"))).unwrap());
    assert!(matches!(accent, Err(BuildError::Path { path }) if path.as_str() == "é"));
    let long = "d".repeat(120);
    let uncut = with(&|tree| tree.insert(path(&long), Node::File(Blob::from_bytes("x"))).unwrap());
    assert!(matches!(uncut, Err(BuildError::Path { .. })), "no tar header holds it");
    let many = with(&|tree| {
        for at in 0..20_000 {
            tree.insert(path(&format!("n/{at}")), Node::File(Blob::from_bytes(""))).unwrap();
        }
    });
    assert!(matches!(many, Err(BuildError::TooMany { count: 20_008 })));
    let unknown = with(&|tree| tree.insert_unnameable(kitbag_core::tree::Unnameable::new(None, b"\xff")));
    assert!(matches!(unknown, Err(BuildError::Unnameable { .. })));
    let git = with(&|tree| tree.insert(path(".git/config"), Node::File(Blob::from_bytes("x"))).unwrap());
    assert_eq!(git.unwrap(), whole().1, "what belongs to git is left out");
}

/// A file that reads otherwise the second time.
struct Fickle(std::sync::atomic::AtomicBool);

impl Content for Fickle {
    fn open(&self) -> io::Result<Box<dyn io::Read + Send + '_>> {
        let second = self.0.swap(true, std::sync::atomic::Ordering::Relaxed);
        Ok(Box::new(if second { &b"two"[..] } else { &b"one"[..] }))
    }
}

#[test]
fn a_file_that_changes_while_the_package_is_built_ends_the_build() {
    let mut tree = source(Order::Listed, Executable::No);
    let blob = Blob::new(3, Executable::No, Box::new(Fickle(false.into())));
    tree.insert(path("fickle"), Node::File(blob)).unwrap();
    assert!(matches!(pack(&tree), Err(BuildError::Changed { path }) if path.as_str() == "fickle"));
}

#[test]
fn a_signature_is_kept_while_it_names_the_package_it_lies_in() {
    let signed = |digest: &str| {
        let mut tree = source(Order::Listed, Executable::No);
        let text = format!(r#"{{"payload": {{"manifestSha256": "{digest}"}}, "signatures": []}}"#);
        tree.insert(path("SIGNATURE.json"), Node::File(Blob::from_bytes(text))).unwrap();
        pack(&tree).unwrap()
    };
    let (archive, built) = signed(&whole().1.manifest_sha256.to_string());
    assert_eq!((built.signature, built.entries), (Kept::Yes, 9));
    assert_eq!(entries(&archive).last().unwrap().0, "SIGNATURE.json");
    assert_eq!(verified(&archive, Some(&built.manifest_sha256)).outcome, Outcome::VerifiedBytes);
    let (archive, built) = signed(&"0".repeat(64));
    assert_eq!(built.signature, Kept::LeftOut);
    assert!(archive == whole().0);
}

#[test]
fn tar_and_python_extract_what_was_packed() {
    let (archive, _) = whole();
    let folder = Folder::new();
    let file = folder.path().join("package.adcap");
    std::fs::write(&file, &archive).unwrap();
    let expected: BTreeMap<String, Vec<u8>> =
        entries(&archive).into_iter().map(|(path, _, content)| (path, content)).collect();
    let script = "import sys,tarfile; t=tarfile.open(sys.argv[1]); t.extractall(sys.argv[2], filter='data')";
    let mut asked = 0;
    for (tool, args) in [("tar", ["-xzf", "FILE", "-C", "OUT"]), ("python3", ["-c", script, "FILE", "OUT"])] {
        if !cases::tool(tool) {
            continue;
        }
        asked += 1;
        let out = folder.path().join(tool);
        std::fs::create_dir(&out).unwrap();
        let args = args.map(|arg| match arg {
            "FILE" => file.as_os_str(),
            "OUT" => out.as_os_str(),
            other => other.as_ref(),
        });
        let status = std::process::Command::new(tool).args(args).status().unwrap();
        assert!(status.success(), "{tool}");
        for (path, content) in &expected {
            assert!(std::fs::read(out.join(path)).unwrap() == *content, "{tool}: {path}");
        }
    }
    assert!(asked > 0 || !cases::tool("tar"));
}
