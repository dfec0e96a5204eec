//! What a terminal gets: colours only when wanted, nothing that a package smuggles in, and no noise on a closed pipe.

use crate::{kitbag, nothing, sound};

const ESCAPE: char = '\u{1b}';

#[test]
fn colour_comes_only_when_asked_for() {
    let colored = |args: &[&str], variables: &[(&str, &str)]| {
        let folder = nothing();
        let mut run = kitbag(&folder, args);
        for (name, value) in variables {
            run = run.env(name, value);
        }
        run.ran().stdout.contains(ESCAPE)
    };
    assert!(!colored(&["check", "nothing"], &[]), "no terminal");
    assert!(colored(&["check", "--color", "always", "nothing"], &[]));
    assert!(!colored(&["check", "--color", "never", "nothing"], &[("CLICOLOR_FORCE", "1")]));
    assert!(colored(&["check", "nothing"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&["check", "nothing"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    for form in ["json", "sarif", "github", "junit"] {
        assert!(!colored(&["check", "--color", "always", "--output", form, "nothing"], &[]), "{form}");
    }
}

#[cfg(unix)]
#[test]
fn a_terminal_gets_colour_unless_it_is_not_wanted() {
    let shown = |args: &[&str], variables: &[(&str, &str)]| {
        let folder = nothing();
        let run = kitbag(&folder, args).env("TERM", "xterm-256color");
        variables.iter().fold(run, |run, (name, value)| run.env(name, value)).ran_on_a_terminal(100).stdout
    };
    assert!(shown(&["check", "nothing"], &[]).contains(ESCAPE));
    assert!(!shown(&["check", "nothing"], &[("NO_COLOR", "1")]).contains(ESCAPE));
    assert!(!shown(&["check", "--color", "never", "nothing"], &[]).contains(ESCAPE));
    assert!(!shown(&["check", "nothing"], &[("TERM", "dumb")]).contains(ESCAPE));
}

#[cfg(unix)]
#[test]
fn words_keep_to_the_width_of_the_terminal() {
    for columns in [40, 60, 100] {
        let folder = nothing();
        let shown =
            kitbag(&folder, &["check", "nothing"]).env("NO_COLOR", "1").ran_on_a_terminal(columns).stdout;
        let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(columns), "{columns}: {shown}");
        assert!(widest > usize::from(columns) / 2, "{columns}: {shown}");
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    let plain = kitbag(&nothing(), &["check", "nothing"]).ran().stdout;
    let colored = kitbag(&nothing(), &["check", "--color", "always", "nothing"]).ran().stdout;
    assert_ne!(plain, colored);
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}

/// Documents whose every text is hostile: an escape sequence, a C1 control, a direction override.
const HOSTILE: [&str; 3] = [
    "---\nname: \"\\e[2J\\u009b31m\\u202egnp\"\nname: twice\ndescription: \"\\e]0;owned\\a\"\nx\\u202e: 1\n---\n",
    "---\nname: \u{9b}31m\u{202e}\ndescription: \u{2066}x\nmetadata: {\u{202e}: 1}\n---\n",
    "no front matter \u{1b}[2J",
];

#[test]
fn nothing_that_a_terminal_obeys_comes_out_of_a_package() {
    for document in HOSTILE {
        for args in [
            &["check", "-"][..],
            &["check", "--output", "json", "-"],
            &["check", "--output", "sarif", "-"],
            &["check", "--output", "github", "-"],
            &["check", "--output", "junit", "-"],
            &["show", "-"],
            &["show", "--output", "json", "-"],
        ] {
            let ran = kitbag(&sound(), args).input(document).ran();
            let said = [ran.stdout, ran.stderr].concat();
            let obeyed = said.chars().find(|&c| {
                (c.is_control() && c != '\n')
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            });
            assert_eq!(obeyed, None, "{args:?}: {said:?}");
            assert_ne!(said, "", "{args:?}");
        }
    }
}

#[test]
fn nothing_that_a_terminal_obeys_comes_out_of_a_failure() {
    let ran = kitbag(&sound(), &["check", "\u{1b}[2Jnowhere"]).ran();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("\\u{1b}[2Jnowhere") && !ran.stderr.contains(ESCAPE), "{}", ran.stderr);
}

#[test]
fn a_closed_pipe_is_nobodys_fault() {
    for (args, code) in [
        (&["check", "sound"][..], 0),
        (&["check", "--output", "json", "sound"], 0),
        (&["check", "--output", "junit", "sound"], 0),
        (&["show", "sound"], 0),
        (&["explain"], 0),
        (&["completions", "bash"], 0),
        (&["man"], 0),
        (&["check", "empty"], 1),
    ] {
        let ran = kitbag(&sound().file("empty/README", "nothing"), args).ran_into_a_closed_pipe();
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains("panicked") && !ran.stderr.contains("error:"),
            "{args:?}: {}",
            ran.stderr
        );
    }
}
