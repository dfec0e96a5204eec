//! 0 yes, 1 no, 2 could not.

use crate::{kitbag, nothing, sound};

#[test]
fn yes_is_0() {
    for args in [
        &["check", "sound"][..],
        &["check", "--strict", "sound"],
        &["check", "--output", "sarif", "sound"],
        &["show", "sound"],
        &["explain"],
        &["explain", "package/no-face"],
        &["completions", "bash"],
        &["man"],
        &["--version"],
        &["--help"],
        &["check", "--help"],
    ] {
        let ran = kitbag(&sound(), args).ran();
        assert_eq!(ran.code, Some(0), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert_ne!(ran.stdout, "", "{args:?}");
    }
    let ran = kitbag(&sound(), &["fix", "--dry-run", "sound"]).ran();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn no_is_1_in_every_form() {
    for form in ["human", "json", "sarif", "github", "junit"] {
        let ran = kitbag(&nothing(), &["check", "--output", form, "nothing"]).ran();
        assert_eq!(ran.code, Some(1), "{form}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("package/no-face"), "{form}: {}", ran.stdout);
    }
    let ran = kitbag(&nothing(), &["show", "nothing"]).ran();
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn deny_makes_a_note_an_error() {
    let folder = sound().file("sound/data.zip", "data");
    let lax = kitbag(&folder, &["check", "sound"]).ran();
    assert_eq!(lax.code, Some(0), "{}{}", lax.stdout, lax.stderr);
    assert!(lax.stdout.contains("info[package/nested-archive]"), "{}", lax.stdout);
    let denied = kitbag(&folder, &["check", "--deny", "package/nested-archive", "sound"]).ran();
    assert_eq!(denied.code, Some(1), "{}{}", denied.stdout, denied.stderr);
    assert!(denied.stdout.contains("error[package/nested-archive]"), "{}", denied.stdout);
}

#[test]
fn could_not_is_2_and_says_why_on_standard_error() {
    for (args, word) in [
        (&["check", "nowhere"][..], "nowhere"),
        (&["show", "nowhere"], "nowhere"),
        (&["fix", "nowhere"], "nowhere"),
        (&["check"], "PATH"),
        (&["check", "--frobnicate", "sound"], "--frobnicate"),
        (&["check", "--output", "yaml", "sound"], "yaml"),
        (&["check", "--deny", "no/such-code", "sound"], "no/such-code"),
        (&["check", "--allow", "no/such-code", "sound"], "no/such-code"),
        (&["check", "--profile", "no-such-program", "sound"], "no-such-program"),
        (&["check", "-", "-"], "only once"),
        (&["explain", "no/such-code"], "no/such-code"),
        (&["man", "no-such-command"], "no-such-command"),
        (&["completions", "no-such-shell"], "no-such-shell"),
        (&["no-such-verb"], "no-such-verb"),
        (&[], "Usage"),
    ] {
        let ran = kitbag(&sound(), args).ran();
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout, "", "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn strict_makes_a_warning_count() {
    let folder = || sound().file("data.skill", "an archive beside a package is only a warning");
    let lax = kitbag(&folder(), &["check", "."]).ran();
    assert_eq!(lax.code, Some(0), "{}{}", lax.stdout, lax.stderr);
    assert!(lax.stdout.contains("warning[package/archive-not-opened]"), "{}", lax.stdout);
    let strict = kitbag(&folder(), &["check", "--strict", "."]).ran();
    assert_eq!(strict.code, Some(1), "{}{}", strict.stdout, strict.stderr);
    let allowed =
        kitbag(&folder(), &["check", "--strict", "--allow", "package/archive-not-opened", "."]).ran();
    assert_eq!(allowed.code, Some(0), "{}{}", allowed.stdout, allowed.stderr);
}
