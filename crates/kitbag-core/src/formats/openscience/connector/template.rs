//! [`Template`]: what a Connector template says, after reading.

use std::fmt;

/// How a Connector is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A program on this machine.
    Stdio,
    /// A server, by streamable HTTP.
    StreamableHttp,
    /// A server, by server-sent events.
    Sse,
}

impl Transport {
    /// Each, under its word in a template.
    pub const ALL: [(&'static str, Self); 3] =
        [("stdio", Self::Stdio), ("streamable_http", Self::StreamableHttp), ("sse", Self::Sse)];

    /// Whether it is a server elsewhere.
    #[must_use]
    pub const fn is_remote(self) -> bool {
        !matches!(self, Self::Stdio)
    }

    /// Its word in a template.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::StreamableHttp => "streamable_http",
            Self::Sse => "sse",
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A Connector, as a template describes it. It never holds the value of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The stable name, and the identity.
    pub name: String,
    /// The name people see.
    pub display_name: String,
    /// How it is reached.
    pub transport: Transport,
    /// What it is for.
    pub description: Option<String>,
    /// The program of a local Connector.
    pub command: Option<String>,
    /// Its arguments, byte for byte; an empty list is not the same as none.
    pub args: Option<Vec<String>>,
    /// The address of a remote Connector.
    pub url: Option<String>,
    /// The secrets it asks for.
    pub secrets: Secrets,
    /// How it signs in.
    pub oauth: Option<OAuth>,
}

/// Names of secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets {
    /// Environment variables of the program.
    pub environment: Vec<String>,
    /// Headers of each request.
    pub headers: Vec<String>,
    /// Whether the OAuth client has a secret of its own.
    pub oauth_client_secret: bool,
}

impl Secrets {
    /// Whether none is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.environment.is_empty() && self.headers.is_empty() && !self.oauth_client_secret
    }
}

/// How a remote Connector signs in. With nothing set: dynamic registration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OAuth {
    /// Where the client's metadata document is.
    pub client_metadata_url: Option<String>,
    /// The authorization server.
    pub authorization_server_url: Option<String>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// A client that was registered before.
    pub client_id: Option<String>,
    /// Where the browser comes back to, on this machine.
    pub redirect_uri: Option<String>,
}
