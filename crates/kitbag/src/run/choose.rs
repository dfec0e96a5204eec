//! Which of a package's tools, commands or servers was asked for, and what each format makes ready for it.

use kitbag_core::digest::Sha256;
use kitbag_core::formats::Face;
use kitbag_core::formats::openscience::Connector;
use kitbag_core::formats::skillpact::Contract;
use kitbag_core::json::{Json, print};
use kitbag_core::permit::{Declaration, Met, Subject, meet};
use kitbag_core::schema::Schema;
use kitbag_core::tool::Tool;
use kitbag_core::tree::Tree;

use crate::interrupt::Interrupt;

use super::shape::Shape;
use super::{
    Error, Needed, Request, adcap, call, connector, context, dependencies, skillpact, splice, unsupported,
};

/// What was asked for, where a document has it.
pub(super) struct Chosen {
    pub(super) name: String,
    pub(super) subject: Subject,
    pub(super) call: call::Call,
    pub(super) resources: Vec<Needed>,
    /// The packages it needs.
    pub(super) needed: Vec<Sha256>,
    pub(super) taken: Takes,
    pub(super) input: Shape,
    pub(super) output: Option<Shape>,
}

/// How a tool is given its input.
#[derive(Debug)]
pub(super) enum Takes {
    /// As JSON, of which the schema says what each member is.
    Json(Json),
    /// As files, some of which it needs.
    Files(Vec<&'static str>),
}

/// What was asked for, if `face` has it; the names of what else it has are told.
pub(super) fn of(
    face: &Face,
    tree: &Tree,
    declarations: &[Declaration],
    known: &mut Vec<String>,
    (request, interrupt): (&Request, &Interrupt),
) -> Result<Option<Chosen>, Error> {
    match face {
        Face::SkillPact(contract) => command(contract, known, request),
        Face::Connector(connector) => server(connector, request).map(Some),
        face => tool(face, tree, declarations, known, (request, interrupt)),
    }
}

fn schema(json: &Json) -> Result<Shape, Error> {
    Schema::new(json).map(|schema| Shape::Full(Box::new(schema))).map_err(Error::Schema)
}

/// What all of `declarations` allow together.
pub(super) fn met(declarations: &[Declaration], subject: &Subject) -> Met {
    let declarations: Vec<&Declaration> = declarations.iter().collect();
    meet(&declarations, subject)
}

fn tool(
    face: &Face,
    tree: &Tree,
    declarations: &[Declaration],
    known: &mut Vec<String>,
    (request, interrupt): (&Request, &Interrupt),
) -> Result<Option<Chosen>, Error> {
    let tools = face.document().tools();
    let Some(tool) = tools.iter().find(|tool| is_called(tool, &request.tool)) else {
        known.extend(tools.iter().map(|tool| tool.name.to_owned()));
        return Ok(None);
    };
    let subject = Subject::Tool(tool.name.into());
    let met = met(declarations, &subject);
    let (call, resources, needed) = match face {
        Face::Adcap(capability) => {
            let document = capability.document();
            let document = document.ok_or_else(|| unsupported("the manifest cannot be read"))?;
            let copies = dependencies::copies(document, request, interrupt)?;
            let digests: Vec<Sha256> = copies.iter().map(|(_, copy)| copy.digest()).collect();
            let context = context::Context::new(document, tool, copies, request, interrupt)?;
            let call = adcap::prepare(tool, &met, context, request)?;
            (call, context::needed(document, tool), digests)
        }
        Face::Splice(manifest) => (splice::prepare(manifest, tool, tree, request)?, Vec::new(), Vec::new()),
        _ => {
            let format = face.document().identity().format;
            return Err(unsupported(format!("tools of the format {format} cannot be run yet")));
        }
    };
    Ok(Some(Chosen {
        name: tool.name.to_owned(),
        subject,
        call,
        resources,
        needed,
        taken: Takes::Json(tool.input.clone()),
        input: Shape::of(face, tool.input)?,
        output: tool.output.map(|output| Shape::of(face, output)).transpose()?,
    }))
}

/// The tool of `connector` that was asked for: only the server itself knows whether there is one.
fn server(connector: &Connector, request: &Request) -> Result<Chosen, Error> {
    let anything = print::object([]);
    let name = connector.template().map(|template| template.name.as_str()).unwrap_or_default();
    Ok(Chosen {
        name: request.tool.clone(),
        subject: Subject::Connector(name.into()),
        call: connector::prepare(connector, request)?,
        resources: Vec::new(),
        needed: Vec::new(),
        input: schema(&anything)?,
        taken: Takes::Json(anything),
        output: None,
    })
}

fn command(contract: &Contract, known: &mut Vec<String>, request: &Request) -> Result<Option<Chosen>, Error> {
    let capabilities = contract.document().map(|document| &*document.capabilities).unwrap_or_default();
    let mut capabilities = capabilities.iter().map(|capability| &capability.value);
    let Some(capability) = capabilities.clone().find(|capability| capability.id.value == request.tool) else {
        known.extend(capabilities.by_ref().filter(|one| one.cli.is_some()).map(|one| one.id.value.clone()));
        return Ok(None);
    };
    let anything = print::object([]);
    Ok(Some(Chosen {
        name: capability.id.value.clone(),
        subject: Subject::Capability(capability.id.value.as_str().into()),
        call: skillpact::prepare(capability, request)?,
        resources: Vec::new(),
        needed: Vec::new(),
        taken: Takes::Files(skillpact::named(capability)),
        input: schema(capability.inputs.as_ref().unwrap_or(&anything))?,
        output: capability.outputs.as_ref().map(schema).transpose()?,
    }))
}

/// Whether `name` is one of the tool's.
fn is_called(tool: &Tool<'_>, name: &str) -> bool {
    [tool.name, &tool.short_name, &tool.qualified_name, &tool.mcp_name].contains(&name)
}
