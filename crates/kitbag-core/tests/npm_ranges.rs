//! npm's ranges against the npm package `semver` itself, on chosen and on random cases, and against carried vectors where
//! it is not there: `vectors/version/npm.json`, which the same package answered.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test asks another program, and not core, which it is built on"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use kitbag_core::version::Version;
use kitbag_core::version::requirement::npm::{Prereleases, Requirement};
use kitbag_testkit::cases;
use serde_json::Value;

/// `range`, `version`, and what is said of them: `invalid`, `yes` or `no`, first for named pre-releases, then for all.
fn answer(range: &str, version: &str) -> [&'static str; 2] {
    let version = Version::parse(version).unwrap();
    [Prereleases::Named, Prereleases::All].map(|prereleases| match Requirement::parse(range, prereleases) {
        Err(_) => "invalid",
        Ok(requirement) if requirement.matches(&version) => "yes",
        Ok(_) => "no",
    })
}

fn vectors() -> Value {
    cases::json(&cases::project().join("vectors/version/npm.json"))
}

#[test]
fn the_carried_cases_have_the_answers_that_npm_gave() {
    let vectors = vectors();
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() > 300, "{}", cases.len());
    let mut wrong = String::new();
    for case in cases {
        let text = |at: usize| case[at].as_str().unwrap();
        let found = answer(text(0), text(1));
        if found != [text(2), text(3)] {
            let _infallible = writeln!(wrong, "{case}: {found:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The folder of the npm package `semver`: `KITBAG_NPM_SEMVER`, or the copy that npm itself carries.
fn package() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("KITBAG_NPM_SEMVER") {
        return Some(PathBuf::from(folder));
    }
    if !cases::tool("node") || !cases::tool("npm") {
        return None;
    }
    let root = Command::new("npm").args(["root", "-g"]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(root.stdout).ok()?.trim()).join("npm/node_modules/semver");
    if folder.join("package.json").is_file() {
        return Some(folder);
    }
    cases::skip("the npm package `semver` is not there; set KITBAG_NPM_SEMVER to its folder");
    None
}

const ORACLE: &str = r#"
const semver = require(process.argv[1]);
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter((line) => line);
for (const line of lines) {
  const [range, version] = JSON.parse(line);
  const say = (options) => {
    let parsed;
    try { parsed = new semver.Range(range, options); } catch { return "invalid"; }
    return parsed.test(version) ? "yes" : "no";
  };
  console.log(JSON.stringify([say({}), say({ includePrerelease: true })]));
}
"#;

fn ask_npm(package: &PathBuf, cases: &[(String, String)]) -> Vec<[String; 2]> {
    let mut node = Command::new("node")
        .args(["-e", ORACLE, "--"])
        .arg(package)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text: String = cases.iter().map(|case| serde_json::to_string(case).unwrap() + "\n").collect();
    let mut stdin = node.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = node.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let answers: Vec<[String; 2]> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), cases.len());
    answers
}

/// A small generator that gives the same cases on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn of<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len())]
    }

    fn version(&mut self) -> String {
        let mut version = format!("{}.{}.{}", self.below(3), self.below(3), self.below(3));
        if self.below(2) == 0 {
            version += self.of(&["-0", "-alpha", "-alpha.1", "-beta.2", "-rc.10", "-1", "-a-b"]);
        }
        if self.below(8) == 0 {
            version += self.of(&["+b", "+1.2"]);
        }
        version
    }

    fn partial(&mut self) -> String {
        let numbers = ["0", "1", "2", "3", "x", "X", "*", "01", "9007199254740991", "9007199254740992"];
        let most = if self.below(10) == 0 { numbers.len() } else { 7 };
        let mut partial = String::new();
        for _ in 0..=self.below(3) {
            let number = self.of(&numbers[..most]);
            let _infallible = write!(partial, "{}{number}", if partial.is_empty() { "" } else { "." });
        }
        if self.below(12) == 0 {
            partial.insert_str(0, self.of(&["v", "=", "v=", " "]));
        }
        partial
    }

    fn comparator(&mut self) -> String {
        let operators = [
            "", "", "^", "~", ">=", "<", "<=", ">", "=", "~>", "~ ", "^ ", ">= ", "< ", "=>", "> = ", "~> ",
            "~> = ", "= ",
        ];
        let most = if self.below(6) == 0 { operators.len() } else { 9 };
        let operator = self.of(&operators[..most]);
        let version = if self.below(2) == 0 { self.version() } else { self.partial() };
        format!("{operator}{version}")
    }

    fn range(&mut self) -> String {
        let mut range = String::new();
        for at in 0..=self.below(3) {
            if at > 0 {
                range += self.of(&[" || ", "||", " ||"]);
            }
            if self.below(5) == 0 {
                let (from, to) = (self.hyphen_end(), self.hyphen_end());
                range += &format!("{from} - {to}");
            } else {
                for at in 0..self.below(3) {
                    if at > 0 {
                        range += self.of(&[" ", "  ", "\t"]);
                    }
                    range += &self.comparator();
                }
            }
        }
        if self.below(20) == 0 {
            range += self.of(&[" +b", "+b ", " +b +c"]);
        }
        if self.below(20) == 0 {
            let noise = ["*", "+", "-", ".", "|", "v", " ", "x", "~", "^", ">", "=", "é", ","];
            let at = self.below(range.len() + 1);
            let noise = self.of(&noise);
            if range.is_char_boundary(at) {
                range.insert_str(at, noise);
            }
        }
        range
    }

    fn hyphen_end(&mut self) -> String {
        if self.below(2) == 0 { self.version() } else { self.partial() }
    }
}

#[test]
fn random_ranges_mean_what_they_mean_to_npm() {
    let Some(package) = package() else { return };
    let count = std::env::var("KITBAG_NPM_CASES").map_or(20_000, |count| count.parse().unwrap());
    let seed = std::env::var("KITBAG_NPM_SEED").map_or(0x9e37_79b9_7f4a_7c15, |seed| seed.parse().unwrap());
    let mut random = Random(seed);
    let cases: Vec<(String, String)> = (0..count).map(|_| (random.range(), random.version())).collect();
    let answers = ask_npm(&package, &cases);
    let mut kinds = [0; 3];
    let mut wrong = String::new();
    for ((range, version), expected) in cases.iter().zip(&answers) {
        let found = answer(range, version);
        kinds[["invalid", "yes", "no"].iter().position(|kind| kind == &expected[0]).unwrap()] += 1;
        if found != [expected[0].as_str(), expected[1].as_str()] {
            let _infallible = writeln!(wrong, "{range:?} {version}: npm {expected:?}, kitbag {found:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(kinds.iter().all(|kind| *kind > count / 50), "the cases are lopsided: {kinds:?}");
}

/// `KITBAG_BLESS=1` with the npm package there asks it anew about the carried cases.
#[test]
fn the_carried_answers_are_still_npms() {
    let Some(package) = package() else { return };
    let vectors = vectors();
    let cases: Vec<(String, String)> = vectors["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| (case[0].as_str().unwrap().to_owned(), case[1].as_str().unwrap().to_owned()))
        .collect();
    let answers = ask_npm(&package, &cases);
    let anew: Vec<Value> = cases
        .iter()
        .zip(&answers)
        .map(|((range, version), [named, all])| serde_json::json!([range, version, named, all]))
        .collect();
    if kitbag_testkit::vectors::are_to_be_written() {
        let lines: Vec<String> = anew.iter().map(|case| format!("    {case}")).collect();
        let about = &vectors["about"];
        let text = format!("{{\n  \"about\": {about},\n  \"cases\": [\n{}\n  ]\n}}\n", lines.join(",\n"));
        std::fs::write(cases::project().join("vectors/version/npm.json"), text).unwrap();
    }
    let stale: Vec<&Value> = anew
        .iter()
        .zip(vectors["cases"].as_array().unwrap())
        .filter(|(new, old)| new != old)
        .map(|(new, _)| new)
        .collect();
    assert!(stale.is_empty(), "npm says otherwise: {stale:?}");
}
