//! Patterns: "covers" never says yes where some text is matched inside and not outside.

use kitbag_core::glob::{Coverage, Dialect, PatternSet};

/// Longest pattern that is compared against every short text.
const SHORT: usize = 12;

/// The first byte chooses the dialect; each line but the last is an outer pattern, and the last is the inner one.
///
/// # Panics
/// When an answer is unsound.
pub fn glob(bytes: &[u8]) {
    let Some((&letter, rest)) = bytes.split_first() else { return };
    let (dialect, alphabet) = match letter {
        b'n' => (Dialect::SkillPactName, "ab/."),
        b'h' => (Dialect::SkillPactHost, "a1.A"),
        b't' => (Dialect::AgentSkillTool, "ab()"),
        b's' => (Dialect::SplicePath, "ab/."),
        b'u' => (Dialect::SpliceHost, "a1.A"),
        b'v' => (Dialect::SpliceName, "aA_*"),
        _ => (Dialect::SkillPactPath, "ab/."),
    };
    let text = String::from_utf8_lossy(rest);
    let mut patterns: Vec<&str> = text.split('\n').collect();
    let Some(inner) = patterns.pop() else { return };
    let mut outer = PatternSet::new(dialect, patterns.iter().copied());
    let answer = outer.covers(inner);
    assert_eq!(PatternSet::new(dialect, patterns.iter().copied()).covers(inner), answer, "asked twice");
    if patterns.contains(&inner) && dialect != Dialect::SkillPactPath {
        assert_eq!(answer, Coverage::Yes, "`{inner}` does not cover itself");
    }
    let is_short = |pattern: &str| pattern.len() <= SHORT;
    if answer != Coverage::Yes || !is_short(inner) || !patterns.iter().all(|pattern| is_short(pattern)) {
        return;
    }
    let mut inside = PatternSet::new(dialect, [inner]);
    for subject in texts(alphabet, 5) {
        if inside.matches(&subject) == Coverage::Yes {
            assert_ne!(
                outer.matches(&subject),
                Coverage::No,
                "{patterns:?} cover `{inner}`, which matches `{subject}`, and they do not"
            );
        }
    }
}

/// Every text of at most `most` letters.
fn texts(alphabet: &str, most: u32) -> impl Iterator<Item = String> + '_ {
    let letters: Vec<char> = alphabet.chars().collect();
    (0..=most).flat_map(move |len| {
        let letters = letters.clone();
        (0..letters.len().pow(len)).map(move |mut number| {
            (0..len)
                .map(|_| {
                    let letter = letters[number % letters.len()];
                    number /= letters.len();
                    letter
                })
                .collect()
        })
    })
}
