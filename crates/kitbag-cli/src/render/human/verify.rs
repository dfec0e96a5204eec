//! `verify` for people: what the bytes are worth, by which digests, and what that does not say.

use std::io::{self, Write};

use kitbag::verify::{Asked, NamedPin, Report, Verified};
use kitbag_core::formats::{Outcome, Seal};

use crate::render::plain::Plain;

use super::check::{face, findings};
use super::style::{BAD, FAINT, GOOD, STRONG};
use super::summary::counted;
use super::wrap;

/// Package by package.
///
/// # Errors
/// The writer's own.
pub fn verify(report: &Report, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut packages = report.packages.iter().peekable();
    while let Some(package) = packages.next() {
        one(package, columns, out)?;
        // Findings end with a line of space of their own.
        if packages.peek().is_some() && package.report.findings.is_empty() {
            writeln!(out)?;
        }
    }
    Ok(())
}

/// What lies between packages and belongs to none.
///
/// # Errors
/// The writer's own.
pub fn between(report: &Report, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for package in &report.between {
        writeln!(out, "{STRONG}{}{STRONG:#}", Plain(&package.location.to_string()))?;
        findings(package, columns, out)?;
    }
    Ok(())
}

fn one(package: &Verified, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let report = &package.report;
    write!(out, "{STRONG}{}{STRONG:#}", Plain(&report.location.to_string()))?;
    for (at, own) in report.faces.iter().enumerate() {
        write!(out, "{FAINT}{}{}{FAINT:#}", if at == 0 { "  " } else { " + " }, Plain(&face(own)))?;
    }
    let style = if package.outcome.is_negative() { BAD } else { GOOD };
    writeln!(out, "  {style}{}{style:#}", package.outcome)?;
    pins(&package.pins, out)?;
    if !report.faces.is_empty() {
        told(&bytes(package), columns, out)?;
        told(&signature(package.seal), columns, out)?;
    }
    if !report.findings.is_empty() {
        findings(report, columns, out)?;
    }
    Ok(())
}

fn told(text: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    wrap::hanging(out, ("  ", 2), 2, text, columns)
}

fn pins(pins: &[NamedPin], out: &mut dyn Write) -> io::Result<()> {
    let widest = pins.iter().map(|named| named.pin.name.len()).max().unwrap_or(0);
    for NamedPin { pin, asked, .. } in pins {
        let mark = if *asked == Asked::Yes { "  as expected" } else { "" };
        writeln!(out, "  {FAINT}{:widest$}{FAINT:#}  {}{mark}", pin.name, pin.value())?;
    }
    Ok(())
}

/// What the answer rests on.
fn bytes(package: &Verified) -> String {
    let asked = package.pins.iter().any(|named| named.asked == Asked::Yes);
    match package.outcome {
        Outcome::VerifiedBytes if package.compared > 0 => {
            let files = counted(package.compared, "file is the one", "files are those");
            format!("Bytes: {files} that the package lists, and none is unlisted.")
        }
        Outcome::VerifiedBytes => "Bytes: they have the digest that was asked for.".to_owned(),
        Outcome::Unsigned => {
            "Bytes: read by the strict rules of the format. Nothing in it says what they should be: compare a digest with \
             the one that was published (`--expect`)."
                .to_owned()
        }
        Outcome::Unpinned if asked => {
            "Bytes: that digest covers a part of the package, and nothing covers the rest.".to_owned()
        }
        Outcome::Unpinned => "Bytes: nothing says what they should be, so nothing was verified.".to_owned(),
        Outcome::Tampered => "Bytes: they are not those that were listed or asked for. Use nothing of it.".to_owned(),
        Outcome::Refused => "Bytes: the rules of the format refuse them. Use nothing of it.".to_owned(),
    }
}

/// What is known about signatures: that they are there, and never more.
fn signature(seal: Seal) -> String {
    match seal {
        Seal::Elsewhere => "Signature: not in the package; none was looked for.".to_owned(),
        Seal::Absent => "Signature: none, so this says nothing about who made it.".to_owned(),
        Seal::Present { signatures } => format!(
            "Signature: {} there and not verified; this version compares bytes only.",
            counted(signatures, "is", "are")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{unstyled, verified, written};
    use crate::render::plain::is_hostile;

    #[test]
    fn the_answer_is_told_with_its_reasons_and_nothing_of_a_package_is_obeyed() {
        let report = verified();
        let text = unstyled(&written(|out| verify(&report, 80, out)));
        assert_eq!(text.chars().find(|&c| c != '\n' && is_hostile(c)), None);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("  tampered"), "{text}");
        assert!(text.contains("  Signature: 2 are there and not verified;"), "{text}");
        assert!(text.contains("error[agent-skill/name-form]"), "{text}");
        let calm = text.split("\n\n").last().unwrap();
        assert!(calm.starts_with("fine  agent-skill fine  verified-bytes\n  integrity    sha256-"), "{text}");
        assert!(calm.contains("  as expected\n  filesDigest  sha256-"), "{text}");
        assert!(calm.contains("they have the digest that was asked for"), "{text}");
        assert!(calm.ends_with("says nothing about who made it.\n"), "{text}");
        let beside = unstyled(&written(|out| between(&report, 80, out)));
        assert!(beside.starts_with("down.zip:a/b\n"), "{beside}");
    }

    #[test]
    fn no_outcome_speaks_of_a_signature_that_was_verified() {
        for seal in [Seal::Absent, Seal::Elsewhere, Seal::Present { signatures: 1 }] {
            let text = signature(seal);
            let says_no = text.contains("none") || text.contains("not verified");
            assert!(text.starts_with("Signature: ") && says_no, "{text}");
        }
    }
}
