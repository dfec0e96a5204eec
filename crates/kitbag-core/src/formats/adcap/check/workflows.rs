//! §8: workflows are workflows, steps call tools that exist, and templates refer to what is there when they are read.

use std::collections::{HashMap, HashSet};

use crate::finding::{Code, Finding, Findings, Place};
use crate::json::decode::Placed;
use crate::json::{self, Json, Pointer, Span, excerpt};
use crate::limits::Limits;
use crate::path::PackagePath;
use crate::schema;

use super::super::codes;
use super::super::workflow::{self, Action, Reference, Workflow};
use super::{Subject, at, problem_finding};

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (index, entry) in subject.document.workflows.iter().enumerate() {
        let path = &entry.value.path;
        let pointer = at("workflows").join(index);
        subject.check_file(&path.value, &pointer.join("path"), path.span, out);
        if !seen.insert(&path.value) {
            let message = format!("`{}` is the document of another workflow, too", excerpt(&path.value));
            out.push(subject.finding(&codes::WORKFLOW_ID, pointer.join("path"), path.span, message));
            continue;
        }
        let (Ok(file), Some(blob)) = (PackagePath::new(&path.value), subject.tree.file(&path.value)) else {
            continue;
        };
        let json = match blob.read(Limits::LOOSEST.document_bytes) {
            Ok(bytes) => json::read(&bytes)
                .map_err(|error| (Place::span(file.clone(), error.span), error.kind.to_string())),
            Err(error) => Err((Place::file(file.clone()), format!("the workflow cannot be read: {error}"))),
        };
        match json.map(|json| workflow::decode(&json)) {
            Err((place, message)) => out.push(Finding::new(&codes::WORKFLOW, place, message)),
            Ok(Err(problems)) => {
                out.extend(problems.iter().map(|problem| problem_finding(&codes::WORKFLOW, &file, problem)));
            }
            Ok(Ok(workflow)) => {
                let id = &entry.value.id;
                if workflow.id.value != id.value {
                    let message = format!(
                        "the manifest calls the workflow `{}` and its document `{}`",
                        excerpt(&id.value),
                        excerpt(&workflow.id.value)
                    );
                    let own = Place::value(file.clone(), at("id"), workflow.id.span);
                    let related = subject.place(pointer.join("id"), id.span);
                    out.push(
                        Finding::new(&codes::WORKFLOW_ID, own, message)
                            .related(related, "the manifest says this"),
                    );
                }
                Reading { subject, file: &file, workflow: &workflow, out }.check();
            }
        }
    }
}

/// A workflow being checked.
struct Reading<'r> {
    subject: &'r Subject<'r>,
    file: &'r PackagePath,
    workflow: &'r Workflow,
    out: &'r mut Findings,
}

/// What a template may refer to where it stands.
struct Known<'w> {
    inputs: Option<HashSet<&'w str>>,
    /// Every step, with its place in the order and what it is.
    steps: HashMap<&'w str, (usize, &'w Action)>,
}

impl Reading<'_> {
    fn push(&mut self, code: &'static Code, at: Pointer, span: Span, message: String) {
        self.out.push(Finding::new(code, Place::value(self.file.clone(), at, span), message));
    }

    fn check(&mut self) {
        let workflow = self.workflow;
        if let Some(inputs) = &workflow.inputs
            && let Err(problem) = schema::check(inputs)
        {
            let place = problem.pointer().tokens().fold(at("inputs"), |place, token| place.join(token));
            let message = format!("`inputs` is no schema: {}", problem.kind);
            self.push(&codes::WORKFLOW, place, problem.span, message);
        }
        let mut steps = HashMap::new();
        for (index, step) in workflow.steps.iter().enumerate() {
            let id = &step.value.id;
            if steps.insert(&*id.value, (index, &step.value.action)).is_some() {
                let message = format!("two steps are called `{}`", excerpt(&id.value));
                self.push(&codes::WORKFLOW, at("steps").join(index).join("id"), id.span, message);
            }
        }
        let properties = workflow.inputs.as_ref().and_then(|inputs| inputs.get("properties"));
        let inputs = match (&workflow.inputs, properties) {
            (_, Some(properties)) => properties
                .as_object()
                .map(|properties| properties.iter().map(|member| &*member.name).collect()),
            // A schema without `properties` says nothing about names; no schema at all means no inputs.
            (Some(_), None) => None,
            (None, None) => Some(HashSet::new()),
        };
        let known = Known { inputs, steps };
        for (index, step) in workflow.steps.iter().enumerate() {
            let place = at("steps").join(index);
            match &step.value.action {
                Action::Tool { name, capability, input } => {
                    self.check_tool(name, capability.as_ref(), &place);
                    if let Some(input) = input {
                        self.check_templates(&known, input, &place.join("input"), index);
                    }
                }
                Action::Agent { instruction } => {
                    self.check_text(
                        &known,
                        &instruction.value,
                        &place.join("agent"),
                        instruction.span,
                        index,
                    );
                }
            }
        }
        if let Some(output) = &workflow.output {
            self.check_templates(&known, output, &at("output"), workflow.steps.len());
        }
    }

    fn check_tool(&mut self, name: &Placed<String>, capability: Option<&Placed<String>>, place: &Pointer) {
        let document = self.subject.document;
        match capability {
            Some(capability) if capability.value != document.id.value => {
                if !self.subject.names.dependencies.contains(&*capability.value) {
                    let message = format!("`{}` is not among the dependencies", excerpt(&capability.value));
                    self.push(&codes::WORKFLOW_TOOL, place.join("capability"), capability.span, message);
                }
            }
            _ => {
                if !self.subject.names.tools.contains(&*name.value) {
                    let message = format!("the capability has no tool called `{}`", excerpt(&name.value));
                    self.push(&codes::WORKFLOW_TOOL, place.join("tool"), name.span, message);
                }
            }
        }
    }

    fn check_templates(&mut self, known: &Known<'_>, json: &Json, place: &Pointer, index: usize) {
        let mut texts = Vec::new();
        workflow::each_text(json, place, &mut |text, at, span| texts.push((text, at.clone(), span)));
        for (text, at, span) in texts {
            self.check_text(known, text, &at, span, index);
        }
    }

    /// Checks the templates of one text that is read before step `index`.
    fn check_text(&mut self, known: &Known<'_>, text: &str, at: &Pointer, span: Span, index: usize) {
        for (template, reference) in workflow::templates(text) {
            let template = excerpt(template);
            let problem = match reference {
                Reference::Nothing(why) => format!("`{template}`: {why}"),
                Reference::Inputs(Some(name))
                    if known.inputs.as_ref().is_some_and(|inputs| !inputs.contains(name)) =>
                {
                    format!("`{template}`: no input is called `{}`", excerpt(name))
                }
                Reference::Inputs(_) => continue,
                Reference::Step(id) => match known.steps.get(id) {
                    None => format!("`{template}`: no step is called `{}`", excerpt(id)),
                    Some((step, _)) if *step >= index => {
                        format!("`{template}`: the step `{}` has not run yet", excerpt(id))
                    }
                    Some((_, Action::Agent { .. })) => {
                        let message = format!("`{template}`: `{}` is an agent step", excerpt(id));
                        self.push(&codes::WORKFLOW_AGENT_OUTPUT, at.clone(), span, message);
                        continue;
                    }
                    Some((_, Action::Tool { .. })) => continue,
                },
            };
            self.push(&codes::WORKFLOW_TEMPLATE, at.clone(), span, problem);
        }
    }
}
