//! `workflow run`: what its steps said, and how far it came.

use std::io::{self, Write};

use kitbag::workflow::{Ended, Outcome};

use crate::render::plain::Plain;

use super::run::{run_fault, run_talk};
use super::style::{FAINT, HELP, STRONG};

/// Writes what steps said beside their outputs, and where the workflow stands.
///
/// # Errors
/// The writer's own.
pub fn workflow_talk(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    for step in &outcome.steps {
        let (id, tool) = (Plain(&step.id), Plain(&step.tool));
        let word = if step.ran.answer.is_ok() { "done" } else { "failed" };
        writeln!(out, "{STRONG}{id}{STRONG:#} {FAINT}{tool}{FAINT:#} {word}")?;
        run_talk(&step.ran, out)?;
    }
    match &outcome.ended {
        Ended::Done(_) => Ok(()),
        Ended::Agent { step, .. } => writeln!(
            out,
            "{HELP}{}{HELP:#} is for an agent, which has this to do; with `--state`, the workflow goes on behind it",
            Plain(step)
        ),
        // What a tool said was told above.
        Ended::Failed { step, .. } if outcome.steps.last().map(|step| &step.id) == step.as_ref() => Ok(()),
        Ended::Failed { step, fault } => {
            writeln!(out, "{}", Plain(step.as_deref().unwrap_or("output")))?;
            run_fault(fault, out)
        }
    }
}

/// Writes what an agent has to do.
///
/// # Errors
/// The writer's own.
pub fn workflow_instruction(instruction: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in instruction.lines() {
        writeln!(out, "{}", Plain(line))?;
    }
    Ok(())
}
