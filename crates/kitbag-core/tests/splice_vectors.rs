//! The Splice vectors: `vectors/splice/{manifest,package,archive}/<case>/`, each judged by its `case.json` alone.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use std::io::Cursor;

use kitbag_core::archive::tar::Order;
use kitbag_core::archive::{InMemory, LIMITS, Reading};
use kitbag_core::digest::Sha256;
use kitbag_core::finding::{Findings, Severity};
use kitbag_core::formats::splice::{codes, digests, pack};
use kitbag_core::formats::{self, ArchiveBytes, Face, Outcome, Pins, Seal};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use kitbag_testkit::archive::tar::{Header, Tar};
use kitbag_testkit::vectors::{self, Case};
use serde_json::{Value, json};

fn content(file: &Value) -> Vec<u8> {
    if let Some(text) = file["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    if let Some(hex) = file["hex"].as_str() {
        return hex_bytes(hex);
    }
    let (count, modulo) = (file["counting"].as_u64().unwrap(), file["modulo"].as_u64().unwrap());
    let from = file["from"].as_u64().unwrap_or(0);
    (0..count).map(|at| u8::try_from(from + at % modulo).unwrap()).collect()
}

fn hex_bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn tree(case: &Value) -> Tree {
    let root = match case["root"].as_str() {
        Some("archive") => Root::Archive,
        Some("document") => Root::Document,
        _ => Root::Folder,
    };
    let mut tree = Tree::new(Some("package".to_owned()), root);
    for file in case["files"].as_array().unwrap() {
        let node = match file["folder"] == true {
            true => Node::Folder,
            false => Node::File(Blob::from_bytes(content(file))),
        };
        tree.insert(PackagePath::new(file["path"].as_str().unwrap()).unwrap(), node).unwrap();
    }
    tree
}

/// What Splice has to say about `tree`; other faces are asked nothing.
fn check(tree: &Tree) -> Findings {
    let mut findings = Findings::default();
    let package = formats::open(tree, None, &mut findings);
    let splice: Vec<&Face> = package.faces.iter().filter(|face| matches!(face, Face::Splice(_))).collect();
    assert_eq!(splice.len(), 1, "{:?}", package.faces);
    splice[0].document().check(&package.tree, &mut findings);
    findings
}

/// The faults of a manifest, in the order in which the check lists them.
fn faults(case: &Case) -> Vec<(String, String)> {
    let mut tree = Tree::new(None, Root::Folder);
    // Beside these two, an unreadable manifest is Splice's too.
    for (path, bytes) in [
        ("manifest.json", case.bytes("manifest.json")),
        ("SKILL.md", b"x".to_vec()),
        ("tools/x.ts", Vec::new()),
    ] {
        tree.insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(bytes))).unwrap();
    }
    check(&tree)
        .into_iter()
        .filter(|finding| finding.place.file.as_ref().is_some_and(|file| file.as_str() == "manifest.json"))
        .filter(|finding| {
            !["splice/entry-missing", "splice/dependencies-reserved"].contains(&finding.code.slug)
        })
        .map(|finding| {
            let span = finding.place.span.unwrap();
            assert!(span.start < span.end || finding.code.slug == "splice/manifest-json", "{}", case.name);
            (finding.code.slug.to_owned(), finding.message)
        })
        .collect()
}

#[test]
fn every_manifest_has_the_faults_its_case_lists_in_their_order() {
    let mut wrong = Vec::new();
    for case in vectors::walk("splice/manifest") {
        let expected: Vec<(String, String)> = serde_json::from_value(case.case["faults"].clone()).unwrap();
        let found = faults(&case);
        let agrees = expected.len() == found.len()
            && expected.iter().zip(&found).all(|((code, message), (slug, said))| {
                // A list that goes on is cut in the case.
                code == slug
                    && message.strip_suffix('…').map_or(message == said, |head| said.starts_with(head))
            });
        if !agrees {
            wrong.push(format!("{}: {found:#?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_package_has_the_findings_its_case_lists() {
    let mut wrong = Vec::new();
    for case in vectors::walk("splice/package") {
        let expected: Vec<(String, Option<String>, Option<String>)> =
            serde_json::from_value(case.case["findings"].clone()).unwrap();
        let found: Vec<_> = check(&tree(&case.case))
            .into_iter()
            .map(|finding| {
                (finding.code.slug, finding.place.file.map(|file| file.to_string()), finding.message)
            })
            .collect();
        let agrees = expected.len() == found.len()
            && expected.iter().zip(&found).all(|((code, file, message), (slug, at, said))| {
                code == slug && file == at && message.as_ref().is_none_or(|message| message == said)
            });
        if !agrees {
            wrong.push(format!("{}: {found:#?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_of_splice_is_raised_by_a_case() {
    let mut raised: Vec<String> = Vec::new();
    for case in vectors::walk("splice/manifest") {
        raised.extend(faults(&case).into_iter().map(|(code, _)| code));
    }
    for case in vectors::walk("splice/package") {
        raised.extend(check(&tree(&case.case)).iter().map(|finding| finding.code.slug.to_owned()));
    }
    for case in vectors::walk("splice/artifact") {
        raised.extend(of_artifact(&case).into_iter().map(str::to_owned));
    }
    let silent: Vec<_> = codes::CODES
        .iter()
        .map(|code| code.slug)
        .filter(|slug| !raised.contains(&(*slug).to_owned()))
        .collect();
    assert_eq!(silent, [""; 0]);
}

#[test]
fn every_archive_has_the_published_bytes_and_is_read_back() {
    for case in vectors::walk("splice/archive") {
        let tree = tree(&case.case);
        let mut bytes = Vec::new();
        let pins = pack::write(&tree, &mut bytes).unwrap();
        let sha256 = Sha256::from_hex(case.case["sha256"].as_str().unwrap()).unwrap();
        let size = case.case["size"].as_u64().unwrap();
        assert_eq!(bytes.len() as u64, size, "{}", case.name);
        assert_eq!(pins, Pins::ArchiveBytes { sha256, size }, "{}", case.name);
        assert_eq!(sha256, Sha256::of(&bytes), "{}", case.name);
        let lengths = pack::files(&tree).map(|(_, blob)| blob.len());
        assert_eq!(pack::archive_bytes(lengths), size, "{}", case.name);
        if let Some(starts) = case.case["starts"].as_str() {
            assert!(bytes.starts_with(&hex_bytes(starts)), "{}", case.name);
            let checksum = format!("{}\0 ", case.case["checksum"].as_str().unwrap());
            assert_eq!(bytes[15 + 148..15 + 156], *checksum.as_bytes(), "{}", case.name);
        }
        let read = pack::read(&bytes).unwrap();
        let digest = |tree: &Tree| digests::files_digest(pack::files(tree)).unwrap();
        assert_eq!(digest(&read), digest(&tree), "{}", case.name);
        if let Some(order) = case.case["order"].as_array() {
            let mut paths: Vec<&str> = pack::files(&tree).map(|(path, _)| path.as_str()).collect();
            paths.sort_by(|one, other| Order::Utf16.compare(one, other));
            assert_eq!(paths, order.iter().map(|path| path.as_str().unwrap()).collect::<Vec<_>>());
        }
    }
}

/// The files of the sound package of `vectors/splice/package`, as entries of a tar.
fn sound(tar: Tar) -> Tar {
    let case = vectors::walk("splice/package").into_iter().find(|case| case.name == "sound").unwrap();
    case.case["files"]
        .as_array()
        .unwrap()
        .iter()
        .fold(tar, |tar, file| tar.file(file["path"].as_str().unwrap(), &content(file)))
}

/// Artifacts of a sound package, made in ways that its clients read and in ways that only other programs do: name, claim,
/// the codes that are raised, the tar.
fn artifacts() -> Vec<(&'static str, &'static str, &'static [&'static str], Vec<u8>)> {
    let refused: &[&str] = &["splice/archive"];
    let base_256 = |size: u8| {
        let mut field = vec![0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        field[11] = size;
        Header { size: field, ..Header::new(b'0', "notes.md", 0) }
    };
    let many = |count: usize| (0..count).fold(Tar::new(), |tar, at| tar.file(&format!("data/{at}"), b""));
    vec![
        ("plain", "a package in plain headers is read", &[], sound(Tar::new()).end()),
        ("folders", "entries for folders are passed over", &[], sound(Tar::new().bare(b'5', "tools/")).end()),
        (
            "control-name",
            "a name that was published is read",
            &[],
            sound(Tar::new().file("a\u{1}", b"")).end(),
        ),
        (
            "pax",
            "no client reads extension records",
            refused,
            sound(Tar::new().pax(b'x', &[("path", "b")]).file("a", b"")).end(),
        ),
        (
            "gnu-name",
            "no client reads GNU's long names",
            refused,
            sound(Tar::new().gnu(b'L', b"b\0").file("a", b"")).end(),
        ),
        ("link", "no client reads links", refused, sound(Tar::new().link(b'2', "a", "SKILL.md")).end()),
        (
            "twin",
            "paths that differ in case only are refused",
            refused,
            sound(Tar::new().file("Notes", b"").file("notes", b"")).end(),
        ),
        ("most-files", "500 files are read", &[], sound(many(497)).end()),
        ("too-many-files", "501 files are refused", refused, sound(many(498)).end()),
        (
            "expands",
            "more than 16 MiB are refused",
            refused,
            sound(Tar::new().file(
                "z",
                &(0..16_usize << 20).map(|at| u8::try_from(at / 97 % 251).unwrap()).collect::<Vec<_>>(),
            ))
            .end(),
        ),
        (
            "base-256",
            "numbers are octal",
            &["archive/tar-number"],
            sound(Tar::new().header(&base_256(0))).end(),
        ),
    ]
}

/// What the reader has to say about the artifact of a case.
fn of_artifact(case: &Case) -> Vec<&'static str> {
    let bytes = case.bytes("artifact.tar.gz");
    let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
    match formats::read_archive(&mut Cursor::new(bytes), reading) {
        Ok(unpacked) => unpacked
            .remarks
            .iter()
            .map(|finding| finding.code.slug)
            .filter(|slug| *slug != "archive/name-unportable")
            .collect(),
        Err(kitbag_core::archive::Error::Refused(refusal)) => vec![refusal.code.slug],
        Err(error) => unreachable!("{error}"),
    }
}

#[test]
fn every_artifact_is_read_or_refused_as_its_case_says() {
    if vectors::are_to_be_written() {
        for (name, claim, codes, tar) in artifacts() {
            let case = json!({"claim": claim, "codes": codes});
            let mut gzip = kitbag_core::archive::gzip::Deflated::new(
                Vec::new(),
                kitbag_core::archive::gzip::Header::ANONYMOUS,
            )
            .unwrap();
            std::io::Write::write_all(&mut gzip, &tar).unwrap();
            vectors::write("splice/artifact", name, &case, &[("artifact.tar.gz", &gzip.finish().unwrap())]);
        }
    }
    let cases = vectors::walk("splice/artifact");
    assert_eq!(cases.len(), artifacts().len());
    for case in cases {
        let expected: Vec<String> = serde_json::from_value(case.case["codes"].clone()).unwrap();
        assert_eq!(of_artifact(&case), expected, "{}", case.name);
    }
}

#[test]
fn an_archive_is_worth_what_it_is_pinned_by_and_a_folder_is_pinned_by_nothing() {
    let case = vectors::walk("splice/package").into_iter().find(|case| case.name == "sound").unwrap();
    let folder = tree(&case.case);
    let manifest = |tree: &Tree| Face::Splice(Box::new(formats::splice::Manifest::beside(tree).unwrap()));
    let mut bytes = Vec::new();
    let written = manifest(&folder).document().pack(&folder, &mut bytes).unwrap();
    let Pins::ArchiveBytes { sha256, size } = written else { unreachable!("{written:?}") };
    let source = manifest(&folder).document().verify(&folder, None);
    assert_eq!((source.outcome, source.seal), (Outcome::Unpinned, Seal::Elsewhere));
    let read = pack::read(&bytes).unwrap();
    let archive = ArchiveBytes { sha256, size };
    let packed = manifest(&read).document().verify(&read, Some(&archive));
    assert_eq!(packed.outcome, Outcome::Unsigned, "{:?}", packed.findings);
    let named = |pins: &[formats::Pin]| pins.iter().map(|pin| pin.name).collect::<Vec<_>>();
    assert_eq!(named(&packed.pins), ["integrity", "filesDigest", "manifestSha256"]);
    assert_eq!(packed.pins[0].value(), format!("sha256-{sha256}"));
    assert_eq!(packed.pins[1..], source.pins, "what pins the files does not depend on the archive");
    // One byte of one file: other files, the same manifest.
    let mut other = folder.clone();
    assert!(other.replace_file("tools/sit.ts", Blob::from_bytes("export default async () => 1;\n")));
    let changed = manifest(&other).document().verify(&other, None);
    assert_ne!(changed.pins[0], source.pins[0]);
    assert_eq!(changed.pins[1], source.pins[1]);
    // What no client would take is worth nothing, whatever pins it.
    assert!(other.replace_file("SKILL.md", Blob::from_bytes(" ")));
    let refused = manifest(&other).document().verify(&other, None);
    assert_eq!(refused.outcome, Outcome::Refused);
    assert_eq!(
        refused.findings.iter().map(|finding| finding.code.slug).collect::<Vec<_>>(),
        ["splice/skill-md"]
    );
}

#[test]
fn a_bundle_holds_what_its_archive_holds_and_is_read_back() {
    let case = vectors::walk("splice/package").into_iter().find(|case| case.name == "sound").unwrap();
    let folder = tree(&case.case);
    let mut bundle = Vec::new();
    let pins = pack::write_bundle(&folder, &mut bundle).unwrap();
    assert_eq!(pins, Pins::ArchiveBytes { sha256: Sha256::of(&bundle), size: bundle.len() as u64 });
    let digest = |tree: &Tree| digests::files_digest(pack::files(tree)).unwrap();
    assert_eq!(digest(&pack::read(&bundle).unwrap()), digest(&folder));
    let mut large = folder.clone();
    for name in ["a", "b"] {
        let blob = Blob::from_bytes(vec![0; 2 << 20]);
        large.insert(PackagePath::new(name).unwrap(), Node::File(blob)).unwrap();
    }
    let mut out = Vec::new();
    let refused = pack::write_bundle(&large, &mut out).unwrap_err().to_string();
    assert!(refused.contains("the bundle would be") && out.is_empty(), "{refused}");
    assert!(pack::write(&large, &mut out).is_ok(), "an archive holds what base64 makes too long");
}

#[test]
fn a_package_that_is_packed_and_read_back_has_no_finding_more() {
    let mut packed = 0;
    for case in vectors::walk("splice/package") {
        let tree = tree(&case.case);
        let findings = check(&tree);
        let mut bytes = Vec::new();
        let mut faces = formats::open(&tree, None, &mut Findings::default()).faces;
        faces.retain(|face| matches!(face, Face::Splice(_)));
        let written = faces[0].document().pack(&tree, &mut bytes);
        // A document alone was asked nothing about files.
        if findings.has_errors() || written.is_err() || tree.root() == Root::Document {
            continue;
        }
        packed += 1;
        let again = check(&pack::read(&bytes).unwrap());
        assert!(!again.has_errors(), "{}", case.name);
        assert!(again.len() <= findings.len(), "{}", case.name);
    }
    assert!(packed >= 10, "{packed}");
}

#[test]
fn a_manifest_with_more_faults_than_anybody_reads_says_so() {
    let mut tree = Tree::new(None, Root::Document);
    let many: Vec<String> = (0..5_000).map(|at| format!(r#""k{at}":1"#)).collect();
    let text = format!(r#"{{"specVersion":1,"namespace":"acme",{}}}"#, many.join(","));
    tree.insert(PackagePath::new("manifest.json").unwrap(), Node::File(Blob::from_bytes(text))).unwrap();
    let findings = check(&tree);
    assert_eq!(findings.len(), 2_001);
    let last = findings.iter().last().unwrap();
    assert_eq!(last.message, "manifest: there are more faults than are listed");
}

#[test]
fn every_twin_of_a_refused_manifest_is_sound() {
    let sound = vectors::walk("splice/manifest")
        .iter()
        .filter(|case| case.case["faults"].as_array().unwrap().is_empty())
        .count();
    assert!(sound >= 8, "{sound}");
}

#[test]
fn several_faces_of_one_folder_are_one_package() {
    let case = vectors::walk("splice/package").into_iter().find(|case| case.name == "sound").unwrap();
    let mut findings = Findings::default();
    let tree = tree(&case.case);
    let package = formats::open(&tree, Some(PackagePath::new("x").unwrap()), &mut findings);
    assert!(package.faces.is_empty());
    let package = formats::open(&tree, None, &mut findings);
    let formats: Vec<_> = package.faces.iter().map(|face| face.document().identity().format).collect();
    assert_eq!(formats, ["agent-skill", "splice"]);
    let plain =
        vectors::walk("splice/package").into_iter().find(|case| case.name == "skill-md-plain").unwrap();
    let plain = formats::open(&self::tree(&plain.case), None, &mut findings);
    let formats: Vec<_> = plain.faces.iter().map(|face| face.document().identity().format).collect();
    assert_eq!(formats, ["splice"], "documentation is no skill gone wrong");
    let identity = package.faces[1].document().identity();
    assert_eq!(
        (identity.name, identity.version, identity.spec),
        (Some("@acme/desk"), Some("0.1.0"), Some("1"))
    );
    // A folder that only has the name in common is no Splice package.
    let mut other = Tree::new(None, Root::Folder);
    let manifest = Node::File(Blob::from_bytes(r#"{"manifest_version": 3, "name": "an extension"}"#));
    other.insert(PackagePath::new("manifest.json").unwrap(), manifest).unwrap();
    assert!(formats::open(&other, None, &mut findings).faces.is_empty());
    assert!(findings.iter().all(|finding| finding.severity < Severity::Error));
}
