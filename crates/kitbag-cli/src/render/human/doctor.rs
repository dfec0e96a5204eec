//! `doctor` for people: what holds here, what does not and why, and which interpreters run inside.

use std::io::{self, Write};

use kitbag::doctor::{Backend, Diagnosis, Interpreter};

use crate::render::plain::Plain;

use super::style::{BAD, FAINT, GOOD, HELP, STRONG};
use super::summary::counted;
use super::wrap;

/// The whole answer.
///
/// # Errors
/// The writer's own.
pub fn doctor(diagnosis: &Diagnosis, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}", Plain(&diagnosis.system))?;
    match diagnosis.chosen() {
        Some(backend) => {
            writeln!(out, "{GOOD}isolated{GOOD:#}: tools and tests run in `{}`", Plain(&backend.name))?;
        }
        None => {
            writeln!(out, "{BAD}not isolated{BAD:#}: programs of strangers are not run here")?;
            if diagnosis.backends.is_empty() {
                let text = "this system has no sandbox of kitbag's; on Windows use WSL 2, on macOS a Linux container";
                hint(text, columns, out)?;
            }
        }
    }
    for one in &diagnosis.backends {
        writeln!(out)?;
        backend(one, columns, out)?;
    }
    if !diagnosis.interpreters.is_empty() {
        writeln!(out, "\n{STRONG}interpreters{STRONG:#}  asked inside, where nothing else may be started")?;
    }
    for one in &diagnosis.interpreters {
        interpreter(one, columns, out)?;
    }
    if diagnosis.is_kept {
        writeln!(
            out,
            "\n{FAINT}tried before with this kernel and these programs; --fresh tries again{FAINT:#}"
        )?;
    }
    Ok(())
}

fn backend(backend: &Backend, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let name = Plain(&backend.name);
    let Some(_) = &backend.report else {
        writeln!(out, "{STRONG}{name}{STRONG:#}  {BAD}does not work here{BAD:#}")?;
        if let Some(because) = &backend.because {
            wrapped("because: ", because, columns, out)?;
        }
        return backend.help.as_deref().map_or(Ok(()), |help| hint(help, columns, out));
    };
    let refused = backend.canaries.iter().filter(|canary| canary.inside == "refused");
    let (held, tried) = (refused.count(), backend.canaries.len());
    let attempts = counted(tried, "attempt", "attempts");
    if backend.holds {
        writeln!(out, "{STRONG}{name}{STRONG:#}  {GOOD}holds{GOOD:#}: {attempts}, all refused")?;
    } else {
        writeln!(out, "{STRONG}{name}{STRONG:#}  {BAD}does not hold{BAD:#}: {attempts}, {held} refused")?;
    }
    for canary in &backend.canaries {
        let words = Plain(&canary.words);
        if canary.inside != "refused" {
            writeln!(out, "  {BAD}✗{BAD:#} could {words}")?;
        } else if canary.outside != "open" {
            writeln!(
                out,
                "  {FAINT}· nobody here can {words}, so that it is refused proves nothing{FAINT:#}"
            )?;
        }
    }
    for line in &backend.lines {
        let (label, text) = line.split_at(line.len().min(11));
        wrapped(label, text, columns, out)?;
    }
    Ok(())
}

fn interpreter(one: &Interpreter, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let label = format!("{:<9}", one.name);
    let Some(path) = &one.path else {
        return writeln!(out, "  {FAINT}{label}not there{FAINT:#}");
    };
    let text = match (&one.version, &one.because) {
        (Some(version), _) if version.is_empty() => path.clone(),
        (Some(version), _) => format!("{version} ({path})"),
        (None, because) => {
            format!("{path} does not run inside: {}", because.as_deref().unwrap_or("nobody knows why"))
        }
    };
    wrapped(&label, &text, columns, out)
}

fn hint(text: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    wrap::hanging(out, (format!("  {HELP}help{HELP:#}: "), 8), 8, &Plain(text).to_string(), columns)
}

fn wrapped(label: &str, text: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let lead = format!("  {label}");
    let taken = wrap::width(&lead);
    wrap::hanging(out, (lead, taken), taken, &Plain(text).to_string(), columns)
}
