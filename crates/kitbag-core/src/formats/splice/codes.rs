//! Every finding about a Splice package.

use crate::finding::{Code, Grade, Severity};

/// Every code, in the order in which a check meets them.
pub static CODES: &[&Code] = &[
    &MANIFEST_UNREADABLE,
    &MANIFEST_JSON,
    &MANIFEST_OBJECT,
    &SPEC_VERSION,
    &UNKNOWN_FIELD,
    &REQUIRED_FIELD,
    &FIELD,
    &TOO_LONG,
    &PACKAGE_NAME,
    &VERSION,
    &RUNTIME,
    &UNKNOWN_PERMISSION,
    &PERMISSION,
    &TOOLS,
    &TOOL_NAME,
    &TOOL_TWIN,
    &TOOL_ENTRY,
    &TOOL_INPUT,
    &TOOL_TIMEOUT,
    &SCHEMA_KEYWORD,
    &SCHEMA,
    &AGENT_SKILL,
    &DEPENDENCY,
    &DEPENDENCIES_RESERVED,
    &DISALLOWED_FILE,
    &LEFT_OUT,
    &FILE_TOO_LARGE,
    &SKILL_MD,
    &SKILL_MD_PLAIN,
    &ENTRY_MISSING,
    &PATH,
    &PATH_TWIN,
    &PATH_HEADER,
    &TOO_MANY_FILES,
    &TOO_LARGE,
    &PATH_UNPORTABLE,
    &PATH_CHARACTERS,
    &PATH_NORMAL_FORM,
    &PATH_ALIKE,
    &ARCHIVE,
    &BUNDLE,
    &BUNDLE_LEGACY,
];

const ERROR: Grade = Grade::Always(Severity::Error);
const WARNING: Grade = Grade::Always(Severity::Warning);
const INFO: Grade = Grade::Always(Severity::Info);

const CLOSED: &str = "Splice refuses a manifest with anything it does not know, so that a misspelt permission is never taken for none.";

/// The manifest cannot be read.
pub static MANIFEST_UNREADABLE: Code = Code {
    slug: "splice/manifest-unreadable",
    grade: ERROR,
    clause: "Splice 1, manifest.json",
    summary: "manifest.json cannot be read.",
    why: "It says what the package is and what it may do; without it nothing can be installed or checked.",
    help: "Put a readable manifest.json of at most 2 MiB at the root of the package.",
};

/// The manifest is no I-JSON.
pub static MANIFEST_JSON: Code = Code {
    slug: "splice/manifest-json",
    grade: ERROR,
    clause: "Splice 1, manifest.json",
    summary: "manifest.json is not valid JSON, or is written in a way that two readers take differently.",
    why: "A name that stands twice, or a number that not every reader keeps, makes one manifest two.",
    help: "Correct the JSON at this place.",
};

/// The manifest is no object.
pub static MANIFEST_OBJECT: Code = Code {
    slug: "splice/manifest-object",
    grade: ERROR,
    clause: "Splice 1, manifest.json",
    summary: "manifest.json is not a JSON object.",
    why: "Nothing in it can be found.",
    help: "Write one object with specVersion, namespace, name, version, description and tools.",
};

/// Another version of the specification.
pub static SPEC_VERSION: Code = Code {
    slug: "splice/spec-version",
    grade: ERROR,
    clause: "Splice 1, Evolving the spec",
    summary: "specVersion is missing or is not the number 1.",
    why: "A version that is not known may mean something else by the same words, so nothing after it is read.",
    help: "Write \"specVersion\": 1, as a number.",
};

/// A member nobody knows.
pub static UNKNOWN_FIELD: Code = Code {
    slug: "splice/unknown-field",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "The manifest has a field that the format does not know.",
    why: CLOSED,
    help: "Remove it, correct its spelling, or begin its name with `x-` if it is your own.",
};

/// A field is missing or blank.
pub static REQUIRED_FIELD: Code = Code {
    slug: "splice/required-field",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "A required field is missing, is not a string, or is blank.",
    why: "The registry, the installer and every program that lists the package need it.",
    help: "Write the field that the message names.",
};

/// A field is not what it must be.
pub static FIELD: Code = Code {
    slug: "splice/field",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "A field is not of the kind or length it must be.",
    why: "Splice refuses the whole manifest.",
    help: "Write it as the message says.",
};

/// A text is too long.
pub static TOO_LONG: Code = Code {
    slug: "splice/too-long",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "A text is longer than its field allows, counted in UTF-16 units.",
    why: "Splice refuses the whole manifest.",
    help: "Shorten it.",
};

/// A namespace or name breaks the rule.
pub static PACKAGE_NAME: Code = Code {
    slug: "splice/package-name",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "The namespace or name is not made of lowercase letters, digits and dashes.",
    why: "Packages are found, installed and named to programs by @namespace/name.",
    help: "Use 1 to 64 of a-z, 0-9 and `-`, not beginning with a dash.",
};

/// The version is no SemVer.
pub static VERSION: Code = Code {
    slug: "splice/version",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "The version is not a semantic version.",
    why: "Ranges, updates and lock files compare versions by SemVer 2.0.",
    help: "Write three numbers such as 1.0.0; a pre-release and build metadata may follow.",
};

/// The runtime is not Node.
pub static RUNTIME: Code = Code {
    slug: "splice/runtime",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "The runtime is not {\"type\":\"node\"}, or its minNodeVersion is not one exact version.",
    why: "There is no other runtime in version 1.",
    help: "Leave `runtime` out, or write {\"type\":\"node\"}; minNodeVersion is one version such as \"22.18.0\", not a range.",
};

/// A permission nobody knows.
pub static UNKNOWN_PERMISSION: Code = Code {
    slug: "splice/unknown-permission",
    grade: ERROR,
    clause: "Splice 1, Permissions",
    summary: "`permissions` has a key that the format does not know.",
    why: "Splice refuses the whole manifest; a permission that is misspelt would otherwise be one that nobody enforces.",
    help: "Use fs.read, fs.write, network, env and capabilities only; here not even `x-` keys are allowed.",
};

/// A permission is not written as it must be.
pub static PERMISSION: Code = Code {
    slug: "splice/permission",
    grade: ERROR,
    clause: "Splice 1, Permissions",
    summary: "A permission is not written as its list wants it.",
    why: "What cannot be read cannot be enforced, so Splice refuses the whole manifest.",
    help: "Write it as the message says.",
};

/// There are no tools.
pub static TOOLS: Code = Code {
    slug: "splice/tools",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "`tools` is not an array with at least one tool.",
    why: "A package without tools does nothing, unless it is an agent.",
    help: "Describe at least one tool, or add an `agent` section.",
};

/// A tool's name breaks the rule.
pub static TOOL_NAME: Code = Code {
    slug: "splice/tool-name",
    grade: ERROR,
    clause: "Splice 1, Tool definition",
    summary: "A tool's name does not begin with a letter or has other characters than lowercase letters, digits and dashes.",
    why: "Tools are called by name from the command line, from code and by models.",
    help: "Use 1 to 64 of a-z, 0-9 and `-`, beginning with a letter.",
};

/// Two tools of one name.
pub static TOOL_TWIN: Code = Code {
    slug: "splice/tool-twin",
    grade: ERROR,
    clause: "Splice 1, Tool definition",
    summary: "Two tools have the same name.",
    why: "A call could mean either.",
    help: "Rename one of them.",
};

/// A tool's entry is no module of the package.
pub static TOOL_ENTRY: Code = Code {
    slug: "splice/tool-entry",
    grade: ERROR,
    clause: "Splice 1, Tool definition",
    summary: "A tool's entry is not a safe relative path to a module.",
    why: "The runtime loads this file; a path that leaves the package would load somebody else's.",
    help: "Name a .ts, .mts, .js or .mjs file of the package, such as tools/hello.ts.",
};

/// A tool's input is no object.
pub static TOOL_INPUT: Code = Code {
    slug: "splice/tool-input",
    grade: ERROR,
    clause: "Splice 1, Tool definition",
    summary: "The input of a tool is not described as an object.",
    why: "Arguments are passed by name, by people and by models.",
    help: "Write \"type\": \"object\" in the input schema.",
};

/// A tool's time is no number of milliseconds.
pub static TOOL_TIMEOUT: Code = Code {
    slug: "splice/tool-timeout",
    grade: ERROR,
    clause: "Splice 1, Tool definition",
    summary: "timeoutMs is not an integer between 1 and 60000.",
    why: "A tool is stopped when its time is over; more than a minute is not given.",
    help: "Write milliseconds between 1 and 60000, or leave it out for 10000.",
};

/// A schema uses a keyword outside the subset.
pub static SCHEMA_KEYWORD: Code = Code {
    slug: "splice/schema-keyword",
    grade: ERROR,
    clause: "Splice 1, Schema subset",
    summary: "A tool's schema uses a keyword that the subset does not have.",
    why: "Unsupported keywords are refused and never ignored: an ignored `pattern` would promise a check that nobody makes.",
    help: "Say it with type, description, properties, required, additionalProperties, items, enum, minLength, maxLength, minimum, maximum, minItems, maxItems and default.",
};

/// A schema is none.
pub static SCHEMA: Code = Code {
    slug: "splice/schema",
    grade: ERROR,
    clause: "Splice 1, Schema subset",
    summary: "A tool's schema is not written as the subset wants it.",
    why: "Input and output are checked against it on every call.",
    help: "Write it as the message says.",
};

/// A package of an agent is not named as it must be.
pub static AGENT_SKILL: Code = Code {
    slug: "splice/agent-skill",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "`agent.skills` is not a list of at most 20 distinct package ids of other packages.",
    why: "The agent is given the tools of exactly these packages.",
    help: "List ids such as \"@acme/calc\", each once, without a version.",
};

/// A dependency is not written as it must be.
pub static DEPENDENCY: Code = Code {
    slug: "splice/dependency",
    grade: ERROR,
    clause: "Splice 1, Fields",
    summary: "`dependencies` does not map package ids to version ranges.",
    why: "Splice refuses the whole manifest.",
    help: "Write \"@ns/name\": \"^1.0.0\"; a range is a version, ^version, ~version or *.",
};

/// Dependencies are not resolved.
pub static DEPENDENCIES_RESERVED: Code = Code {
    slug: "splice/dependencies-reserved",
    grade: WARNING,
    clause: "Splice 1, Fields",
    summary: "`dependencies` is reserved: no program resolves it, and the registry refuses to publish a package that has any.",
    why: "The package would be installed without what it names.",
    help: "Copy small helpers into the package and remove `dependencies`.",
};

/// A file that may not be in an archive.
pub static DISALLOWED_FILE: Code = Code {
    slug: "splice/disallowed-file",
    grade: ERROR,
    clause: "Splice 1, Package specification",
    summary: "A hidden file or node_modules is in the archive.",
    why: "The registry and the installer refuse the whole archive: such files hold secrets and other people's code more often than a tool.",
    help: "Build the archive with `kitbag pack`, which leaves them out.",
};

/// Files that are not packed.
pub static LEFT_OUT: Code = Code {
    slug: "splice/left-out",
    grade: INFO,
    clause: "Splice 1, Package specification",
    summary: "Hidden files, node_modules or empty folders are in the folder and will not be in the archive.",
    why: "A tool that reads them works here and not where the package is installed.",
    help: "Rename what the package needs; nothing else is to be done.",
};

/// A file is too large.
pub static FILE_TOO_LARGE: Code = Code {
    slug: "splice/file-too-large",
    grade: ERROR,
    clause: "Splice 1, Package specification",
    summary: "A file is larger than 2 MiB.",
    why: "The registry and the installer refuse the package.",
    help: "Make it smaller, or load it from where it is published.",
};

/// SKILL.md is missing or not as it must be.
pub static SKILL_MD: Code = Code {
    slug: "splice/skill-md",
    grade: ERROR,
    clause: "Splice 1, Package specification",
    summary: "SKILL.md is missing, blank, larger than 256 KiB, or not UTF-8 text without NUL bytes.",
    why: "It is what people and models read before they use the package; the registry refuses the package without it.",
    help: "Describe the package in a SKILL.md at its root.",
};

/// SKILL.md is no Agent Skill.
pub static SKILL_MD_PLAIN: Code = Code {
    slug: "splice/skill-md-plain",
    grade: INFO,
    clause: "Splice 1, Package specification",
    summary: "SKILL.md has no front matter; Splice asks for none.",
    why: "Programs that load Agent Skills pass over a SKILL.md without a name and a description, so only Splice's clients find the package.",
    help: "Begin it with `---`, `name:`, `description:` and `---` if agents are to find it as a skill; nothing else needs doing.",
};

/// A tool's module is not there.
pub static ENTRY_MISSING: Code = Code {
    slug: "splice/entry-missing",
    grade: ERROR,
    clause: "Splice 1, Tool definition",
    summary: "The file that a tool's entry names is not in the package.",
    why: "Every call of the tool would fail.",
    help: "Add the file, or correct the path; upper and lower case count.",
};

/// A path that no archive may hold.
pub static PATH: Code = Code {
    slug: "splice/path",
    grade: ERROR,
    clause: "Splice 1, Package archive",
    summary: "A file's path is not a safe path: a backslash, a drive letter, or more than 256 characters.",
    why: "Every reader refuses an archive that holds it.",
    help: "Rename the file.",
};

/// Two paths that differ in case only.
pub static PATH_TWIN: Code = Code {
    slug: "splice/path-twin",
    grade: ERROR,
    clause: "Splice 1, Package archive",
    summary: "Two paths are the same but for upper and lower case.",
    why: "Every reader refuses an archive that holds both: on Windows and macOS one would overwrite the other.",
    help: "Rename one of them.",
};

/// A path that no tar header holds.
pub static PATH_HEADER: Code = Code {
    slug: "splice/path-header",
    grade: ERROR,
    clause: "Splice 1, Package archive",
    summary: "No slash cuts the path into a prefix of at most 155 and a name of at most 100 bytes.",
    why: "A tar header holds no other path, and extension headers are refused.",
    help: "Shorten the names.",
};

/// Too many files.
pub static TOO_MANY_FILES: Code = Code {
    slug: "splice/too-many-files",
    grade: ERROR,
    clause: "Splice 1, Package archive",
    summary: "The package has more than 500 files.",
    why: "The registry and the installer refuse it.",
    help: "Join small files, or leave out what the tools do not need.",
};

/// The archive would be too large.
pub static TOO_LARGE: Code = Code {
    slug: "splice/too-large",
    grade: ERROR,
    clause: "Splice 1, Package archive",
    summary: "The archive would be larger than 5 MiB.",
    why: "The registry and the installer refuse it; archives are not compressed, so this is the size of the files.",
    help: "Leave out what the tools do not need.",
};

/// A name Windows cannot store.
pub static PATH_UNPORTABLE: Code = Code {
    slug: "splice/path-unportable",
    grade: WARNING,
    clause: "kitbag",
    summary: "A file's name is a device on Windows or cannot be stored there.",
    why: "The format allows it, and installing the package on Windows fails or opens a device.",
    help: "Rename the file: no CON, NUL or COM1, no `<>:\"|?*`, no point or space at the end.",
};

/// Characters that cannot be seen.
pub static PATH_CHARACTERS: Code = Code {
    slug: "splice/path-characters",
    grade: WARNING,
    clause: "kitbag",
    summary: "A file's name has control, invisible or direction-changing characters.",
    why: "The format allows them, and what a person reads is then not what the name is.",
    help: "Rename the file.",
};

/// Not in normal form C.
pub static PATH_NORMAL_FORM: Code = Code {
    slug: "splice/path-normal-form",
    grade: WARNING,
    clause: "kitbag",
    summary: "A file's name is not in Unicode normal form C.",
    why: "Some systems store it under another name, so that a path in the manifest no longer finds it.",
    help: "Rename the file, typing accented letters as one character.",
};

/// Two paths that some systems take for one.
pub static PATH_ALIKE: Code = Code {
    slug: "splice/path-alike",
    grade: WARNING,
    clause: "kitbag",
    summary: "Two paths of the package meet on a system that ignores case or normalises names.",
    why: "The format allows both, and there the folders are merged or one file overwrites the other.",
    help: "Rename one of them.",
};

/// An archive that only other programs read.
pub static ARCHIVE: Code = Code {
    slug: "splice/archive",
    grade: ERROR,
    clause: "Splice 1, Package archive",
    summary: "The archive can be read, and no client of Splice reads it.",
    why: "The registry and every client refuse it: they take a .tar.gz of regular files with plain ustar headers, within limits.",
    help: "Build it with `kitbag pack`.",
};

/// A bundle that cannot be read.
pub static BUNDLE: Code = Code {
    slug: "splice/bundle",
    grade: ERROR,
    clause: "Splice 1, Legacy JSON bundle",
    summary: "The JSON bundle cannot be read.",
    why: "Every client refuses it.",
    help: "Build the package again; today it is a .tar.gz.",
};

/// A bundle at all.
pub static BUNDLE_LEGACY: Code = Code {
    slug: "splice/bundle-legacy",
    grade: INFO,
    clause: "Splice 1, Legacy JSON bundle",
    summary: "The package is in the JSON bundle of before phase 3.5.",
    why: "Clients still read it; the registry takes new versions as .tar.gz only.",
    help: "Unpack it and build it with `kitbag pack` for its next version.",
};
