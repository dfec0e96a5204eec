//! `kitbag connector check|import|export`

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Subcommand, builder::TypedValueParser as _};
use kitbag::connector::{self, Existing, Request};
use kitbag_core::formats::openscience::connector::client::Client;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::render::{self, Shape};
use crate::terminal::Terminal;

use super::input;

const EXAMPLES: &str = "\
Examples:
  kitbag connector check connector.json                 is the description of a tool server sound?
  kitbag connector import ~/.cursor/mcp.json -o drafts  templates from the configuration of an MCP client
  kitbag connector export connector.json --client codex how Codex would be told about it
";

/// Arguments of `connector`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP, arg_required_else_help = true)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    verb: Verb,
}

/// What to do with a description of a tool server.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Check a Connector template, or the `mcpServers` of an MCP client
    Check(Check),
    /// Write a template for each server of a client's configuration, or one template in its canonical form
    Import(Import),
    /// Write the configuration of an MCP client for a template
    Export(Export),
}

const CHECK: &str = "\
Examples:
  kitbag connector check connector.json
  kitbag connector check .mcp.json --output json
  kitbag connector check - --taken papers < connector.json
";

#[derive(Debug, clap::Args)]
#[command(before_help = CHECK, help_template = HELP)]
struct Check {
    #[command(flatten)]
    document: Document,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

const IMPORT: &str = "\
Examples:
  kitbag connector import .mcp.json                 what would be written
  kitbag connector import .mcp.json -o connectors/  one template a server; values of secrets are not read
";

#[derive(Debug, clap::Args)]
#[command(before_help = IMPORT, help_template = HELP)]
struct Import {
    #[command(flatten)]
    document: Document,

    /// The folder to write to; without it, the templates go to standard output
    #[arg(short = 'o', long = "out", value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Replace files that are there
    #[arg(long)]
    force: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

const EXPORT: &str = "\
Examples:
  kitbag connector export connector.json --client claude-code > .mcp.json
  kitbag connector export connector.json --client codex
  kitbag connector export connector.json --client vscode -o .vscode/mcp.json
";

#[derive(Debug, clap::Args)]
#[command(before_help = EXPORT, help_template = HELP)]
struct Export {
    #[command(flatten)]
    document: Document,

    /// Whose configuration to write
    #[arg(long, value_parser = client(), default_value = "plain", value_name = "NAME")]
    client: Client,

    /// The file to write; without it, standard output
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace a file that is there
    #[arg(long)]
    force: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

/// The document that is read.
#[derive(Debug, clap::Args)]
struct Document {
    /// A Connector template, or a configuration with `mcpServers`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Names that are taken by other Connectors, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    taken: Vec<String>,
}

impl Document {
    fn read(self) -> Result<connector::Answer, Failure> {
        let request = Request { source: input::source(self.file, None)?, taken: self.taken };
        connector::read(&request).map_err(|error| Failure::new(Kind::Input, error))
    }
}

fn client() -> impl clap::builder::TypedValueParser<Value = Client> {
    let about = |client: Client| match client {
        Client::Plain => "the form that many clients read",
        Client::ClaudeCode => "Claude Code, .mcp.json",
        Client::Codex => "Codex, config.toml",
        Client::Cursor => "Cursor, .cursor/mcp.json",
        Client::GeminiCli => "Gemini CLI, .gemini/settings.json",
        Client::VsCode => "VS Code, .vscode/mcp.json",
    };
    let names = Client::ALL.map(|(name, client)| PossibleValue::new(name).help(about(client)));
    PossibleValuesParser::new(names).map(|typed| {
        let known = Client::ALL.iter().find(|(name, _)| *name == typed);
        known.map_or(Client::Plain, |(_, client)| *client)
    })
}

impl Args {
    /// Does it.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        match self.verb {
            Verb::Check(args) => check(args, terminal),
            Verb::Import(args) => import(args, terminal),
            Verb::Export(args) => export(args, terminal),
        }
    }
}

fn check(args: Check, terminal: &Terminal) -> Result<Answer, Failure> {
    let answer = args.document.read()?;
    match args.output {
        Shape::Human => {
            terminal.words(|out| render::human::check(&answer.report, terminal.width(), out))?;
            terminal.talk(|out| render::human::connectors(&answer, out))?;
        }
        Shape::Json => terminal.data(|out| render::json::connectors("connector check", &answer, &[], out))?,
    }
    Ok(yes(answer.is_complete()))
}

fn import(args: Import, terminal: &Terminal) -> Result<Answer, Failure> {
    let answer = args.document.read()?;
    let existing = existing(args.force);
    let written = match &args.out {
        Some(folder) if !answer.connectors.is_empty() => {
            connector::import(&answer, folder, existing).map_err(failure)?
        }
        _ => Vec::new(),
    };
    match args.output {
        Shape::Json => {
            terminal.data(|out| render::json::connectors("connector import", &answer, &written, out))?;
        }
        Shape::Human => {
            terminal.talk(|out| render::human::check(&answer.report, terminal.width(), out))?;
            if args.out.is_none() {
                terminal.data(|out| render::human::templates(&answer, out))?;
            }
            terminal.words(|out| render::human::written(&written, out))?;
            terminal.talk(|out| render::human::connectors(&answer, out))?;
        }
    }
    Ok(yes(answer.is_complete()))
}

fn export(args: Export, terminal: &Terminal) -> Result<Answer, Failure> {
    let answer = args.document.read()?;
    let Some(lowered) = connector::export(&answer, args.client) else {
        match args.output {
            Shape::Human => {
                terminal.talk(|out| render::human::check(&answer.report, terminal.width(), out))?;
                terminal.talk(|out| render::human::connectors(&answer, out))?;
            }
            Shape::Json => {
                terminal.data(|out| render::json::connectors("connector export", &answer, &[], out))?;
            }
        }
        return Ok(Answer::No);
    };
    if answer.connectors.len() > 1 {
        let error = "the file describes several servers, and one is exported at a time";
        return Err(Failure::new(Kind::Usage, error)
            .hint("`kitbag connector import FILE -o FOLDER` makes a template of each"));
    }
    if let Some(path) = &args.out {
        connector::write(&lowered.value, path, existing(args.force)).map_err(failure)?;
    }
    match (args.output, &args.out) {
        (Shape::Json, _) => terminal.data(|out| render::json::configuration(&lowered, out))?,
        (Shape::Human, None) => terminal.data(|out| out.write_all(lowered.value.text.as_bytes()))?,
        (Shape::Human, Some(path)) => {
            terminal.words(|out| render::human::written(std::slice::from_ref(path), out))?;
        }
    }
    if args.output == Shape::Human {
        terminal.talk(|out| render::human::configuration(&lowered, out))?;
    }
    Ok(Answer::Yes)
}

const fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

const fn yes(is_so: bool) -> Answer {
    if is_so { Answer::Yes } else { Answer::No }
}

fn failure(error: connector::WriteError) -> Failure {
    let exists = matches!(error, connector::WriteError::Exists { .. });
    let failure = Failure::new(Kind::Output, error);
    if exists { failure.hint("`--force` replaces it, `-o` names another place") } else { failure }
}
