//! `skill import`: look, be asked, import; and nothing is there that was not wanted.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use kitbag_testkit::archive::zip::{Entry, Zip};
use kitbag_testkit::cli::Ran;
use kitbag_testkit::folder::Folder;
use kitbag_testkit::server::{Reply, Server};
use serde_json::Value;

use crate::kitbag;

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Says {name}.\n---\n\nSay it.\n")
}

/// Two Skills that can be imported, one of them in an archive and with a script, and one that cannot.
fn bundle() -> Vec<u8> {
    let inner = Zip::of([
        Entry::deflated("SKILL.md", skill("Inner One").as_bytes()),
        Entry::stored("scripts/run.sh", b"true\n").mode(0o100_755),
    ]);
    Zip::of([
        Entry::deflated("hello/SKILL.md", skill("hello").as_bytes()),
        Entry::stored("hello/words.txt", b"hello\n"),
        Entry::stored("inner.skill", &inner.bytes()),
        Entry::stored("bad/SKILL.md", b"Nothing is said here.\n"),
        Entry::stored(".gitignore", b"*\n"),
        Entry::stored("README.md", b"Read me.\n"),
    ])
    .bytes()
}

fn folder() -> Folder {
    Folder::new().file("skills.zip", bundle()).folder("here")
}

/// Every file below a folder, with what no test expects there.
fn files(folder: &Folder, below: &str) -> Vec<String> {
    fn walk(path: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    let mut found = Vec::new();
    walk(&folder.at(below), &folder.at(below), &mut found);
    found.sort();
    found
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

const IMPORTED: [&str; 4] =
    ["hello/SKILL.md", "hello/words.txt", "inner-one/SKILL.md", "inner-one/scripts/run.sh"];

#[test]
fn a_preview_shows_every_skill_and_writes_nothing() {
    let folder = folder();
    let ran = kitbag(&folder, &["skill", "import", "skills.zip", "--to", "here", "--dry-run"]).ran();
    assert_eq!(ran.code, Some(1), "one of the three cannot be imported: {}{}", ran.stdout, ran.stderr);
    assert_snapshot!(ran.stdout);
    assert_snapshot!(ran.stderr, @"would import 2 of 3 Skills into `here`; nothing was written; 1 refused");
    assert_eq!(files(&folder, "here"), [""; 0]);
}

#[test]
fn without_a_terminal_the_answer_is_no() {
    let folder = folder();
    // An answer in a pipe is none: whoever wrote it has not seen the question.
    let ran = kitbag(&folder, &["skill", "import", "skills.zip", "--to", "here"]).input("y\n").ran();
    assert_eq!(ran.code, Some(1));
    assert_snapshot!(ran.stderr, @r"
    nothing was written; 2 of 3 Skills could be imported; 1 refused
    hint: nobody is there to be asked; `--yes` does what the preview says
    ");
    assert_eq!(files(&folder, "here"), [""; 0]);
}

#[cfg(unix)]
#[test]
fn on_a_terminal_a_person_is_asked_and_only_yes_is_yes() {
    for (typed, code, written) in [("n\n", 1, 0), ("\n", 1, 0), ("y\n", 0, 2)] {
        let folder = Folder::new().file("hello/SKILL.md", skill("hello")).file("hello/x", "x").folder("here");
        let run = kitbag(&folder, &["skill", "import", "hello", "--to", "here"]).env("NO_COLOR", "1");
        let ran = run.input(typed).ran_on_a_terminal(100);
        assert!(ran.stdout.contains("Import 1 Skill into `here`? [y/N]"), "{}", ran.stdout);
        assert_eq!(
            (ran.code, files(&folder, "here").len()),
            (Some(code), written),
            "{typed:?}: {}",
            ran.stdout
        );
    }
}

#[test]
fn a_partial_import_is_stated_in_words_json_and_exit_code() {
    let folder = folder();
    let ran = kitbag(&folder, &["skill", "import", "skills.zip", "--to", "here", "--yes"]).ran();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_snapshot!(ran.stderr, @"imported 2 of 3 Skills into `here`: 4 files, 127 bytes; 1 refused");
    assert_eq!(files(&folder, "here"), IMPORTED);
    let text = fs::read_to_string(folder.at("here/inner-one/SKILL.md")).unwrap();
    assert_snapshot!(text, @r#"
    ---
    description: Says Inner One.
    name: inner-one
    ---

    Say it.
    "#);
    // Once more: what is there stays as it is, and the one that is refused is still refused.
    let again = kitbag(&folder, &["skill", "import", "skills.zip", "--to", "here", "--output", "json"]).ran();
    let answer = json(&again);
    assert_eq!((again.code, &answer["ok"], &answer["complete"]), (Some(1), &false.into(), &false.into()));
    assert_eq!((&answer["outcome"], &answer["counts"]["unchanged"]), (&"nothing".into(), &2.into()));
    let refused = answer["sources"][0]["skills"].as_array().unwrap().iter();
    let refused: Vec<&Value> = refused.filter(|skill| skill["step"] == "refuse").collect();
    assert_eq!((refused.len(), &refused[0]["because"]), (1, &"open-science/import-name-missing".into()));
}

#[cfg(unix)]
#[test]
fn a_script_stays_one_and_nothing_else_becomes_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let ran = kitbag(&folder, &["skill", "import", "skills.zip", "--to", "here", "--yes"]).ran();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let runs = |file: &str| fs::metadata(folder.at(file)).unwrap().permissions().mode() & 0o111 != 0;
    assert!(runs("here/inner-one/scripts/run.sh") && !runs("here/hello/words.txt"));
}

#[test]
fn what_is_wanted_can_be_named_and_a_complete_import_is_a_yes() {
    let folder = folder();
    let ran =
        kitbag(&folder, &["skill", "import", "skills.zip", "--to", "new", "--only", "hello", "-y"]).ran();
    assert_eq!(ran.code, Some(0), "the bad one was not asked for: {}{}", ran.stdout, ran.stderr);
    assert_eq!(files(&folder, "new"), ["hello/SKILL.md", "hello/words.txt"]);
    let ran = kitbag(&folder, &["skill", "import", "skills.zip", "--only", "nobody", "-y"]).ran();
    assert_eq!(ran.code, Some(2));
    assert_snapshot!(ran.stderr, @r"
    error: no Skill is called `nobody`, or is at this place
    hint: `--dry-run` without `--only` lists what is there
    ");
    let sound = Folder::new().file("notes.md", skill("My Notes")).skill("tools/draw");
    let ran = kitbag(&sound, &["skill", "import", "notes.md", "tools", "--to", "here", "-y"]).ran();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(files(&sound, "here"), ["draw/SKILL.md", "my-notes/SKILL.md"]);
}

#[test]
fn another_folder_of_the_same_name_needs_a_choice() {
    let folder = || {
        let other = skill("hello").replace("Say it.", "Something else.");
        folder().file("here/hello/SKILL.md", other).file("here/hello/mine.txt", "mine")
    };
    let import = |folder: &Folder, existing: &[&str]| {
        let args =
            ["skill", "import", "skills.zip", "--to", "here", "--yes", "--output", "json", "--only", "hello"];
        let ran = kitbag(folder, &[&args[..], existing].concat()).ran();
        let answer = json(&ran);
        let skills = answer["sources"][0]["skills"].as_array().unwrap().clone();
        skills.into_iter().find(|skill| skill["sub_path"] == "hello").unwrap()
    };
    let refused = folder();
    let skill = import(&refused, &[]);
    assert_eq!(
        (&skill["step"], &skill["because"]),
        (&"refuse".into(), &"open-science/import-conflict".into())
    );
    assert_eq!(files(&refused, "here"), ["hello/SKILL.md", "hello/mine.txt"]);
    let skipped = folder();
    assert_eq!(import(&skipped, &["--existing", "skip"])["step"], "skip");
    assert_eq!(files(&skipped, "here"), ["hello/SKILL.md", "hello/mine.txt"]);
    let both = folder();
    assert_eq!(import(&both, &["--existing", "keep-both"])["name"], "hello-2");
    assert_eq!(
        files(&both, "here"),
        ["hello-2/SKILL.md", "hello-2/words.txt", "hello/SKILL.md", "hello/mine.txt"]
    );
    let replaced = folder();
    let skill = import(&replaced, &["--existing", "replace"]);
    assert_eq!(skill["replaces"]["removed"], serde_json::json!(["mine.txt"]));
    assert_eq!(skill["replaces"]["modified"], serde_json::json!(["SKILL.md"]));
    assert_eq!(skill["replaces"]["added"], serde_json::json!(["words.txt"]));
    assert_eq!(files(&replaced, "here"), ["hello/SKILL.md", "hello/words.txt"]);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_skill_is_never_written_through() {
    let folder = folder().file("elsewhere/mine", "mine").link("here/hello", "../elsewhere");
    let args =
        ["skill", "import", "skills.zip", "--to", "here", "-y", "--existing", "replace", "--only", "hello"];
    let ran = kitbag(&folder, &args).ran();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("error[open-science/import-conflict]"), "{}", ran.stdout);
    assert_eq!(files(&folder, "elsewhere"), ["mine"]);
    // The twin: a folder of its own is replaced.
    let folder = self::folder().file("here/hello/mine", "mine");
    let ran = kitbag(&folder, &args).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(files(&folder, "here"), ["hello/SKILL.md", "hello/words.txt"]);
}

/// A GitHub with a repository of two Skills, one of them inside the other, and a private file elsewhere.
fn github() -> Server {
    Server::new(|here| {
        let here = here.to_owned();
        move |target: &str| {
            let list = |names: &[&str]| {
                let item = |name: &&str| match name.strip_suffix('/') {
                    Some(folder) => serde_json::json!({"name": folder, "type": "dir"}),
                    None => {
                        let url = format!("{here}/raw/{name}");
                        serde_json::json!({"name": name, "type": "file", "download_url": url})
                    }
                };
                Reply::ok(serde_json::to_vec(&names.iter().map(item).collect::<Vec<_>>()).unwrap())
            };
            match target {
                "/repos/acme/tools" => Reply::ok(r#"{"default_branch": "main"}"#),
                "/repos/acme/tools/commits/main" => Reply::ok(r#"{"sha": "abc123"}"#),
                "/repos/acme/tools/git/trees/abc123?recursive=1" => Reply::ok(
                    r#"{"tree": [{"path": "pdf/SKILL.md", "type": "blob"}, {"path": "pdf/in/SKILL.md", "type": "blob"},
                        {"path": "empty/x", "type": "blob"}]}"#,
                ),
                "/repos/acme/tools/contents/pdf?ref=abc123" | "/repos/acme/tools/contents/pdf?ref=v2" => {
                    list(&["SKILL.md", "in/"])
                }
                "/repos/acme/tools/contents/pdf/in?ref=abc123"
                | "/repos/acme/tools/contents/pdf/in?ref=v2" => list(&["words.txt"]),
                "/repos/acme/tools/contents/empty" => list(&["x"]),
                "/raw/SKILL.md" => Reply::ok(skill("pdf")),
                "/raw/words.txt" => Reply::ok("words\n"),
                "/repos/acme/limited/contents/p" => Reply::status(429),
                _ => Reply::status(404),
            }
        }
    })
}

#[test]
fn skills_come_from_github_by_folder_and_by_repository() {
    let server = github();
    let folder = Folder::new().folder("here");
    let import = |place: &str, more: &[&str]| {
        let url = server.url();
        let args = ["skill", "import", place, "--to", "here", "--yes", "--github-api", url.as_str()];
        kitbag(&folder, &[&args[..], more].concat()).env("SECRET", "test-only-token").ran()
    };
    let ran = import("github:acme/tools/pdf@v2", &["--token-from", "SECRET"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(files(&folder, "here"), ["pdf/SKILL.md", "pdf/in/words.txt"]);
    assert_snapshot!(ran.stdout, @r"
    github:acme/tools@v2  ok
      new        pdf  2 files, 56 bytes
                 Says pdf.
    ");
    // Here the files are the API's own neighbours; elsewhere they would be asked for without the token.
    let told = server.asked();
    assert!(
        told.iter().all(|asked| asked.authorization.as_deref() == Some("Bearer test-only-token")),
        "{told:?}"
    );
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("test-only-token"));
    // The whole repository, at the commit that its branch leads to now: the same, so nothing is to be done.
    let ran = import("https://github.com/acme/tools", &["--output", "json"]);
    let answer = json(&ran);
    assert_eq!((ran.code, &answer["outcome"]), (Some(0), &"nothing".into()), "{answer}");
    assert_eq!(answer["sources"][0]["skills"].as_array().unwrap().len(), 1, "one lies inside the other");
    // Without being told to, nobody says who asks.
    assert_eq!(server.asked().last().unwrap().authorization, None);
}

#[test]
fn what_github_does_not_have_is_a_no_and_what_it_does_not_answer_is_a_2() {
    let server = github();
    let folder = Folder::new();
    let import = |place: &str, more: &[&str]| {
        let url = server.url();
        kitbag(&folder, &[&["skill", "import", place, "--github-api", url.as_str()], more].concat()).ran()
    };
    let ran = import("github:acme/tools/empty", &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("error[open-science/import-no-skill]"), "{}", ran.stdout);
    let ran = import("github:acme/limited/p", &[]);
    assert_eq!(ran.code, Some(2));
    assert_snapshot!(ran.stderr, @r"
    error: cannot import `github:acme/limited/p`: GitHub answers no more questions for now: the limit of requests is reached
    hint: `--token-from VARIABLE` asks in your own name, which GitHub allows more often
    ");
    let ran = import("github:acme/nothing/p", &[]);
    assert_eq!(ran.code, Some(2));
    assert_snapshot!(ran.stderr, @"error: cannot import `github:acme/nothing/p`: GitHub API request for p was answered with status 404");
    for (args, word) in [
        (&["github:acme"][..], "github:acme"),
        (&["https://example.test/x.zip"], "example.test"),
        (&["github:acme/tools/pdf", "--token-from", "NO_SUCH"], "NO_SUCH"),
        (&["github:acme/tools/pdf", "--github-api", "http://198.51.100.1/"], "198.51.100.1"),
    ] {
        let ran = kitbag(&folder, &[&["skill", "import"], args].concat()).ran();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn what_cannot_be_read_or_written_is_a_2() {
    let folder = folder().file("file", "x");
    for (args, word) in [
        (&["nowhere.zip"][..], "nowhere.zip"),
        (&["skills.zip", "--to", "no/such/folder"], "no/such/folder"),
        (&["skills.zip", "--to", "file"], "file"),
        (&["skills.zip", "--dry-run", "--yes"], "--dry-run"),
    ] {
        let ran = kitbag(&folder, &[&["skill", "import"], args].concat()).ran();
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}
