//! What is generated for other programs: completions and manual pages.

use crate::{kitbag, sound};

const VERBS: [&str; 7] = ["check", "show", "fix", "pack", "verify", "unpack", "explain"];

#[test]
fn every_shell_gets_a_script_that_knows_the_verbs() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = kitbag(&sound(), &["completions", shell]).ran();
        for verb in VERBS {
            assert!(ran.stdout.contains(verb), "{shell}: {verb}");
        }
    }
}

#[test]
fn every_verb_has_a_page_with_its_examples() {
    let page = kitbag(&sound(), &["man"]).ran().stdout;
    assert!(page.contains("kitbag check my\\-skill"), "{page}");
    for verb in VERBS {
        let page = kitbag(&sound(), &["man", verb]).ran().stdout;
        assert!(page.contains(&format!("kitbag\\-{verb}")), "{page}");
        assert!(page.contains("Examples:"), "{page}");
    }
}
