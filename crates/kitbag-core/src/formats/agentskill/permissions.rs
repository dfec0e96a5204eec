//! `allowed-tools`, lifted: which tools an agent may call without asking while the skill is in use.

use crate::glob::Dialect;
use crate::permit::{Confirm, Declaration, Effect, Grant, Grants, Origin, Pattern, Scope, Subject};

use super::document::Skill;

/// What the document says about permissions. Without the field it says nothing, which is not the same as "no tools".
pub(super) fn lift(skill: &Skill) -> Declaration {
    if !skill.fields.speaks_of_tools {
        return Declaration::Unspoken;
    }
    let declared = skill.fields.tools.iter().map(|tool| Grant {
        subject: Subject::Package,
        effect: Effect::Call,
        scope: Scope::Patterns(
            [Pattern { root: None, text: tool.text.clone(), dialect: Dialect::AgentSkillTool }].into(),
        ),
        when: None,
        // Agent Skills, "allowed-tools": tools that are pre-approved to run.
        confirm: Confirm::Never,
        why: None,
        origin: Origin {
            format: "agent-skill",
            file: skill.file.clone(),
            pointer: tool.pointer.clone(),
            span: tool.span,
        },
    });
    Declaration::Spoken(Grants { declared: declared.collect(), ..Grants::default() })
}
