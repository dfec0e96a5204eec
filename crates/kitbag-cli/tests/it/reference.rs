//! `docs/cli.md` is what `--help` says.

use std::fmt::Write;
use std::fs;

use kitbag_testkit::cases::project;
use kitbag_testkit::folder::Folder;

use crate::kitbag;

const HEAD: &str = "\
# The command line

Generated from `--help` by the tests of kitbag-cli; `KITBAG_BLESS=1 cargo test -p kitbag-cli` writes it anew.
";

#[test]
fn the_reference_is_what_help_says() {
    let mut reference = HEAD.to_owned();
    describe(&mut Vec::new(), &mut reference);
    let file = project().join("docs/cli.md");
    if std::env::var_os("KITBAG_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &reference).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        written == reference,
        "docs/cli.md is stale: KITBAG_BLESS=1 cargo test -p kitbag-cli writes it anew"
    );
    assert!(reference.contains("## `kitbag check`"), "the walk found the verbs");
}

/// The help of one command, then of those below it.
fn describe(command: &mut Vec<String>, out: &mut String) {
    let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
    args.push("--help");
    let help = kitbag(&Folder::new(), &args).ran().stdout;
    let name = ["kitbag"].into_iter().chain(command.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    write!(out, "\n## `{name}`\n\n```text\n{}\n```\n", lines.join("\n")).unwrap();
    let listed =
        lines.iter().skip_while(|line| **line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A continued description is indented further than a name.
    let names = listed.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    for verb in names.filter_map(|line| line.split(' ').next()).filter(|verb| *verb != "help") {
        command.push(verb.to_owned());
        describe(command, out);
        command.pop();
    }
}
