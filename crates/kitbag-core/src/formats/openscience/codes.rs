//! Every finding about Open-Science's documents.
//!
//! Where Open-Science itself has a code for the same thing, the clause says which; [`upstream`] gives it. A code without one
//! is our own, and never changes what Open-Science would say.

use crate::finding::{Code, Grade, Severity};

use super::bundle::codes as import;

const ERROR: Grade = Grade::Always(Severity::Error);
const WARNING: Grade = Grade::Always(Severity::Warning);
const INFO: Grade = Grade::Always(Severity::Info);

/// What stands before Open-Science's own code in a clause.
const UPSTREAM: &str = "Open-Science: ";

/// Open-Science's own code for what `code` says; `None` where it has none.
#[must_use]
pub fn upstream(code: &Code) -> Option<&'static str> {
    code.clause.strip_prefix(UPSTREAM)
}

/// Every code: first those of Connectors, then those of Specialists, then those of Skills and of their import.
pub static CODES: &[&Code] = &[
    &CONNECTOR_TOO_LARGE,
    &CONNECTOR_INVALID_JSON,
    &CONNECTOR_ROOT,
    &CONNECTOR_REGISTRY_MANIFEST,
    &CONNECTOR_UNKNOWN_FIELD,
    &CONNECTOR_SCHEMA_VERSION,
    &CONNECTOR_KIND,
    &CONNECTOR_REQUIRED,
    &CONNECTOR_TYPE,
    &CONNECTOR_EMPTY,
    &CONNECTOR_TOO_LONG,
    &CONNECTOR_TOO_MANY,
    &CONNECTOR_INVALID_NAME,
    &CONNECTOR_NAME,
    &CONNECTOR_RESERVED_NAME,
    &CONNECTOR_DUPLICATE_NAME,
    &CONNECTOR_NORMALIZED_NAME,
    &CONNECTOR_TRANSPORT,
    &CONNECTOR_TRANSPORT_FIELDS,
    &CONNECTOR_COMMAND,
    &CONNECTOR_URL_REQUIRED,
    &CONNECTOR_STDIO_REMOTE_FIELDS,
    &CONNECTOR_STDIO_HEADERS,
    &CONNECTOR_REMOTE_COMMAND,
    &CONNECTOR_REMOTE_ENVIRONMENT,
    &CONNECTOR_URL,
    &CONNECTOR_URL_PROTOCOL,
    &CONNECTOR_URL_CREDENTIALS,
    &CONNECTOR_URL_SECRET,
    &CONNECTOR_ARGUMENT_SECRET,
    &CONNECTOR_LOCAL_COMMAND,
    &CONNECTOR_LOCAL_ARGUMENT,
    &CONNECTOR_OAUTH_HEADERS,
    &CONNECTOR_OAUTH_ISSUER,
    &CONNECTOR_OAUTH_REGISTRATION,
    &CONNECTOR_OAUTH_CLIENT_SECRET,
    &CONNECTOR_OAUTH_REDIRECT_URI,
    &CONNECTOR_OAUTH_REDIRECT_URI_CLIENT,
    &CONNECTOR_EMPTY_MCP_SERVERS,
    &CONNECTOR_SECRET_VALUES,
    &JSON_AMBIGUOUS,
    &CONNECTOR_CLIENT_FIELD,
    &CONNECTOR_URL_FRAGMENT,
    &CONNECTOR_ARGUMENT_CREDENTIAL,
    &CONNECTOR_ARGUMENT_HARMLESS,
    &MANIFEST_OBJECT_REQUIRED,
    &MANIFEST_FIELD_FORBIDDEN,
    &MANIFEST_SCHEMA_VERSION,
    &MANIFEST_ID,
    &MANIFEST_VERSION,
    &MANIFEST_EXPORTED_APP_VERSION,
    &SPECIALIST_OBJECT_REQUIRED,
    &SPECIALIST_NAME,
    &SPECIALIST_DISPLAY_NAME,
    &SPECIALIST_DESCRIPTION,
    &SPECIALIST_SYSTEM_PROMPT,
    &SPECIALIST_SKILL_IDS,
    &SPECIALIST_SKILL_IDS_ENTRY,
    &SPECIALIST_SKILL_IDS_DUPLICATE,
    &SPECIALIST_CONNECTOR_IDS,
    &SPECIALIST_CONNECTOR_IDS_ENTRY,
    &SPECIALIST_CONNECTOR_IDS_DUPLICATE,
    &SPECIALIST_IDENTITY_FIELD,
    &SPECIALIST_PRESENTATION_FIELD,
    &SPECIALIST_CAPABILITY_FIELD,
    &SPECIALIST_ENABLED_FIELD,
    &SPECIALIST_FIELD_FORBIDDEN,
    &SPECIALIST_NAME_PROTECTED,
    &SPECIALIST_NAME_DUPLICATE,
    &SPECIALIST_OVERWRITE_SAME_VERSION,
    &SPECIALIST_OVERWRITE_DOWNGRADE,
    &SPECIALIST_OVERWRITE_MODIFIED,
    &SPECIALIST_OVERWRITE_CONTENT,
    &SPECIALIST_OVERWRITE_CONTENT_DOWNGRADE,
    &SPECIALIST_EXPORT_UNBUNDLED,
    &SPECIALIST_EXPORT_VERSION,
    &SPECIALIST_EXPORT_LEFT_OUT,
    &SPECIALIST_ID_PROTECTED,
    &SPECIALIST_SKILL_UNAVAILABLE,
    &SPECIALIST_CONNECTOR_UNAVAILABLE,
    &TOP_LEVEL_CONTENT,
    &REQUIRED_FILE_MISSING,
    &JSON_INVALID,
    &EXECUTABLE_CONTENT,
    &METADATA_NOISE,
    &ARCHIVE_COMPRESSED_SIZE,
    &ARCHIVE_UNCOMPRESSED_SIZE,
    &ARCHIVE_FILE_COUNT,
    &ARCHIVE_FILE_SIZE,
    &ARCHIVE_RATIO,
    &ARCHIVE_PATH_DEPTH,
    &ARCHIVE_PATH_ABSOLUTE,
    &ARCHIVE_PATH_DRIVE,
    &ARCHIVE_PATH_BACKSLASH,
    &ARCHIVE_PATH_TRAVERSAL,
    &ARCHIVE_PATH_DUPLICATE,
    &ARCHIVE_ENCRYPTION,
    &SYMBOLIC_LINK,
    &HARD_LINK,
    &ARCHIVE_LINK,
    &ARCHIVE_COMPRESSION,
    &ARCHIVE_INVALID,
    &ARCHIVE_LAYOUT,
    &DIRECTORY_UNREADABLE,
    &SKILL_PATH,
    &SKILL_ID,
    &SKILL_DOCUMENT_MISSING,
    &SKILL_DOCUMENT_INVALID,
    &SKILL_NAME_MISMATCH,
    &SKILL_VERSION,
    &SKILL_EXECUTABLE,
    &SKILL_EXISTING_CONFLICT,
    &UNSAFE_PACKAGE_ENTRY,
    &UNSUPPORTED_PACKAGE_ENTRY,
    &PACKAGE_DEPTH,
    &PACKAGE_FILE_COUNT,
    &PACKAGE_FILE_SIZE,
    &PACKAGE_TOTAL_SIZE,
    &MISSING_SKILL_DOCUMENT,
    &MISSING_FRONTMATTER,
    &INVALID_FRONTMATTER_FIELDS,
    &NAME_MISMATCH,
    &EMPTY_BODY,
    &MISSING_LOCAL_LINK,
    &INVALID_JSON,
    &INVALID_TRIGGER_EVALS,
    &INVALID_OUTPUT_EVALS,
    &ARCHIVE_PATH_CONTROL,
    &PACKAGE_READINGS_DIFFER,
    &SPECIALIST_SKILL_NOT_BUNDLED,
    &SPECIALIST_SKILL_UNLISTED,
    &import::NOT_A_BUNDLE,
    &import::NO_SKILL,
    &import::BUNDLE_SIZE,
    &import::ENTRIES,
    &import::ENTRY_SIZE,
    &import::SKILLS,
    &import::SKILL_FILES,
    &import::FILE_SIZE,
    &import::SKILL_SIZE,
    &import::DEPTH,
    &import::PREVIEW_SIZE,
    &import::NESTED_SIZE,
    &import::NESTED,
    &import::INCOMPLETE,
    &import::UNSAFE_NAME,
    &import::ENTRY_KIND,
    &import::HIDDEN,
    &import::OUTSIDE,
    &import::DOCUMENT_DEPTH,
    &import::NAME_MISSING,
    &import::NAME,
    &import::NAME_CHANGED,
    &import::NAME_TAKEN,
    &import::RESERVED_FILE,
    &import::PATHS,
    &import::DOCUMENT,
    &import::CONFLICT,
    &import::REQUESTS,
    &import::LEFT_OUT,
];

/// What an entry of a Skill may be: the first finding with one of these ends the check of a draft.
pub static PACKAGE_POLICY: &[&Code] = &[
    &UNSAFE_PACKAGE_ENTRY,
    &UNSUPPORTED_PACKAGE_ENTRY,
    &PACKAGE_DEPTH,
    &PACKAGE_FILE_COUNT,
    &PACKAGE_FILE_SIZE,
    &PACKAGE_TOTAL_SIZE,
];

/// The document is longer than 262,144 bytes.
pub static CONNECTOR_TOO_LARGE: Code = Code {
    slug: "open-science/connector-too-large",
    grade: ERROR,
    clause: "Open-Science: connector-template.too-large",
    summary: "The document is longer than 262,144 bytes.",
    why: "Open-Science does not read it, and a description of one server has no need of more.",
    help: "Describe one Connector in the file, and put long texts elsewhere.",
};

/// The document is not valid JSON.
pub static CONNECTOR_INVALID_JSON: Code = Code {
    slug: "open-science/connector-invalid-json",
    grade: ERROR,
    clause: "Open-Science: connector-template.invalid-json",
    summary: "The document is not valid JSON.",
    why: "Nothing in it can be read.",
    help: "Correct the JSON at this place; a byte order mark before it counts as a mistake.",
};

/// The document is not a JSON object.
pub static CONNECTOR_ROOT: Code = Code {
    slug: "open-science/connector-root",
    grade: ERROR,
    clause: "Open-Science: connector-template.root",
    summary: "The document is not a JSON object.",
    why: "Nothing in it can be found.",
    help: "Write one object with schema_version, kind, name, display_name and transport.",
};

/// The document is an entry of an MCP registry and no Connector.
pub static CONNECTOR_REGISTRY_MANIFEST: Code = Code {
    slug: "open-science/connector-registry-manifest",
    grade: ERROR,
    clause: "Open-Science: connector-template.registry-manifest",
    summary: "The document is an entry of an MCP registry and no Connector.",
    why: "It lists ways to install a server and not one way to reach it, so there is nothing to import.",
    help: "Choose one of its packages or remotes and describe that as a Connector.",
};

/// The template has a field that the format does not know.
pub static CONNECTOR_UNKNOWN_FIELD: Code = Code {
    slug: "open-science/connector-unknown-field",
    grade: ERROR,
    clause: "Open-Science: connector-template.unknown-field",
    summary: "The template has a field that the format does not know.",
    why: "Open-Science refuses a template with anything it does not know, so that no part of it is silently without effect.",
    help: "Remove the field or correct its spelling; values of secrets have no place in a template.",
};

/// schema_version is missing or is not the number 1.
pub static CONNECTOR_SCHEMA_VERSION: Code = Code {
    slug: "open-science/connector-schema-version",
    grade: ERROR,
    clause: "Open-Science: connector-template.schema-version",
    summary: "schema_version is missing or is not the number 1.",
    why: "Another version may mean something else by the same words.",
    help: "Write \"schema_version\": 1, as a number.",
};

/// kind is missing or is not open-science.connector.
pub static CONNECTOR_KIND: Code = Code {
    slug: "open-science/connector-kind",
    grade: ERROR,
    clause: "Open-Science: connector-template.kind",
    summary: "kind is missing or is not open-science.connector.",
    why: "It is how a program tells a template from any other JSON.",
    help: "Write \"kind\": \"open-science.connector\".",
};

/// A required field is missing.
pub static CONNECTOR_REQUIRED: Code = Code {
    slug: "open-science/connector-required",
    grade: ERROR,
    clause: "Open-Science: connector-template.required",
    summary: "A required field is missing.",
    why: "A Connector without a name or a name to show cannot be listed.",
    help: "Write the field that the message names.",
};

/// A value is of another kind than the field wants.
pub static CONNECTOR_TYPE: Code = Code {
    slug: "open-science/connector-type",
    grade: ERROR,
    clause: "Open-Science: connector-template.type",
    summary: "A value is of another kind than the field wants.",
    why: "The field is read as if it were not there.",
    help: "Write the kind of value that the message names; leave the field out where there is nothing to say.",
};

/// A text is empty or holds only white space.
pub static CONNECTOR_EMPTY: Code = Code {
    slug: "open-science/connector-empty",
    grade: ERROR,
    clause: "Open-Science: connector-template.empty",
    summary: "A text is empty or holds only white space.",
    why: "It says nothing, and the field is read as if it were not there.",
    help: "Write the text, or leave the field out where it is optional.",
};

/// A text is longer than its field allows, in UTF-16 code units.
pub static CONNECTOR_TOO_LONG: Code = Code {
    slug: "open-science/connector-too-long",
    grade: ERROR,
    clause: "Open-Science: connector-template.too-long",
    summary: "A text is longer than its field allows, in UTF-16 code units.",
    why: "The field is read as if it were not there.",
    help: "Shorten it to the length that the message names.",
};

/// A list has more items than its field allows.
pub static CONNECTOR_TOO_MANY: Code = Code {
    slug: "open-science/connector-too-many",
    grade: ERROR,
    clause: "Open-Science: connector-template.too-many",
    summary: "A list has more items than its field allows.",
    why: "The whole list is dropped.",
    help: "Shorten the list to the length that the message names.",
};

/// The name of a variable or header is none.
pub static CONNECTOR_INVALID_NAME: Code = Code {
    slug: "open-science/connector-invalid-name",
    grade: ERROR,
    clause: "Open-Science: connector-template.invalid-name",
    summary: "The name of a variable or header is none.",
    why: "No program could set a variable or send a header of that name.",
    help: "Variables are letters, digits and underscores, not beginning with a digit; headers are letters, digits and hyphens, not beginning with a hyphen.",
};

/// The name has other characters than lower-case letters, digits and hyphens.
pub static CONNECTOR_NAME: Code = Code {
    slug: "open-science/connector-name",
    grade: ERROR,
    clause: "Open-Science: connector-template.name",
    summary: "The name has other characters than lower-case letters, digits and hyphens.",
    why: "The name is the identity of the Connector, in files and in permissions.",
    help: "Use a-z, 0-9 and hyphens, up to 64 characters; the label for people is display_name.",
};

/// The name belongs to a Connector that Open-Science brings along.
pub static CONNECTOR_RESERVED_NAME: Code = Code {
    slug: "open-science/connector-reserved-name",
    grade: ERROR,
    clause: "Open-Science: connector-template.reserved-name",
    summary: "The name belongs to a Connector that Open-Science brings along.",
    why: "A package could take the place of a built-in one by its name.",
    help: "Choose another name.",
};

/// Another Connector has this name.
pub static CONNECTOR_DUPLICATE_NAME: Code = Code {
    slug: "open-science/connector-duplicate-name",
    grade: ERROR,
    clause: "Open-Science: connector-template.duplicate-name",
    summary: "Another Connector has this name.",
    why: "Two Connectors of one name cannot be told apart.",
    help: "Choose another name, or remove the other one first.",
};

/// The name of a server is none that a Connector may have, and was changed.
pub static CONNECTOR_NORMALIZED_NAME: Code = Code {
    slug: "open-science/connector-normalized-name",
    grade: WARNING,
    clause: "Open-Science: connector-template.normalized-name",
    summary: "The name of a server is none that a Connector may have, and was changed.",
    why: "Whoever refers to the server by its old name does not find it.",
    help: "Check the new name, and use it wherever the server is referred to.",
};

/// The transport is missing or is none that is known.
pub static CONNECTOR_TRANSPORT: Code = Code {
    slug: "open-science/connector-transport",
    grade: ERROR,
    clause: "Open-Science: connector-template.transport",
    summary: "The transport is missing or is none that is known.",
    why: "Without it nobody knows how the server is reached.",
    help: "Write stdio, streamable_http or sse; in the configuration of a client, stdio, http or sse.",
};

/// A server of a client has both a command and a url, or not the one its transport needs.
pub static CONNECTOR_TRANSPORT_FIELDS: Code = Code {
    slug: "open-science/connector-transport-fields",
    grade: ERROR,
    clause: "Open-Science: connector-template.transport-fields",
    summary: "A server of a client has both a command and a url, or not the one its transport needs.",
    why: "It cannot be said which of the two is meant.",
    help: "Give a local server a command and a remote one a url, and not both.",
};

/// A local Connector has no usable command.
pub static CONNECTOR_COMMAND: Code = Code {
    slug: "open-science/connector-command",
    grade: ERROR,
    clause: "Open-Science: connector-template.command",
    summary: "A local Connector has no usable command.",
    why: "There is nothing to start.",
    help: "Write the program under command.",
};

/// A remote Connector has no usable url.
pub static CONNECTOR_URL_REQUIRED: Code = Code {
    slug: "open-science/connector-url-required",
    grade: ERROR,
    clause: "Open-Science: connector-template.url-required",
    summary: "A remote Connector has no usable url.",
    why: "There is nothing to connect to.",
    help: "Write the address under url.",
};

/// A local Connector has a url or an OAuth registration.
pub static CONNECTOR_STDIO_REMOTE_FIELDS: Code = Code {
    slug: "open-science/connector-stdio-remote-fields",
    grade: ERROR,
    clause: "Open-Science: connector-template.stdio-remote-fields",
    summary: "A local Connector has a url or an OAuth registration.",
    why: "A program on this machine is started, not signed in to.",
    help: "Remove url and oauth, or make the Connector a remote one.",
};

/// A local Connector asks for header secrets.
pub static CONNECTOR_STDIO_HEADERS: Code = Code {
    slug: "open-science/connector-stdio-headers",
    grade: ERROR,
    clause: "Open-Science: connector-template.stdio-headers",
    summary: "A local Connector asks for header secrets.",
    why: "A program on this machine is given its secrets in variables; there are no headers.",
    help: "Name the secrets under required_secrets.environment.",
};

/// A Connector that is not local has a command.
pub static CONNECTOR_REMOTE_COMMAND: Code = Code {
    slug: "open-science/connector-remote-command",
    grade: ERROR,
    clause: "Open-Science: connector-template.remote-command",
    summary: "A Connector that is not local has a command.",
    why: "The command would never be started, and may be taken for one that is.",
    help: "Remove command, or write \"transport\": \"stdio\".",
};

/// A remote Connector asks for variables.
pub static CONNECTOR_REMOTE_ENVIRONMENT: Code = Code {
    slug: "open-science/connector-remote-environment",
    grade: ERROR,
    clause: "Open-Science: connector-template.remote-environment",
    summary: "A remote Connector asks for variables.",
    why: "Nothing is started whose variables could be set.",
    help: "Name the secrets under required_secrets.headers.",
};

/// A field that holds a URL holds none.
pub static CONNECTOR_URL: Code = Code {
    slug: "open-science/connector-url",
    grade: ERROR,
    clause: "Open-Science: connector-template.url",
    summary: "A field that holds a URL holds none.",
    why: "Nothing can be connected to.",
    help: "Write an absolute URL, such as https://example.com/mcp.",
};

/// A URL is neither http nor https.
pub static CONNECTOR_URL_PROTOCOL: Code = Code {
    slug: "open-science/connector-url-protocol",
    grade: ERROR,
    clause: "Open-Science: connector-template.url-protocol",
    summary: "A URL is neither http nor https.",
    why: "No other protocol is spoken to a Connector.",
    help: "Write an https address.",
};

/// A URL has a user name or password in it.
pub static CONNECTOR_URL_CREDENTIALS: Code = Code {
    slug: "open-science/connector-url-credentials",
    grade: ERROR,
    clause: "Open-Science: connector-template.url-credentials",
    summary: "A URL has a user name or password in it.",
    why: "Whoever gets the template gets the credential, and it is shown wherever the address is.",
    help: "Remove it from the URL and name a header under required_secrets.headers.",
};

/// The query of a URL has a parameter that carries a secret.
pub static CONNECTOR_URL_SECRET: Code = Code {
    slug: "open-science/connector-url-secret",
    grade: ERROR,
    clause: "Open-Science: connector-template.url-secret",
    summary: "The query of a URL has a parameter that carries a secret.",
    why: "Whoever gets the template gets the credential, and it is shown wherever the address is.",
    help: "Remove the parameter and name a header under required_secrets.headers.",
};

/// An argument carries a credential, by the rules of Open-Science.
pub static CONNECTOR_ARGUMENT_SECRET: Code = Code {
    slug: "open-science/connector-argument-secret",
    grade: ERROR,
    clause: "Open-Science: connector-template.argument-secret",
    summary: "An argument carries a credential, by the rules of Open-Science.",
    why: "Whoever gets the template gets the credential, and every program on the machine can see arguments.",
    help: "Remove it and name a variable under required_secrets.environment that the program reads.",
};

/// The command is a place on one machine.
pub static CONNECTOR_LOCAL_COMMAND: Code = Code {
    slug: "open-science/connector-local-command",
    grade: WARNING,
    clause: "Open-Science: connector-template.local-command",
    summary: "The command is a place on one machine.",
    why: "On another machine there is nothing, or something else.",
    help: "Name the program without its folder, as a package runner finds it.",
};

/// An argument is a place on one machine.
pub static CONNECTOR_LOCAL_ARGUMENT: Code = Code {
    slug: "open-science/connector-local-argument",
    grade: WARNING,
    clause: "Open-Science: connector-template.local-argument",
    summary: "An argument is a place on one machine.",
    why: "On another machine there is nothing, or something else.",
    help: "Say in the description what has to be put there.",
};

/// The Connector signs in by OAuth and asks for header secrets.
pub static CONNECTOR_OAUTH_HEADERS: Code = Code {
    slug: "open-science/connector-oauth-headers",
    grade: ERROR,
    clause: "Open-Science: connector-template.oauth-headers",
    summary: "The Connector signs in by OAuth and asks for header secrets.",
    why: "Both would fill in the same header.",
    help: "Keep one of the two.",
};

/// A registered OAuth client has no authorization server.
pub static CONNECTOR_OAUTH_ISSUER: Code = Code {
    slug: "open-science/connector-oauth-issuer",
    grade: ERROR,
    clause: "Open-Science: connector-template.oauth-issuer",
    summary: "A registered OAuth client has no authorization server.",
    why: "The client is known to one server only, and a secret sent to another is lost.",
    help: "Write authorization_server_url.",
};

/// A registered client and a metadata document are given together.
pub static CONNECTOR_OAUTH_REGISTRATION: Code = Code {
    slug: "open-science/connector-oauth-registration",
    grade: ERROR,
    clause: "Open-Science: connector-template.oauth-registration",
    summary: "A registered client and a metadata document are given together.",
    why: "They are two ways to register, and it cannot be said which is meant.",
    help: "Keep client_id or client_metadata_url.",
};

/// The secret of an OAuth client is asked for, and no client is given.
pub static CONNECTOR_OAUTH_CLIENT_SECRET: Code = Code {
    slug: "open-science/connector-oauth-client-secret",
    grade: ERROR,
    clause: "Open-Science: connector-template.oauth-client-secret",
    summary: "The secret of an OAuth client is asked for, and no client is given.",
    why: "Nobody knows whose secret it is.",
    help: "Write oauth.client_id, or remove oauth_client_secret.",
};

/// The redirect does not lead back to this machine: http to 127.0.0.1, without user and fragment.
pub static CONNECTOR_OAUTH_REDIRECT_URI: Code = Code {
    slug: "open-science/connector-oauth-redirect-uri",
    grade: ERROR,
    clause: "Open-Science: connector-template.oauth-redirect-uri",
    summary: "The redirect does not lead back to this machine: http to 127.0.0.1, without user and fragment.",
    why: "The code that signs the user in would be sent to somebody else.",
    help: "Write an address such as http://127.0.0.1:8080/callback.",
};

/// A redirect is given, and no client that it was registered for.
pub static CONNECTOR_OAUTH_REDIRECT_URI_CLIENT: Code = Code {
    slug: "open-science/connector-oauth-redirect-uri-client",
    grade: ERROR,
    clause: "Open-Science: connector-template.oauth-redirect-uri-client",
    summary: "A redirect is given, and no client that it was registered for.",
    why: "Only a client that was registered before has a redirect of its own.",
    help: "Write oauth.client_id, or remove redirect_uri.",
};

/// mcpServers holds no server.
pub static CONNECTOR_EMPTY_MCP_SERVERS: Code = Code {
    slug: "open-science/connector-empty-mcp-servers",
    grade: ERROR,
    clause: "Open-Science: connector-template.empty-mcp-servers",
    summary: "mcpServers holds no server.",
    why: "There is nothing to import.",
    help: "Name the file that has servers in it.",
};

/// The configuration of a client has variables or headers; their values are not read.
pub static CONNECTOR_SECRET_VALUES: Code = Code {
    slug: "open-science/connector-secret-values-excluded",
    grade: WARNING,
    clause: "Open-Science: connector-template.secret-values-excluded",
    summary: "The configuration of a client has variables or headers; their values are not read.",
    why: "A template names secrets and never holds them.",
    help: "Supply the values again where the Connector is used, and take them out of the file.",
};

/// A JSON document is written in a way that two readers take differently.
pub static JSON_AMBIGUOUS: Code = Code {
    slug: "open-science/json-ambiguous",
    grade: ERROR,
    clause: "kitbag",
    summary: "A JSON document is written in a way that two readers take differently.",
    why: "A name that stands twice, or a number that not every reader keeps, makes one document two: Open-Science reads the last of two equal names.",
    help: "Correct the JSON at this place.",
};

/// The configuration of a client has a field that a Connector has no place for.
pub static CONNECTOR_CLIENT_FIELD: Code = Code {
    slug: "open-science/connector-client-field",
    grade: WARNING,
    clause: "kitbag",
    summary: "The configuration of a client has a field that a Connector has no place for.",
    why: "Open-Science drops it without a word, and the server may need it.",
    help: "Check that the server works without it.",
};

/// The fragment of a URL names a secret.
pub static CONNECTOR_URL_FRAGMENT: Code = Code {
    slug: "open-science/connector-url-fragment",
    grade: WARNING,
    clause: "kitbag",
    summary: "The fragment of a URL names a secret.",
    why: "Open-Science does not look there, and whoever gets the template gets what it holds.",
    help: "Remove the fragment, and name a header under required_secrets.headers.",
};

/// An argument looks like a credential and is none that Open-Science finds.
pub static CONNECTOR_ARGUMENT_CREDENTIAL: Code = Code {
    slug: "open-science/connector-argument-credential",
    grade: WARNING,
    clause: "kitbag",
    summary: "An argument looks like a credential and is none that Open-Science finds.",
    why: "Whoever gets the template gets the credential, and every program on the machine can see arguments.",
    help: "Remove it and name a variable under required_secrets.environment that the program reads.",
};

/// Open-Science takes an argument for a credential although it can hold none.
pub static CONNECTOR_ARGUMENT_HARMLESS: Code = Code {
    slug: "open-science/connector-argument-harmless",
    grade: INFO,
    clause: "kitbag",
    summary: "Open-Science takes an argument for a credential although it can hold none.",
    why: "Open-Science refuses the template all the same.",
    help: "Give the program this setting in another way: in a variable, in its own configuration, or under a flag of another name.",
};

/// manifest.json is not a JSON object.
pub static MANIFEST_OBJECT_REQUIRED: Code = Code {
    slug: "open-science/manifest-object-required",
    grade: ERROR,
    clause: "Open-Science: manifest.object-required",
    summary: "manifest.json is not a JSON object.",
    why: "Nothing in it can be found.",
    help: "Write one object with schema_version, id, version and exported_with_app_version.",
};

/// manifest.json has a field that the format does not know.
pub static MANIFEST_FIELD_FORBIDDEN: Code = Code {
    slug: "open-science/manifest-field-forbidden",
    grade: ERROR,
    clause: "Open-Science: manifest.field-forbidden",
    summary: "manifest.json has a field that the format does not know.",
    why: "Open-Science refuses a package with anything it does not know, so that no part of it is silently without effect.",
    help: "Remove it; manifest.json has exactly four fields, and what the role is stands in specialist.json.",
};

/// schema_version is missing or is not the number 1.
pub static MANIFEST_SCHEMA_VERSION: Code = Code {
    slug: "open-science/manifest-schema-version-unsupported",
    grade: ERROR,
    clause: "Open-Science: manifest.schema-version-unsupported",
    summary: "schema_version is missing or is not the number 1.",
    why: "Another version may mean something else by the same words.",
    help: "Write \"schema_version\": 1, as a number.",
};

/// id is missing, has other characters than a-z, 0-9 and hyphens, or begins with os- or mcp-.
pub static MANIFEST_ID: Code = Code {
    slug: "open-science/manifest-id-invalid",
    grade: ERROR,
    clause: "Open-Science: manifest.id-invalid",
    summary: "id is missing, has other characters than a-z, 0-9 and hyphens, or begins with os- or mcp-.",
    why: "It is the identity by which a package replaces an older one.",
    help: "Use lower-case letters, digits and hyphens, and no reserved prefix.",
};

/// version is missing or is no semantic version.
pub static MANIFEST_VERSION: Code = Code {
    slug: "open-science/manifest-version-invalid",
    grade: ERROR,
    clause: "Open-Science: manifest.version-invalid",
    summary: "version is missing or is no semantic version.",
    why: "Without it nobody knows which of two packages is the newer.",
    help: "Write three numbers, such as 1.0.0.",
};

/// exported_with_app_version is missing or is no semantic version.
pub static MANIFEST_EXPORTED_APP_VERSION: Code = Code {
    slug: "open-science/manifest-exported-app-version-invalid",
    grade: ERROR,
    clause: "Open-Science: manifest.exported-app-version-invalid",
    summary: "exported_with_app_version is missing or is no semantic version.",
    why: "It says by whose rules the package was written.",
    help: "Write the version of the application, such as 0.26.0.",
};

/// specialist.json is not a JSON object.
pub static SPECIALIST_OBJECT_REQUIRED: Code = Code {
    slug: "open-science/specialist-object-required",
    grade: ERROR,
    clause: "Open-Science: specialist.object-required",
    summary: "specialist.json is not a JSON object.",
    why: "Nothing in it can be found.",
    help: "Write one object with name, description, system_prompt, skill_ids and connector_ids.",
};

/// name is missing, shorter than 2 or longer than 80, or has other characters than letters, digits, spaces, _ and -.
pub static SPECIALIST_NAME: Code = Code {
    slug: "open-science/specialist-name-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.name-invalid",
    summary: "name is missing, shorter than 2 or longer than 80, or has other characters than letters, digits, spaces, _ and -.",
    why: "The name is how people and programs call the Specialist.",
    help: "Write a name of 2 to 80 letters, digits, spaces, underscores and hyphens.",
};

/// display_name is no text, blank, or longer than 80.
pub static SPECIALIST_DISPLAY_NAME: Code = Code {
    slug: "open-science/specialist-display-name-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.display-name-invalid",
    summary: "display_name is no text, blank, or longer than 80.",
    why: "It is what people see.",
    help: "Write a text of at most 80, or leave the field out.",
};

/// description is missing, blank, or longer than 1,000.
pub static SPECIALIST_DESCRIPTION: Code = Code {
    slug: "open-science/specialist-description-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.description-invalid",
    summary: "description is missing, blank, or longer than 1,000.",
    why: "It is what people choose the Specialist by.",
    help: "Write a text of at most 1,000.",
};

/// system_prompt is missing, blank, or longer than 32,768.
pub static SPECIALIST_SYSTEM_PROMPT: Code = Code {
    slug: "open-science/specialist-system-prompt-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.system-prompt-invalid",
    summary: "system_prompt is missing, blank, or longer than 32,768.",
    why: "Without instructions a Specialist is none.",
    help: "Write the instructions, at most 32,768; move reference material into a Skill.",
};

/// skill_ids is missing or no array.
pub static SPECIALIST_SKILL_IDS: Code = Code {
    slug: "open-science/specialist-skillIds-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.skillIds-invalid",
    summary: "skill_ids is missing or no array.",
    why: "An empty list says that no Skill is used; no list says nothing.",
    help: "Write \"skill_ids\": [] where there is none.",
};

/// An item of skill_ids is no text, or is blank.
pub static SPECIALIST_SKILL_IDS_ENTRY: Code = Code {
    slug: "open-science/specialist-skillIds-entry-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.skillIds-entry-invalid",
    summary: "An item of skill_ids is no text, or is blank.",
    why: "It names no Skill.",
    help: "Write the name of a Skill, or remove the item.",
};

/// A name stands twice in skill_ids.
pub static SPECIALIST_SKILL_IDS_DUPLICATE: Code = Code {
    slug: "open-science/specialist-skillIds-duplicate",
    grade: ERROR,
    clause: "Open-Science: specialist.skillIds-duplicate",
    summary: "A name stands twice in skill_ids.",
    why: "One of the two was meant to be another.",
    help: "Remove one of them.",
};

/// connector_ids is missing or no array.
pub static SPECIALIST_CONNECTOR_IDS: Code = Code {
    slug: "open-science/specialist-connectorIds-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.connectorIds-invalid",
    summary: "connector_ids is missing or no array.",
    why: "An empty list says that no Connector is used; no list says nothing.",
    help: "Write \"connector_ids\": [] where there is none.",
};

/// An item of connector_ids is no text, or is blank.
pub static SPECIALIST_CONNECTOR_IDS_ENTRY: Code = Code {
    slug: "open-science/specialist-connectorIds-entry-invalid",
    grade: ERROR,
    clause: "Open-Science: specialist.connectorIds-entry-invalid",
    summary: "An item of connector_ids is no text, or is blank.",
    why: "It names no Connector.",
    help: "Write the name of a Connector, or remove the item.",
};

/// A name stands twice in connector_ids.
pub static SPECIALIST_CONNECTOR_IDS_DUPLICATE: Code = Code {
    slug: "open-science/specialist-connectorIds-duplicate",
    grade: ERROR,
    clause: "Open-Science: specialist.connectorIds-duplicate",
    summary: "A name stands twice in connector_ids.",
    why: "One of the two was meant to be another.",
    help: "Remove one of them.",
};

/// specialist.json has id or version.
pub static SPECIALIST_IDENTITY_FIELD: Code = Code {
    slug: "open-science/specialist-identity-field-forbidden",
    grade: ERROR,
    clause: "Open-Science: specialist.identity-field-forbidden",
    summary: "specialist.json has id or version.",
    why: "They belong to the package, and two places could say two things.",
    help: "Write them in manifest.json.",
};

/// specialist.json has a field of how the Specialist looks.
pub static SPECIALIST_PRESENTATION_FIELD: Code = Code {
    slug: "open-science/specialist-presentation-field-forbidden",
    grade: ERROR,
    clause: "Open-Science: specialist.presentation-field-forbidden",
    summary: "specialist.json has a field of how the Specialist looks.",
    why: "How it looks is for whoever installs it.",
    help: "Remove icon_key and color_key.",
};

/// specialist.json has a field of what the Specialist may do beyond its lists.
pub static SPECIALIST_CAPABILITY_FIELD: Code = Code {
    slug: "open-science/specialist-capability-field-forbidden",
    grade: ERROR,
    clause: "Open-Science: specialist.capability-field-forbidden",
    summary: "specialist.json has a field of what the Specialist may do beyond its lists.",
    why: "A package may not give itself more than the Skills and Connectors it names.",
    help: "Remove capability_mode, full_access and selected_capabilities.",
};

/// specialist.json has the field enabled.
pub static SPECIALIST_ENABLED_FIELD: Code = Code {
    slug: "open-science/specialist-enabled-field-forbidden",
    grade: ERROR,
    clause: "Open-Science: specialist.enabled-field-forbidden",
    summary: "specialist.json has the field enabled.",
    why: "A package may not switch itself on.",
    help: "Remove enabled.",
};

/// specialist.json has a field that the format does not know.
pub static SPECIALIST_FIELD_FORBIDDEN: Code = Code {
    slug: "open-science/specialist-field-forbidden",
    grade: ERROR,
    clause: "Open-Science: specialist.field-forbidden",
    summary: "specialist.json has a field that the format does not know.",
    why: "Open-Science refuses a package with anything it does not know, so that no part of it is silently without effect.",
    help: "Remove it or correct its spelling: in a package, fields are spelt in snake_case.",
};

/// The name belongs to a Specialist that the application brings along.
pub static SPECIALIST_NAME_PROTECTED: Code = Code {
    slug: "open-science/specialist-name-protected",
    grade: ERROR,
    clause: "Open-Science: specialist.name-protected",
    summary: "The name belongs to a Specialist that the application brings along.",
    why: "A package could be taken for a built-in one.",
    help: "Choose another name.",
};

/// Another Specialist has this name.
pub static SPECIALIST_NAME_DUPLICATE: Code = Code {
    slug: "open-science/specialist-name-duplicate",
    grade: ERROR,
    clause: "Open-Science: specialist.name-duplicate",
    summary: "Another Specialist has this name.",
    why: "Two of one name cannot be told apart.",
    help: "Choose another name, or remove the other one first.",
};

/// This version of the Specialist is installed.
pub static SPECIALIST_OVERWRITE_SAME_VERSION: Code = Code {
    slug: "open-science/specialist-overwrite-same-version",
    grade: WARNING,
    clause: "Open-Science: specialist.overwrite-same-version",
    summary: "This version of the Specialist is installed.",
    why: "It would be installed once more, and loses what was changed since.",
    help: "Nothing has to be installed.",
};

/// A higher version of the Specialist is installed.
pub static SPECIALIST_OVERWRITE_DOWNGRADE: Code = Code {
    slug: "open-science/specialist-overwrite-downgrade",
    grade: WARNING,
    clause: "Open-Science: specialist.overwrite-downgrade",
    summary: "A higher version of the Specialist is installed.",
    why: "What was put right since would be wrong again.",
    help: "Install it only if the older version is what you want.",
};

/// The installed Specialist was changed since it was installed.
pub static SPECIALIST_OVERWRITE_MODIFIED: Code = Code {
    slug: "open-science/specialist-overwrite-local-modifications",
    grade: WARNING,
    clause: "Open-Science: specialist.overwrite-local-modifications",
    summary: "The installed Specialist was changed since it was installed.",
    why: "The changes are lost.",
    help: "Export it first if the changes are to be kept.",
};

/// The package has another content than the installed one and the same version.
pub static SPECIALIST_OVERWRITE_CONTENT: Code = Code {
    slug: "open-science/specialist-overwrite-content-without-version-bump",
    grade: ERROR,
    clause: "Open-Science: specialist.overwrite-content-without-version-bump",
    summary: "The package has another content than the installed one and the same version.",
    why: "Two contents of one version cannot be told apart, and nobody would notice the change.",
    help: "Ask for a package with a higher version, or delete the installed Specialist first.",
};

/// The package has another content than the installed one and a lower version.
pub static SPECIALIST_OVERWRITE_CONTENT_DOWNGRADE: Code = Code {
    slug: "open-science/specialist-overwrite-content-downgrade",
    grade: ERROR,
    clause: "Open-Science: specialist.overwrite-content-downgrade",
    summary: "The package has another content than the installed one and a lower version.",
    why: "An old package can bring back what was taken out for a reason.",
    help: "Delete the installed Specialist first if the older version is what you want.",
};

/// The package names Skills that are not in it.
pub static SPECIALIST_EXPORT_UNBUNDLED: Code = Code {
    slug: "open-science/specialist-export-unbundled-skills",
    grade: INFO,
    clause: "Open-Science: specialist.export-unbundled-skills",
    summary: "The package names Skills that are not in it.",
    why: "Whoever installs it has to have them.",
    help: "Name them to bring them along, except those that Open-Science has anyway.",
};

/// The Specialist was changed and its version was not.
pub static SPECIALIST_EXPORT_VERSION: Code = Code {
    slug: "open-science/specialist-export-version-unchanged",
    grade: WARNING,
    clause: "Open-Science: specialist.export-version-unchanged",
    summary: "The Specialist was changed and its version was not.",
    why: "Where the version is installed, a package with another content is refused.",
    help: "Raise the version in `manifest.json` of the package before others get it.",
};

/// The exported package no longer names what the installed one named.
pub static SPECIALIST_EXPORT_LEFT_OUT: Code = Code {
    slug: "open-science/specialist-export-left-out",
    grade: INFO,
    clause: "kitbag",
    summary: "The exported package no longer names what the installed one named.",
    why: "It was taken from the Specialist here, and whoever installs the package does not get it.",
    help: "Give it back to the Specialist if it is to be in the package.",
};

/// The identity belongs to a Specialist that the application brings along.
pub static SPECIALIST_ID_PROTECTED: Code = Code {
    slug: "open-science/specialist-id-protected",
    grade: ERROR,
    clause: "Open-Science: specialist.id-protected",
    summary: "The identity belongs to a Specialist that the application brings along.",
    why: "Installing the package would replace it.",
    help: "Choose another id in manifest.json.",
};

/// A Skill that the Specialist uses is neither installed nor in the package.
pub static SPECIALIST_SKILL_UNAVAILABLE: Code = Code {
    slug: "open-science/specialist-skill-unavailable",
    grade: WARNING,
    clause: "Open-Science: specialist.skill-unavailable",
    summary: "A Skill that the Specialist uses is neither installed nor in the package.",
    why: "It is dropped, and the Specialist works without it.",
    help: "Install the Skill first, or bundle it.",
};

/// A Connector that the Specialist uses is not installed.
pub static SPECIALIST_CONNECTOR_UNAVAILABLE: Code = Code {
    slug: "open-science/specialist-connector-unavailable",
    grade: WARNING,
    clause: "Open-Science: specialist.connector-unavailable",
    summary: "A Connector that the Specialist uses is not installed.",
    why: "It is dropped, and the Specialist works without it.",
    help: "Set the Connector up first.",
};

/// A file stands where a package has none.
pub static TOP_LEVEL_CONTENT: Code = Code {
    slug: "open-science/package-top-level-content-forbidden",
    grade: ERROR,
    clause: "Open-Science: package.top-level-content-forbidden",
    summary: "A file stands where a package has none.",
    why: "Only manifest.json, specialist.json, README.txt, LICENSE and skills/ are read; what is elsewhere is carried along unseen.",
    help: "Remove it, or move it into the folder of a Skill; the notes for people are README.txt.",
};

/// manifest.json or specialist.json is missing.
pub static REQUIRED_FILE_MISSING: Code = Code {
    slug: "open-science/package-required-file-missing",
    grade: ERROR,
    clause: "Open-Science: package.required-file-missing",
    summary: "manifest.json or specialist.json is missing.",
    why: "A package is both documents together.",
    help: "Add the document that the message names.",
};

/// A document of the package is not valid JSON.
pub static JSON_INVALID: Code = Code {
    slug: "open-science/package-json-invalid",
    grade: ERROR,
    clause: "Open-Science: package.json-invalid",
    summary: "A document of the package is not valid JSON.",
    why: "Nothing in it can be read.",
    help: "Correct the JSON.",
};

/// A file has the ending of a program or script.
pub static EXECUTABLE_CONTENT: Code = Code {
    slug: "open-science/package-executable-content-present",
    grade: WARNING,
    clause: "Open-Science: package.executable-content-present",
    summary: "A file has the ending of a program or script.",
    why: "Whoever installs the package may run it.",
    help: "Look at it before you install the package; leave it out where it is not needed.",
};

/// A file was left behind by an operating system.
pub static METADATA_NOISE: Code = Code {
    slug: "open-science/package-metadata-noise-ignored",
    grade: INFO,
    clause: "Open-Science: package.metadata-noise-ignored",
    summary: "A file was left behind by an operating system.",
    why: "It is not installed; its name may tell something about the author's machine.",
    help: "Leave it out of the package.",
};

/// The archive is longer than 50 MiB.
pub static ARCHIVE_COMPRESSED_SIZE: Code = Code {
    slug: "open-science/package-archive-compressed-size-exceeded",
    grade: ERROR,
    clause: "Open-Science: package.archive-compressed-size-exceeded",
    summary: "The archive is longer than 50 MiB.",
    why: "It is not read.",
    help: "Make the package smaller.",
};

/// The files have more than 200 MiB in all.
pub static ARCHIVE_UNCOMPRESSED_SIZE: Code = Code {
    slug: "open-science/package-archive-uncompressed-size-exceeded",
    grade: ERROR,
    clause: "Open-Science: package.archive-uncompressed-size-exceeded",
    summary: "The files have more than 200 MiB in all.",
    why: "The package is not read.",
    help: "Make the package smaller.",
};

/// The package has more than 2,000 files.
pub static ARCHIVE_FILE_COUNT: Code = Code {
    slug: "open-science/package-archive-file-count-exceeded",
    grade: ERROR,
    clause: "Open-Science: package.archive-file-count-exceeded",
    summary: "The package has more than 2,000 files.",
    why: "The package is not read; what operating systems leave behind counts too.",
    help: "Take out what is not needed.",
};

/// A file has more than 25 MiB.
pub static ARCHIVE_FILE_SIZE: Code = Code {
    slug: "open-science/package-archive-file-size-exceeded",
    grade: ERROR,
    clause: "Open-Science: package.archive-file-size-exceeded",
    summary: "A file has more than 25 MiB.",
    why: "The package is not read.",
    help: "Make the file smaller, or let the Skill fetch it.",
};

/// An entry becomes more than 1,000 times what it is packed in.
pub static ARCHIVE_RATIO: Code = Code {
    slug: "open-science/package-archive-compression-ratio-exceeded",
    grade: ERROR,
    clause: "Open-Science: package.archive-compression-ratio-exceeded",
    summary: "An entry becomes more than 1,000 times what it is packed in.",
    why: "So much from so little is how an archive fills a disk.",
    help: "Take the file out of the archive.",
};

/// A path has more than 32 segments.
pub static ARCHIVE_PATH_DEPTH: Code = Code {
    slug: "open-science/package-archive-path-depth-exceeded",
    grade: ERROR,
    clause: "Open-Science: package.archive-path-depth-exceeded",
    summary: "A path has more than 32 segments.",
    why: "The package is not read.",
    help: "Move the file up.",
};

/// An entry has an absolute path.
pub static ARCHIVE_PATH_ABSOLUTE: Code = Code {
    slug: "open-science/package-archive-path-absolute",
    grade: ERROR,
    clause: "Open-Science: package.archive-path-absolute",
    summary: "An entry has an absolute path.",
    why: "Unpacked, it would lie outside of the package.",
    help: "Make the archive from inside the package's folder.",
};

/// An entry has a path with a drive.
pub static ARCHIVE_PATH_DRIVE: Code = Code {
    slug: "open-science/package-archive-path-drive",
    grade: ERROR,
    clause: "Open-Science: package.archive-path-drive",
    summary: "An entry has a path with a drive.",
    why: "Unpacked on Windows, it would lie outside of the package.",
    help: "Make the archive from inside the package's folder.",
};

/// An entry has a backslash in its path.
pub static ARCHIVE_PATH_BACKSLASH: Code = Code {
    slug: "open-science/package-archive-path-backslash",
    grade: ERROR,
    clause: "Open-Science: package.archive-path-backslash",
    summary: "An entry has a backslash in its path.",
    why: "It is a folder on Windows and a character elsewhere.",
    help: "Write paths with slashes.",
};

/// An entry has a `.`, `..` or empty segment in its path.
pub static ARCHIVE_PATH_TRAVERSAL: Code = Code {
    slug: "open-science/package-archive-path-traversal",
    grade: ERROR,
    clause: "Open-Science: package.archive-path-traversal",
    summary: "An entry has a `.`, `..` or empty segment in its path.",
    why: "Unpacked, it could lie outside of the package, or where another file is.",
    help: "Write plain paths.",
};

/// Two entries have one path, but for case or the form of accents.
pub static ARCHIVE_PATH_DUPLICATE: Code = Code {
    slug: "open-science/package-archive-path-duplicate",
    grade: ERROR,
    clause: "Open-Science: package.archive-path-duplicate",
    summary: "Two entries have one path, but for case or the form of accents.",
    why: "On some systems one of them replaces the other.",
    help: "Rename or remove one of them.",
};

/// An entry is encrypted.
pub static ARCHIVE_ENCRYPTION: Code = Code {
    slug: "open-science/package-archive-encryption-unsupported",
    grade: ERROR,
    clause: "Open-Science: package.archive-encryption-unsupported",
    summary: "An entry is encrypted.",
    why: "Nobody can see what it is before it is installed.",
    help: "Make the archive without a password.",
};

/// A symbolic link is in the package.
pub static SYMBOLIC_LINK: Code = Code {
    slug: "open-science/package-symbolic-link-forbidden",
    grade: ERROR,
    clause: "Open-Science: package.symbolic-link-forbidden",
    summary: "A symbolic link is in the package.",
    why: "It can lead to any file of whoever installs the package.",
    help: "Put the file itself in its place.",
};

/// A hard link is in the package.
pub static HARD_LINK: Code = Code {
    slug: "open-science/package-hard-link-forbidden",
    grade: ERROR,
    clause: "Open-Science: package.hard-link-forbidden",
    summary: "A file of the package has another name elsewhere.",
    why: "Whoever writes to the other name changes the package, and what is elsewhere need not be meant to be published.",
    help: "Put a copy of the file in its place.",
};

/// An entry is neither a file nor a folder.
pub static ARCHIVE_LINK: Code = Code {
    slug: "open-science/package-archive-link-unsupported",
    grade: ERROR,
    clause: "Open-Science: package.archive-link-unsupported",
    summary: "An entry is neither a file nor a folder.",
    why: "No package has a use for it.",
    help: "Leave it out.",
};

/// An entry is packed by a method that is not read.
pub static ARCHIVE_COMPRESSION: Code = Code {
    slug: "open-science/package-archive-compression-unsupported",
    grade: ERROR,
    clause: "Open-Science: package.archive-compression-unsupported",
    summary: "An entry is packed by a method that is not read.",
    why: "Only stored and deflated entries are read everywhere.",
    help: "Make the archive with the ordinary method.",
};

/// The archive cannot be read as a ZIP.
pub static ARCHIVE_INVALID: Code = Code {
    slug: "open-science/package-archive-invalid",
    grade: ERROR,
    clause: "Open-Science: package.archive-invalid",
    summary: "The archive cannot be read as a ZIP.",
    why: "Nothing in it can be found.",
    help: "Make the archive anew.",
};

/// It cannot be told where in the archive the package is.
pub static ARCHIVE_LAYOUT: Code = Code {
    slug: "open-science/package-archive-layout-invalid",
    grade: ERROR,
    clause: "Open-Science: package.archive-layout-invalid",
    summary: "It cannot be told where in the archive the package is.",
    why: "There must be one manifest.json at the root, or one folder with everything in it, and no second one beside.",
    help: "Pack the content of the package's folder, and nothing else.",
};

/// A file or folder of the package cannot be read.
pub static DIRECTORY_UNREADABLE: Code = Code {
    slug: "open-science/package-directory-unreadable",
    grade: ERROR,
    clause: "Open-Science: package.directory-unreadable",
    summary: "A file or folder of the package cannot be read.",
    why: "What is not read is not judged.",
    help: "Make it readable, or remove it.",
};

/// A file lies in skills/ and in no Skill's folder.
pub static SKILL_PATH: Code = Code {
    slug: "open-science/skill-path-noncanonical",
    grade: WARNING,
    clause: "Open-Science: skill.path-noncanonical",
    summary: "A file lies in skills/ and in no Skill's folder.",
    why: "It is not installed.",
    help: "Move it to skills/<name>/.",
};

/// The folder of a bundled Skill has a name that no Skill may have.
pub static SKILL_ID: Code = Code {
    slug: "open-science/skill-id-invalid",
    grade: WARNING,
    clause: "Open-Science: skill.id-invalid",
    summary: "The folder of a bundled Skill has a name that no Skill may have.",
    why: "The Skill is left out.",
    help: "Use up to 64 lower-case letters, digits and single hyphens, and no reserved prefix.",
};

/// A bundled Skill has no SKILL.md, in exactly this spelling.
pub static SKILL_DOCUMENT_MISSING: Code = Code {
    slug: "open-science/skill-document-missing",
    grade: WARNING,
    clause: "Open-Science: skill.document-missing",
    summary: "A bundled Skill has no SKILL.md, in exactly this spelling.",
    why: "The Skill is left out.",
    help: "Add SKILL.md to its folder.",
};

/// SKILL.md of a bundled Skill is not UTF-8 or cannot be read.
pub static SKILL_DOCUMENT_INVALID: Code = Code {
    slug: "open-science/skill-document-invalid",
    grade: WARNING,
    clause: "Open-Science: skill.document-invalid",
    summary: "SKILL.md of a bundled Skill is not UTF-8 or cannot be read.",
    why: "The Skill is left out.",
    help: "Save the document as UTF-8.",
};

/// The name in SKILL.md of a bundled Skill is not the name of its folder.
pub static SKILL_NAME_MISMATCH: Code = Code {
    slug: "open-science/skill-name-mismatch",
    grade: WARNING,
    clause: "Open-Science: skill.name-mismatch",
    summary: "The name in SKILL.md of a bundled Skill is not the name of its folder.",
    why: "The Skill is left out.",
    help: "Give both the same name.",
};

/// The version in SKILL.md of a bundled Skill is none.
pub static SKILL_VERSION: Code = Code {
    slug: "open-science/skill-version-invalid",
    grade: WARNING,
    clause: "Open-Science: skill.version-invalid",
    summary: "The version in SKILL.md of a bundled Skill is none.",
    why: "The Skill is left out.",
    help: "Write three numbers, such as 1.0.0, or leave the field out.",
};

/// A bundled Skill has a folder of scripts.
pub static SKILL_EXECUTABLE: Code = Code {
    slug: "open-science/skill-executable-content-present",
    grade: WARNING,
    clause: "Open-Science: skill.executable-content-present",
    summary: "A bundled Skill has a folder of scripts.",
    why: "An agent may run them.",
    help: "Look at them before you install the package.",
};

/// A Skill of this name is installed and differs.
pub static SKILL_EXISTING_CONFLICT: Code = Code {
    slug: "open-science/skill-existing-conflict",
    grade: WARNING,
    clause: "Open-Science: skill.existing-conflict",
    summary: "A Skill of this name is installed and differs.",
    why: "Somebody has to choose which of the two is used; whoever uses the installed one is concerned too.",
    help: "Choose one of the two when the package is installed.",
};

/// An entry of the Skill is a link, or has a name that no archive may hold.
pub static UNSAFE_PACKAGE_ENTRY: Code = Code {
    slug: "open-science/unsafePackageEntry",
    grade: ERROR,
    clause: "Open-Science: unsafePackageEntry",
    summary: "An entry of the Skill is a link, or has a name that no archive may hold.",
    why: "It would not be the same where the Skill is installed, or could lie outside of it. Names that begin with a dot are among them.",
    help: "Replace a link by what it leads to; rename or remove the entry.",
};

/// An entry of the Skill is neither a file nor a folder, or cannot be read.
pub static UNSUPPORTED_PACKAGE_ENTRY: Code = Code {
    slug: "open-science/unsupportedPackageEntry",
    grade: ERROR,
    clause: "Open-Science: unsupportedPackageEntry",
    summary: "An entry of the Skill is neither a file nor a folder, or cannot be read.",
    why: "No archive can hold it.",
    help: "Remove it from the Skill.",
};

/// A folder lies deeper than 8 levels.
pub static PACKAGE_DEPTH: Code = Code {
    slug: "open-science/packageDepthExceeded",
    grade: ERROR,
    clause: "Open-Science: packageDepthExceeded",
    summary: "A folder lies deeper than 8 levels.",
    why: "What is below it is not imported.",
    help: "Move it to a folder nearer to the root.",
};

/// The Skill has more than 16,384 files.
pub static PACKAGE_FILE_COUNT: Code = Code {
    slug: "open-science/packageFileCountExceeded",
    grade: ERROR,
    clause: "Open-Science: packageFileCountExceeded",
    summary: "The Skill has more than 16,384 files.",
    why: "It cannot be imported.",
    help: "Take out what is not needed.",
};

/// A file of the Skill has more than 50 MiB.
pub static PACKAGE_FILE_SIZE: Code = Code {
    slug: "open-science/packageFileSizeExceeded",
    grade: ERROR,
    clause: "Open-Science: packageFileSizeExceeded",
    summary: "A file of the Skill has more than 50 MiB.",
    why: "The Skill cannot be imported.",
    help: "Make the file smaller, or let the Skill fetch it.",
};

/// The files of the Skill have more than 128 MiB in all.
pub static PACKAGE_TOTAL_SIZE: Code = Code {
    slug: "open-science/packageTotalSizeExceeded",
    grade: ERROR,
    clause: "Open-Science: packageTotalSizeExceeded",
    summary: "The files of the Skill have more than 128 MiB in all.",
    why: "It cannot be imported.",
    help: "Make the Skill smaller.",
};

/// The Skill has no SKILL.md at its root, in exactly this spelling.
pub static MISSING_SKILL_DOCUMENT: Code = Code {
    slug: "open-science/missingSkillDocument",
    grade: ERROR,
    clause: "Open-Science: missingSkillDocument",
    summary: "The Skill has no SKILL.md at its root, in exactly this spelling.",
    why: "It is what makes a folder a Skill.",
    help: "Add SKILL.md.",
};

/// name or description is missing or blank.
pub static MISSING_FRONTMATTER: Code = Code {
    slug: "open-science/missingRequiredFrontmatter",
    grade: ERROR,
    clause: "Open-Science: missingRequiredFrontmatter",
    summary: "name or description is missing or blank.",
    why: "An agent finds and chooses a Skill by them.",
    help: "Write both into the front matter.",
};

/// The front matter has other fields than name, description and displayName.
pub static INVALID_FRONTMATTER_FIELDS: Code = Code {
    slug: "open-science/invalidFrontmatterFields",
    grade: ERROR,
    clause: "Open-Science: invalidFrontmatterFields",
    summary: "The front matter has other fields than name, description and displayName.",
    why: "Open-Science publishes no Skill with them; other programs read some of them.",
    help: "Remove them from the Skill that is published there.",
};

/// The name of the Skill is not the expected one.
pub static NAME_MISMATCH: Code = Code {
    slug: "open-science/nameMismatch",
    grade: ERROR,
    clause: "Open-Science: nameMismatch",
    summary: "The name of the Skill is not the expected one.",
    why: "It would be published under another name than it is known by.",
    help: "Give the folder and the front matter the same name.",
};

/// There are no instructions behind the front matter.
pub static EMPTY_BODY: Code = Code {
    slug: "open-science/emptyBody",
    grade: WARNING,
    clause: "Open-Science: emptyBody",
    summary: "There are no instructions behind the front matter.",
    why: "An agent that chooses the Skill learns nothing.",
    help: "Write what is to be done.",
};

/// A link leads to a file that the Skill does not have.
pub static MISSING_LOCAL_LINK: Code = Code {
    slug: "open-science/missingLocalLink",
    grade: WARNING,
    clause: "Open-Science: missingLocalLink",
    summary: "A link leads to a file that the Skill does not have.",
    why: "An agent that follows it finds nothing.",
    help: "Add the file or correct the link.",
};

/// An evaluation file is not valid JSON.
pub static INVALID_JSON: Code = Code {
    slug: "open-science/invalidJson",
    grade: ERROR,
    clause: "Open-Science: invalidJson",
    summary: "An evaluation file is not valid JSON.",
    why: "It cannot be run.",
    help: "Correct the JSON.",
};

/// trigger-evals.json does not have its shape.
pub static INVALID_TRIGGER_EVALS: Code = Code {
    slug: "open-science/invalidTriggerEvals",
    grade: ERROR,
    clause: "Open-Science: invalidTriggerEvals",
    summary: "trigger-evals.json does not have its shape.",
    why: "It cannot be run.",
    help: "Write {\"schema_version\": 1, \"kind\": \"trigger\", \"cases\": [{\"id\", \"query\", \"should_trigger\"}]}.",
};

/// evals/evals.json does not have its shape.
pub static INVALID_OUTPUT_EVALS: Code = Code {
    slug: "open-science/invalidOutputEvals",
    grade: ERROR,
    clause: "Open-Science: invalidOutputEvals",
    summary: "evals/evals.json does not have its shape.",
    why: "It cannot be run.",
    help: "Write {\"schema_version\": 1, \"skill_id\", \"source_revision\", \"evals\": [{\"id\", \"prompt\", \"expected_output\", \"files\", \"expectations\"}]}.",
};

/// An entry has a NUL in its name.
pub static ARCHIVE_PATH_CONTROL: Code = Code {
    slug: "open-science/package-archive-path-control",
    grade: ERROR,
    clause: "kitbag",
    summary: "An entry has a NUL in its name.",
    why: "Programs cut the name there, each in its own way.",
    help: "Rename the file.",
};

/// Open-Science and the strict reader see different files.
pub static PACKAGE_READINGS_DIFFER: Code = Code {
    slug: "open-science/package-readings-differ",
    grade: ERROR,
    clause: "kitbag",
    summary: "Open-Science and the strict reader see different files.",
    why: "What is looked at would not be what is installed; a name that does not say that it is UTF-8 is read in two ways.",
    help: "Pack it again with a program that marks names as UTF-8, or with `kitbag pack`.",
};

/// A Skill that the Specialist uses is not in its package.
pub static SPECIALIST_SKILL_NOT_BUNDLED: Code = Code {
    slug: "open-science/specialist-skill-not-bundled",
    grade: INFO,
    clause: "kitbag",
    summary: "A Skill that the Specialist uses is not in its package.",
    why: "It has to be installed where the package goes; Open-Science drops it with a warning otherwise.",
    help: "Bundle the Skill under skills/, or say in README.txt where it is found.",
};

/// A bundled Skill is not in skill_ids.
pub static SPECIALIST_SKILL_UNLISTED: Code = Code {
    slug: "open-science/specialist-skill-unlisted",
    grade: INFO,
    clause: "kitbag",
    summary: "A bundled Skill is not in skill_ids.",
    why: "Open-Science lets the Specialist use it all the same, so the list does not say what is used.",
    help: "Add the Skill to skill_ids, or leave it out of the package.",
};
