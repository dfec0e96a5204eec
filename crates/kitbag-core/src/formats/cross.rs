//! Findings between the faces of one package: each document is sound by itself, and they do not say the same.
//!
//! SkillPact §3 compares names itself (`NAME_MISMATCH`); what is here no format can see alone.

use std::collections::BTreeMap;

use crate::finding::{Code, Finding, Findings, Grade, Place, Severity};
use crate::permit::{Beyond, Declaration, Effect, Grant, Grants, Origin, Widened, widened};

use super::Face;

/// Every code of this room.
pub static CODES: &[&Code] = &[&PERMISSION_DISAGREEMENT];

/// One face asks for what another does not allow.
pub static PERMISSION_DISAGREEMENT: Code = Code {
    slug: "cross/permission-disagreement",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "One document of the package asks for what another document of it does not allow.",
    why: "A host that reads one document grants more than a host that reads the other; kitbag runs a package with what all \
          of its documents allow.",
    help: "Make the documents say the same: take the permission out of the one, or add it to the other.",
};

/// The tools of well-known programs whose only use is one effect, as `allowed-tools` names them.
const TOOLS: [(&str, Effect); 10] = [
    ("Bash", Effect::Exec),
    ("Edit", Effect::Write),
    ("Glob", Effect::Read),
    ("Grep", Effect::Read),
    ("MultiEdit", Effect::Write),
    ("NotebookEdit", Effect::Write),
    ("Read", Effect::Read),
    ("WebFetch", Effect::Network),
    ("WebSearch", Effect::Network),
    ("Write", Effect::Write),
];

/// Compares what the faces of one package say.
pub fn check(faces: &[Face], out: &mut Findings) {
    let declarations: Vec<Declaration> = faces.iter().map(|face| face.document().permissions()).collect();
    compare(&declarations, out);
}

fn compare(declarations: &[Declaration], out: &mut Findings) {
    for (at, wider) in declarations.iter().enumerate() {
        for (other, narrower) in declarations.iter().enumerate() {
            if at != other
                && let (Some(asking), Some(allowing)) = (wider.grants(), narrower.grants())
            {
                wider_than(widened(narrower, wider), allowing, out);
                tools(asking, allowing, out);
            }
        }
    }
}

/// One finding per effect that both faces speak of, at the first statement that goes too far.
fn wider_than(beyond: Vec<Widened<'_>>, allowing: &Grants, out: &mut Findings) {
    let spoken = allowing.effects();
    let mut first: BTreeMap<&Effect, Widened<'_>> = BTreeMap::new();
    for more in beyond {
        if spoken.contains(&more.grant.effect) && !matches!(more.beyond, Beyond::AsksLess { .. }) {
            first.entry(&more.grant.effect).or_insert(more);
        }
    }
    for (effect, more) in first {
        let what = match &more.beyond {
            Beyond::Anything => "anything".to_owned(),
            Beyond::Patterns(patterns) | Beyond::Unknown(patterns) => {
                patterns.first().map_or("more".to_owned(), |pattern| format!("`{}`", pattern.text))
            }
            Beyond::Effect | Beyond::AsksLess { .. } => "more".to_owned(),
        };
        let because = match more.beyond {
            Beyond::Unknown(_) => "cannot be compared with what",
            _ => "goes beyond what",
        };
        let message = |other: &str| {
            format!("{effect}: {what} in `{}` {because} `{other}` allows", more.grant.origin.file)
        };
        push(more.grant, effect, allowing, message, out);
    }
}

/// A tool whose only use is an effect that the other face says "none" to.
fn tools(asking: &Grants, allowing: &Grants, out: &mut Findings) {
    let calls = asking.all().filter(|grant| grant.effect == Effect::Call);
    for (grant, pattern) in
        calls.flat_map(|grant| grant.scope.patterns().iter().map(move |pattern| (grant, pattern)))
    {
        let name = pattern.text.split('(').next().unwrap_or(&pattern.text);
        let Some((_, effect)) = TOOLS.iter().find(|(tool, _)| *tool == name) else { continue };
        if allowing.worst_case(effect).is_some_and(|said| said.scope.is_nothing()) {
            let file = &grant.origin.file;
            let message = |other: &str| {
                format!("`{file}` allows the tool `{name}`, and `{other}` says none to {effect}")
            };
            push(grant, effect, allowing, message, out);
        }
    }
}

fn push(
    grant: &Grant,
    effect: &Effect,
    allowing: &Grants,
    message: impl Fn(&str) -> String,
    out: &mut Findings,
) {
    let other = allowing.all().find(|other| other.effect == *effect).map(|other| &other.origin);
    let name = other.map_or("the other document", |origin| origin.file.as_str());
    let mut finding = Finding::new(&PERMISSION_DISAGREEMENT, place(&grant.origin), message(name));
    if let Some(origin) = other {
        finding = finding.related(place(origin), format!("what is said about {effect} here"));
    }
    out.push(finding);
}

fn place(origin: &Origin) -> Place {
    Place::value(origin.file.clone(), origin.pointer.clone(), origin.span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::Dialect;
    use crate::json::{Pointer, Span};
    use crate::path::PackagePath;
    use crate::permit::{Confirm, Pattern, Scope, Subject};

    fn face(file: &str, statements: &[(Effect, &[&str])]) -> Declaration {
        let grant = |(effect, texts): &(Effect, &[&str])| {
            let dialect = match effect {
                Effect::Call => Dialect::AgentSkillTool,
                _ => Dialect::SkillPactName,
            };
            let pattern = |text: &&str| Pattern { root: None, text: (*text).to_owned(), dialect };
            Grant {
                subject: Subject::Package,
                effect: effect.clone(),
                scope: if texts.is_empty() {
                    Scope::Nothing
                } else {
                    Scope::Patterns(texts.iter().map(pattern).collect())
                },
                when: None,
                confirm: Confirm::HostDecides,
                why: None,
                origin: Origin {
                    format: "test",
                    file: PackagePath::new(file).unwrap(),
                    pointer: Pointer::root().join(effect),
                    span: Span::default(),
                },
            }
        };
        Declaration::Spoken(Grants { declared: statements.iter().map(grant).collect(), ..Grants::default() })
    }

    fn found(faces: &[Declaration]) -> Vec<String> {
        let mut out = Findings::default();
        compare(faces, &mut out);
        out.iter().map(|finding| finding.message.clone()).collect()
    }

    #[test]
    fn what_one_face_asks_for_and_another_does_not_allow_is_found_once_per_effect() {
        let one = face("a.json", &[(Effect::Exec, &["git", "make"]), (Effect::Read, &["x"])]);
        let other = face("b.json", &[(Effect::Exec, &["g*"]), (Effect::Spend, &["y"])]);
        assert_eq!(
            found(&[one.clone(), other.clone()]),
            [
                "exec: `make` in `a.json` goes beyond what `b.json` allows",
                "exec: `g*` in `b.json` goes beyond what `a.json` allows",
            ]
        );
        assert!(found(&[one.clone(), one]).is_empty());
        assert!(found(&[other, Declaration::Unspoken]).is_empty());
    }

    #[test]
    fn a_tool_whose_only_use_is_denied_is_found() {
        let skill = face("SKILL.md", &[(Effect::Call, &["Read", "Bash(git:*)", "mcp__x__y"])]);
        let strict = face("skill.contract.json", &[(Effect::Exec, &[]), (Effect::Read, &["x"])]);
        assert_eq!(
            found(&[skill.clone(), strict]),
            ["`SKILL.md` allows the tool `Bash`, and `skill.contract.json` says none to exec"]
        );
        let open = face("skill.contract.json", &[(Effect::Exec, &["git"]), (Effect::Read, &["x"])]);
        assert!(found(&[skill, open]).is_empty());
    }
}
