//! Every finding of .adcap, in the order in which a check meets them.

use crate::finding::{Code, Grade, Severity};

/// Every code of this format.
pub static CODES: &[&Code] = &[
    &MANIFEST_UNREADABLE,
    &MANIFEST_JSON,
    &VERSION_UNSUPPORTED,
    &VERSION_NEWER,
    &SCHEMA,
    &NOT_CANONICAL,
    &DUPLICATE_ID,
    &MISSING_FILE,
    &UNKNOWN_RESOURCE,
    &BAD_RANGE,
    &EMPTY_RANGE,
    &NO_ENTITLEMENT,
    &OWN_DIRECTORY,
    &UNKNOWN_PERMISSION,
    &PERMISSION_SCOPE,
    &TOOL_PERMISSION,
    &UNUSED_PERMISSION,
    &SKILL_FRONT_MATTER,
    &SKILL_NAME,
    &SKILL_DESCRIPTION,
    &TOOL_SCHEMA,
    &REMOTE_REFERENCE,
    &RESERVED_RUNTIME,
    &PLATFORM_WITHOUT_BINARY,
    &NOT_EXECUTABLE,
    &WORKFLOW,
    &WORKFLOW_ID,
    &WORKFLOW_TOOL,
    &WORKFLOW_TEMPLATE,
    &WORKFLOW_AGENT_OUTPUT,
    &SHARD_MAP,
    &SOURCE_CREDENTIALS,
    &ENDPOINT,
    &ENDPOINT_CREDENTIALS,
    &ADAPTER_NETWORK,
    &SELF_DEPENDENCY,
    &LICENSE,
    &FILE_PATH,
    &TOO_LARGE,
    &FIRST_ENTRY,
    &SIGNATURE_ENTRY,
    &NOT_BUILT,
    &FILES_ORDER,
    &FILES_OWN,
    &FILES_UNLISTED,
    &FILES_MISSING,
    &FILES_SIZE,
    &FILES_DIGEST,
    &FILES_UNREAD,
    &MANIFEST_DIGEST,
];

/// capability.json cannot be read.
pub static MANIFEST_UNREADABLE: Code = Code {
    slug: "adcap/manifest-unreadable",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3",
    summary: "capability.json cannot be read.",
    why: "The manifest is the package: without it nothing is known about what the package contains or may do.",
    help: "Make capability.json a regular file that can be read.",
};

/// capability.json is not JSON that every reader reads alike.
pub static MANIFEST_JSON: Code = Code {
    slug: "adcap/manifest-json",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3",
    summary: "capability.json is not JSON that every reader reads alike.",
    why: "Two programs that read one manifest differently see two packages, and its digest covers neither.",
    help: "Correct the JSON at the place shown.",
};

/// `adcap` is missing, is no version, or names a major version that is not known.
pub static VERSION_UNSUPPORTED: Code = Code {
    slug: "adcap/version-unsupported",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §14",
    summary: "`adcap` is missing, is no version, or names a major version that is not known.",
    why: "A reader must reject what it may misunderstand.",
    help: "Write `\"adcap\": \"1.0\"`.",
};

/// `adcap` names a newer minor version; the manifest is read as 1.0.
pub static VERSION_NEWER: Code = Code {
    slug: "adcap/version-newer",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §14",
    summary: "`adcap` names a newer minor version; the manifest is read as 1.0.",
    why: "A newer minor version may have added fields, which a 1.0 reader rejects.",
    help: "Write `\"adcap\": \"1.0\"` unless the manifest needs what the newer version added.",
};

/// capability.json does not conform to the schema.
pub static SCHEMA: Code = Code {
    slug: "adcap/schema",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3",
    summary: "capability.json does not conform to the schema.",
    why: "A host rejects a manifest that does not conform, whatever else it says.",
    help: "Correct the value at the place shown.",
};

/// A number in capability.json is no integer, so the manifest has no digest.
pub static NOT_CANONICAL: Code = Code {
    slug: "adcap/not-canonical",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "A number in capability.json is no integer, so the manifest has no digest.",
    why: "The digest is the package's identity, and floats are not allowed in what is signed: programs print them differently.",
    help: "Write an integer, or write the number as a text.",
};

/// Two items of one list have the same id.
pub static DUPLICATE_ID: Code = Code {
    slug: "adcap/duplicate-id",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.2",
    summary: "Two items of one list have the same id.",
    why: "Whoever refers to the id cannot know which of the two is meant.",
    help: "Give each item of the list an id of its own.",
};

/// The manifest refers to a file that is not in the package.
pub static MISSING_FILE: Code = Code {
    slug: "adcap/missing-file",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.2",
    summary: "The manifest refers to a file that is not in the package.",
    why: "What refers to it cannot work once the package is installed.",
    help: "Add the file, or correct the path.",
};

/// A resource is referred to that the manifest does not define.
pub static UNKNOWN_RESOURCE: Code = Code {
    slug: "adcap/unknown-resource",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.2",
    summary: "A resource is referred to that the manifest does not define.",
    why: "The host has nothing to fetch, so the tool starts without its data.",
    help: "Add it to `resources`, or correct the id.",
};

/// A version range does not parse.
pub static BAD_RANGE: Code = Code {
    slug: "adcap/bad-range",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.2",
    summary: "A version range does not parse.",
    why: "No version can be chosen for a range that cannot be read.",
    help: "Write the range as npm does: `^1.2.0`, `>=1 <3`, `1.x || 2.x`.",
};

/// A version range is written so that no version is in it.
pub static EMPTY_RANGE: Code = Code {
    slug: "adcap/empty-range",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §11",
    summary: "A version range is written so that no version is in it.",
    why: "Nothing satisfies it, so the capability can be installed nowhere.",
    help: "Widen the range.",
};

/// Entitled access names no entitlement, or one that the manifest does not list.
pub static NO_ENTITLEMENT: Code = Code {
    slug: "adcap/no-entitlement",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.2",
    summary: "Entitled access names no entitlement, or one that the manifest does not list.",
    why: "The host cannot know what to ask for before it hands out the bytes.",
    help: "List the entitlement under `entitlements` and name it in `entitlement`.",
};

/// `fs:write` reaches for the capability's own directory.
pub static OWN_DIRECTORY: Code = Code {
    slug: "adcap/own-directory",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.2",
    summary: "`fs:write` reaches for the capability's own directory.",
    why: "A capability that can rewrite its files is no longer what was verified.",
    help: "Write to the workspace instead, and keep state in the tool's data directory.",
};

/// A permission has an identifier that 1.0 does not know.
pub static UNKNOWN_PERMISSION: Code = Code {
    slug: "adcap/unknown-permission",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §6",
    summary: "A permission has an identifier that 1.0 does not know.",
    why: "A host cannot enforce or explain it; it grants nothing.",
    help: "Use one of the known identifiers; describe anything else under `x`.",
};

/// The scope of a permission is nothing the identifier can be limited to.
pub static PERMISSION_SCOPE: Code = Code {
    slug: "adcap/permission-scope",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §6",
    summary: "The scope of a permission is nothing the identifier can be limited to.",
    why: "A scope that matches nothing, or more than it seems to, misleads the person who grants it.",
    help: "Write paths relative to the workspace, hosts without scheme and path, and names without spaces.",
};

/// A tool names a permission that the capability does not declare.
pub static TOOL_PERMISSION: Code = Code {
    slug: "adcap/tool-permission",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.2",
    summary: "A tool names a permission that the capability does not declare.",
    why: "A host shows the person the capability's list; what is not on it is never granted.",
    help: "Add it to `permissions` with a reason, or take it from the tool.",
};

/// The capability declares a permission that no tool names.
pub static UNUSED_PERMISSION: Code = Code {
    slug: "adcap/unused-permission",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §6",
    summary: "The capability declares a permission that no tool names.",
    why: "People are asked for something nothing uses.",
    help: "Name it in a tool, or remove it.",
};

/// A SKILL.md does not begin with front matter that can be read.
pub static SKILL_FRONT_MATTER: Code = Code {
    slug: "adcap/skill-front-matter",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.1",
    summary: "A SKILL.md does not begin with front matter that can be read.",
    why: "Agents load a skill by its front matter; builders refuse one without.",
    help: "Begin the file with a line `---`, then `name:` and `description:`, then another line `---`.",
};

/// A skill's name is missing, is no skill name, or is not its folder's.
pub static SKILL_NAME: Code = Code {
    slug: "adcap/skill-name",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.1",
    summary: "A skill's name is missing, is no skill name, or is not its folder's.",
    why: "Agents find a skill by the name of its folder; builders enforce that both agree.",
    help: "Use at most 64 of a-z, 0-9 and single hyphens, the same as the folder's name.",
};

/// A skill's description is missing, empty or longer than 1,024 characters.
pub static SKILL_DESCRIPTION: Code = Code {
    slug: "adcap/skill-description",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3.1",
    summary: "A skill's description is missing, empty or longer than 1,024 characters.",
    why: "It is all an agent sees before it decides to use the skill; builders enforce the limit.",
    help: "Say in at most 1,024 characters what the skill does and when to use it.",
};

/// The schema of a tool's input or output is no JSON Schema of Draft 2020-12.
pub static TOOL_SCHEMA: Code = Code {
    slug: "adcap/tool-schema",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §7",
    summary: "The schema of a tool's input or output is no JSON Schema of Draft 2020-12.",
    why: "The host validates every call against it.",
    help: "Correct the schema at the place shown.",
};

/// A tool's schema refers to a document outside of itself.
pub static REMOTE_REFERENCE: Code = Code {
    slug: "adcap/remote-reference",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §7",
    summary: "A tool's schema refers to a document outside of itself.",
    why: "What the tool accepts would depend on a server, and no digest would cover it.",
    help: "Copy the definition into `$defs` and refer to it with `#/$defs/…`.",
};

/// A tool has a runtime that 1.0 only reserves.
pub static RESERVED_RUNTIME: Code = Code {
    slug: "adcap/reserved-runtime",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §7",
    summary: "A tool has a runtime that 1.0 only reserves.",
    why: "A host that does not implement it refuses the tool.",
    help: "Offer the tool with `node`, `python` or `binary`, too.",
};

/// A binary tool claims a platform for which it has no program.
pub static PLATFORM_WITHOUT_BINARY: Code = Code {
    slug: "adcap/platform-without-binary",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §7",
    summary: "A binary tool claims a platform for which it has no program.",
    why: "The host would offer the tool where it cannot start.",
    help: "Add the program to `entries`, or take the platform out.",
};

/// A built package does not mark a tool's program as executable.
pub static NOT_EXECUTABLE: Code = Code {
    slug: "adcap/not-executable",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §7",
    summary: "A built package does not mark a tool's program as executable.",
    why: "A host that extracts the package as listed cannot start the program.",
    help: "Build the package anew, so that the program is marked.",
};

/// A workflow document is no workflow of version 1.
pub static WORKFLOW: Code = Code {
    slug: "adcap/workflow",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §8",
    summary: "A workflow document is no workflow of version 1.",
    why: "The host cannot run it.",
    help: "Correct the document at the place shown.",
};

/// A workflow has another id in its document than in the manifest.
pub static WORKFLOW_ID: Code = Code {
    slug: "adcap/workflow-id",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §8",
    summary: "A workflow has another id in its document than in the manifest.",
    why: "It is called by one id and identifies itself by another.",
    help: "Use the same id in both places.",
};

/// A step calls a tool that the capability does not have, or a capability it does not depend on.
pub static WORKFLOW_TOOL: Code = Code {
    slug: "adcap/workflow-tool",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §8",
    summary: "A step calls a tool that the capability does not have, or a capability it does not depend on.",
    why: "The workflow stops at that step.",
    help: "Name a tool of this capability, or add the other capability to `dependencies`.",
};

/// A template refers to an input or a step that is not there when it is read.
pub static WORKFLOW_TEMPLATE: Code = Code {
    slug: "adcap/workflow-template",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §8",
    summary: "A template refers to an input or a step that is not there when it is read.",
    why: "Its value is undefined, and the key it stands for is dropped without a word.",
    help: "Refer to `inputs.<name>` that is declared, or to `steps.<id>.output` of an earlier step.",
};

/// A template reads the output of an agent step.
pub static WORKFLOW_AGENT_OUTPUT: Code = Code {
    slug: "adcap/workflow-agent-output",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §8",
    summary: "A template reads the output of an agent step.",
    why: "A runner stops at an agent step, so the value is there only if the host's agent puts it there.",
    help: "Read what the tool steps before it gave, or let the agent step be the last.",
};

/// A shard map that is in the package is none.
pub static SHARD_MAP: Code = Code {
    slug: "adcap/shard-map",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §9",
    summary: "A shard map that is in the package is none.",
    why: "The host cannot verify a shard that its map does not pin.",
    help: "Write `{\"shards\": [{\"path\", \"sha256\", \"size\"}]}`.",
};

/// The address of a resource carries what looks like a credential.
pub static SOURCE_CREDENTIALS: Code = Code {
    slug: "adcap/source-credentials",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §9",
    summary: "The address of a resource carries what looks like a credential.",
    why: "Everybody who has the package has the credential.",
    help: "Use a public address, or make the resource `entitled` and let the host authorise the download.",
};

/// An adapter's endpoint is no URL with a host.
pub static ENDPOINT: Code = Code {
    slug: "adcap/endpoint",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §10",
    summary: "An adapter's endpoint is no URL with a host.",
    why: "The host decides whether to connect by what the endpoint names.",
    help: "Write a URL such as `https://api.example.com/v1`.",
};

/// An adapter's endpoint carries what looks like a credential.
pub static ENDPOINT_CREDENTIALS: Code = Code {
    slug: "adcap/endpoint-credentials",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §10",
    summary: "An adapter's endpoint carries what looks like a credential.",
    why: "Endpoints never contain credentials: everybody who has the package would have them.",
    help: "Take it out; the host keeps credentials and adds them when it connects.",
};

/// An adapter's endpoint is covered by no `net:connect` permission.
pub static ADAPTER_NETWORK: Code = Code {
    slug: "adcap/adapter-network",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §10",
    summary: "An adapter's endpoint is covered by no `net:connect` permission.",
    why: "The adapter needs the network, and the person who installs the capability is not told.",
    help: "Declare `net:connect` with the endpoint's host in its scope.",
};

/// The capability depends on itself.
pub static SELF_DEPENDENCY: Code = Code {
    slug: "adcap/self-dependency",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §11",
    summary: "The capability depends on itself.",
    why: "No set of versions can be resolved.",
    help: "Remove it from `dependencies`.",
};

/// `license` is not written as an SPDX expression.
pub static LICENSE: Code = Code {
    slug: "adcap/license",
    grade: Grade::Always(Severity::Warning),
    clause: ".adcap §3",
    summary: "`license` is not written as an SPDX expression.",
    why: "Registries and companies filter by it.",
    help: "Write an SPDX expression such as `Apache-2.0 OR MIT`.",
};

/// A file has a path that no archive of this format may hold.
pub static FILE_PATH: Code = Code {
    slug: "adcap/file-path",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §2",
    summary: "A file has a path that no archive of this format may hold.",
    why: "The package cannot be built, and a reader rejects an archive that has it.",
    help: "Rename the file: at most 240 printable ASCII characters, without `\\`.",
};

/// There are more than 20,000 entries or 512 MiB.
pub static TOO_LARGE: Code = Code {
    slug: "adcap/too-large",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §2",
    summary: "There are more than 20,000 entries or 512 MiB.",
    why: "Readers refuse a package beyond these limits.",
    help: "Move large data to `resources`, which are fetched on demand.",
};

/// capability.json is not the first entry of the archive.
pub static FIRST_ENTRY: Code = Code {
    slug: "adcap/first-entry",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §2",
    summary: "capability.json is not the first entry of the archive.",
    why: "A reader must know what a package is before it reads the rest.",
    help: "Build the archive with `kitbag pack`.",
};

/// SIGNATURE.json is not the last entry of the archive.
pub static SIGNATURE_ENTRY: Code = Code {
    slug: "adcap/signature-entry",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §2",
    summary: "SIGNATURE.json is not the last entry of the archive.",
    why: "A reader takes the last entry for the signature of everything before it.",
    help: "Build the archive with `kitbag pack`.",
};

/// An archive's manifest lists no files.
pub static NOT_BUILT: Code = Code {
    slug: "adcap/not-built",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3",
    summary: "An archive's manifest lists no files.",
    why: "Nothing pins what is in the package, so nothing can be verified.",
    help: "Build the archive with `kitbag pack`, which writes `files`.",
};

/// `files` is not in byte order of the paths.
pub static FILES_ORDER: Code = Code {
    slug: "adcap/files-order",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §3",
    summary: "`files` is not in byte order of the paths.",
    why: "Two builds of the same files would have two identities.",
    help: "Build the package anew, or sort the list.",
};

/// `files` lists capability.json or SIGNATURE.json.
pub static FILES_OWN: Code = Code {
    slug: "adcap/files-own",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "`files` lists capability.json or SIGNATURE.json.",
    why: "The manifest cannot hold its own digest, and the signature is made after it.",
    help: "Take it out of the list.",
};

/// A file is in the package that `files` does not list.
pub static FILES_UNLISTED: Code = Code {
    slug: "adcap/files-unlisted",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "A file is in the package that `files` does not list.",
    why: "Nobody vouches for it; readers must reject the package.",
    help: "Build the package anew, or remove the file.",
};

/// `files` lists a file that is not in the package.
pub static FILES_MISSING: Code = Code {
    slug: "adcap/files-missing",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "`files` lists a file that is not in the package.",
    why: "The package is not the one its digest names; readers must reject it.",
    help: "Build the package anew, or restore the file.",
};

/// A file has another length than `files` says.
pub static FILES_SIZE: Code = Code {
    slug: "adcap/files-size",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "A file has another length than `files` says.",
    why: "The file was changed after the package was built; readers must reject it.",
    help: "Build the package anew, or restore the file.",
};

/// A file has another digest than `files` says.
pub static FILES_DIGEST: Code = Code {
    slug: "adcap/files-digest",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "A file has another digest than `files` says.",
    why: "The file was changed after the package was built; readers must reject it.",
    help: "Build the package anew, or restore the file.",
};

/// A file that `files` lists cannot be read.
pub static FILES_UNREAD: Code = Code {
    slug: "adcap/files-unread",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "A file that `files` lists cannot be read.",
    why: "What was not read was not verified.",
    help: "Make the file readable.",
};

/// The manifest has another digest than the one it was pinned by.
pub static MANIFEST_DIGEST: Code = Code {
    slug: "adcap/manifest-digest",
    grade: Grade::Always(Severity::Error),
    clause: ".adcap §4",
    summary: "The manifest has another digest than the one it was pinned by.",
    why: "This is not the package that was asked for.",
    help: "Fetch the package again, or ask its publisher which digest is right.",
};
