//! A Connector in the configuration files of MCP clients. Each client spells transports, variables and secrets its own way;
//! what it cannot say is a loss. Nothing written here is read back, and no value of a secret is ever in it: each is a
//! placeholder that the client fills in.

use crate::json::{Json, Pointer, Span, Value};
use crate::path::PackagePath;
use crate::permit::{Loss, LossKind, Lowered, Origin};

use super::super::print;
use super::template::{Template, Transport};
use super::toml;

/// A program whose configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// The form that Open-Science exports (§5.1), which many clients read.
    Plain,
    /// Claude Code: `.mcp.json`.
    ClaudeCode,
    /// Codex: `config.toml`.
    Codex,
    /// Cursor: `.cursor/mcp.json`.
    Cursor,
    /// Gemini CLI: `.gemini/settings.json`.
    GeminiCli,
    /// VS Code: `.vscode/mcp.json`.
    VsCode,
}

impl Client {
    /// Each client under its name on the command line.
    pub const ALL: [(&'static str, Self); 6] = [
        ("plain", Self::Plain),
        ("claude-code", Self::ClaudeCode),
        ("codex", Self::Codex),
        ("cursor", Self::Cursor),
        ("gemini-cli", Self::GeminiCli),
        ("vscode", Self::VsCode),
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::GeminiCli => "gemini-cli",
            Self::VsCode => "vscode",
        }
    }

    /// Where the client looks for the file, or, for the plain form, what Open-Science calls it.
    #[must_use]
    pub fn file(self, template: &Template) -> String {
        match self {
            Self::Plain => format!("mcp-{}.json", template.name),
            Self::ClaudeCode => ".mcp.json".to_owned(),
            Self::Codex => ".codex/config.toml".to_owned(),
            Self::Cursor => ".cursor/mcp.json".to_owned(),
            Self::GeminiCli => ".gemini/settings.json".to_owned(),
            Self::VsCode => ".vscode/mcp.json".to_owned(),
        }
    }

    /// The text for the variable `name`, put in when the client starts the Connector.
    fn placeholder(self, name: &str) -> String {
        match self {
            Self::Plain | Self::ClaudeCode | Self::Codex | Self::GeminiCli => format!("${{{name}}}"),
            Self::Cursor => format!("${{env:{name}}}"),
            Self::VsCode => format!("${{input:{name}}}"),
        }
    }

    /// What the client takes for a variable wherever it stands; `None` where texts are taken as they are.
    const fn variables_begin(self) -> Option<&'static str> {
        match self {
            Self::Plain | Self::Codex => None,
            Self::ClaudeCode | Self::Cursor | Self::VsCode => Some("${"),
            Self::GeminiCli => Some("$"),
        }
    }
}

/// A configuration with one Connector in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The client.
    pub client: Client,
    /// Where it looks for the file.
    pub file: String,
    /// The file.
    pub text: String,
    /// What has to be set before the client starts the Connector, in the order in which it is asked for.
    pub secrets: Vec<Needed>,
}

/// A secret that the client has to be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// The variable, or the name under which the client asks for it.
    pub variable: String,
    /// What it becomes: `the environment variable X` or `the header Y`.
    pub becomes: String,
}

/// The configuration of `client` for `template`, which is described in `file`.
#[must_use]
pub fn configuration(template: &Template, client: Client, file: &PackagePath) -> Lowered<Configuration> {
    let mut lowering = Lowering { template, client, file, losses: Vec::new(), secrets: Vec::new() };
    let text = match client {
        Client::Codex => lowering.codex(),
        Client::VsCode => lowering.vscode(),
        _ => {
            let server = lowering.server();
            let servers = print::object([(template.name.as_str(), server)]);
            print::document(&print::object([("mcpServers", servers)]))
        }
    };
    lowering.left_out();
    let Lowering { losses, secrets, .. } = lowering;
    Lowered { value: Configuration { client, file: client.file(template), text, secrets }, losses }
}

struct Lowering<'t> {
    template: &'t Template,
    client: Client,
    file: &'t PackagePath,
    losses: Vec<Loss>,
    secrets: Vec<Needed>,
}

impl Lowering<'_> {
    fn lose(&mut self, pointer: Pointer, kind: LossKind, because: impl Into<String>) {
        let origin =
            Origin { format: "open-science", file: self.file.clone(), pointer, span: Span::default() };
        self.losses.push(Loss { origin, target: self.client.name(), kind, because: because.into() });
    }

    /// One server in a JSON dialect.
    fn server(&mut self) -> Json {
        let template = self.template;
        let mut members: Vec<(&str, Json)> = Vec::new();
        if let Some(kind) = self.kind() {
            members.push(("type", print::text(kind)));
        }
        if template.transport.is_remote() {
            let key = match (self.client, template.transport) {
                (Client::GeminiCli, Transport::StreamableHttp) => "httpUrl",
                _ => "url",
            };
            members.extend(template.url.as_ref().map(|url| (key, print::text(url))));
            let headers = self.headers();
            members.extend(headers.map(|headers| ("headers", headers)));
        } else {
            members.extend(template.command.as_ref().map(|command| ("command", print::text(command))));
            members.extend(template.args.as_ref().map(|args| ("args", print::texts(args))));
            let environment = self.environment();
            members.extend(environment.map(|environment| ("env", environment)));
        }
        print::object(members)
    }

    /// The word for the transport, where the client has one.
    fn kind(&self) -> Option<&'static str> {
        match (self.client, self.template.transport) {
            (Client::VsCode, Transport::Stdio) => Some("stdio"),
            (Client::Cursor | Client::GeminiCli, _) | (_, Transport::Stdio) => None,
            (_, Transport::StreamableHttp) => Some("http"),
            (_, Transport::Sse) => Some("sse"),
        }
    }

    fn environment(&mut self) -> Option<Json> {
        let names: &[String] = &self.template.secrets.environment;
        let mut members = Vec::with_capacity(names.len());
        for name in names {
            let variable = match self.client {
                Client::VsCode => input_name(&self.template.name, name),
                _ => name.clone(),
            };
            members.push((name.as_str(), print::text(self.client.placeholder(&variable))));
            self.secrets.push(Needed { variable, becomes: format!("the environment variable {name}") });
        }
        (!members.is_empty()).then(|| print::object(members))
    }

    fn headers(&mut self) -> Option<Json> {
        let names: &[String] = &self.template.secrets.headers;
        let mut members = Vec::with_capacity(names.len());
        for name in names {
            let variable = match self.client {
                // Open-Science names the header itself, whatever can set such a variable.
                Client::Plain => name.clone(),
                Client::VsCode => input_name(&self.template.name, name),
                _ => variable_name(&self.template.name, name),
            };
            members.push((name.as_str(), print::text(self.client.placeholder(&variable))));
            self.secrets.push(Needed { variable, becomes: format!("the header {name}") });
        }
        (!members.is_empty()).then(|| print::object(members))
    }

    /// VS Code asks for secrets and keeps them: each is an input.
    fn vscode(&mut self) -> String {
        let server = self.server();
        let inputs = self.secrets.iter().map(|needed| {
            print::object([
                ("type", print::text("promptString")),
                ("id", print::text(&needed.variable)),
                ("description", print::text(format!("{} of {}", needed.becomes, self.template.display_name))),
                ("password", print::value(Value::Bool(true))),
            ])
        });
        let inputs: Vec<Json> = inputs.collect();
        let servers = ("servers", print::object([(self.template.name.as_str(), server)]));
        let members = (!inputs.is_empty()).then(|| ("inputs", print::value(Value::Array(inputs))));
        print::document(&print::object(members.into_iter().chain([servers])))
    }

    /// Codex is given names only: it takes the values from its own environment.
    fn codex(&mut self) -> String {
        let template = self.template;
        let mut table = toml::Table::new(["mcp_servers", template.name.as_str()]);
        if template.transport == Transport::Sse {
            let because = "Codex has no server-sent events; it will try streamable HTTP at the same address";
            self.lose(Pointer::root().join("transport"), LossKind::Dropped, because);
        }
        if template.transport.is_remote() {
            if let Some(url) = &template.url {
                table.text("url", url);
            }
            let names: &[String] = &template.secrets.headers;
            let headers: Vec<(String, String)> =
                names.iter().map(|name| (name.clone(), variable_name(&template.name, name))).collect();
            for (name, variable) in &headers {
                let becomes = format!("the header {name}");
                self.secrets.push(Needed { variable: variable.clone(), becomes });
            }
            if !headers.is_empty() {
                table.map("env_http_headers", &headers);
            }
        } else {
            if let Some(command) = &template.command {
                table.text("command", command);
            }
            if let Some(args) = &template.args {
                table.list("args", args);
            }
            let names: &[String] = &template.secrets.environment;
            for name in names {
                let becomes = format!("the environment variable {name}");
                self.secrets.push(Needed { variable: name.clone(), becomes });
            }
            if !names.is_empty() {
                table.list("env_vars", names);
            }
        }
        table.document()
    }

    /// What no client's file has a place for, and what a client would read otherwise than it is meant.
    fn left_out(&mut self) {
        let template = self.template;
        let at = |name: &str| Pointer::root().join(name);
        if template.oauth.is_some() {
            let because = "OAuth registration is left out: the client signs in by itself, or not at all";
            self.lose(at("oauth"), LossKind::Dropped, because);
        }
        if template.secrets.oauth_client_secret {
            let because = "the secret of the OAuth client is left out with the registration";
            let pointer = at("required_secrets").join("oauth_client_secret");
            self.lose(pointer, LossKind::Dropped, because);
        }
        if template.display_name != template.name {
            self.lose(at("display_name"), LossKind::Dropped, "the file has no place for a display name");
        }
        if template.description.is_some() {
            self.lose(at("description"), LossKind::Dropped, "the file has no place for a description");
        }
        if template.transport.is_remote() && template.args.is_some() {
            self.lose(at("args"), LossKind::Dropped, "a remote server is given no arguments");
        }
        let Some(begin) = self.client.variables_begin() else { return };
        let args = template.args.iter().flatten().enumerate();
        let texts = args
            .filter(|_| !template.transport.is_remote())
            .map(|(index, argument)| (at("args").join(index), argument))
            .chain(template.command.iter().map(|command| (at("command"), command)))
            .chain(template.url.iter().map(|url| (at("url"), url)));
        let replaced: Vec<Pointer> =
            texts.filter(|(_, text)| has_variable(text, begin)).map(|(pointer, _)| pointer).collect();
        for pointer in replaced {
            let because = format!("the client puts a variable in where the text has `{begin}`");
            self.lose(pointer, LossKind::Widened, because);
        }
    }
}

/// Whether a client that replaces variables finds one in `text`.
fn has_variable(text: &str, begin: &str) -> bool {
    text.match_indices(begin).any(|(at, _)| {
        let rest = &text[at + begin.len()..];
        begin == "${" || rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '{')
    })
}

/// A variable for the header `header` of the Connector `connector`: `EXAMPLE_X_API_KEY`.
fn variable_name(connector: &str, header: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = format!("{connector}_{header}").chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// The name of an input of VS Code.
fn input_name(connector: &str, secret: &str) -> String {
    format!("{connector}-{secret}")
}
