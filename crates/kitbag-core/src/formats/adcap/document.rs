//! The manifest as types: .adcap §3 to §12.

use crate::json::decode::{Entry, Placed};
use crate::json::{Json, Span};
use crate::permit::Effect;

/// A manifest that conforms to the schema.
#[derive(Clone, Debug)]
pub struct Document {
    /// `publisher/name`.
    pub id: Placed<String>,
    /// SemVer 2.0.
    pub version: String,
    /// The licence, as written.
    pub license: Option<Placed<String>>,
    /// Folders that hold a SKILL.md.
    pub skills: Vec<Placed<Skill>>,
    /// What can be run.
    pub tools: Vec<Placed<Tool>>,
    /// Where the workflows are.
    pub workflows: Vec<Placed<WorkflowEntry>>,
    /// What can be looked up.
    pub knowledge: Vec<Placed<Content>>,
    /// Pictures, sound and such.
    pub media: Vec<Placed<Content>>,
    /// What is fetched when it is needed.
    pub resources: Vec<Placed<Resource>>,
    /// Models and inference backends it can use.
    pub adapters: Vec<Placed<Adapter>>,
    /// What it may do.
    pub permissions: Vec<Placed<Permission>>,
    /// Where `permissions` stands, when it is there.
    pub permissions_span: Option<Span>,
    /// Other capabilities it needs: id and range.
    pub dependencies: Vec<Entry<String>>,
    /// Where it works.
    pub compat: Compat,
    /// What a host may ask for before it hands something out.
    pub entitlements: Vec<Placed<Entitlement>>,
    /// How it is distributed.
    pub distribution: Distribution,
    /// Every file of a built package.
    pub files: Option<Files>,
}

/// One skill (§3.1).
#[derive(Clone, Debug)]
pub struct Skill {
    /// The folder.
    pub path: Placed<String>,
}

/// One tool (§7).
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: Placed<String>,
    /// What it does, for people and models.
    pub description: String,
    /// How it is started.
    pub runtime: Runtime,
    /// The schema of its input, as it is.
    pub input_schema: Json,
    /// The schema of its output, as it is.
    pub output_schema: Option<Json>,
    /// Identifiers of permissions that the capability declares.
    pub permissions: Vec<Placed<String>>,
    /// Identifiers of resources it reads.
    pub resources: Vec<Placed<String>>,
    /// When it is stopped, in milliseconds.
    pub timeout_ms: u32,
    /// Where it runs; empty: anywhere.
    pub platforms: Vec<Placed<String>>,
}

/// How a tool is started.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// Which runtime.
    pub kind: Placed<RuntimeKind>,
    /// The program, for everything but `binary`.
    pub entry: Option<Placed<String>>,
    /// The program for each platform, for `binary`.
    pub entries: Vec<Entry<String>>,
    /// The range of interpreter versions.
    pub version: Option<Placed<String>>,
}

/// Which runtime (§7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeKind {
    /// The host's Node.
    Node,
    /// The host's Python.
    Python,
    /// A native program in the package.
    Binary,
    /// Reserved in 1.0.
    Wasm,
    /// Reserved in 1.0.
    Mcp,
    /// Reserved in 1.0.
    Http,
}

impl RuntimeKind {
    /// Its name in a manifest.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Python => "python",
            Self::Binary => "binary",
            Self::Wasm => "wasm",
            Self::Mcp => "mcp",
            Self::Http => "http",
        }
    }

    /// Whether 1.0 only keeps the name free.
    #[must_use]
    pub const fn is_reserved(self) -> bool {
        matches!(self, Self::Wasm | Self::Mcp | Self::Http)
    }
}

/// Where a workflow is.
#[derive(Clone, Debug)]
pub struct WorkflowEntry {
    /// The id its document has too.
    pub id: Placed<String>,
    /// The document.
    pub path: Placed<String>,
}

/// Knowledge or media: a file of the package or a resource (§9).
#[derive(Clone, Debug)]
pub struct Content {
    /// Its id.
    pub id: Placed<String>,
    /// Where its bytes are.
    pub source: ContentSource,
}

/// Where the bytes of a content are.
#[derive(Clone, Debug)]
pub enum ContentSource {
    /// In the package.
    Path(Placed<String>),
    /// In a resource.
    Resource(Placed<String>),
}

/// A resource (§9).
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its id.
    pub id: Placed<String>,
    /// Mirrors, tried in order.
    pub sources: Vec<Placed<String>>,
    /// The digest, in lower-case hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub size: u64,
    /// Who gets it.
    pub access: Access,
    /// Where `access` stands, when it is there.
    pub access_span: Option<Span>,
    /// The entitlement it asks for.
    pub entitlement: Option<Placed<String>>,
    /// Whether it is a shard map.
    pub is_shard_map: bool,
}

/// Who gets something (§9, §12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Anyone; the default.
    #[default]
    Public,
    /// Whoever the host lets.
    Entitled,
}

/// A model or inference backend (§10).
#[derive(Clone, Debug)]
pub struct Adapter {
    /// Its id.
    pub id: Placed<String>,
    /// Where it is reached.
    pub endpoint: Option<Placed<String>>,
    /// The resource with its weights.
    pub resource: Option<Placed<String>>,
}

/// One permission (§6).
#[derive(Clone, Debug)]
pub struct Permission {
    /// What it is about.
    pub id: Placed<String>,
    /// How far; `None`: as far as the identifier goes.
    pub scope: Option<Vec<Placed<String>>>,
    /// Shown to the person who is asked.
    pub reason: String,
}

/// A permission identifier that 1.0 knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identifier {
    /// `fs:read`
    Read,
    /// `fs:write`
    Write,
    /// `net:connect`
    Connect,
    /// `process:spawn`
    Spawn,
    /// `env:read`
    Env,
    /// `spend`
    Spend,
    /// `send`
    Send,
}

impl Identifier {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Write, Self::Connect, Self::Spawn, Self::Env, Self::Spend, Self::Send];

    /// Its name in a manifest.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "fs:read",
            Self::Write => "fs:write",
            Self::Connect => "net:connect",
            Self::Spawn => "process:spawn",
            Self::Env => "env:read",
            Self::Spend => "spend",
            Self::Send => "send",
        }
    }

    /// The identifier written so.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|identifier| identifier.word() == word)
    }

    /// What it is in the language all formats share.
    #[must_use]
    pub const fn effect(self) -> Effect {
        match self {
            Self::Read => Effect::Read,
            Self::Write => Effect::Write,
            Self::Connect => Effect::Network,
            Self::Spawn => Effect::Exec,
            Self::Env => Effect::Env,
            Self::Spend => Effect::Spend,
            Self::Send => Effect::Send,
        }
    }
}

/// Where it works (§11).
#[derive(Clone, Debug, Default)]
pub struct Compat {
    /// `any` or `os-arch`.
    pub platforms: Vec<Placed<String>>,
    /// Hosts and their ranges.
    pub agents: Vec<Entry<String>>,
    /// Interpreters and their ranges.
    pub runtimes: Vec<Entry<String>>,
}

/// Something a host may ask for.
#[derive(Clone, Debug)]
pub struct Entitlement {
    /// Its id.
    pub id: Placed<String>,
}

/// How it is distributed (§12).
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    /// Who gets the archive.
    pub access: Access,
    /// Where `access` stands, when it is there.
    pub access_span: Option<Span>,
    /// The entitlement the archive asks for.
    pub entitlement: Option<Placed<String>>,
}

/// Every file of a built package but the manifest and the signature (§3, §4).
#[derive(Clone, Debug)]
pub struct Files {
    /// Where the list stands.
    pub span: Span,
    /// The files.
    pub entries: Vec<Placed<ListedFile>>,
}

/// One file of a built package.
#[derive(Clone, Debug)]
pub struct ListedFile {
    /// Its path.
    pub path: Placed<String>,
    /// The digest, in lower-case hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub size: u64,
    /// Whether it is marked executable.
    pub executable: bool,
}
