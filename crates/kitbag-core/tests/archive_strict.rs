//! The archive cases once more, each as an archive of a package, for the strict readers of Splice and .adcap. What each says
//! is in `vectors/archive/packaged.json`.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]
#![expect(clippy::disallowed_methods, reason = "the crate under test opens no files, its tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read as _};
use std::sync::LazyLock;

use kitbag_core::archive::{Error, InMemory, LIMITS, Reading};
use kitbag_core::finding::{Findings, Severity};
use kitbag_core::formats::{self, Face, adcap, splice};
use kitbag_core::tree::{Node, Tree};
use kitbag_testkit::archive::cases::{self, Packaged, packaged};
use kitbag_testkit::cases::{json as read_json, project};
use kitbag_testkit::vectors;
use serde_json::{Value, json};

/// Every case, made once.
fn all() -> &'static [Packaged] {
    static ALL: LazyLock<Vec<Packaged>> = LazyLock::new(packaged);
    &ALL
}

/// `read`, or the code of what is wrong; of Splice's own rules, which one.
type Answer = Result<Tree, String>;

fn by_splice(case: &Packaged) -> Answer {
    use splice::pack::ReadError;
    splice::pack::read(&case.splice).map_err(|error| {
        match &error {
            ReadError::Archive(Error::Refused(refusal)) => refusal.code.slug,
            ReadError::TooLong => "splice/archive: too long",
            ReadError::Expands => "splice/archive: expands",
            ReadError::TooManyFiles => "splice/archive: too many files",
            ReadError::Path { .. } => "splice/archive: path",
            ReadError::Twin { .. } => "splice/archive: twin",
            ReadError::Bundle(_) => "splice/archive: bundle",
            _ => unreachable!("{}: {error}", case.name),
        }
        .to_owned()
    })
}

fn by_adcap(case: &Packaged) -> Answer {
    let own: serde_json::Map<String, Value> =
        case.limits.iter().map(|(name, max)| ((*name).to_owned(), json!(max))).collect();
    let mut limits = cases::limits_of(&json!({"limits": own}), LIMITS);
    // One entry more than the case was made for: the manifest before it.
    limits.entries = limits.entries.saturating_add(u64::from(own.contains_key("entries")));
    let reading = Reading { name: None, limits, spool: &mut InMemory };
    match adcap::read(&mut Cursor::new(&case.adcap), reading) {
        Ok(unpacked) => {
            let mut errors = unpacked.remarks.iter().filter(|remark| remark.severity == Severity::Error);
            match errors.next() {
                Some(error) => Err(error.code.slug.to_owned()),
                None if has_foreign_paths(&unpacked.tree) => Err(adcap::codes::FILE_PATH.slug.to_owned()),
                None => Ok(unpacked.tree.clone()),
            }
        }
        Err(Error::Refused(refusal)) => Err(refusal.code.slug.to_owned()),
        Err(error) => unreachable!("{}: {error}", case.name),
    }
}

/// Whether the check of a capability finds a path that no `.adcap` may hold (§2): the reader leaves that to it, so that each
/// such path is told.
fn has_foreign_paths(tree: &Tree) -> bool {
    let mut findings = Findings::default();
    let package = formats::open(tree, None, &mut findings);
    for face in package.faces.iter().filter(|face| matches!(face, Face::Adcap(_))) {
        face.document().check(&package.tree, &mut findings);
    }
    findings.iter().any(|finding| finding.code == &adcap::codes::FILE_PATH)
}

fn word(answer: &Answer) -> &str {
    match answer {
        Ok(_) => "read",
        Err(code) => code,
    }
}

/// Whether the door that every verb takes lets the archive pass without an error.
fn passes(archive: &[u8]) -> bool {
    let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
    match formats::read_archive(&mut Cursor::new(archive), reading) {
        Ok(unpacked) => {
            let has_error = unpacked.remarks.iter().any(|remark| remark.severity == Severity::Error);
            !has_error && !has_foreign_paths(&unpacked.tree)
        }
        Err(_) => false,
    }
}

#[test]
fn each_case_is_answered_as_recorded_by_both_strict_readers() {
    let found: BTreeMap<&str, Value> = all()
        .iter()
        .map(|case| (case.name, json!({"splice": word(&by_splice(case)), "adcap": word(&by_adcap(case))})))
        .collect();
    assert_eq!(found.len(), all().len(), "a name is there twice");
    let file = project().join("vectors/archive/packaged.json");
    if vectors::are_to_be_written() {
        let lines: Vec<String> = found
            .iter()
            .map(|(name, said)| {
                format!("    \"{name}\": {{ \"splice\": {}, \"adcap\": {} }}", said["splice"], said["adcap"])
            })
            .collect();
        let about =
            "What the strict readers say to each case as an archive of a package; `read`, or the code.";
        let text =
            format!("{{\n  \"about\": \"{about}\",\n  \"cases\": {{\n{}\n  }}\n}}\n", lines.join(",\n"));
        std::fs::write(&file, text).unwrap();
    }
    let recorded = read_json(&file);
    let recorded: BTreeMap<&str, Value> = recorded["cases"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, said)| (name.as_str(), said.clone()))
        .collect();
    assert_eq!(found, recorded);
}

#[test]
fn each_strict_reader_refuses_many_and_reads_the_twin_of_each() {
    type Reader = fn(&Packaged) -> Answer;
    let readers: [(&str, Reader); 2] = [("splice", by_splice), ("adcap", by_adcap)];
    for (format, read) in readers {
        let (mut refused, mut codes) = (0, BTreeSet::new());
        for case in all() {
            let Err(code) = read(case) else { continue };
            refused += 1;
            codes.insert(code);
            // Where a reader is stricter than its neighbours, what they read as the twin may be refused as well.
            let twins = [case.twin.unwrap_or("tar-plain"), "tar-plain"];
            let twin = twins.iter().find_map(|name| {
                let twin = all().iter().find(|other| other.name == *name && *name != case.name)?;
                read(twin).ok()
            });
            assert!(twin.is_some(), "{format}: {} has no twin that is read", case.name);
        }
        assert!(refused >= 60, "{format} refuses {refused}");
        assert!(codes.len() >= 20, "{format} has {} words for them: {codes:?}", codes.len());
    }
}

#[test]
fn what_a_strict_reader_refuses_no_verb_lets_pass() {
    let mut passed = 0;
    for case in all().iter().filter(|case| case.limits.is_empty()) {
        for (format, answer, archive) in
            [("splice", by_splice(case), &case.splice), ("adcap", by_adcap(case), &case.adcap)]
        {
            let passes = passes(archive);
            assert!(answer.is_ok() || !passes, "{format}: {} passes, and is {}", case.name, word(&answer));
            passed += usize::from(passes);
        }
    }
    assert!(passed >= 20, "some must pass, or this proves nothing: {passed}");
}

/// Files by path, as the `tar` crate unpacks them.
fn by_another(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    let mut files = BTreeMap::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.header().entry_type().is_file() {
            let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
            let mut content = Vec::new();
            io::copy(&mut entry, &mut content).unwrap();
            files.insert(name.strip_prefix("./").unwrap_or(&name).to_owned(), content);
        }
    }
    files
}

#[test]
fn what_a_strict_reader_reads_another_reader_unpacks_the_same() {
    let mut read = [0, 0];
    for case in all() {
        let answers = [(by_splice(case), &case.splice), (by_adcap(case), &case.adcap)];
        for (at, (answer, archive)) in answers.into_iter().enumerate() {
            let Ok(tree) = answer else { continue };
            let own: BTreeMap<String, Vec<u8>> = tree
                .iter()
                .filter_map(|(path, node)| match node {
                    Node::File(blob) => Some((path.to_string(), blob.read(1 << 24).unwrap())),
                    _ => None,
                })
                .collect();
            assert_eq!(own, by_another(archive), "{}", case.name);
            read[at] += 1;
        }
    }
    assert!(read.iter().all(|count| *count >= 10), "{read:?}");
}

/// `content` as a gzip that was really compressed.
fn packed(content: impl io::Read) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(content, flate2::Compression::new(6));
    io::copy(&mut encoder, &mut packed).unwrap();
    packed
}

fn adcap_of(entries: usize) -> Vec<u8> {
    let case = all().iter().find(|case| case.name == "tar-empty").unwrap();
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(&*case.adcap).read_to_end(&mut tar).unwrap();
    tar.truncate(tar.len() - 1024);
    for at in 1..entries {
        tar.extend(
            kitbag_testkit::archive::tar::Tar::new().file(&format!("d{}/{at}", at % 97), b"").unfinished(),
        );
    }
    tar.extend([0; 1024]);
    packed(&*tar)
}

#[test]
fn an_adcap_has_twenty_thousand_entries_and_not_one_more() {
    let case = |adcap| Packaged { name: "many", limits: Vec::new(), twin: None, splice: Vec::new(), adcap };
    let most = by_adcap(&case(adcap_of(20_000))).unwrap();
    assert_eq!(most.iter().filter(|(_, node)| matches!(node, Node::File(_))).count(), 20_000);
    assert_eq!(word(&by_adcap(&case(adcap_of(20_001)))), "archive/too-many-entries");
}

/// A file of `bytes` times the same byte behind the manifest of an `.adcap`, said to be `said` long.
fn adcap_with(byte: u8, bytes: u64, said: u64) -> Vec<u8> {
    use kitbag_testkit::archive::tar::Header;
    let case = all().iter().find(|case| case.name == "tar-empty").unwrap();
    let mut start = Vec::new();
    flate2::read::GzDecoder::new(&*case.adcap).read_to_end(&mut start).unwrap();
    start.truncate(start.len() - 1024);
    let size = format!("{said:011o}\0").into_bytes();
    start.extend(Header { size, ..Header::new(b'0', "zeros", 0) }.block());
    let end = bytes.next_multiple_of(512) - bytes + 1024;
    packed((&*start).chain(io::repeat(byte).take(bytes)).chain(io::repeat(0).take(end)))
}

#[test]
fn bombs_and_sizes_that_lie_are_refused_before_they_are_unpacked() {
    let case = |adcap| Packaged { name: "zeros", limits: Vec::new(), twin: None, splice: Vec::new(), adcap };
    let code = |bytes, said| word(&by_adcap(&case(adcap_with(b'x', bytes, said)))).to_owned();
    assert_eq!(code(1 << 16, 1 << 16), "read");
    // Said and there: more than the format's 512 MiB.
    assert_eq!(code(1 << 16, (512 << 20) + 1), "archive/file-too-large");
    // Said to be more than is there, and less.
    assert_eq!(code(1 << 16, 2 << 20), "archive/truncated");
    assert_eq!(code(1 << 16, 1 << 15), "archive/tar-magic");
    // A hundred mebibytes out of a hundred kibibytes.
    let bomb = word(&by_adcap(&case(adcap_with(0, 100 << 20, 100 << 20)))).to_owned();
    assert_eq!(bomb, "archive/ratio");
}
