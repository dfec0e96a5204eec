//! [`Course`]: one workflow under way (§8): what has been given so far, and what comes next. Nothing is run here; whoever runs
//! a step says what it gave.

use std::collections::BTreeMap;
use std::fmt;

use crate::digest::Sha256;
use crate::json::{Json, Value, print};
use crate::schema::{Schema, SchemaProblem, Violation};

use super::template::{Excess, Values};
use super::workflow::{Action, Workflow};

/// The version of a state that is written down.
const VERSION: i64 = 1;

/// A workflow under way.
#[derive(Clone, Debug)]
pub struct Course {
    workflow: Workflow,
    values: Values,
    /// The step that comes next, by its place.
    place: usize,
    /// Whether the agent has been told what that step is.
    is_asked: bool,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next<'c> {
    /// A tool is called.
    Call {
        /// The step.
        step: &'c str,
        /// The capability that has it, when it is another one.
        capability: Option<&'c str>,
        /// The tool.
        tool: &'c str,
        /// Its input.
        input: Json,
    },
    /// The host's agent has something to do, which no runner can.
    Ask {
        /// The step.
        step: &'c str,
        /// What it has to do.
        instruction: String,
    },
    /// It has ended, and this is what it gives.
    Done(Json),
}

/// Why a workflow cannot begin, or not go on from where it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unfit {
    /// Its inputs are no schema.
    Schema(SchemaProblem),
    /// What it was given is not what it takes.
    Inputs(Vec<Violation>),
    /// What was written down is no state.
    State(&'static str),
    /// What was written down is the state of something else.
    Other(&'static str),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(_) => f.write_str("the schema of its inputs cannot be used"),
            Self::Inputs(_) => f.write_str("the input is not what the workflow takes"),
            Self::State(because) => write!(f, "the state cannot be read: {because}"),
            Self::Other(what) => write!(f, "the state is of another {what}"),
        }
    }
}

impl std::error::Error for Unfit {}

impl Course {
    /// Begins `workflow` with `input`, an object; what it lacks and has a default gets it.
    ///
    /// # Errors
    /// [`Unfit`], when that is not what the workflow takes.
    pub fn begin(workflow: Workflow, input: &Json) -> Result<Self, Unfit> {
        let inputs = with_defaults(&workflow, input);
        let course =
            Self { workflow, values: Values { inputs, outputs: BTreeMap::new() }, place: 0, is_asked: false };
        course.check()?;
        Ok(course)
    }

    fn check(&self) -> Result<(), Unfit> {
        let inputs = &self.values.inputs;
        let mut violations = Vec::new();
        if let Some(json) = &self.workflow.inputs {
            violations = Schema::new(json).map_err(Unfit::Schema)?.violations(inputs);
        }
        if inputs.as_object().is_none() {
            return Err(Unfit::Inputs(violations));
        }
        if violations.is_empty() { Ok(()) } else { Err(Unfit::Inputs(violations)) }
    }

    /// What comes next, with its templates filled in.
    ///
    /// # Errors
    /// [`Excess`], when they give too much.
    pub fn next(&self) -> Result<Next<'_>, Excess> {
        let empty = || print::object([]);
        let Some(step) = self.workflow.steps.get(self.place) else {
            return Ok(Next::Done(match &self.workflow.output {
                Some(output) => self.values.fill(output)?.unwrap_or_else(|| print::value(Value::Null)),
                None => print::object(self.results().map(|(step, output)| (step, output.clone()))),
            }));
        };
        let id = step.value.id.value.as_str();
        Ok(match &step.value.action {
            Action::Tool { name, capability, input } => Next::Call {
                step: id,
                capability: capability.as_ref().map(|capability| capability.value.as_str()),
                tool: &name.value,
                input: match input {
                    Some(input) => self.values.fill(input)?.unwrap_or_else(empty),
                    None => empty(),
                },
            },
            Action::Agent { instruction } => {
                Next::Ask { step: id, instruction: self.values.fill_text(&instruction.value)? }
            }
        })
    }

    /// Takes what the next step gave; `None` from an agent that only did what it was told.
    pub fn took(&mut self, output: Option<Json>) {
        if let Some(step) = self.workflow.steps.get(self.place) {
            if let Some(output) = output {
                self.values.outputs.insert(step.value.id.value.clone(), output);
            }
            self.place += 1;
            self.is_asked = false;
        }
    }

    /// Notes that the agent has been told what the next step is.
    pub fn asked(&mut self) {
        let step = self.workflow.steps.get(self.place);
        self.is_asked = step.is_some_and(|step| matches!(step.value.action, Action::Agent { .. }));
    }

    /// Whether it waits for what the agent has been told to do.
    #[must_use]
    pub const fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// What steps gave so far, in the order of the steps.
    pub fn results(&self) -> impl Iterator<Item = (&str, &Json)> {
        let ids = self.workflow.steps.iter().map(|step| step.value.id.value.as_str());
        ids.filter_map(|id| Some((id, self.values.outputs.get(id)?)))
    }

    /// The id of the step that comes next, if one does.
    #[must_use]
    pub fn step(&self) -> Option<&str> {
        self.workflow.steps.get(self.place).map(|step| step.value.id.value.as_str())
    }

    /// Where it is, to go on from later: `package` is the digest of everything that runs.
    #[must_use]
    pub fn state(&self, package: Sha256) -> Json {
        let next = self.workflow.steps.get(self.place).map(|step| print::text(&step.value.id.value));
        print::object([
            ("version", print::value(Value::Integer(VERSION))),
            ("package", print::text(package.to_string())),
            ("workflow", print::text(&self.workflow.id.value)),
            ("inputs", self.values.inputs.clone()),
            ("outputs", print::object(self.results().map(|(step, output)| (step, output.clone())))),
            ("next", next.unwrap_or_else(|| print::value(Value::Null))),
            ("asked", print::value(Value::Bool(self.is_asked))),
        ])
    }

    /// Goes on with `workflow` from a state that was written down.
    ///
    /// # Errors
    /// [`Unfit`], when it is none, or that of something else.
    pub fn resume(workflow: Workflow, state: &Json, package: Sha256) -> Result<Self, Unfit> {
        let member = |name, missing| state.get(name).ok_or(Unfit::State(missing));
        match member("version", "it has no `version`")?.value {
            Value::Integer(VERSION) => {}
            _ => return Err(Unfit::State("its `version` is not known")),
        }
        if member("package", "it has no `package`")?.as_str() != Some(package.to_string().as_str()) {
            return Err(Unfit::Other("package, or of another version of it"));
        }
        if member("workflow", "it has no `workflow`")?.as_str() != Some(workflow.id.value.as_str()) {
            return Err(Unfit::Other("workflow"));
        }
        let inputs = member("inputs", "it has no `inputs`")?.clone();
        let place = match &member("next", "it has no `next`")?.value {
            Value::Null => workflow.steps.len(),
            Value::String(id) => {
                let place = workflow.steps.iter().position(|step| step.value.id.value == *id);
                place.ok_or(Unfit::State("its `next` is no step"))?
            }
            _ => return Err(Unfit::State("its `next` is no step")),
        };
        let given = member("outputs", "it has no `outputs`")?.as_object();
        let mut outputs = BTreeMap::new();
        for member in given.ok_or(Unfit::State("its `outputs` are no object"))? {
            let is_past = workflow.steps.iter().take(place).any(|step| step.value.id.value == member.name);
            if !is_past {
                return Err(Unfit::State("one of its `outputs` is of no step that has run"));
            }
            outputs.insert(member.name.clone(), member.value.clone());
        }
        let has_run = |step: &&crate::json::decode::Placed<super::workflow::Step>| {
            matches!(step.value.action, Action::Agent { .. }) || outputs.contains_key(&step.value.id.value)
        };
        if !workflow.steps.iter().take(place).all(|step| has_run(&step)) {
            return Err(Unfit::State("a step before its `next` has no output"));
        }
        let is_asked = member("asked", "it has no `asked`")?.as_bool();
        let is_asked = is_asked.ok_or(Unfit::State("its `asked` is neither true nor false"))?;
        let mut course = Self { workflow, values: Values { inputs, outputs }, place, is_asked: false };
        course.check()?;
        if is_asked {
            course.asked();
            if !course.is_asked {
                return Err(Unfit::State("its `next` is no step for an agent"));
            }
        }
        Ok(course)
    }
}

/// `input` with the defaults of what it lacks.
fn with_defaults(workflow: &Workflow, input: &Json) -> Json {
    let Some(given) = input.as_object() else { return input.clone() };
    let mut inputs = given.clone();
    let properties = workflow.inputs.as_ref().and_then(|schema| schema.get("properties"));
    for property in properties.and_then(Json::as_object).into_iter().flatten() {
        if let (None, Some(default)) = (given.get(&property.name), property.value.get("default")) {
            inputs.insert(&property.name, default.clone());
        }
    }
    print::value(Value::Object(inputs))
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Plain;

    use super::*;
    use crate::json::read;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn workflow() -> Workflow {
        let text = r#"{"adcap-workflow": "1.0", "id": "advise",
            "inputs": {"properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 4}}, "required": ["path"]},
            "steps": [
                {"id": "look", "tool": "look_at", "input": {"path": "{{inputs.path}}", "limit": "{{inputs.limit}}", "mode": "{{inputs.mode}}"}},
                {"id": "tell", "agent": "Explain {{steps.look.output.found}} of {{inputs.path}}."},
                {"id": "again", "tool": "look_at", "capability": "other/one"}
            ],
            "output": {"found": "{{steps.look.output.found}}", "said": "{{steps.tell.output}}"}}"#;
        super::super::workflow::decode(&json(text)).unwrap()
    }

    fn begun() -> Course {
        Course::begin(workflow(), &json(r#"{"path": "a.png"}"#)).unwrap()
    }

    fn plain(json: &Json) -> String {
        Plain::from(json).to_string()
    }

    fn package() -> Sha256 {
        Sha256::of(b"package")
    }

    #[test]
    fn a_workflow_goes_from_step_to_step() {
        let mut course = begun();
        let tools = super::super::workflow::tools(&course.workflow);
        assert_eq!(tools, [(None, "look_at"), (Some("other/one"), "look_at")]);
        assert_eq!(course.step(), Some("look"));
        let Ok(Next::Call { step: "look", capability: None, tool: "look_at", input }) = course.next() else {
            panic!("{:?}", course.next())
        };
        // The default is a number still, and what is not there is dropped.
        assert_eq!(plain(&input), r#"{"limit":4,"path":"a.png"}"#);
        course.took(Some(json(r#"{"found": 2}"#)));
        let instruction = "Explain 2 of a.png.".to_owned();
        assert_eq!(course.next(), Ok(Next::Ask { step: "tell", instruction }));
        course.took(None);
        let Ok(Next::Call { step: "again", capability: Some("other/one"), input, .. }) = course.next() else {
            panic!("{:?}", course.next())
        };
        assert_eq!(plain(&input), "{}");
        course.took(Some(json("[]")));
        let Ok(Next::Done(output)) = course.next() else { panic!("{:?}", course.next()) };
        assert_eq!(plain(&output), r#"{"found":2}"#);
        course.took(Some(json("1")));
        assert!(matches!(course.next(), Ok(Next::Done(_))), "nothing comes behind the end");
    }

    #[test]
    fn without_an_output_all_steps_give_it() {
        let mut workflow = workflow();
        workflow.output = None;
        let mut course = Course::begin(workflow, &json(r#"{"path": "a"}"#)).unwrap();
        course.took(Some(json("1")));
        course.took(Some(json(r#""fine""#)));
        course.took(Some(json("3")));
        let Ok(Next::Done(output)) = course.next() else { panic!("{:?}", course.next()) };
        assert_eq!(plain(&output), r#"{"again":3,"look":1,"tell":"fine"}"#);
    }

    #[test]
    fn what_the_workflow_does_not_take_is_said() {
        for bad in ["{}", r#"{"path": 1}"#, r#"{"path": "a", "limit": "4"}"#, "[]", "null"] {
            let unfit = Course::begin(workflow(), &json(bad));
            assert!(matches!(unfit, Err(Unfit::Inputs(_))), "{bad}");
        }
        assert!(Course::begin(workflow(), &json(r#"{"path": "a", "limit": 5, "more": 1}"#)).is_ok());
    }

    #[test]
    fn it_goes_on_from_where_it_was() {
        let mut course = begun();
        course.took(Some(json(r#"{"found": 2}"#)));
        let state = json(&plain(&course.state(package())));
        let mut resumed = Course::resume(workflow(), &state, package()).unwrap();
        assert_eq!((resumed.next(), resumed.is_asked()), (course.next(), false));
        course.asked();
        let state = json(&plain(&course.state(package())));
        assert!(Course::resume(workflow(), &state, package()).unwrap().is_asked());
        for step in [None, Some(json("[]"))] {
            resumed.took(step);
            resumed.asked();
            assert!(!resumed.is_asked(), "no agent is told of a tool");
        }
        let ended = json(&plain(&resumed.state(package())));
        let ended = Course::resume(workflow(), &ended, package()).unwrap();
        assert!(matches!(ended.next(), Ok(Next::Done(_))));
    }

    #[test]
    fn what_is_no_state_of_this_is_not_gone_on_from() {
        let mut course = begun();
        course.took(Some(json("1")));
        let state = plain(&course.state(package()));
        let resume = |text: &str| Course::resume(workflow(), &json(text), package());
        assert!(resume(&state).is_ok());
        let changes = [
            ("\"version\":1", "\"version\":2"),
            ("\"next\":\"tell\"", "\"next\":\"none\""),
            ("\"next\":\"tell\"", "\"next\":7"),
            ("\"asked\":false", "\"asked\":1"),
            // A step that has not run has given nothing, and one that has, something.
            ("\"next\":\"tell\"", "\"next\":\"look\""),
            ("\"outputs\":{\"look\":1}", "\"outputs\":{}"),
            ("\"outputs\":{\"look\":1}", "\"outputs\":[]"),
            ("\"outputs\":{\"look\":1}", "\"outputs\":{\"look\":1,\"x\":2}"),
        ];
        for (from, to) in changes {
            assert!(state.contains(from), "{from}: {state}");
            let changed = state.replace(from, to);
            assert!(matches!(resume(&changed), Err(Unfit::State(_))), "{to}");
        }
        let unfit = resume(&state.replace("\"limit\":4", "\"limit\":\"x\""));
        assert!(
            matches!(unfit, Err(Unfit::Inputs(_))),
            "what was written down is no more trusted than what is typed"
        );
        assert!(matches!(resume("[]"), Err(Unfit::State(_))));
        let other = Course::resume(workflow(), &json(&state), Sha256::of(b"other"));
        assert!(matches!(other, Err(Unfit::Other(_))));
        let renamed = state.replace("\"workflow\":\"advise\"", "\"workflow\":\"other\"");
        assert!(matches!(resume(&renamed), Err(Unfit::Other(_))));
    }
}
