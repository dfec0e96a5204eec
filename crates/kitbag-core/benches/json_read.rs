//! The strict reader, which keeps the place of everything, beside `serde_json` reading into its `Value`, which keeps none.
//! Each document is about a mebibyte. `cargo bench -p kitbag-core --bench json_read`

use divan::counter::BytesCount;
use divan::{Bencher, black_box};

const SIZE: usize = 1 << 20;

fn main() {
    divan::main();
}

/// The documents, by the name they have in the table.
const DOCUMENTS: [&str; 5] = ["contract", "long strings", "numbers", "wide object", "mix"];

fn document(name: &str) -> String {
    match name {
        "contract" => contract(SIZE),
        "long strings" => long_strings(SIZE),
        "numbers" => numbers(SIZE),
        "wide object" => wide_object(SIZE),
        _ => mix(SIZE),
    }
}

#[divan::bench(args = DOCUMENTS)]
fn kitbag(bencher: Bencher<'_, '_>, name: &str) {
    let text = document(name);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| kitbag_core::json::read(black_box(text.as_bytes())).expect("the documents are sound"));
}

#[divan::bench(args = DOCUMENTS)]
fn serde_json(bencher: Bencher<'_, '_>, name: &str) {
    let text = document(name);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        serde_json::from_slice::<serde_json::Value>(black_box(text.as_bytes()))
            .expect("the documents are sound")
    });
}

/// Items of `make`, as one array of at least `size` bytes.
fn array(size: usize, make: impl Fn(usize) -> String) -> String {
    let mut text = String::from("[");
    for n in 0.. {
        text.push_str(&make(n));
        if text.len() >= size {
            break;
        }
        text.push(',');
    }
    text.push(']');
    text
}

/// Small objects within small objects, indented as people and programs write contracts.
fn contract(size: usize) -> String {
    array(size, |n| {
        format!(
            r#"
    {{
      "id": "convert.image-{n}",
      "summary": "Converts an image to another format and keeps its size",
      "effects": ["read", "write", "exec"],
      "entry": {{ "cli": ["python3", "$SKILL_DIR/scripts/convert.py", "$INPUT", "$OUTPUT"] }},
      "destructive": false,
      "idempotent": true,
      "effect_scopes": {{ "read": ["$INPUT"], "write": ["$OUTPUT", "$WORKDIR/**"] }},
      "conditional_effects": [{{ "effect": "network", "when": "the model is not there yet", "scope": ["*.example.com"] }}],
      "inputs": {{ "type": "object", "properties": {{ "width": {{ "type": "integer", "minimum": 1, "maximum": {n} }} }} }}
    }}"#
        )
    })
}

/// Paragraphs, some with escapes and some beyond ASCII.
fn long_strings(size: usize) -> String {
    let plain =
        "Reads a table of measurements and draws it as a chart with labelled axes and a legend. ".repeat(12);
    let escaped = r#"A \"quoted\" word, a line\nand another, a tab\tand a \u00e9. "#.repeat(12);
    let beyond = "Größe, naïve, 技能, файл, 😀 — as people write. ".repeat(12);
    array(size, |n| format!("\"{}\"", [&plain, &plain, &escaped, &beyond][n % 4]))
}

/// Integers and doubles of every length.
fn numbers(size: usize) -> String {
    array(size, |n| match n % 4 {
        0 => n.to_string(),
        1 => format!("-{}.{:03}", n % 1000, n % 997),
        2 => format!("{}", 9_007_199_254_740_991 - n),
        _ => format!("1.{n}e-{}", n % 30),
    })
}

/// One object with a great many members, as an integrity list is.
fn wide_object(size: usize) -> String {
    let members = array(size, |n| format!("\"references/chapter-{n}/page.md\":\"{:064x}\"", n * 7919));
    format!("{{{}}}", &members[1..members.len() - 1])
}

/// A little of each.
fn mix(size: usize) -> String {
    let parts = [contract, long_strings, numbers, wide_object].map(|make| make(size / 4));
    format!("[{}]", parts.join(","))
}
