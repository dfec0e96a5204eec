//! Every code, its severity and its clause, under snapshot: `docs/codes/<format>.md`. Adding, renaming or re-grading a
//! code is a visible difference. `KITBAG_BLESS=1` writes the pages anew.

#![expect(clippy::disallowed_methods, reason = "the pages of codes are files of the project")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use kitbag_core::archive;
use kitbag_core::finding::{Code, Grade};
use kitbag_core::formats::{self, FORMATS};

fn rooms() -> Vec<(&'static str, Vec<&'static Code>)> {
    let mut rooms = vec![
        ("package", formats::codes::CODES.to_vec()),
        ("cross", formats::cross::CODES.to_vec()),
        ("archive", archive::CODES.to_vec()),
    ];
    rooms.extend(FORMATS.iter().map(|format| (format.name(), format.codes().to_vec())));
    rooms.retain(|(_, codes)| !codes.is_empty());
    rooms
}

fn page(room: &str, codes: &[&Code]) -> String {
    let mut page = format!(
        "# Codes of {room}\n\nGenerated from the code by `tests/codes.rs`; `kitbag explain CODE` prints one.\n"
    );
    for code in codes {
        let grade = match code.grade {
            Grade::Always(severity) => severity.to_string(),
            Grade::Since { version, before, after } => {
                format!("{after} from version {version} on, {before} before")
            }
        };
        let _infallible = write!(
            page,
            "\n## {}\n\n*{grade}* · {}\n\n{} {}\n\n**What to do.** {}\n",
            code.slug, code.clause, code.summary, code.why, code.help
        );
    }
    page
}

#[test]
fn the_pages_of_codes_are_what_the_code_says() {
    let folder = kitbag_testkit::cases::project().join("docs/codes");
    let bless = std::env::var_os("KITBAG_BLESS").is_some();
    let mut names = BTreeSet::new();
    for (room, codes) in rooms() {
        let file = folder.join(format!("{room}.md"));
        names.insert(file.file_name().unwrap().to_owned());
        let text = page(room, &codes);
        if bless {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &text).unwrap();
        }
        let stands = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
        assert!(
            stands == text,
            "docs/codes/{room}.md is stale: KITBAG_BLESS=1 cargo test -p kitbag-core --test codes"
        );
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(names.contains(&name), "docs/codes/{} belongs to no room", name.display());
    }
}

#[test]
fn slugs_are_unique_and_belong_to_their_room() {
    let mut seen = BTreeSet::new();
    for (room, codes) in rooms() {
        for code in codes {
            assert!(seen.insert(code.slug), "{} stands twice", code.slug);
            let (before, slug) = code.slug.split_once('/').unwrap();
            assert!(
                before == room || (room == "package" && before == "cross"),
                "{} is listed under {room}",
                code.slug
            );
            assert!(
                !slug.is_empty() && slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'),
                "{slug}"
            );
        }
    }
    assert!(seen.len() > 10);
}

#[test]
fn every_code_says_when_why_and_what_to_do_in_sentences() {
    for (_, codes) in rooms() {
        for code in codes {
            for (part, text) in [("summary", code.summary), ("why", code.why), ("help", code.help)] {
                assert!(
                    text.ends_with('.') && text.len() > 10,
                    "{}: its {part} is no sentence: {text:?}",
                    code.slug
                );
            }
            assert!(!code.clause.is_empty(), "{}", code.slug);
        }
    }
}
