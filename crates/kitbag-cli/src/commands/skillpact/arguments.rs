//! The reference's arguments, with its usage messages: it is a Python program, and its callers meet the conventions of
//! Python's argument parser (options in any order and cut short, usage on standard error, exit code 2).

use std::ffi::OsString;
use std::path::PathBuf;

/// Every command of the reference. Those that have no arm in [`parse`] come with the versions of kitbag that do their work.
const COMMANDS: [&str; 18] = [
    "validate",
    "test",
    "hash",
    "verify",
    "keygen",
    "sign",
    "policy-check",
    "policy-compile",
    "compose",
    "init",
    "mcp-check",
    "mcp-annotations",
    "export",
    "sign-sigstore",
    "convert",
    "owasp",
    "migrate",
    "conformance",
];

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub enum Parsed {
    /// Something to do.
    Run(Asked),
    /// A text for standard output.
    Help(String),
    /// A text for standard error.
    Wrong(String),
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// `validate`
    Validate {
        /// The skill.
        folder: PathBuf,
        /// The contract, when it is kept somewhere else.
        contract: Option<PathBuf>,
    },
}

fn usage() -> String {
    let indent = " ".repeat("usage: skillpact ".len());
    format!("usage: skillpact [-h]\n{indent}{{{}}}\n{indent}...\n", COMMANDS.join(","))
}

fn wrong(message: &str) -> Parsed {
    Parsed::Wrong(format!("{}skillpact: error: {message}\n", usage()))
}

/// Reads the arguments after `skillpact`.
pub fn parse(arguments: &[OsString]) -> Parsed {
    let Some((first, rest)) = arguments.split_first() else {
        return wrong("the following arguments are required: cmd");
    };
    match first.to_str() {
        Some("-h" | "--help" | "--hel" | "--he" | "--h") => Parsed::Help(usage()),
        Some("validate") => validate(rest),
        Some(option) if option.starts_with('-') && option != "-" => {
            wrong("the following arguments are required: cmd")
        }
        Some(command) if COMMANDS.contains(&command) => Parsed::Wrong(format!(
            "skillpact {command}: error: this version of kitbag does not do this yet\n"
        )),
        _ => {
            let choices = COMMANDS.map(|command| format!("'{command}'")).join(", ");
            wrong(&format!("argument cmd: invalid choice: '{}' (choose from {choices})", first.display()))
        }
    }
}

const VALIDATE: &str = "usage: skillpact validate [-h] [--contract CONTRACT] skill_dir\n";

fn validate(arguments: &[OsString]) -> Parsed {
    let wrong_here =
        |message: &str| Parsed::Wrong(format!("{VALIDATE}skillpact validate: error: {message}\n"));
    let (mut folder, mut contract, mut unknown) = (None, None, Vec::new());
    let mut rest = arguments.iter();
    let mut options_end = false;
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if options_end || !text.starts_with('-') || text == "-" {
            match &folder {
                None => folder = Some(PathBuf::from(argument)),
                Some(_) => unknown.push(text.into_owned()),
            }
            continue;
        }
        if text == "--" {
            options_end = true;
            continue;
        }
        let (option, value) = match text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (&*text, None),
        };
        if option == "-h" || is_short_for(option, "--help") {
            return Parsed::Help(format!(
                "{VALIDATE}\nChecks a skill against its contract and prints findings as JSON.\n"
            ));
        }
        if !is_short_for(option, "--contract") {
            unknown.push(text.into_owned());
            continue;
        }
        // A value that looks like an option is one.
        let next = || rest.clone().next().filter(|next| !next.to_string_lossy().starts_with('-'));
        contract = match (value, next()) {
            (Some(value), _) => Some(PathBuf::from(value)),
            (None, Some(_)) => rest.next().map(PathBuf::from),
            (None, None) => return wrong_here("argument --contract: expected one argument"),
        };
    }
    match folder {
        None => wrong_here("the following arguments are required: skill_dir"),
        Some(_) if !unknown.is_empty() => wrong(&format!("unrecognized arguments: {}", unknown.join(" "))),
        Some(folder) => Parsed::Run(Asked::Validate { folder, contract }),
    }
}

/// Whether `option` is `full` or the beginning of it; no two options here begin alike.
fn is_short_for(option: &str, full: &str) -> bool {
    option.len() > 2 && full.starts_with(option)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Parsed {
        parse(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_contract_may_be_named_anywhere_and_its_option_cut_short() {
        let asked = Parsed::Run(Asked::Validate { folder: "d".into(), contract: Some("c".into()) });
        for arguments in [
            &["validate", "d", "--contract", "c"][..],
            &["validate", "--contract", "c", "d"],
            &["validate", "--cont=c", "--", "d"],
        ] {
            assert_eq!(parsed(arguments), asked, "{arguments:?}");
        }
        let plain = Parsed::Run(Asked::Validate { folder: "d".into(), contract: None });
        assert_eq!(parsed(&["validate", "d"]), plain);
    }

    #[test]
    fn what_was_typed_wrong_is_said_in_the_words_callers_know() {
        for (arguments, end) in [
            (
                &["validate"][..],
                "skillpact validate: error: the following arguments are required: skill_dir\n",
            ),
            (&["validate", "d", "--zz"], "skillpact: error: unrecognized arguments: --zz\n"),
            (&["validate", "d", "e"], "skillpact: error: unrecognized arguments: e\n"),
            (&["validate", "d", "--contract"], "error: argument --contract: expected one argument\n"),
            (&["validate", "d", "--contract", "-x"], "error: argument --contract: expected one argument\n"),
            (&[], "skillpact: error: the following arguments are required: cmd\n"),
            (&["hash", "d"], "error: this version of kitbag does not do this yet\n"),
        ] {
            let Parsed::Wrong(text) = parsed(arguments) else { panic!("{arguments:?}") };
            assert!(text.ends_with(end), "{text}");
        }
    }
}
