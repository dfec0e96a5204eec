//! `pack`, `verify` and `unpack`, through the library, on the project's own examples: what is written, what it is worth, what
//! comes out again, and what is refused with nothing written.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the test looks at what was written")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use kitbag::interrupt::Interrupt;
use kitbag::pack::{Answer, Destination, Existing, Form, Packed, Refusal, Request, pack};
use kitbag::unpack::{self, unpack};
use kitbag::verify::{self, Asked, Report, verify};
use kitbag_core::digest::Sha256;
use kitbag_core::formats::{Outcome, Pin, Seal};
use kitbag_testkit::cases::project;
use kitbag_testkit::folder::Folder;
use kitbag_testkit::vectors;

const SPLICE: &str = "doc-links";
const ADCAP: &str = "color-contrast";

/// Copies `from`, which holds regular files and folders only, in the order in which `names` are listed.
fn copy(from: &Path, to: &Path, reversed: bool) {
    fs::create_dir_all(to).unwrap();
    let mut names: Vec<_> = fs::read_dir(from).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    if reversed {
        names.reverse();
    }
    for name in names {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy(&from, &to, reversed);
        } else {
            fs::write(to, fs::read(from).unwrap()).unwrap();
        }
    }
}

/// A folder with a copy of the example `name` in it.
fn example(name: &str) -> Folder {
    let folder = Folder::new();
    copy(&project().join("examples").join(name), &folder.at(name), false);
    folder
}

fn request(folder: &Folder, name: &str) -> Request {
    Request {
        folder: folder.at(name),
        form: None,
        to: Destination::Folder(folder.path().to_owned()),
        existing: Existing::Keep,
    }
}

fn answer(request: &Request) -> Answer {
    pack(request, &Interrupt::new()).unwrap()
}

fn packed(request: &Request) -> Packed {
    match answer(request) {
        Answer::Packed(packed) => *packed,
        other => panic!("{other:?}"),
    }
}

fn refused(request: &Request) -> Refusal {
    match answer(request) {
        Answer::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

fn verified(path: PathBuf, expected: Option<Sha256>) -> Report {
    verify(&verify::Request { path, expected }).unwrap()
}

fn outcome(report: &Report) -> Outcome {
    let [package] = report.packages.as_slice() else { panic!("{report:?}") };
    package.outcome
}

fn codes(report: &Report) -> Vec<&'static str> {
    let findings = report.packages.iter().flat_map(|package| &package.report.findings);
    findings.map(|located| located.finding.code.slug).collect()
}

fn unpacked(file: PathBuf, folder: PathBuf) -> unpack::Answer {
    unpack(&unpack::Request { file, folder, expected: None }, &Interrupt::new()).unwrap()
}

/// Every file below `folder`, with its content and whether it may be run.
fn files(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, bool)> {
    let mut found = BTreeMap::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(at) = todo.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let executable = fs::metadata(&path).unwrap().permissions().mode() & 0o111 != 0;
                let below = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(below, (fs::read(path).unwrap(), executable));
            }
        }
    }
    found
}

/// What lies directly in a folder.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn value(pins: &[Pin], name: &str) -> String {
    pins.iter().find(|pin| pin.name == name).unwrap_or_else(|| panic!("no {name}")).value()
}

#[test]
fn a_splice_example_is_packed_verified_and_unpacked_to_what_it_was() {
    let folder = example(SPLICE);
    let packed = packed(&request(&folder, SPLICE));
    assert_eq!(packed.path, folder.at("kitbag-examples-doc-links-1.0.0.tar.gz"));
    assert_eq!((packed.form, packed.left_out.len()), (Form::Splice, 0));
    let bytes = fs::read(&packed.path).unwrap();
    assert_eq!((packed.archive.sha256, packed.archive.size), (Sha256::of(&bytes), bytes.len() as u64));
    assert_eq!(value(&packed.pins, "integrity"), format!("sha256-{}", packed.archive.sha256));
    assert!(value(&packed.pins, "filesDigest").starts_with("sha256-"));
    assert_eq!(value(&packed.pins, "manifestSha256").len(), 64);
    let mode = fs::metadata(&packed.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o600, 0o600, "a file like any other: {mode:o}");

    let report = verified(packed.path.clone(), None);
    assert_eq!(outcome(&report), Outcome::Unsigned, "nothing in the archive says what its bytes should be");
    assert!(report.ok());
    assert_eq!(report.packages[0].seal, Seal::Elsewhere);
    for pin in &packed.pins {
        let report = verified(packed.path.clone(), Some(pin.sha256));
        let expected = match pin.name {
            "manifestSha256" => Outcome::Unsigned,
            _ => Outcome::VerifiedBytes,
        };
        assert_eq!(outcome(&report), expected, "{}", pin.name);
        let asked = report.packages[0].pins.iter().find(|named| named.asked == Asked::Yes).unwrap();
        assert_eq!(asked.pin.name, pin.name);
    }
    let other = verified(packed.path.clone(), Some(Sha256::of(b"another")));
    assert_eq!((outcome(&other), codes(&other)), (Outcome::Tampered, vec!["package/not-expected"]));

    let unpack::Answer::Unpacked(out) = unpacked(packed.path.clone(), folder.at("out")) else { panic!() };
    assert_eq!(out.files, packed.files);
    assert_eq!(files(&folder.at("out")), files(&folder.at(SPLICE)));
    let of_files = packed.pins.iter().find(|pin| pin.name == "filesDigest").unwrap().sha256;
    assert_eq!(
        outcome(&verified(folder.at("out"), None)),
        Outcome::Unpinned,
        "a folder is pinned by nothing"
    );
    assert_eq!(outcome(&verified(folder.at("out"), Some(of_files))), Outcome::VerifiedBytes);
    fs::write(folder.at("out/.hidden"), "x").unwrap();
    let hidden = verified(folder.at("out"), Some(of_files));
    assert_eq!(outcome(&hidden), Outcome::Unpinned, "no digest covers a hidden file");
}

#[test]
fn an_adcap_example_is_packed_verified_and_unpacked_to_what_it_was() {
    let folder = example(ADCAP);
    let packed = packed(&request(&folder, ADCAP));
    assert_eq!(packed.path, folder.at("kitbag-examples-color-contrast-1.0.0.adcap"));
    let report = verified(packed.path.clone(), None);
    assert_eq!(outcome(&report), Outcome::VerifiedBytes, "{report:?}");
    assert_eq!(report.packages[0].seal, Seal::Absent);
    assert_eq!(report.packages[0].compared, packed.files - 1, "all but the manifest, which is the list");
    for pin in &packed.pins {
        assert_eq!(
            outcome(&verified(packed.path.clone(), Some(pin.sha256))),
            Outcome::VerifiedBytes,
            "{pin:?}"
        );
    }
    let unpack::Answer::Unpacked(out) = unpacked(packed.path.clone(), folder.at("out")) else { panic!() };
    assert!(out.executables.is_empty());
    let (mut before, mut after) = (files(&folder.at(ADCAP)), files(&folder.at("out")));
    let manifest = Path::new("capability.json");
    assert_ne!(before.remove(manifest), after.remove(manifest), "the build lists the files");
    assert_eq!(before, after);
    assert_eq!(outcome(&verified(folder.at("out"), None)), Outcome::VerifiedBytes);
    fs::write(folder.at("out/tools/contrast.py"), "print(1)").unwrap();
    let tampered = verified(folder.at("out"), None);
    assert_eq!((outcome(&tampered), codes(&tampered)), (Outcome::Tampered, vec!["adcap/files-size"]));
    assert_eq!(outcome(&verified(folder.at(ADCAP), None)), Outcome::Unpinned, "a source lists nothing");
}

#[test]
fn only_what_the_manifest_marks_may_be_run_whatever_the_disk_and_the_archive_say() {
    let folder = example(ADCAP)
        .file("color-contrast/bin/probe", "#!/bin/sh\n")
        .file("color-contrast/tools/other.sh", "#!/bin/sh\n");
    let manifest = fs::read_to_string(folder.at("color-contrast/capability.json")).unwrap();
    let binary = r#""tools": [{"name": "probe", "description": "Probes.", "runtime": {"kind": "binary",
        "entries": {"linux-x64": "bin/probe"}}, "inputSchema": {"type": "object"}},"#;
    fs::write(folder.at("color-contrast/capability.json"), manifest.replacen("\"tools\": [", binary, 1))
        .unwrap();
    fs::set_permissions(folder.at("color-contrast/tools/other.sh"), fs::Permissions::from_mode(0o755))
        .unwrap();
    fs::set_permissions(folder.at("color-contrast/bin/probe"), fs::Permissions::from_mode(0o600)).unwrap();
    let archive = packed(&request(&folder, ADCAP));
    let unpack::Answer::Unpacked(out) = unpacked(archive.path, folder.at("out")) else { panic!() };
    let may_run: Vec<_> = out.executables.iter().map(kitbag_core::path::PackagePath::as_str).collect();
    assert_eq!(may_run, ["bin/probe"]);
    let runnable: Vec<_> =
        files(&folder.at("out")).into_iter().filter(|(_, (_, run))| *run).map(|(path, _)| path).collect();
    assert_eq!(runnable, [Path::new("bin/probe")]);
}

#[test]
fn a_bundle_of_old_is_built_verified_and_unpacked() {
    let folder = example(SPLICE);
    let packed = packed(&Request { form: Some(Form::SpliceBundle), ..request(&folder, SPLICE) });
    assert_eq!(packed.path, folder.at("kitbag-examples-doc-links-1.0.0.splice.json"));
    let report = verified(packed.path.clone(), None);
    assert_eq!(outcome(&report), Outcome::Unsigned);
    let archive = self::packed(&request(&folder, SPLICE));
    assert_eq!(value(&archive.pins, "filesDigest"), value(&packed.pins, "filesDigest"));
    let unpack::Answer::Unpacked(_) = unpacked(packed.path, folder.at("out")) else { panic!() };
    assert_eq!(files(&folder.at("out")), files(&folder.at(SPLICE)));
}

#[test]
fn what_is_left_out_is_named() {
    let folder = example(SPLICE)
        .file("doc-links/.git/HEAD", "ref")
        .file("doc-links/.git/objects/a", "x")
        .file("doc-links/tools/.draft", "x")
        .file("doc-links/node_modules/x/index.js", "x");
    let packed = packed(&request(&folder, SPLICE));
    assert_eq!(packed.left_out, [".git", "node_modules", "tools/.draft"]);
    let folder =
        example(ADCAP).file("color-contrast/SIGNATURE.json", r#"{"payload":{"manifestSha256":"0"}}"#);
    assert_eq!(
        self::packed(&request(&folder, ADCAP)).left_out,
        ["SIGNATURE.json"],
        "it covers another package"
    );
}

#[test]
fn the_bytes_depend_on_nothing_but_names_and_contents() {
    for name in [SPLICE, ADCAP] {
        let one = example(name);
        let first = fs::read(packed(&request(&one, name)).path).unwrap();
        let other = Folder::new();
        copy(&project().join("examples").join(name), &other.at(name), true);
        for (at, (path, _)) in files(&other.at(name)).into_iter().enumerate() {
            let path = other.at(name).join(path);
            let time =
                std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(at as u64 * 1_000_003);
            File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            let mode = [0o600, 0o755, 0o444, 0o777][at % 4];
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let second = fs::read(packed(&request(&other, name)).path).unwrap();
        assert!(first == second, "{name}");
        assert!(!first.is_empty());
    }
}

#[test]
fn a_package_with_an_error_is_not_packed_and_its_sound_twin_is() {
    for (name, file) in
        [(SPLICE, "doc-links/tools/check-links.mjs"), (ADCAP, "color-contrast/tools/contrast.py")]
    {
        let folder = example(name);
        fs::remove_file(folder.at(file)).unwrap();
        let Answer::Unsound(reports) = answer(&request(&folder, name)) else { panic!("{name}") };
        assert!(reports.iter().any(|report| !report.is_sound()), "{reports:?}");
        assert_eq!(names(&folder), [name], "nothing was written");
        assert!(matches!(answer(&request(&example(name), name)), Answer::Packed(_)));
    }
    // A package inside travels with it, so what is wrong with that is wrong with the whole.
    let folder = example(ADCAP).file("color-contrast/skills/other/SKILL.md", "no front matter");
    assert!(matches!(answer(&request(&folder, ADCAP)), Answer::Unsound(_)));
}

#[test]
fn a_file_that_is_there_is_left_alone_unless_it_may_be_replaced() {
    let folder = example(SPLICE).file("x.tar.gz", "old").folder("y.tar.gz").link("z.tar.gz", "nowhere");
    let to = |name: &str, existing| Request {
        to: Destination::File(folder.at(name)),
        existing,
        ..request(&folder, SPLICE)
    };
    for taken in ["x.tar.gz", "y.tar.gz", "z.tar.gz"] {
        assert!(matches!(refused(&to(taken, Existing::Keep)), Refusal::Exists { .. }), "{taken}");
    }
    assert!(matches!(refused(&to("y.tar.gz", Existing::Replace)), Refusal::Exists { .. }));
    assert_eq!(fs::read(folder.at("x.tar.gz")).unwrap(), b"old");
    assert_eq!(names(&folder), [SPLICE, "x.tar.gz", "y.tar.gz", "z.tar.gz"], "no draft is left");
    packed(&to("x.tar.gz", Existing::Replace));
    assert_eq!(outcome(&verified(folder.at("x.tar.gz"), None)), Outcome::Unsigned);
}

#[test]
fn what_cannot_be_packed_says_what_would_carry_it_or_what_to_name() {
    let folder = example(SPLICE)
        .skill("plain")
        .skill("many/a")
        .skill("many/b")
        .file("nothing/README", "")
        .file("doc-links/nested/x", "");
    let Refusal::NoArchive { formats, carriers } = refused(&request(&folder, "plain")) else { panic!() };
    assert_eq!((formats, carriers), (vec!["agent-skill"], vec!["splice", "adcap"]));
    let Refusal::NoPackage { inside } = refused(&request(&folder, "many")) else { panic!() };
    assert_eq!(inside.len(), 2);
    assert!(
        matches!(refused(&request(&folder, "nothing")), Refusal::NoPackage { inside } if inside.is_empty())
    );
    let adcap = Request { form: Some(Form::Adcap), ..request(&folder, SPLICE) };
    assert!(matches!(refused(&adcap), Refusal::NotOfForm { form: Form::Adcap }));
    for inside in ["doc-links", "doc-links/nested"] {
        let to = Destination::Folder(folder.at(inside));
        let inside = Request { to, ..request(&folder, SPLICE) };
        assert!(matches!(refused(&inside), Refusal::Inside { .. }));
    }
    let archive = packed(&request(&folder, SPLICE)).path;
    let again = Request { folder: archive, ..request(&folder, SPLICE) };
    assert!(matches!(refused(&again), Refusal::NotAFolder));
}

#[test]
fn a_folder_that_is_two_packages_is_packed_as_the_one_that_is_named() {
    let folder = example(ADCAP);
    copy(&project().join("examples").join(SPLICE), &folder.at(ADCAP), false);
    // The skill of the Splice package has another name than the folder, which is no matter of this test.
    fs::write(folder.at("color-contrast/SKILL.md"), "# Both\n").unwrap();
    let Refusal::Ambiguous { forms } = refused(&request(&folder, ADCAP)) else { panic!() };
    assert_eq!(forms, [Form::Splice, Form::Adcap]);
    for form in [Form::Splice, Form::Adcap] {
        let packed = packed(&Request { form: Some(form), ..request(&folder, ADCAP) });
        assert_eq!(packed.form, form);
        let report = verified(packed.path, None);
        assert!(!report.packages[0].outcome.is_negative(), "{report:?}");
    }
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let folder = example(SPLICE);
    let archive = packed(&request(&folder, SPLICE)).path;
    let interrupt = Interrupt::new();
    interrupt.flag().store(true, Ordering::Relaxed);
    let before = names(&folder);
    let to = Destination::File(folder.at("again.tar.gz"));
    assert!(pack(&Request { to, ..request(&folder, SPLICE) }, &interrupt).is_err());
    let out = unpack::Request { file: archive, folder: folder.at("out"), expected: None };
    assert!(unpack(&out, &interrupt).is_err());
    assert_eq!(names(&folder), before);
    assert!(matches!(unpack(&out, &Interrupt::new()).unwrap(), unpack::Answer::Unpacked(_)));
}

#[test]
fn nothing_is_unpacked_over_what_is_there() {
    let folder = example(SPLICE).folder("empty").file("file", "x").link("dangling", "nowhere");
    let archive = packed(&request(&folder, SPLICE)).path;
    for taken in ["empty", "file", "dangling", SPLICE, "empty/"] {
        let answer = unpacked(archive.clone(), folder.at(taken));
        assert!(matches!(answer, unpack::Answer::Refused(unpack::Refusal::Exists { .. })), "{taken}");
    }
    assert_eq!(names(&folder).len(), 5, "{:?}", names(&folder));
    let not_an_archive = unpacked(folder.at(SPLICE), folder.at("out"));
    assert!(matches!(not_an_archive, unpack::Answer::Refused(unpack::Refusal::NotAnArchive)));
    let missing = unpack::Request { file: archive, folder: folder.at("no/such/out"), expected: None };
    assert!(unpack(&missing, &Interrupt::new()).is_err(), "the folder it is to be in is not made");
}

#[test]
fn every_changed_byte_of_an_archive_is_noticed_before_anything_is_written() {
    for name in [SPLICE, ADCAP] {
        let folder = example(name);
        let archive = packed(&request(&folder, name));
        let good = fs::read(&archive.path).unwrap();
        let pinned = archive.archive.sha256;
        for at in (10..good.len()).step_by(good.len() / 40 + 1) {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            let file = folder.at("bad");
            fs::write(&file, &bad).unwrap();
            let report = verified(file.clone(), Some(pinned));
            assert!(report.packages.iter().all(|package| package.outcome.is_negative()), "{name}: byte {at}");
            let out = unpack::Request { file, folder: folder.at("out"), expected: Some(pinned) };
            let answer = unpack(&out, &Interrupt::new()).unwrap();
            assert!(matches!(answer, unpack::Answer::Unverified(_)), "{name}: byte {at}");
            assert!(!folder.at("out").exists());
        }
        let out = unpack::Request { file: archive.path, folder: folder.at("out"), expected: Some(pinned) };
        assert!(matches!(unpack(&out, &Interrupt::new()).unwrap(), unpack::Answer::Unpacked(_)));
    }
}

/// A tar.gz of these entries: name, kind, content or target.
fn tar_gz(entries: &[(&str, tar::EntryType, &str)]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (name, kind, text) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(*kind);
        header.set_mode(0o755);
        if *kind == tar::EntryType::Regular {
            header.set_size(text.len() as u64);
            archive.append_data(&mut header, name, text.as_bytes()).unwrap();
        } else {
            header.set_size(0);
            archive.append_link(&mut header, name, text).unwrap();
        }
    }
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn a_plain_skill_is_unpacked_with_its_programs_and_without_a_claim_and_its_linked_twin_is_not() {
    use tar::EntryType::{Regular, Symlink};
    let skill = "---\nname: pdf\ndescription: Reads pages for those who need them.\n---\n";
    let plain = [("pdf/SKILL.md", Regular, skill), ("pdf/scripts/run.sh", Regular, "#!/bin/sh\n")];
    let linked = [plain[0], ("pdf/x", Symlink, "/etc/passwd")];
    let folder = Folder::new()
        .file("plain.tar.gz", tar_gz(&plain))
        .file("linked.tar.gz", tar_gz(&linked))
        .file("none.tar.gz", tar_gz(&[("README", Regular, "x")]));
    let unpack::Answer::Unpacked(out) = unpacked(folder.at("plain.tar.gz"), folder.at("out")) else {
        panic!()
    };
    assert_eq!(outcome(&out.report), Outcome::Unpinned);
    assert_eq!(out.executables.len(), 2, "as any program that unpacks it would have it");
    assert!(!out.report.ok(), "unpacked is not verified");
    for (bad, code) in [("linked.tar.gz", "package/link"), ("none.tar.gz", "package/no-face")] {
        let unpack::Answer::Unverified(report) = unpacked(folder.at(bad), folder.at("bad")) else {
            panic!("{bad}")
        };
        assert_eq!(codes(&report), [code]);
        assert!(!folder.at("bad").exists());
    }
}

#[test]
fn of_every_hostile_archive_nothing_is_written() {
    let (mut refused, mut written) = (0, 0);
    // Cases with limits of their own are about those limits.
    let cases = vectors::walk("archive");
    for case in
        cases.iter().filter(|case| case.case["profile"] == "ordinary" && case.case["limits"].is_null())
    {
        let folder = Folder::new().file("archive", case.bytes("archive"));
        let answer = unpacked(folder.at("archive"), folder.at("out"));
        let expected = &case.case["refused"]["code"];
        match answer {
            unpack::Answer::Unpacked(_) => {
                assert!(expected.is_null(), "{}", case.name);
                written += 1;
                continue;
            }
            // What does not begin as an archive is no archive, and is read as a document.
            unpack::Answer::Unverified(report) if !expected.is_null() && expected != "archive/unknown" => {
                assert_eq!(codes(&report), [expected.as_str().unwrap()], "{}", case.name);
                refused += 1;
            }
            // Sound archives that hold no package, or links.
            unpack::Answer::Unverified(_) | unpack::Answer::Refused(_) => {}
            other => panic!("{}: {other:?}", case.name),
        }
        assert_eq!(names(&folder), ["archive"], "{}", case.name);
    }
    assert!(refused >= 120 && written >= 10, "{refused} refused, {written} written");
}

#[test]
fn skillpact_is_compared_with_its_list() {
    let folder = example("csv-profile");
    let report = verified(folder.at("csv-profile"), None);
    assert_eq!(outcome(&report), Outcome::VerifiedBytes, "{report:?}");
    assert_eq!((report.packages[0].compared, report.packages[0].seal), (3, Seal::Absent));
    fs::write(folder.at("csv-profile/new.py"), "print(1)").unwrap();
    let unlisted = verified(folder.at("csv-profile"), None);
    assert_eq!(
        (outcome(&unlisted), codes(&unlisted)),
        (Outcome::Tampered, vec!["skillpact/INTEGRITY_UNLISTED"])
    );
    fs::remove_file(folder.at("csv-profile/new.py")).unwrap();
    fs::write(folder.at("csv-profile/scripts/csv_profile.py"), "print(1)").unwrap();
    let changed = verified(folder.at("csv-profile"), None);
    assert_eq!(
        (outcome(&changed), codes(&changed)),
        (Outcome::Tampered, vec!["skillpact/INTEGRITY_MISMATCH"])
    );
    let plain = Folder::new().skill("plain");
    let nothing = verified(plain.at("plain"), None);
    assert_eq!(outcome(&nothing), Outcome::Unpinned, "nothing was compared, so nothing was verified");
    assert!(!nothing.ok());
}

#[test]
fn what_the_reader_remarks_counts() {
    let folder = example(ADCAP);
    let archive = packed(&request(&folder, ADCAP)).path;
    let mut entries = Vec::new();
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(File::open(archive).unwrap()));
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
        entries.push((name, text));
    }
    let again = |entries: &[(String, String)]| {
        let entries: Vec<_> =
            entries.iter().map(|(name, text)| (&**name, tar::EntryType::Regular, &**text)).collect();
        tar_gz(&entries)
    };
    let folder = folder.file("same.adcap", again(&entries));
    assert_eq!(outcome(&verified(folder.at("same.adcap"), None)), Outcome::VerifiedBytes);
    entries.rotate_left(1);
    let folder = folder.file("moved.adcap", again(&entries));
    let moved = verified(folder.at("moved.adcap"), None);
    assert_eq!((outcome(&moved), codes(&moved)), (Outcome::Refused, vec!["adcap/first-entry"]));
}
