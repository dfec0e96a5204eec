//! Patterns, each matched only by its own dialect.
//!
//! SkillPact §6.1 states three things that `fnmatch` does not: `*` stops at `/`, a whole segment `**` stands for any
//! number of segments, and a host pattern is read label by label. This room follows that text and nothing else; it knows
//! no effect, no format and no finding.
//!
//! Two questions are asked of patterns. *Does it match this text?* ([`path::matches`], [`host::matches`]) and *does it
//! cover this other pattern?* ([`covers()`]), whose answer may be [`Coverage::Unknown`]: two dialects cannot be compared, or
//! the comparison would cost more than it may. Whoever decides treats "unknown" as "not covered", and says so.
//!
//! Who reaches a host asks [`Host`] and [`HostPattern`] instead: they know one spelling of each host and refuse the others.

mod canonical;
mod covers;
pub mod host;
pub mod path;
mod set;
mod splice;
mod steps;
mod tool;
mod wildcard;

pub use canonical::{Host, HostError, HostPattern};
pub use covers::{Coverage, MixedSet, Pattern, covers, covers_across};
pub use host::local_expansion;
pub use set::PatternSet;

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
    /// Splice, `fs.read` and `fs.write`: a path in the project with everything below it.
    SplicePath,
    /// Splice, `network`: a host, `*.host`, or `*` for any public host.
    SpliceHost,
    /// Splice, `env` and `capabilities`: a name.
    SpliceName,
    /// A text that stands for itself, such as the command, host and secrets of an Open-Science Connector.
    Plain,
}
