//! What can be called in a package, and what the package needs.

use std::collections::BTreeMap;

use kitbag_core::formats::{Document, Face};
use kitbag_core::permit::{Declaration, Grant, Grants, Scope, Subject, Subjects};
use kitbag_core::tool::{Runtime, Tool};
use serde_json::Value;

use super::Permission;

/// One tool of a package.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolShown {
    /// The format of the document that declares it.
    pub format: &'static str,
    /// Its name in that document.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The names other callers use: with the package's name, with its whole id, and for MCP.
    pub names: [String; 3],
    /// The stable contract that code, MCP servers and registries show for it; Splice 1, "Tool descriptors".
    pub descriptor: Value,
    /// How it is started.
    pub runtime: ToolRuntime,
    /// How long a call may take, in milliseconds.
    pub timeout_ms: u32,
    /// What it may do, effect by effect.
    pub granted: Granted,
    /// The same in plain words.
    pub permissions: Vec<Permission>,
}

/// One capability of a SkillPact contract that is a command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandShown {
    /// The format of the document that declares it.
    pub format: &'static str,
    /// Its id in that document.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The program and its arguments, as they are written.
    pub words: Vec<String>,
    /// What it may do, in plain words.
    pub permissions: Vec<Permission>,
}

/// How a tool is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRuntime {
    /// What starts it.
    pub kind: &'static str,
    /// The range of versions of what starts it, in npm's grammar.
    pub version: Option<String>,
    /// The file that is started.
    pub entry: Option<String>,
    /// The file for each platform, where they differ.
    pub entries: Vec<(String, String)>,
    /// The platforms it runs on; empty: wherever the package does.
    pub platforms: Vec<String>,
    /// Resources that are fetched for it.
    pub resources: Vec<String>,
}

/// What one tool may do: by effect, the patterns it reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// What is declared for it.
    pub declared: BTreeMap<String, Scope>,
    /// What its format gives without being asked.
    pub implied: BTreeMap<String, Scope>,
    /// What its format never gives: the effect, and what of it.
    pub never: Vec<(String, &'static str)>,
}

/// Another package that is needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// The format of the document that needs it.
    pub format: &'static str,
    /// Its id.
    pub package: String,
    /// The range of its versions, as written; `None`: any.
    pub range: Option<String>,
}

impl ToolShown {
    /// The tools of a document.
    pub(super) fn all(document: &dyn Document) -> Vec<Self> {
        let tools = document.tools();
        if tools.is_empty() {
            return Vec::new();
        }
        let (format, declaration) = (document.identity().format, document.permissions());
        let subjects = declaration.grants().map(Subjects::new);
        tools.into_iter().map(|tool| Self::of(format, subjects.as_ref(), tool)).collect()
    }

    fn of(format: &'static str, subjects: Option<&Subjects<'_>>, tool: Tool<'_>) -> Self {
        let grants = subjects.map(|subjects| subjects.of(&Subject::Tool(tool.name.into())));
        let granted = grants.as_ref().map(Granted::of).unwrap_or_default();
        let own = grants.map_or(Declaration::Unspoken, Declaration::Spoken);
        Self {
            format,
            name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            descriptor: tool.descriptor(),
            runtime: ToolRuntime::of(&tool.runtime),
            timeout_ms: tool.timeout_ms,
            granted,
            permissions: Permission::all(format, &own),
            names: [tool.short_name, tool.qualified_name, tool.mcp_name],
        }
    }
}

impl CommandShown {
    /// The commands of a document.
    pub(super) fn all(face: &Face) -> Vec<Self> {
        let Face::SkillPact(contract) = face else { return Vec::new() };
        let (format, declaration) = (contract.identity().format, contract.permissions());
        let subjects = declaration.grants().map(Subjects::new);
        let capabilities = contract.document().map(|document| &*document.capabilities).unwrap_or_default();
        let shown = capabilities.iter().map(|capability| &capability.value).filter_map(|capability| {
            let words = capability.cli.as_ref()?.iter().map(|word| word.value.clone()).collect();
            let subject = Subject::Capability(capability.id.value.as_str().into());
            let grants = subjects.as_ref().map(|subjects| subjects.of(&subject));
            let own = grants.map_or(Declaration::Unspoken, Declaration::Spoken);
            Some(Self {
                format,
                name: capability.id.value.clone(),
                description: capability.summary.clone(),
                words,
                permissions: Permission::all(format, &own),
            })
        });
        shown.collect()
    }
}

impl ToolRuntime {
    fn of(runtime: &Runtime<'_>) -> Self {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Self {
            kind: runtime.kind,
            version: runtime.version.clone(),
            entry: runtime.entry.map(str::to_owned),
            entries: runtime
                .entries
                .iter()
                .map(|(at, file)| ((*at).to_owned(), (*file).to_owned()))
                .collect(),
            platforms: own(&runtime.platforms),
            resources: own(&runtime.resources),
        }
    }
}

impl Granted {
    fn of(grants: &Grants) -> Self {
        let by_effect = |grants: &[Grant]| -> BTreeMap<String, Scope> {
            let mut scopes: BTreeMap<String, Vec<&Scope>> = BTreeMap::new();
            for grant in grants {
                scopes.entry(grant.effect.to_string()).or_default().push(&grant.scope);
            }
            scopes.into_iter().map(|(effect, scopes)| (effect, Scope::union(scopes))).collect()
        };
        Self {
            declared: by_effect(&grants.declared),
            implied: by_effect(&grants.implied),
            never: grants.ceiling.iter().map(|never| (never.effect.to_string(), never.what)).collect(),
        }
    }
}

impl Need {
    /// What a document needs.
    pub(crate) fn all(document: &dyn Document) -> Vec<Self> {
        let format = document.identity().format;
        let needs = document.record().needs.into_iter();
        needs
            .map(|need| Self {
                format,
                package: need.package.to_owned(),
                range: need.range.map(str::to_owned),
            })
            .collect()
    }
}
