//! Patterns, each matched only by its own dialect.

/// Whose rules a pattern follows. `*` in a SkillPact path, a SkillPact host and a tool name are three things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// SkillPact §6.1, path patterns (`read`, `write`): traversal is never covered.
    SkillPactPath,
    /// SkillPact §6.1, generic patterns (`exec`, `spend`, `send`).
    SkillPactName,
    /// SkillPact §6.1, host patterns (`network`), with `@local`.
    SkillPactHost,
    /// A tool expression of an Agent Skill's `allowed-tools`, such as `Bash(git:*)`.
    AgentSkillTool,
}
