//! `pack`, `verify` and `unpack`: wiring, words, and what only a whole process can show.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use kitbag_testkit::cases::{project, tool};
use kitbag_testkit::cli::Run;
use kitbag_testkit::folder::Folder;

use crate::{kitbag, sound};

/// A folder with copies of the examples of these names.
fn examples(names: &[&str]) -> Folder {
    let folder = Folder::new();
    for name in names {
        crate::readme::copy(&project().join("examples").join(name), &folder.at(name));
    }
    folder
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_json_documents_say_what_was_promised() {
    let folder = examples(&["doc-links"]);
    let ran = kitbag(&folder, &["pack", "doc-links", "-o", "x.tar.gz", "--output", "json"]).ran();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let packed = json(&ran.stdout);
    assert_eq!(
        (&packed["version"], &packed["command"], &packed["ok"]),
        (&1.into(), &"pack".into(), &true.into())
    );
    assert_eq!((&packed["outcome"], &packed["archive"]["as"]), (&"packed".into(), &"splice".into()));
    let names: Vec<_> =
        packed["pins"].as_array().unwrap().iter().map(|pin| pin["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["integrity", "filesDigest", "manifestSha256"]);
    let integrity = packed["pins"][0]["value"].as_str().unwrap();
    assert_eq!(integrity, format!("sha256-{}", packed["archive"]["sha256"].as_str().unwrap()));

    let ran = kitbag(&folder, &["verify", "x.tar.gz", "--expect", integrity, "--output", "json"]).ran();
    let verified = json(&ran.stdout);
    assert_eq!((ran.code, &verified["ok"], &verified["command"]), (Some(0), &true.into(), &"verify".into()));
    let package = &verified["packages"][0];
    assert_eq!(package["outcome"], "verified-bytes");
    assert_eq!(package["pins"][0]["expected"], true);
    assert_eq!(package["signature"], serde_json::json!({"state": "elsewhere", "verified": false}));

    let ran = kitbag(&folder, &["unpack", "x.tar.gz", "out", "--output", "json"]).ran();
    let unpacked = json(&ran.stdout);
    assert_eq!((ran.code, &unpacked["outcome"]), (Some(0), &"unpacked".into()));
    assert_eq!(unpacked["folder"]["files"], packed["archive"]["files"]);
    assert_eq!(unpacked["packages"][0]["outcome"], "unsigned");

    for (args, outcome) in [
        (&["pack", "doc-links", "-o", "x.tar.gz", "--output", "json"][..], "refused"),
        (&["unpack", "x.tar.gz", "out", "--output", "json"], "refused"),
        (&["unpack", "x.tar.gz", "new", "--expect", &"0".repeat(64), "--output", "json"], "unverified"),
    ] {
        let ran = kitbag(&folder, args).ran();
        let answer = json(&ran.stdout);
        assert_eq!((ran.code, &answer["ok"], &answer["outcome"]), (Some(1), &false.into(), &outcome.into()));
    }
    fs::write(folder.at("doc-links/SKILL.md"), "").unwrap();
    let ran = kitbag(&folder, &["pack", "doc-links", "--force", "-o", "x.tar.gz", "--output", "json"]).ran();
    let unsound = json(&ran.stdout);
    assert_eq!((ran.code, &unsound["outcome"]), (Some(1), &"unsound".into()));
    let codes = unsound["packages"][0]["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]);
    assert!(codes.into_iter().any(|code| code == "splice/skill-md"), "{unsound}");
}

#[test]
fn a_tampered_package_is_a_no_that_says_which_file() {
    let folder = examples(&["color-contrast"]);
    assert_eq!(kitbag(&folder, &["pack", "color-contrast", "-o", "x.adcap"]).ran().code, Some(0));
    assert_eq!(kitbag(&folder, &["unpack", "x.adcap", "x"]).ran().code, Some(0));
    fs::write(folder.at("x/knowledge/wcag-contrast.md"), "Any contrast will do.\n").unwrap();
    let ran = kitbag(&folder, &["verify", "x"]).ran();
    assert_eq!(ran.code, Some(1));
    let said: String = ran
        .stdout
        .lines()
        .filter(|line| !line.contains("Sha256"))
        .map(|line| format!("{line}\n").replace('"', "`"))
        .collect();
    assert_snapshot!(said, @r"
    x  adcap kitbag-examples/color-contrast 1.0.0 (1.0)  tampered
      Bytes: they are not those that were listed or asked for. Use nothing of it.
      Signature: none, so this says nothing about who made it.

    error[adcap/files-size]: `knowledge/wcag-contrast.md` has 22 bytes and 735 are listed
     --> x/capability.json:1:342
      |
    1 | ...:{`access`:`public`,`tier`:`free`},`files`:[{`path`:`knowledge/wcag-contrast.md`,`sha256`:...
      |                                                ^
      |
      = why: The file was changed after the package was built; readers must reject it.
      = help: Build the package anew, or restore the file.
    ");
}

#[test]
fn what_is_not_done_is_said_on_standard_error_with_a_way_out() {
    let folder = examples(&["doc-links"]);
    let refused = kitbag(&sound(), &["pack", "sound"]).ran();
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert_snapshot!(refused.stderr, @"
    not packed: agent-skill has no archive of its own; splice or adcap would carry it
    hint: write a manifest.json of Splice or a capability.json beside it; the skill itself stays as it is
    ");
    let inside = kitbag(&folder, &["pack", "doc-links", "-o", "doc-links/x.tar.gz"]).ran();
    assert_eq!(inside.code, Some(1));
    assert_snapshot!(inside.stderr, @"
    not packed: `doc-links/x.tar.gz` would become a part of the package
    hint: name a file outside of the package with `-o`
    ");
    fs::write(folder.at("doc-links/SKILL.md"), "").unwrap();
    let unsound = kitbag(&folder, &["pack", "doc-links"]).ran();
    assert_eq!((unsound.code, unsound.stdout.as_str()), (Some(1), ""));
    assert!(unsound.stderr.contains("error[splice/skill-md]"), "{}", unsound.stderr);
    assert!(unsound.stderr.ends_with("not packed: 1 error\n"), "{}", unsound.stderr);
    for (args, word) in [
        (&["verify", "a", "b", "--expect", &"0".repeat(64)][..], "one package"),
        (&["verify", "a", "--expect", "md5-abc"], "64 lower-case"),
        (&["verify", "nowhere"], "nowhere"),
        (&["pack", "nowhere"], "nowhere"),
        (&["pack", "doc-links", "--as", "rar"], "rar"),
        (&["unpack", "nowhere", "x"], "nowhere"),
        (&["unpack", "x"], "FOLDER"),
    ] {
        let ran = kitbag(&folder, args).ran();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn the_bytes_do_not_depend_on_who_packs_where_and_when() {
    let program = env!("CARGO_BIN_EXE_kitbag");
    for (name, file) in [("doc-links", "x.tar.gz"), ("color-contrast", "x.adcap")] {
        let mut first: Option<Vec<u8>> = None;
        for (umask, zone, locale, home) in [
            ("022", "UTC", "C", "/"),
            ("077", "Pacific/Kiritimati", "tr_TR.UTF-8", "/nonexistent"),
            ("000", "America/St_Johns", "ja_JP.eucJP", "/tmp"),
        ] {
            let folder = examples(&[name]);
            let script = format!("umask {umask} && exec '{program}' pack {name} -o {file}");
            let run = Run::new("/bin/sh", folder.path()).args(["-c", &script]);
            let ran = run.env("TZ", zone).env("LC_ALL", locale).env("LANG", locale).env("HOME", home).ran();
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let bytes = fs::read(folder.at(file)).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::mode(
                &fs::metadata(folder.at(file)).unwrap().permissions(),
            );
            let umask = u32::from_str_radix(umask, 8).unwrap();
            assert_eq!(mode & 0o777, 0o666 & !umask, "the file's own mode is what any new file has");
            assert!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{name} under {zone}");
        }
    }
}

/// Every file below `folder` but one: the manifest that a build completes.
fn contents(folder: &Path, but: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(at) = todo.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
                continue;
            }
            let below = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if below != but {
                found.push((below, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn other_programs_extract_the_same_files() {
    const EXTRACT: &str = "import sys, tarfile\nwith tarfile.open(sys.argv[1]) as archive:\n    archive.extractall(sys.argv[2])\n";
    for (name, file, manifest) in
        [("doc-links", "x.tar.gz", ""), ("color-contrast", "x.adcap", "capability.json")]
    {
        let folder = examples(&[name]).folder("tar").folder("python");
        assert_eq!(kitbag(&folder, &["pack", name, "-o", file]).ran().code, Some(0));
        let expected = contents(&folder.at(name), manifest);
        assert!(expected.len() >= 4);
        let path = std::env::var("PATH").unwrap_or_default();
        if tool("tar") {
            let run = Run::new("tar", folder.path()).env("PATH", &path).args(["-xzf", file, "-C", "tar"]);
            let ran = run.ran();
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
            assert_eq!(contents(&folder.at("tar"), manifest), expected, "{name}");
        }
        if tool("python3") {
            let run = Run::new("python3", folder.path()).env("PATH", &path);
            let ran = run.args(["-W", "ignore", "-c", EXTRACT, file, "python"]).ran();
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            assert_eq!(contents(&folder.at("python"), manifest), expected, "{name}");
        }
    }
}

/// Starts `kitbag`, waits until its draft is there, and sends it the signal that Ctrl-C sends.
#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_takes_away_what_it_had_begun() {
    use std::io::Write as _;
    // Enough bytes that a signal finds the program at work, and a chunk that deflate makes small.
    let mut chunk = vec![0; 1 << 20];
    chunk.iter_mut().step_by(4096).enumerate().for_each(|(at, byte)| *byte = u8::try_from(at % 251).unwrap());
    let folder = examples(&["color-contrast"]);
    let mut large = fs::File::create(folder.at("color-contrast/knowledge/large.bin")).unwrap();
    (0..120).for_each(|_| large.write_all(&chunk).unwrap());
    assert_eq!(kitbag(&folder, &["pack", "color-contrast", "-o", "x.adcap"]).ran().code, Some(0));
    let drafts = || {
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with(".kitbag-")).count()
    };
    assert_eq!(drafts(), 0);
    for args in [&["unpack", "x.adcap", "out"][..], &["pack", "color-contrast", "-o", "y.adcap"]] {
        let made = folder.at(args[args.len() - 1]);
        // On a busy machine a signal may come when all is done; then there is something, and nothing was shown.
        let interrupted = (0..10).any(|_| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kitbag"));
            let quiet = std::process::Stdio::null;
            let command = command.args(args).current_dir(folder.path()).stdout(quiet()).stderr(quiet());
            let mut child = command.spawn().unwrap();
            while drafts() == 0 && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            assert!(kill.is_ok());
            let code = child.wait().unwrap().code();
            assert_eq!(drafts(), 0, "{args:?}");
            assert_eq!(made.exists(), code == Some(0), "{args:?}");
            if made.is_dir() {
                fs::remove_dir_all(&made).unwrap();
            } else if made.exists() {
                fs::remove_file(&made).unwrap();
            }
            code == Some(2)
        });
        assert!(interrupted, "{args:?}");
    }
}
