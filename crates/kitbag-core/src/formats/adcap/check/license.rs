//! `license` is an SPDX expression: its grammar only, since the list of licences grows without us.

use crate::finding::Findings;
use crate::json::excerpt;

use super::super::codes;
use super::{Subject, at};

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    if let Some(license) = &subject.document.license
        && !is_expression(&license.value)
    {
        let message = format!("`{}` is no SPDX expression", excerpt(&license.value));
        out.push(subject.finding(&codes::LICENSE, at("license"), license.span, message));
    }
}

/// Operands joined by `AND`, `OR` and `WITH`, with parentheses; a counter stands for the recursion.
fn is_expression(text: &str) -> bool {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let (mut open, mut wants_operand) = (0_usize, true);
    for token in spaced.split_whitespace() {
        match (token, wants_operand) {
            ("(", true) => open += 1,
            (")", false) if open > 0 => open -= 1,
            ("AND" | "OR" | "WITH", false) => wants_operand = true,
            (operand, true) if is_operand(operand) => wants_operand = false,
            _ => return false,
        }
    }
    open == 0 && !wants_operand
}

fn is_operand(text: &str) -> bool {
    let text = text.strip_suffix('+').unwrap_or(text);
    let is_id = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
    };
    !matches!(text, "AND" | "OR" | "WITH") && text.splitn(2, ':').all(is_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spdx_expressions_are_told_from_prose() {
        for good in [
            "MIT",
            "Apache-2.0 OR MIT",
            "(MIT AND BSD-3-Clause)",
            "GPL-2.0+ WITH Classpath-exception-2.0",
            "LicenseRef-own",
            "DocumentRef-a:LicenseRef-b",
            "((MIT))",
        ] {
            assert!(is_expression(good), "{good}");
        }
        for bad in
            ["", "Apache License 2.0", "MIT/Apache-2.0", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT MIT", "()"]
        {
            assert!(!is_expression(bad), "{bad}");
        }
        assert!(!is_expression(&"(".repeat(100_000)));
    }
}
