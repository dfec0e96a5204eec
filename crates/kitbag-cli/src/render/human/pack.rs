//! `pack` and `unpack` for people: what was written, and by which digests it is known.

use std::io::{self, Write};

use kitbag::check::PackageReport;
use kitbag::pack::Packed;
use kitbag::unpack::Unpacked;
use kitbag_core::finding::Severity;
use kitbag_core::limits::Bytes;

use crate::render::plain::{Plain, plain};

use super::check::{face, findings};
use super::style::{FAINT, STRONG};
use super::summary::counted;
use super::verify::verify;
use super::wrap;

/// Most names of what was left out.
const MOST_NAMED: usize = 8;

/// An archive that was written.
///
/// # Errors
/// The writer's own.
pub fn packed(packed: &Packed, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let own = packed.report.faces.iter().find(|face| face.format == packed.form.format());
    write!(out, "{STRONG}{}{STRONG:#}", Plain(&packed.path.display().to_string()))?;
    writeln!(out, "{FAINT}  {}{FAINT:#}", Plain(&own.map(face).unwrap_or_default()))?;
    let size = packed.archive.size;
    let files = counted(packed.files, "file", "files");
    let mut rows = vec![("size", format!("{size} bytes, {files}"))];
    // Where the format has a name for it, that is the name people know it by.
    if packed.pins.iter().all(|pin| pin.sha256 != packed.archive.sha256) {
        rows.push(("sha256", packed.archive.sha256.to_string()));
    }
    rows.extend(packed.pins.iter().map(|pin| (pin.name, pin.value())));
    let widest = rows.iter().map(|(word, _)| word.len()).max().unwrap_or(0);
    for (word, text) in rows {
        writeln!(out, "  {FAINT}{word:widest$}{FAINT:#}  {text}")?;
    }
    if let Some(names) = named(&packed.left_out) {
        wrap::hanging(out, ("  not in it: ", 13), 2, &names, columns)?;
    }
    Ok(())
}

/// One line, where the check had something to say.
///
/// # Errors
/// The writer's own.
pub fn packed_summary(packed: &Packed, out: &mut dyn Write) -> io::Result<()> {
    let findings = &packed.report.findings;
    let of = |severity| findings.iter().filter(|located| located.finding.severity == severity).count();
    let said: Vec<String> =
        [(of(Severity::Warning), "warning", "warnings"), (of(Severity::Info), "note", "notes")]
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| counted(count, one, many))
            .collect();
    if said.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}: `kitbag check` says where and why", said.join(", "))
}

fn named(names: &[String]) -> Option<String> {
    let first: Vec<String> = names.iter().take(MOST_NAMED).map(|name| plain(name)).collect();
    let more = match names.len().checked_sub(MOST_NAMED) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    (!first.is_empty()).then(|| format!("{}{more}", first.join(", ")))
}

/// Why a package was not packed: the findings that are in the way.
///
/// # Errors
/// The writer's own.
pub fn unsound(packages: &[PackageReport], columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for package in packages {
        writeln!(out, "{STRONG}{}{STRONG:#}", Plain(&package.location.to_string()))?;
        findings(package, columns, out)?;
    }
    let errors = packages.iter().flat_map(|package| &package.findings);
    let errors = errors.filter(|located| located.finding.severity == Severity::Error).count();
    writeln!(out, "not packed: {}", counted(errors, "error", "errors"))
}

/// A folder that was written.
///
/// # Errors
/// The writer's own.
pub fn unpacked(unpacked: &Unpacked, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    verify(&unpacked.report, columns, out)?;
    let files = counted(unpacked.files, "file", "files");
    let folder = plain(&unpacked.folder.display().to_string());
    writeln!(out, "\n{STRONG}{folder}{STRONG:#}  {files}, {}", Bytes(unpacked.bytes))?;
    let executables: Vec<String> = unpacked.executables.iter().map(ToString::to_string).collect();
    if let Some(names) = named(&executables) {
        wrap::hanging(out, ("  may be run: ", 14), 2, &names, columns)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{packed as fixture, unstyled, written};
    use crate::render::plain::is_hostile;

    #[test]
    fn an_archive_is_told_by_its_digests_and_by_what_is_not_in_it() {
        let text = unstyled(&written(|out| packed(&fixture(), 80, out)));
        assert_eq!(text.chars().find(|&c| c != '\n' && is_hostile(c)), None);
        assert!(text.starts_with("out\\u{1b}[2J.adcap  "), "{text}");
        assert!(text.contains("  size            10263 bytes, 1 file\n  sha256          "), "{text}");
        assert!(text.contains("\n  manifestSha256  "), "{text}");
        assert!(text.contains("left\\u{202e}7 and 2 more\n"), "{text}");
        let summary = written(|out| packed_summary(&fixture(), out));
        assert_eq!(summary, "1 warning, 1 note: `kitbag check` says where and why\n");
    }
}
