//! `run`: what a tool may do, before; what it said and why it failed, after.

use std::io::{self, Write};

use kitbag::run::{Fault, Prepared, Ran};
use kitbag_core::finding::Severity;
use kitbag_core::limits::Bytes;
use kitbag_sandbox::egress::Verdict;

use crate::render::plain::{Plain, plain};

use super::style::{FAINT, STRONG, severity};
use super::{show, wrap};

/// Writes what a tool may do, for the person who is asked.
///
/// # Errors
/// The writer's own.
pub fn run_question(prepared: &Prepared, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let identity = &prepared.identity;
    let (name, version) = (identity.name.as_deref(), identity.version.as_deref());
    write!(out, "{STRONG}{}{STRONG:#}", Plain(name.unwrap_or("this package")))?;
    write!(out, " {}", Plain(version.unwrap_or_default()))?;
    writeln!(out, ", tool {STRONG}{}{STRONG:#}", Plain(&prepared.tool))?;
    if prepared.permissions.is_empty() {
        let nothing = "reads its own files, and reaches nothing else";
        wrap::hanging(out, ("  ", 2), 2, nothing, columns)?;
    } else {
        show::told(&prepared.permissions, 2, columns, out)?;
    }
    for needed in &prepared.resources {
        let size = Bytes(needed.pin.size);
        let for_whom = match &needed.entitlement {
            Some(entitlement) => format!(", for those who hold the entitlement `{}`", plain(entitlement)),
            None => String::new(),
        };
        let set =
            if needed.is_set { " and, while it runs, parts of the set that it is a map of" } else { "" };
        let text = format!(
            "needs the resource `{}` ({size}){set}{for_whom}; what the cache lacks is fetched first, by kitbag and not by the tool",
            plain(&needed.resource)
        );
        wrap::hanging(out, ("  ", 2), 2, &text, columns)?;
    }
    Ok(())
}

/// Writes what a tool said beside its output, and why there is none.
///
/// # Errors
/// The writer's own.
pub fn run_talk(ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
    for line in ran.logs.lines() {
        writeln!(out, "{FAINT}|{FAINT:#} {}", Plain(line))?;
    }
    let warning = severity(Severity::Warning);
    for loss in &ran.losses {
        writeln!(out, "{warning}not granted{warning:#}: {}", Plain(&loss.because))?;
    }
    for asked in &ran.hosts {
        if let Verdict::Refused(refusal) = &asked.verdict {
            let port = asked.port.map(|port| format!(":{port}")).unwrap_or_default();
            writeln!(out, "{warning}refused{warning:#}: {}{port}: {refusal}", Plain(&asked.host))?;
        }
    }
    if let Some(written) = &ran.written {
        writeln!(out, "wrote {} ({})", plain(&written.path.to_string_lossy()), Bytes(written.bytes))?;
    }
    match &ran.answer {
        Ok(_) => Ok(()),
        Err(fault) => run_fault(fault, out),
    }
}

/// Writes why a tool gave no output.
///
/// # Errors
/// The writer's own.
pub fn run_fault(fault: &Fault, out: &mut dyn Write) -> io::Result<()> {
    let error = severity(Severity::Error);
    writeln!(out, "{error}error{error:#}: {} ({})", plain(&fault.message), fault.kind.code())?;
    for detail in &fault.details {
        writeln!(out, "  {}", Plain(detail))?;
    }
    Ok(())
}
