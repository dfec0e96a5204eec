//! A folder of cases outside the project: `gen.py` writes skills, `matrix.md` says what each program did with them.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the cases are written by a script of their own and read as they are"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kitbag::read::{Source, read};
use kitbag_core::formats::Site;
use kitbag_core::formats::agentskill::{Skill, Verdict, codes};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Node, Tree};
use kitbag_testkit::cases;

/// The profile of each column, by a word of its heading.
const COLUMNS: [(&str, &str); 5] = [
    ("skills-ref", "skills-ref"),
    ("claude", "claude-code"),
    ("codex", "codex"),
    ("gemini", "gemini-cli"),
    ("npx", "npx-skills"),
];

/// How Gemini CLI begins its list of skills.
const LIST_HEADING: &str = "Discovered Agent";

/// What a cell says.
#[derive(Debug, PartialEq, Eq)]
enum Cell {
    /// The program does not offer the skill.
    NotLoaded,
    /// It does, under this name; `None`: under that of the folder, or unsaid.
    Loaded(Option<String>),
}

/// Reads a cell: `ok`, `FAIL: …`, `CRASH …`, `skip: …`, `not found`, `—`, `[name] …`, or the description, which may be empty.
fn cell(text: &str) -> Cell {
    let lost = ["FAIL", "CRASH", "skip", "not found", "—", "–"];
    if lost.iter().any(|word| text.starts_with(word)) {
        return Cell::NotLoaded;
    }
    let rest = text.strip_prefix("ok").map_or(text, str::trim_start);
    let name = rest
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] ").or_else(|| Some((rest.strip_suffix(']')?, ""))));
    Cell::Loaded(name.map(|(name, _)| name.to_owned()))
}

/// A row: the case, and a cell for each column.
fn rows(matrix: &str) -> (Vec<&'static str>, Vec<(String, Vec<Cell>)>) {
    let mut lines = matrix.lines().filter(|line| line.starts_with('|')).map(|line| {
        // A pipe inside a cell is escaped.
        let line = line.replace("\\|", "\u{0}");
        let line = line.trim().trim_start_matches('|').trim_end_matches('|');
        line.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect::<Vec<String>>()
    });
    let heading = lines.next().expect("a matrix has a heading");
    let columns = heading[1..].iter().map(|title| {
        let title = title.to_lowercase();
        COLUMNS.iter().find(|(word, _)| title.contains(word)).map(|(_, profile)| *profile).expect(&title)
    });
    let columns: Vec<&str> = columns.collect();
    let rows = lines
        .filter(|cells| !cells[0].starts_with("--"))
        .map(|cells| (cells[0].clone(), cells[1..].iter().map(|text| cell(text)).collect()));
    (columns, rows.collect())
}

/// The skill of a case: in the tree, or behind a link that leads out of it.
fn skill(root: &Path, tree: &Tree, case: &str) -> Option<Skill> {
    let at = PackagePath::new(case).ok()?;
    if let Some(skill) = Skill::open(&Site::new(tree, Some(at))) {
        return Some(skill);
    }
    if !matches!(tree.get(case), Some(Node::Link { .. })) {
        return None;
    }
    let reading = read(&Source::Path(root.join(case))).ok()?;
    Skill::open(&Site::root(&reading.tree))
}

/// Writes the cases into `folder`; `None` where there is no Python.
fn generate(cases: &Path, folder: &Path) -> Option<PathBuf> {
    let root = folder.join("skills");
    let ran = Command::new("python3").arg(cases.join("gen.py")).arg(&root).output();
    match ran {
        Ok(ran) => {
            assert!(ran.status.success(), "gen.py: {}", String::from_utf8_lossy(&ran.stderr));
            Some(root)
        }
        Err(_) => None,
    }
}

#[test]
fn the_profiles_agree_with_the_matrix() {
    let Some(folder) = cases::folder("FRONTMATTER") else { return };
    let temporary = tempfile::tempdir().unwrap();
    let Some(root) = generate(&folder, temporary.path()) else {
        return cases::skip("python3 is needed to write the front matter cases");
    };
    let matrix = fs::read_to_string(folder.join("matrix.md")).unwrap();
    let (columns, rows) = rows(&matrix);
    assert!(!columns.is_empty() && !rows.is_empty(), "the matrix is empty");
    let tree = read(&Source::Path(root.clone())).unwrap().tree;
    let mut wrong = Vec::new();
    for (case, cells) in &rows {
        // A name that is cut in the matrix stands for the only folder that begins so.
        let case = whole_name(&tree, case);
        let skill = skill(&root, &tree, &case);
        let base = case.rsplit('/').next().unwrap_or(&case);
        for (profile, cell) in columns.iter().zip(cells) {
            let verdict = skill.as_ref().map(|skill| skill.verdict(profile).unwrap());
            let loads = verdict.is_some_and(Verdict::loads);
            if loads != matches!(cell, Cell::Loaded(_)) {
                let reasons: Vec<_> = verdict
                    .iter()
                    .flat_map(|verdict| &verdict.reasons)
                    .map(|reason| &reason.message)
                    .collect();
                wrong.push(format!("{case} {profile}: matrix {cell:?}, said {loads}: {reasons:?}"));
                continue;
            }
            let (Cell::Loaded(name), Some(verdict)) = (cell, verdict) else { continue };
            let unknown = verdict.reasons.iter().any(|reason| reason.code == &codes::LINK_LEAVES);
            // The reference validator and npx print no name that differs from the front matter's.
            if unknown || matches!(*profile, "skills-ref" | "npx-skills") && name.is_none() {
                continue;
            }
            // The first skill of one program's list stands in the matrix under the heading of that list.
            if name.as_deref() == Some(LIST_HEADING) {
                continue;
            }
            let seen = name.as_deref().unwrap_or(base);
            let said = verdict.name.as_deref().unwrap_or_default();
            // The matrix cuts long names, prints line ends as one space, and shows a description that begins with a
            // bracket as it would a name.
            let shown = said.split_whitespace().collect::<Vec<_>>().join(" ");
            let described = verdict.description.as_deref().is_some_and(|text| text.starts_with('['));
            if shown != seen && !(seen.len() >= 24 && shown.starts_with(seen)) && !described {
                wrong.push(format!("{case} {profile}: matrix [{seen}], said [{said}]"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cells:\n{}",
        wrong.len(),
        rows.len() * columns.len(),
        wrong.join("\n")
    );
}

fn whole_name(tree: &Tree, case: &str) -> String {
    if tree.get(case).is_some() {
        return case.to_owned();
    }
    let beginning = case.trim_end_matches('…').trim_end_matches("...");
    let mut found = tree.iter().map(|(path, _)| path.as_str()).filter(|path| {
        path.starts_with(beginning) && path.matches('/').count() == beginning.matches('/').count()
    });
    match (found.next(), found.next()) {
        (Some(only), None) => only.to_owned(),
        _ => case.to_owned(),
    }
}

#[test]
fn cells_are_read_as_the_matrix_writes_them() {
    for (text, read) in [
        ("ok", Cell::Loaded(None)),
        ("DESC-x", Cell::Loaded(None)),
        ("", Cell::Loaded(None)),
        ("---", Cell::Loaded(None)),
        ("[c04-Upper] DESC-x", Cell::Loaded(Some("c04-Upper".into()))),
        ("ok [m-x]", Cell::Loaded(Some("m-x".into()))),
        ("—", Cell::NotLoaded),
        ("FAIL: Missing", Cell::NotLoaded),
        ("CRASH UnicodeDecodeError", Cell::NotLoaded),
        ("skip: YAML", Cell::NotLoaded),
        ("not found", Cell::NotLoaded),
    ] {
        assert_eq!(cell(text), read, "{text}");
    }
}
