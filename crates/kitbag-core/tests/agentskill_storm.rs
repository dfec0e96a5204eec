//! Front matter of every shape: whatever the bytes are, nothing panics, nothing hangs, every place lies inside the document,
//! and fixes keep their promise.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use kitbag_core::finding::{Findings, apply};
use kitbag_core::formats::agentskill::{AgentSkill, Fate, Skill, fixes};
use kitbag_core::formats::{Document as _, Format as _, Site};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use kitbag_testkit::vectors;

fn tree(bytes: &[u8]) -> Tree {
    let mut tree = Tree::new(Some("skill".into()), Root::Folder);
    tree.insert(PackagePath::new("SKILL.md").unwrap(), Node::File(Blob::from_bytes(bytes))).unwrap();
    tree
}

/// Opens, checks and fixes `bytes`; gives the fixed ones.
fn front_matter(bytes: &[u8]) -> Vec<u8> {
    let tree = tree(bytes);
    let skill = Skill::open(&Site::root(&tree)).unwrap();
    let mut findings = Findings::default();
    skill.check(&tree, &mut findings);
    let text = std::str::from_utf8(bytes).ok();
    for finding in &findings {
        assert!(AgentSkill.codes().contains(&finding.code), "{} is in no table", finding.code.slug);
        if let Some(span) = finding.place.span {
            let inside = text.unwrap().get(span.range()).is_some();
            assert!(inside, "{}: {span:?} in {:?}", finding.code.slug, String::from_utf8_lossy(bytes));
        }
    }
    let (after, again) = fixed(bytes, &skill);
    if let Some(again) = again {
        for (before, now) in skill.verdicts().iter().zip(again.verdicts()) {
            // A flag that could not be read before may now hide the skill, as its author asked.
            let lost = before.loads() && now.fate == Fate::Lost;
            assert!(!lost, "{}: {:?}", before.profile, String::from_utf8_lossy(&after));
        }
        // What hid behind a block that could not be read comes to light, and is fixed, in the second round; the third
        // has nothing left to do.
        if let (twice, Some(last)) = fixed(&after, &again) {
            assert!(fixes(&last).is_empty(), "{:?}", String::from_utf8_lossy(&twice));
        }
    }
    after
}

/// `bytes` after their fixes, and the skill they then are; `None` when there is nothing to fix.
fn fixed(bytes: &[u8], skill: &Skill) -> (Vec<u8>, Option<Skill>) {
    let edits = fixes(skill);
    let after = apply(bytes, &edits.iter().collect::<Vec<_>>()).unwrap();
    let again = (!edits.is_empty()).then(|| Skill::open(&Site::root(&tree(&after))).unwrap());
    (after, again)
}

/// A small generator: the same bytes on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

/// Pieces from which trouble is made.
const PIECES: [&str; 48] = [
    "---",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    ": ",
    ":",
    "#",
    " # ",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ",",
    "- ",
    "? ",
    "|",
    ">",
    "|2-",
    "&a ",
    "*a",
    "!!str ",
    "!x ",
    "%",
    "@",
    "`",
    "~",
    "null",
    "true",
    "42",
    "name: ",
    "description: ",
    "metadata:\n  ",
    "<<: ",
    "...",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{a0}",
    "\u{7}",
    "\0",
    "\\",
    "\\u00e9",
    "技能",
    "🚀",
];

#[test]
fn mutated_documents_never_break_anything() {
    let documents: Vec<Vec<u8>> = vectors::walk("agentskill")
        .iter()
        .flat_map(|case| case.case["files"].as_object().unwrap().values().cloned().collect::<Vec<_>>())
        .filter_map(|file| file.as_str().map(|text| text.as_bytes().to_vec()))
        .filter(|bytes| bytes.len() < 2_000)
        .collect();
    let mut random = Random(0x5eed_5eed_5eed_5eed);
    for round in 0..6_000 {
        let mut bytes = documents[round % documents.len()].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() + 1);
            let until = (at + random.below(4)).min(bytes.len());
            match random.below(5) {
                0 => drop(bytes.drain(at..until)),
                1 => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
                _ => {
                    let piece = PIECES[random.below(PIECES.len())];
                    bytes.splice(at..at, piece.bytes());
                }
            }
        }
        front_matter(&bytes);
    }
}

#[test]
fn documents_made_of_trouble_alone_never_break_anything() {
    let mut random = Random(0xdead_beef_cafe_f00d);
    for _ in 0..6_000 {
        let mut text = "---\nname: skill\n".to_owned();
        for _ in 0..random.below(24) {
            text.push_str(PIECES[random.below(PIECES.len())]);
        }
        text.push_str("\n---\n");
        front_matter(text.as_bytes());
    }
}

#[test]
fn large_and_deep_documents_are_bounded() {
    // A quadratic reader would need minutes for this much.
    const SIZE: usize = 1 << 17;
    let flood = |piece: &str| piece.repeat(SIZE / piece.len());
    let bodies = [
        flood("\t"),
        flood("# \t"),
        flood("\t\n"),
        flood("a: b\t\n"),
        flood(" \t\n"),
        flood("["),
        flood("[a: b, "),
        format!("x: [{}]", flood("a: b, ")),
        format!("x: {{{}}}", flood("a: b, ")),
        flood("- "),
        flood("? "),
        flood("{a: "),
        flood("a: b: c\n"),
        flood("a: @x\n"),
        flood("a: \"\n"),
        flood("\""),
        flood("'"),
        format!("a: \"{}\"", flood("\\ud83d")),
        flood("a: |\n"),
        flood("---"),
        flood("a---\n"),
        flood("\r"),
        flood("\u{7}"),
        flood("#a "),
        format!("a: &a x\nb: [{}]", flood("*a, ")),
        flood("a: b\n"),
        flood("é: ü\n"),
        flood("\u{85}"),
        flood("<<: *x\n"),
        format!("description: {}", flood("word ")),
        format!("name: {}", flood("n")),
        format!("allowed-tools: {}", flood("Read ")),
        (0..10_000).map(|n| format!("k{n}: &a{n} [*a{}]\n", n.max(1) - 1)).collect(),
        (0..900).map(|n| format!("{}k:\n", " ".repeat(n))).collect(),
    ];
    for body in bodies.iter().chain([&"a: b\n".repeat(1 << 17)]) {
        front_matter(format!("---\n{body}\n---\nBody\n").as_bytes());
        front_matter(format!("---\nname: skill\ndescription: x\n{body}\n---\nBody\n").as_bytes());
    }
}

#[test]
fn bytes_that_are_no_text_have_no_place_and_no_fix() {
    for bytes in [&b"---\nname: caf\xe9\n---\n"[..], b"\xff\xfe-\0-\0", b"\0", b"", b"---\xc3", &[0xef, 0xbb]]
    {
        assert_eq!(front_matter(bytes), bytes);
    }
}
