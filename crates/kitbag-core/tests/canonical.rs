//! Canonical JSON against the published vectors, and its promises against random documents.

use kitbag_core::digest::Sha256;
use kitbag_core::json::canonical::{Refused, RefusedKind, adcap, jcs, legacy_sorted};
use kitbag_core::json::{self, Json, SyntaxErrorKind, Value};
use kitbag_testkit::{cases, vectors};
use proptest::prelude::*;

/// The three promises, by the names of their files in `vectors/json/canonical/<case>/`.
type Promise = fn(&Json) -> Result<String, Refused>;
const PROMISES: [(&str, Promise); 3] = [("jcs", jcs), ("adcap", adcap), ("legacy-sorted", legacy_sorted)];

fn word(kind: RefusedKind) -> &'static str {
    match kind {
        RefusedKind::NotInteger => "not-integer",
        RefusedKind::IntegerRange => "integer-range",
        RefusedKind::NotFinite => "not-finite",
        _ => "new",
    }
}

#[test]
fn every_vector_has_the_canonical_forms_it_states() {
    for case in vectors::walk("json/canonical") {
        let input = json::read(&case.bytes("input.json")).unwrap();
        for (name, promise) in PROMISES {
            let refused = &case.case["refused"][name.replace('-', "_")];
            let expected = if refused.is_null() {
                Ok(String::from_utf8(case.bytes(&format!("{name}.txt"))).unwrap())
            } else {
                Err((
                    refused["kind"].as_str().unwrap().to_owned(),
                    refused["pointer"].as_str().unwrap().to_owned(),
                ))
            };
            let actual = promise(&input)
                .map_err(|refused| (word(refused.kind).to_owned(), refused.pointer.as_str().to_owned()));
            assert_eq!(actual, expected, "{} as {name}", case.name);
        }
    }
}

fn made(value: Value) -> Json {
    Json { span: json::Span::default(), value }
}

fn printed(double: f64) -> Option<String> {
    jcs(&made(Value::Float(double))).ok()
}

#[test]
fn the_published_numbers_of_rfc_8785_print_as_published() {
    let case =
        vectors::walk("json/numbers").into_iter().find(|case| case.name == "rfc8785-appendix-b").unwrap();
    let rows = case.case["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 26);
    for row in rows {
        let bits = u64::from_str_radix(row[0].as_str().unwrap(), 16).unwrap();
        assert_eq!(printed(f64::from_bits(bits)).as_deref(), row[1].as_str(), "{bits:016x}");
    }
}

#[test]
fn the_published_sequence_of_doubles_has_the_published_digests() {
    let case = vectors::walk("json/numbers").into_iter().find(|case| case.name == "es6-sequence").unwrap();
    let first = case.case["first"].as_array().unwrap().iter();
    let first = first.map(|hex| u64::from_str_radix(hex.as_str().unwrap(), 16).unwrap());
    let mut block = [0u8; 32];
    let chain = std::iter::repeat_with(move || {
        block = *Sha256::of(&block).as_bytes();
        block
    });
    let random = chain
        .flat_map(|block| {
            let words: Vec<u64> =
                block.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
            words
        })
        .filter(|bits| f64::from_bits(*bits) != 0.0 && f64::from_bits(*bits).is_finite());
    let mut lines = first.chain((0..2000).map(|n| 0x0010_0000_0000_0000 + n)).chain(random);
    let mut text = String::new();
    let mut count = 0;
    let mut digests: Vec<(usize, &str)> = case.case["sha256_of_lines"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(lines, digest)| (lines.parse().unwrap(), digest.as_str().unwrap()))
        .collect();
    digests.sort_unstable();
    assert_eq!(digests.len(), 3);
    for (wanted, digest) in digests {
        for bits in lines.by_ref().take(wanted - count) {
            text.push_str(&format!("{bits:x},{}\n", printed(f64::from_bits(bits)).unwrap()));
        }
        count = wanted;
        assert_eq!(Sha256::of(text.as_bytes()).to_string(), digest, "{wanted} lines");
    }
}

#[test]
fn the_forms_agree_with_the_recorded_ones() {
    let Some(folder) = cases::folder("SKILLPACT") else { return };
    let units = cases::json(&folder.join("units.json"));
    let rows = units["jcs"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        // The folder's own document went through a reader; printed again, its doubles are still the same doubles.
        let input = json::read(row[0].to_string().as_bytes()).unwrap();
        assert_eq!(jcs(&input).unwrap(), row[1].as_str().unwrap());
    }
}

#[test]
fn the_signed_bytes_of_every_contract_version_are_the_recorded_ones() {
    let Some(folder) = cases::folder("SKILLPACT") else { return };
    let units = cases::json(&folder.join("units.json"));
    let rows = units["signing_input"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let (version, expected) = (row[0].as_str().unwrap(), row[2].as_str().unwrap());
        // SkillPact §11.1: the contract without its signatures; the role beside it from 0.8 on.
        let text = format!(
            r#"{{"\ud83d\ude00": 1, "contract_version": "{version}", "integrity": {{"signatures": [{{"sig": "x"}}],
                "files": {{"x": "y"}}}}, "n": [1, 2.0], "\ufb33": 2, "b": "\u00e9\u007f\u0001"}}"#
        );
        let mut contract = json::read(text.as_bytes()).unwrap();
        let Value::Object(members) = &mut contract.value else { unreachable!("a contract is an object") };
        let mut integrity = members.remove("integrity").unwrap().value;
        let Value::Object(inner) = &mut integrity.value else { unreachable!("integrity is an object") };
        assert!(inner.remove("signatures").is_some() && inner.remove("signatures").is_none());
        assert!(members.insert("integrity", integrity).is_none());
        let form = match version {
            "0.1" | "0.2" | "0.3" => legacy_sorted(&contract),
            "0.4" | "0.5" | "0.6" | "0.7" => jcs(&contract),
            _ => {
                let role = row[1].as_str().unwrap_or("author").to_owned();
                let mut signed = json::Object::default();
                signed.insert("role", made(Value::String(role)));
                signed.insert("contract", contract);
                jcs(&made(Value::Object(signed)))
            }
        };
        assert_eq!(form.unwrap(), expected, "{version} as {}", row[1]);
    }
}

/// Documents as authors write them: members in any order, names from a small pool that crosses both orders, numbers of
/// both kinds.
fn document(integers_only: bool) -> impl Strategy<Value = serde_json::Value> {
    let number = if integers_only {
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(serde_json::Value::from).boxed()
    } else {
        let double = any::<f64>().prop_filter("finite", |double| double.is_finite());
        prop_oneof![
            (-1000_i64..1000).prop_map(serde_json::Value::from),
            double.prop_map(serde_json::Value::from)
        ]
        .boxed()
    };
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        number,
        name().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
            proptest::collection::btree_map(name(), inner, 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => proptest::char::range('a', 'c'),
        1 => proptest::sample::select(vec!['\u{ffff}', '\u{e000}', '\u{d7ff}', '\u{10000}', '\u{10ffff}', '"', '\\', '\0', '\u{1f}', '\u{7f}']),
    ];
    proptest::collection::vec(character, 0..4).prop_map(|chars| chars.into_iter().collect())
}

/// The document as another author would write it: members backwards, every character of a string escaped, white space.
fn rewritten(value: &serde_json::Value, out: &mut String) {
    let string = |text: &str, out: &mut String| {
        out.push('"');
        text.encode_utf16().for_each(|unit| out.push_str(&format!("\\u{unit:04X}")));
        out.push('"');
    };
    match value {
        serde_json::Value::String(text) => string(text, out),
        serde_json::Value::Array(items) => {
            out.push_str("[ ");
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "\n, " } else { "" });
                rewritten(item, out);
            }
            out.push_str(" ]");
        }
        serde_json::Value::Object(members) => {
            out.push_str("{\t");
            for (at, (name, value)) in members.iter().rev().enumerate() {
                out.push_str(if at > 0 { "\r\n, " } else { "" });
                string(name, out);
                out.push_str(" : ");
                rewritten(value, out);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// The plainest canonical printer: sorts by what `order` makes of a name, lets `serde_json` print the rest.
fn slow<K: Ord>(value: &serde_json::Value, order: &impl Fn(&str) -> K) -> String {
    match value {
        serde_json::Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| slow(item, order)).collect();
            format!("[{}]", items.join(","))
        }
        serde_json::Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| order(name));
            let members: Vec<String> = members
                .into_iter()
                .map(|(name, value)| {
                    format!("{}:{}", serde_json::Value::from(name.as_str()), slow(value, order))
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
        plain => plain.to_string(),
    }
}

/// The values alone, numbers as the bits of a double.
fn values(json: &Json) -> String {
    match &json.value {
        Value::Integer(integer) => format!("{:x}", (*integer as f64 + 0.0).to_bits()),
        Value::Float(double) => format!("{:x}", (double + 0.0).to_bits()),
        Value::Array(items) => items.iter().map(values).collect::<Vec<_>>().join(","),
        Value::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|member| format!("{:?}:{}", member.name, values(&member.value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        plain => format!("{plain:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn how_it_was_written_does_not_show_in_the_canonical_form(value in document(false)) {
        let mut other = String::new();
        rewritten(&value, &mut other);
        let (one, other) = (json::read(value.to_string().as_bytes()).unwrap(), json::read(other.as_bytes()).unwrap());
        prop_assert_eq!(jcs(&one).unwrap(), jcs(&other).unwrap());
        prop_assert_eq!(adcap(&one).ok(), adcap(&other).ok());
        prop_assert_eq!(legacy_sorted(&one).ok(), legacy_sorted(&other).ok());
    }

    #[test]
    fn the_canonical_form_is_the_same_document_and_its_own_canonical_form(value in document(false)) {
        let json = json::read(value.to_string().as_bytes()).unwrap();
        let form = jcs(&json).unwrap();
        match json::read(form.as_bytes()) {
            Ok(again) => {
                prop_assert_eq!(values(&again), values(&json));
                prop_assert_eq!(jcs(&again).unwrap(), form);
            }
            // A double from 2^53 up to 10^21 prints as digits alone, and as an integer those are refused.
            Err(error) => prop_assert_eq!(error.kind, SyntaxErrorKind::IntegerRange),
        }
    }

    #[test]
    fn names_are_ordered_as_each_form_promises(value in document(true)) {
        let json = json::read(value.to_string().as_bytes()).unwrap();
        let utf16 = slow(&value, &|name: &str| name.encode_utf16().collect::<Vec<_>>());
        prop_assert_eq!(jcs(&json).unwrap(), utf16.clone());
        prop_assert_eq!(adcap(&json).unwrap(), utf16);
        prop_assert_eq!(legacy_sorted(&json).unwrap(), slow(&value, &|name: &str| name.chars().collect::<Vec<_>>()));
    }

    #[test]
    fn a_printed_double_is_the_same_double_and_no_text_of_fewer_digits_is(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        match printed(double) {
            None => prop_assert!(!double.is_finite()),
            Some(text) => {
                prop_assert_eq!(text.parse::<f64>().unwrap(), double);
                let digits = |text: &str| {
                    let mantissa = text.split('e').next().unwrap_or(text);
                    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
                    digits.trim_matches('0').len()
                };
                prop_assert_eq!(digits(&text), digits(&format!("{double:e}")));
            }
        }
    }
}
