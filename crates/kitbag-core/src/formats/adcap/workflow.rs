//! [`Workflow`]: one workflow document (§8), as data. Nothing is run here; [`templates`] finds what a text refers to.

use std::collections::HashSet;

use crate::json::decode::{Decoder, Fields, Others, Placed, Shape, TextRule};
use crate::json::{Json, Pointer, Problem, Span, Value};

use super::manifest::{self, KNOWN};
use super::shape::{ID, IDENTIFIER, TOOL};

/// A workflow.
#[derive(Clone, Debug)]
pub struct Workflow {
    /// Its id.
    pub id: Placed<String>,
    /// The schema of its inputs, as it is.
    pub inputs: Option<Json>,
    /// Its steps, in order.
    pub steps: Vec<Placed<Step>>,
    /// What it gives, as it is.
    pub output: Option<Json>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its id.
    pub id: Placed<String>,
    /// What it does.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Calls a tool.
    Tool {
        /// The tool.
        name: Placed<String>,
        /// The capability that has it, when it is another one.
        capability: Option<Placed<String>>,
        /// Its input, with templates.
        input: Option<Json>,
    },
    /// Hands an instruction to the host's agent.
    Agent {
        /// The instruction, with templates.
        instruction: Placed<String>,
    },
}

const VERSION: Shape = Shape {
    rule: "a workflow version of major 1, such as `1.0`",
    holds: |text| manifest::version(text).is_some_and(|version| version.major == KNOWN.major),
};
/// A step's id is one segment of a template's path.
const STEP: Shape = Shape {
    rule: "a text without `.`, white space, `{` and `}`",
    holds: |text| !text.contains(|c: char| matches!(c, '.' | '{' | '}') || c.is_whitespace()),
};

/// Decodes a workflow.
///
/// # Errors
/// Everything that is not as §8 writes a workflow, ordered by path.
pub fn decode(json: &Json) -> Result<Workflow, Vec<Problem>> {
    let mut decoder = Decoder::new();
    let workflow = decoder.object(json, Others::Refused, workflow);
    let problems = decoder.finish();
    match workflow {
        Some(workflow) if problems.is_empty() => Ok(workflow),
        _ => Err(problems),
    }
}

fn workflow(fields: &mut Fields<'_, '_>) -> Option<Workflow> {
    fields.required("adcap-workflow", |decoder, json| decoder.text_that(json, &[TextRule::Shape(VERSION)]));
    let id = fields.required("id", |decoder, json| placed(decoder, json, &IDENTIFIER));
    for name in ["name", "description"] {
        fields.optional(name, Decoder::text);
    }
    let inputs = fields.optional("inputs", |decoder, json| decoder.any_object(json).cloned());
    let steps = fields.required("steps", |decoder, json| {
        decoder.filled_array(json, |decoder, json| decoder.object(json, Others::Refused, step))
    });
    let output = fields.anything("output").cloned();
    fields.anything("x");
    Some(Workflow { id: id?, inputs, steps: steps?, output })
}

fn step(fields: &mut Fields<'_, '_>) -> Option<Step> {
    let id = fields.required("id", |decoder, json| {
        placed(decoder, json, &[TextRule::NotEmpty, TextRule::AtMost(128), TextRule::Shape(STEP)])
    });
    fields.optional("description", Decoder::text);
    let tool = fields.optional("tool", |decoder, json| placed(decoder, json, &[TextRule::Shape(TOOL)]));
    let capability =
        fields.optional("capability", |decoder, json| placed(decoder, json, &[TextRule::Shape(ID)]));
    let input = fields.optional("input", |decoder, json| decoder.any_object(json).cloned());
    let agent = fields.optional("agent", |decoder, json| placed(decoder, json, &[TextRule::NotEmpty]));
    let (has_tool, has_agent) = (fields.peek("tool").is_some(), fields.peek("agent").is_some());
    if has_tool == has_agent {
        fields.broken("exactly one of `tool` and `agent` says what the step does");
    }
    if has_agent && ["input", "capability"].iter().any(|name| fields.peek(name).is_some()) {
        fields.broken("an agent step has an instruction and neither `input` nor `capability`");
    }
    let action = match (tool, agent) {
        (Some(name), None) => Action::Tool { name, capability, input },
        (None, Some(instruction)) => Action::Agent { instruction },
        _ => return None,
    };
    Some(Step { id: id?, action })
}

fn placed<'j>(decoder: &mut Decoder<'j>, json: &'j Json, rules: &[TextRule]) -> Option<Placed<String>> {
    decoder.text_that(json, rules).map(|value| Placed { value, span: json.span })
}

/// Every tool that steps of `workflow` call, with the capability that has it when it says one; each once, in order.
#[must_use]
pub fn tools(workflow: &Workflow) -> Vec<(Option<&str>, &str)> {
    let (mut tools, mut seen) = (Vec::new(), HashSet::new());
    for step in &workflow.steps {
        if let Action::Tool { name, capability, .. } = &step.value.action {
            let tool = (capability.as_ref().map(|one| one.value.as_str()), name.value.as_str());
            if seen.insert(tool) {
                tools.push(tool);
            }
        }
    }
    tools
}

/// What a template refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference<'t> {
    /// `inputs`, or one of them.
    Inputs(Option<&'t str>),
    /// The output of a step.
    Step(&'t str),
    /// Nothing a template can read; in words, why.
    Nothing(&'static str),
}

/// A part of a text that may have templates in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// As it is.
    Plain(&'t str),
    /// What stands between `{{` and `}}`.
    Template(&'t str),
    /// What stands behind a `{{` that nothing closes.
    Open(&'t str),
}

/// The parts of `text`, in order. One pass, however many of them are broken.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.find("{{").unwrap_or(rest.len());
        if begin > 0 {
            let (plain, more) = rest.split_at(begin);
            rest = more;
            return Some(Piece::Plain(plain));
        }
        let inner = rest.strip_prefix("{{")?;
        let (piece, more) = match inner.split_once("}}") {
            Some((path, more)) => (Piece::Template(path.trim()), more),
            None => (Piece::Open(inner), ""),
        };
        rest = more;
        Some(piece)
    })
}

/// What the templates of `text` refer to, with the text of each.
pub fn templates(text: &str) -> impl Iterator<Item = (&str, Reference<'_>)> {
    pieces(text).filter_map(|piece| match piece {
        Piece::Plain(_) => None,
        Piece::Template(path) => Some((path, reference(path))),
        Piece::Open(open) => Some((open.trim(), Reference::Nothing("it is not closed by `}}`"))),
    })
}

fn reference(path: &str) -> Reference<'_> {
    if path.split('.').any(|segment| segment.is_empty() || segment.contains(char::is_whitespace)) {
        return Reference::Nothing("it is no path of names joined by dots");
    }
    let mut segments = path.split('.');
    match (segments.next(), segments.next(), segments.next()) {
        (Some("inputs"), name, _) => Reference::Inputs(name),
        (Some("steps"), Some(id), Some("output")) => Reference::Step(id),
        (Some("steps"), ..) => Reference::Nothing("a step is read as `steps.<id>.output`"),
        _ => Reference::Nothing("a template reads from `inputs` and `steps` only"),
    }
}

/// Every text inside `json`, with its place below `at`. Recursion ends at the reader's depth.
pub(super) fn each_text<'j>(json: &'j Json, at: &Pointer, visit: &mut impl FnMut(&'j str, &Pointer, Span)) {
    match &json.value {
        Value::String(text) => visit(text, at, json.span),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if may_hold_text(item) {
                    each_text(item, &at.join(index), visit);
                }
            }
        }
        Value::Object(object) => {
            for member in object.iter().filter(|member| may_hold_text(&member.value)) {
                each_text(&member.value, &at.join(&member.name), visit);
            }
        }
        _ => {}
    }
}

/// Whether a pointer to `json` is worth making.
fn may_hold_text(json: &Json) -> bool {
    match &json.value {
        Value::String(text) => text.contains("{{"),
        Value::Array(_) | Value::Object(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_a_path_into_inputs_or_the_output_of_a_step() {
        let of = |text: &'static str| templates(text).map(|(_, reference)| reference).collect::<Vec<_>>();
        assert_eq!(of("no template, {single}"), []);
        assert_eq!(
            of("{{inputs.path}} and {{ steps.a.output.b.0 }}, {{inputs}}"),
            [Reference::Inputs(Some("path")), Reference::Step("a"), Reference::Inputs(None)]
        );
        for broken in [
            "{{}}",
            "{{inputs..a}}",
            "{{env.HOME}}",
            "{{steps.a}}",
            "{{steps.a.input}}",
            "{{inputs.a",
            "{{ a b }}",
        ] {
            assert!(matches!(of(broken)[..], [Reference::Nothing(_)]), "{broken}");
        }
    }

    #[test]
    fn templates_without_end_are_read_once() {
        let text = "{{".repeat(100_000);
        assert_eq!(templates(&text).count(), 1);
    }
}
