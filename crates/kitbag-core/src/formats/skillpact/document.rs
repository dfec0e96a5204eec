//! The contract as types: SkillPact §5 to §11.

use crate::glob::Dialect;
use crate::json::decode::{Entry, Placed};
use crate::json::{Json, Span};
use crate::permit::{Confirm, Effect};

/// One of the six effects of §6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Reads files.
    Read,
    /// Writes files.
    Write,
    /// Talks to hosts.
    Network,
    /// Starts programs.
    Exec,
    /// Spends money.
    Spend,
    /// Sends messages.
    Send,
}

impl Class {
    /// The six, in the order of the specification.
    pub const ALL: [Self; 6] = [Self::Read, Self::Write, Self::Network, Self::Exec, Self::Spend, Self::Send];

    /// Its name in a contract.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Network => "network",
            Self::Exec => "exec",
            Self::Spend => "spend",
            Self::Send => "send",
        }
    }

    /// The effect called so.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }

    /// What it is in the language all formats share.
    #[must_use]
    pub const fn effect(self) -> Effect {
        match self {
            Self::Read => Effect::Read,
            Self::Write => Effect::Write,
            Self::Network => Effect::Network,
            Self::Exec => Effect::Exec,
            Self::Spend => Effect::Spend,
            Self::Send => Effect::Send,
        }
    }

    /// The rules its scopes follow (§6.1).
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Read | Self::Write => Dialect::SkillPactPath,
            Self::Network => Dialect::SkillPactHost,
            Self::Exec | Self::Spend | Self::Send => Dialect::SkillPactName,
        }
    }

    /// Whether its scopes are paths, which must not contain traversal (§6.1).
    #[must_use]
    pub const fn has_paths(self) -> bool {
        matches!(self, Self::Read | Self::Write)
    }
}

/// Whether anything runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Something can be run; the default.
    #[default]
    Tool,
    /// A SKILL.md and nothing to run.
    Instructions,
}

/// How far an effect of the skill goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Not at all.
    None,
    /// As far as the scope says.
    Scoped,
    /// Anywhere.
    Any,
}

/// A contract that conforms to the schema.
#[derive(Clone, Debug)]
pub struct Document {
    /// What runs.
    pub kind: Kind,
    /// `skill.name`.
    pub name: Placed<String>,
    /// `skill.version`.
    pub version: String,
    /// `skill.license`.
    pub license: Option<String>,
    /// One entry per effect.
    pub permissions: Permissions,
    /// At least one.
    pub capabilities: Vec<Placed<Capability>>,
    /// What must be installed.
    pub requirements: Requirements,
    /// How it is tested.
    pub tests: Tests,
    /// What is pinned.
    pub integrity: Option<Integrity>,
}

/// The six permissions.
#[derive(Clone, Debug)]
pub struct Permissions(pub(super) [Placed<Permission>; 6]);

impl Permissions {
    /// The permission of one effect.
    #[must_use]
    pub fn of(&self, class: Class) -> &Placed<Permission> {
        &self.0[class as usize]
    }
}

/// One permission of the skill as a whole.
#[derive(Clone, Debug)]
pub struct Permission {
    /// How far.
    pub level: Placed<Level>,
    /// Where. May be given at any level, and counts only when scoped.
    pub scope: Vec<Placed<String>>,
    /// The author's reason.
    pub why: Option<String>,
    /// Whether a person is asked.
    pub confirm: Option<Confirm>,
}

/// One capability (§7).
#[derive(Clone, Debug)]
pub struct Capability {
    /// Its id.
    pub id: Placed<String>,
    /// One line.
    pub summary: String,
    /// `entry.cli`.
    pub cli: Option<Vec<Placed<String>>>,
    /// `entry.mcp_tool`.
    pub mcp_tool: Option<String>,
    /// What it does always.
    pub effects: Vec<Placed<Class>>,
    /// What it does sometimes.
    pub conditional: Vec<Placed<Conditional>>,
    /// Narrower scopes, in document order.
    pub effect_scopes: Vec<EffectScope>,
    /// Whether it destroys anything.
    pub destructive: Option<Placed<bool>>,
    /// The schema of its input, as it is.
    pub inputs: Option<Json>,
    /// The schema of its output, as it is.
    pub outputs: Option<Json>,
    /// Names of requirements.
    pub requires: Vec<Placed<String>>,
    /// `<kind>:<name>` that must be there.
    pub requires_features: Vec<Placed<String>>,
    /// `<kind>:<name>` that may be there.
    pub optional_features: Vec<Placed<String>>,
}

/// One member of `effect_scopes`.
#[derive(Clone, Debug)]
pub struct EffectScope {
    /// The effect it narrows.
    pub class: Class,
    /// The narrower scope.
    pub scope: Vec<Placed<String>>,
    /// Where the scope stands.
    pub span: Span,
}

/// An effect that happens only in some cases.
#[derive(Clone, Debug)]
pub struct Conditional {
    /// Which.
    pub class: Class,
    /// In which cases, in the author's words.
    pub when: String,
    /// How far, where it says so.
    pub scope: Option<Vec<Placed<String>>>,
}

/// What must be installed (§8), as far as a check needs it.
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    /// Programs.
    pub binaries: Vec<Requirement>,
    /// Language runtimes.
    pub runtimes: Vec<Requirement>,
}

/// A program or runtime.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// Its name.
    pub name: String,
    /// The kinds of feature that it can be asked for.
    pub feature_kinds: Vec<String>,
}

/// The conformance tests (§10), as far as a check needs them.
#[derive(Clone, Debug, Default)]
pub struct Tests {
    /// Commands before all cases.
    pub setup: Vec<Vec<Placed<String>>>,
    /// The cases.
    pub cases: Vec<Placed<Case>>,
}

/// One conformance test.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its id.
    pub id: String,
    /// The capability it tests.
    pub capability: Option<Placed<String>>,
    /// The command.
    pub run: Vec<Placed<String>>,
    /// Whether it may talk to the network.
    pub network: Option<Placed<bool>>,
}

/// What is pinned (§11).
#[derive(Clone, Debug)]
pub struct Integrity {
    /// Where the section stands.
    pub span: Span,
    /// Where `files` stands, when it is there.
    pub files_span: Option<Span>,
    /// Path and lower-case hexadecimal digest, in document order.
    pub files: Vec<Entry<String>>,
    /// Patterns of files that need no digest.
    pub exclude: Vec<Placed<String>>,
    /// The signatures.
    pub signatures: Vec<Placed<Signature>>,
}

/// One signature (§11), as it is written.
#[derive(Clone, Debug)]
pub enum Signature {
    /// By an Ed25519 key.
    Ed25519 {
        /// `ed25519:<base64>`.
        key: String,
        /// Base64.
        signature: String,
    },
    /// By a Sigstore identity.
    Sigstore {
        /// Who vouched for the identity.
        issuer: String,
        /// Who signed.
        identity: String,
        /// Whether it is a staging signature, which never satisfies a production trust entry.
        staging: bool,
    },
}
