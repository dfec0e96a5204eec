//! Tool expressions of an Agent Skill's `allowed-tools`: `Read`, `Bash(git:*)`, `mcp__server__tool`.
//!
//! The Agent Skills specification leaves the words to the program that reads them, so little can be said for all of them:
//! an expression covers itself, and a tool's bare name covers every use of that tool. Anything else is unknown, unless
//! both are plain names, which are then simply two tools.

use super::covers::Coverage;

/// Whether one expression covers another.
pub(super) fn covers(outer: &str, inner: &str) -> Coverage {
    if outer == inner {
        return Coverage::Yes;
    }
    let (outer_name, outer_uses) = split(outer);
    let (inner_name, inner_uses) = split(inner);
    if !is_plain(outer_name) || !is_plain(inner_name) {
        return Coverage::Unknown;
    }
    match (outer_name == inner_name, outer_uses, inner_uses) {
        (false, ..) | (true, Some(_), None) => Coverage::No,
        (true, None, _) => Coverage::Yes,
        (true, Some(_), Some(_)) => Coverage::Unknown,
    }
}

/// The tool's name, and what stands in the parentheses after it.
fn split(expression: &str) -> (&str, Option<&str>) {
    expression
        .strip_suffix(')')
        .and_then(|rest| rest.split_once('('))
        .map_or((expression, None), |(name, uses)| (name, Some(uses)))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_covers_every_use_of_the_tool_and_a_use_does_not_cover_the_tool() {
        assert_eq!(covers("Bash", "Bash(git:*)"), Coverage::Yes);
        assert_eq!(covers("Bash(git:*)", "Bash"), Coverage::No);
        assert_eq!(covers("Bash(git:*)", "Bash(git:*)"), Coverage::Yes);
        assert_eq!(covers("Bash(git:*)", "Bash(git status:*)"), Coverage::Unknown);
        assert_eq!(covers("Read", "Write"), Coverage::No);
        assert_eq!(covers("mcp__x__*", "mcp__x__y"), Coverage::Unknown);
    }
}
