//! A contract out of JSON: the schema of SkillPact §15.
//!
//! One function per object of the schema, in its order. Nothing is judged here but shape; what members mean to one
//! another is for the checks.

use crate::json::decode::{Decoder, Entry, Fields, Others, Placed, Shape, TextRule};
use crate::json::{Json, Problem};
use crate::permit::Confirm;

use super::document::{
    Capability, Case, Class, Conditional, Document, EffectScope, Integrity, Kind, Level, Permission,
    Permissions, Requirement, Requirements, Signature, Tests,
};

const EFFECTS: [(&str, Class); 6] = [
    ("read", Class::Read),
    ("write", Class::Write),
    ("network", Class::Network),
    ("exec", Class::Exec),
    ("spend", Class::Spend),
    ("send", Class::Send),
];

const SKILL_NAME: Shape =
    Shape { rule: "groups of a-z and 0-9, joined by single hyphens", holds: is_skill_name };
const VERSION: Shape = Shape {
    rule: "three numbers joined by dots, with at most one `-…` or `+…` after them",
    holds: is_skill_version,
};
const CAPABILITY_ID: Shape =
    Shape { rule: "groups of a-z and 0-9, joined by single `.`, `_` or `-`", holds: is_capability_id };
const FEATURE: Shape = Shape { rule: "`<kind>:<name>`", holds: is_feature };
const AGENT: Shape = Shape {
    rule: "a-z, 0-9 and hyphens",
    holds: |name| !name.is_empty() && name.bytes().all(|byte| is_lower(byte) || byte == b'-'),
};
const VENDOR: Shape = Shape {
    rule: "a-z, 0-9 and hyphens, not beginning with a hyphen",
    holds: |name| (AGENT.holds)(name) && !name.starts_with('-'),
};
const DIGEST: Shape = Shape {
    rule: "64 lower-case hexadecimal digits",
    holds: |text| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
};
const EFFECT_NAME: Shape = Shape {
    rule: "`read`, `write`, `network`, `exec`, `spend` or `send`",
    holds: |name| Class::named(name).is_some(),
};

const fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Groups of `a-z0-9` joined by single joiners.
fn is_grouped(text: &str, is_joiner: fn(u8) -> bool) -> bool {
    let mut after_joiner = true;
    for byte in text.bytes() {
        if is_lower(byte) {
            after_joiner = false;
        } else if is_joiner(byte) && !after_joiner {
            after_joiner = true;
        } else {
            return false;
        }
    }
    !after_joiner
}

/// Whether `text` has the form of a skill's name, whatever its length.
#[must_use]
pub fn is_skill_name(text: &str) -> bool {
    is_grouped(text, |byte| byte == b'-')
}

fn is_capability_id(text: &str) -> bool {
    is_grouped(text, |byte| matches!(byte, b'.' | b'_' | b'-'))
}

fn is_skill_version(text: &str) -> bool {
    let (numbers, suffix) = match text.find(['-', '+']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && suffix.is_none_or(|suffix| {
            !suffix.is_empty()
                && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        })
}

fn is_feature(text: &str) -> bool {
    text.split_once(':').is_some_and(|(kind, name)| {
        !kind.is_empty()
            && kind.bytes().all(|byte| is_lower(byte) || matches!(byte, b'_' | b'-'))
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    })
}

/// Decodes a contract whose version is known.
///
/// # Errors
/// Everything that does not conform to the schema, ordered by path.
pub fn decode(json: &Json) -> Result<Document, Vec<Problem>> {
    let mut decoder = Decoder::new();
    let document = decoder.object(json, Others::Refused, contract);
    let problems = decoder.finish();
    match document {
        Some(document) if problems.is_empty() => Ok(document),
        _ => Err(problems),
    }
}

fn contract(fields: &mut Fields<'_, '_>) -> Option<Document> {
    fields.anything("contract_version");
    let skill = fields.required("skill", |decoder, json| decoder.object(json, Others::Refused, skill));
    let permissions =
        fields.required("permissions", |decoder, json| decoder.object(json, Others::Refused, permissions));
    let capabilities = fields.required("capabilities", |decoder, json| {
        decoder.filled_array(json, |decoder, json| decoder.object(json, Others::Refused, capability))
    });
    fields.optional("$schema", Decoder::text);
    let kind = fields.optional("kind", |decoder, json| {
        decoder.one_of(json, &[("tool", Kind::Tool), ("instructions", Kind::Instructions)])
    });
    fields.optional("compat", |decoder, json| decoder.object(json, Others::Refused, compat));
    let requirements =
        fields.optional("requirements", |decoder, json| decoder.object(json, Others::Refused, requirements));
    let tests = fields.optional("tests", |decoder, json| decoder.object(json, Others::Refused, tests));
    let integrity =
        fields.optional("integrity", |decoder, json| decoder.object(json, Others::Refused, integrity));
    fields.optional("x", |decoder, json| decoder.map(json, Some(VENDOR), |_, _| Some(())));
    let (name, version, license) = skill?;
    Some(Document {
        kind: kind.unwrap_or_default(),
        name,
        version,
        license,
        permissions: permissions?,
        capabilities: capabilities?,
        requirements: requirements.unwrap_or_default(),
        tests: tests.unwrap_or_default(),
        integrity,
    })
}

fn placed<'j, T>(
    read: impl FnOnce(&mut Decoder<'j>, &'j Json) -> Option<T>,
) -> impl FnOnce(&mut Decoder<'j>, &'j Json) -> Option<Placed<T>> {
    |decoder, json| read(decoder, json).map(|value| Placed { value, span: json.span })
}

fn texts<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Vec<Placed<String>>> {
    decoder.array(json, Decoder::text)
}

fn command<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Vec<Placed<String>>> {
    decoder.filled_array(json, Decoder::text)
}

fn skill(fields: &mut Fields<'_, '_>) -> Option<(Placed<String>, String, Option<String>)> {
    let name = fields.required(
        "name",
        placed(|decoder, json| decoder.text_that(json, &[TextRule::Shape(SKILL_NAME), TextRule::AtMost(64)])),
    );
    let version =
        fields.required("version", |decoder, json| decoder.text_that(json, &[TextRule::Shape(VERSION)]));
    let license = fields.optional("license", Decoder::text);
    fields.optional("homepage", Decoder::text);
    fields.optional("source", Decoder::text);
    fields.optional("authors", texts);
    fields.optional("native_contract", |decoder, json| {
        decoder.object(json, Others::Refused, |fields| {
            fields.optional("cli", command);
            fields.optional("schema", Decoder::text);
            Some(())
        })
    });
    Some((name?, version?, license))
}

fn compat(fields: &mut Fields<'_, '_>) -> Option<()> {
    fields.optional("agents", |decoder, json| {
        decoder.map(json, Some(AGENT), |decoder, json| {
            decoder.object(json, Others::Refused, |fields| {
                fields.optional("status", |decoder, json| {
                    decoder.one_of(json, &[("tested", ()), ("expected", ()), ("unsupported", ())])
                });
                for name in ["version", "notes", "tested_at"] {
                    fields.optional(name, Decoder::text);
                }
                Some(())
            })
        })
    });
    fields.optional("os", |decoder, json| {
        decoder.array(json, |decoder, json| {
            let systems = [("linux", ()), ("macos", ()), ("windows", ()), ("ios", ()), ("android", ())];
            decoder.one_of(json, &systems)
        })
    });
    fields.optional("interfaces", |decoder, json| {
        decoder.array(json, |decoder, json| {
            let interfaces = [("skill-md", ()), ("cli", ()), ("mcp-stdio", ()), ("mcp-http", ())];
            decoder.one_of(json, &interfaces)
        })
    });
    Some(())
}

fn requirements(fields: &mut Fields<'_, '_>) -> Option<Requirements> {
    let mut programs = |name| {
        let programs = fields.optional(name, |decoder, json| {
            decoder.array(json, |decoder, json| decoder.object(json, Others::Refused, requirement))
        });
        programs.unwrap_or_default().into_iter().map(|placed| placed.value).collect()
    };
    let binaries = programs("binaries");
    let runtimes = programs("runtimes");
    fields.optional("env", |decoder, json| {
        decoder.array(json, |decoder, json| {
            decoder.object(json, Others::Refused, |fields| {
                fields.required("name", Decoder::text);
                fields.optional("required", Decoder::boolean);
                fields.optional("secret", Decoder::boolean);
                fields.optional("description", Decoder::text);
                Some(())
            })
        })
    });
    fields.optional("skills", |decoder, json| {
        decoder.array(json, |decoder, json| {
            decoder.object(json, Others::Refused, |fields| {
                fields.required("name", Decoder::text);
                for name in ["version", "env", "when"] {
                    fields.optional(name, Decoder::text);
                }
                fields.optional("optional", Decoder::boolean);
                Some(())
            })
        })
    });
    fields.optional("packages", |decoder, json| {
        decoder.array(json, |decoder, json| {
            decoder.object(json, Others::Refused, |fields| {
                fields.required("ecosystem", |decoder, json| {
                    let ecosystems = [("pypi", ()), ("npm", ()), ("cargo", ()), ("go", ()), ("gem", ())];
                    decoder.one_of(json, &ecosystems)
                });
                fields.required("name", Decoder::text);
                fields.optional("version", Decoder::text);
                fields.optional("import", Decoder::text);
                fields.optional("optional", Decoder::boolean);
                Some(())
            })
        })
    });
    Some(Requirements { binaries, runtimes })
}

fn requirement(fields: &mut Fields<'_, '_>) -> Option<Requirement> {
    let name = fields.required("name", Decoder::text);
    for name in ["version", "version_regex", "when"] {
        fields.optional(name, Decoder::text);
    }
    fields.optional("check", command);
    fields.optional("optional", Decoder::boolean);
    let features = fields.optional("features_check", |decoder, json| decoder.map(json, None, command));
    fields.optional("alternatives", texts);
    let feature_kinds = features.unwrap_or_default().into_iter().map(|entry| entry.name).collect();
    Some(Requirement { name: name?, feature_kinds })
}

fn permissions(fields: &mut Fields<'_, '_>) -> Option<Permissions> {
    let [read, write, network, exec, spend, send] = Class::ALL.map(|class| {
        fields
            .required(class.word(), placed(|decoder, json| decoder.object(json, Others::Refused, permission)))
    });
    Some(Permissions([read?, write?, network?, exec?, spend?, send?]))
}

fn permission(fields: &mut Fields<'_, '_>) -> Option<Permission> {
    let level = fields.required(
        "level",
        placed(|decoder, json| {
            decoder.one_of(json, &[("none", Level::None), ("scoped", Level::Scoped), ("any", Level::Any)])
        }),
    );
    // The schema's condition also holds where `level` is missing.
    let scope = if fields.peek("level").is_none_or(|level| level.as_str() == Some("scoped")) {
        fields.required("scope", command)
    } else {
        fields.optional("scope", texts)
    };
    let why = fields.optional("why", Decoder::text);
    let confirm = fields.optional("confirm", |decoder, json| {
        let answers = [("never", Confirm::Never), ("each", Confirm::Each), ("session", Confirm::Session)];
        decoder.one_of(json, &answers)
    });
    Some(Permission { level: level?, scope: scope.unwrap_or_default(), why, confirm })
}

fn capability(fields: &mut Fields<'_, '_>) -> Option<Capability> {
    let id = fields
        .required("id", placed(|decoder, json| decoder.text_that(json, &[TextRule::Shape(CAPABILITY_ID)])));
    let summary =
        fields.required("summary", |decoder, json| decoder.text_that(json, &[TextRule::AtMost(300)]));
    let effects = fields.required("effects", |decoder, json| {
        decoder.set(json, |decoder, json| decoder.one_of(json, &EFFECTS))
    });
    let entry = fields.optional("entry", |decoder, json| {
        decoder.object(json, Others::Refused, |fields| {
            let cli = fields.optional("cli", command);
            let mcp_tool = fields.optional("mcp_tool", Decoder::text);
            fields.optional("doc", Decoder::text);
            Some((cli, mcp_tool))
        })
    });
    let destructive = fields.optional("destructive", placed(Decoder::boolean));
    fields.optional("idempotent", Decoder::boolean);
    fields.optional("dry_run", |decoder, json| {
        decoder.object(json, Others::Allowed, |fields| {
            fields.optional("supported", Decoder::boolean);
            fields.optional("flag", Decoder::text);
            fields.optional("effects", texts);
            Some(())
        })
    });
    let inputs = fields.optional("inputs", Decoder::any_object).cloned();
    let outputs = fields.optional("outputs", Decoder::any_object).cloned();
    let requires = fields.optional("requires", texts).unwrap_or_default();
    let requires_features = fields.optional("requires_features", |decoder, json| {
        decoder.array(json, |decoder, json| decoder.text_that(json, &[TextRule::Shape(FEATURE)]))
    });
    let optional_features = fields.optional("optional_features", |decoder, json| {
        decoder.array(json, |decoder, json| {
            decoder.object(json, Others::Allowed, |fields| {
                let feature = fields.required("feature", placed(Decoder::text));
                fields.optional("when", Decoder::text);
                feature
            })
        })
    });
    let conditional = fields.optional("conditional_effects", |decoder, json| {
        decoder.array(json, |decoder, json| decoder.object(json, Others::Refused, conditional_effect))
    });
    fields.optional("role", Decoder::text);
    fields.optional("mcp_annotations", |decoder, json| {
        decoder.object(json, Others::Allowed, |fields| {
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                fields.optional(hint, Decoder::boolean);
            }
            Some(())
        })
    });
    fields.optional("x", Decoder::any_object);
    let effect_scopes =
        fields.optional("effect_scopes", |decoder, json| decoder.map(json, Some(EFFECT_NAME), texts));
    let (cli, mcp_tool) = entry.unwrap_or_default();
    Some(Capability {
        id: id?,
        summary: summary?,
        cli,
        mcp_tool,
        effects: effects?,
        conditional: conditional.unwrap_or_default(),
        effect_scopes: effect_scopes.unwrap_or_default().into_iter().filter_map(effect_scope).collect(),
        destructive,
        inputs,
        outputs,
        requires,
        requires_features: requires_features.unwrap_or_default(),
        optional_features: optional_features
            .unwrap_or_default()
            .into_iter()
            .map(|placed| placed.value)
            .collect(),
    })
}

fn effect_scope(entry: Entry<Vec<Placed<String>>>) -> Option<EffectScope> {
    Some(EffectScope { class: Class::named(&entry.name)?, scope: entry.value, span: entry.span })
}

fn conditional_effect(fields: &mut Fields<'_, '_>) -> Option<Conditional> {
    let class = fields.required("effect", |decoder, json| decoder.one_of(json, &EFFECTS));
    let when = fields.required("when", Decoder::text);
    let scope = fields.optional("scope", texts);
    Some(Conditional { class: class?, when: when?, scope })
}

fn tests(fields: &mut Fields<'_, '_>) -> Option<Tests> {
    let setup = fields.optional("setup", |decoder, json| decoder.array(json, command));
    let cases = fields.optional("cases", |decoder, json| {
        decoder.array(json, |decoder, json| decoder.object(json, Others::Refused, case))
    });
    Some(Tests {
        setup: setup.unwrap_or_default().into_iter().map(|placed| placed.value).collect(),
        cases: cases.unwrap_or_default(),
    })
}

fn case(fields: &mut Fields<'_, '_>) -> Option<Case> {
    let id = fields.required("id", Decoder::text);
    let run = fields.required("run", command);
    fields.required("expect", |decoder, json| decoder.object(json, Others::Refused, expect));
    let capability = fields.optional("capability", placed(Decoder::text));
    fields.optional("timeout_s", |decoder, json| decoder.number_above(json, 0.0));
    let network = fields.optional("network", placed(Decoder::boolean));
    fields.optional("env", |decoder, json| decoder.map(json, None, Decoder::text));
    fields.optional("skip_unless_env", texts);
    fields.optional("tags", texts);
    Some(Case { id: id?, capability, run: run?, network })
}

fn expect(fields: &mut Fields<'_, '_>) -> Option<()> {
    fields.optional("exit_code", Decoder::whole_number);
    fields.optional("stdout_contains", Decoder::text);
    fields.optional("stderr_contains", Decoder::text);
    fields.optional("stdout_json_schema", Decoder::any_object);
    fields.optional("stdout_json", |decoder, json| {
        decoder.array(json, |decoder, json| {
            decoder.object(json, Others::Allowed, |fields| {
                fields.required("path", Decoder::text);
                fields.anything("equals");
                fields.optional("min", Decoder::number);
                fields.optional("max", Decoder::number);
                fields.optional("exists", Decoder::boolean);
                Some(())
            })
        })
    });
    fields
        .optional("stdout_json_mode", |decoder, json| decoder.one_of(json, &[("strict", ()), ("last", ())]));
    fields.optional("files", |decoder, json| {
        decoder.array(json, |decoder, json| {
            decoder.object(json, Others::Allowed, |fields| {
                fields.required("path", Decoder::text);
                fields.optional("exists", Decoder::boolean);
                fields.optional("min_bytes", Decoder::whole_number);
                Some(())
            })
        })
    });
    fields.optional("validate_outputs", Decoder::boolean);
    fields.optional("no_writes_outside", texts);
    Some(())
}

fn integrity(fields: &mut Fields<'_, '_>) -> Option<Integrity> {
    fields.optional("algorithm", |decoder, json| decoder.one_of(json, &[("sha256", ())]));
    let files_span = fields.peek("files").map(|files| files.span);
    let files = fields.optional("files", |decoder, json| {
        decoder.map(json, None, |decoder, json| decoder.text_that(json, &[TextRule::Shape(DIGEST)]))
    });
    let exclude = fields.optional("exclude", |decoder, json| {
        decoder.array(json, |decoder, json| decoder.text_that(json, &[TextRule::NotEmpty]))
    });
    fields.optional("canonicalization", |decoder, json| {
        decoder.one_of(json, &[("jcs", ()), ("legacy-sorted", ())])
    });
    let signatures = fields.optional("signatures", |decoder, json| {
        decoder.array(json, |decoder, json| decoder.object(json, Others::Refused, signature))
    });
    Some(Integrity {
        span: fields.span(),
        files_span,
        files: files.unwrap_or_default(),
        exclude: exclude.unwrap_or_default(),
        signatures: signatures.unwrap_or_default(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SignatureType {
    Ed25519,
    Sigstore,
}

fn signature(fields: &mut Fields<'_, '_>) -> Option<Signature> {
    let written = fields.peek("type").map(|json| json.as_str());
    let kind = fields.required("type", |decoder, json| {
        decoder.one_of(json, &[("ed25519", SignatureType::Ed25519), ("sigstore", SignatureType::Sigstore)])
    });
    // The schema's two conditions also hold where `type` is missing.
    let asks = |word: &str| written.is_none_or(|written| written == Some(word));
    let mut text = |name, of: &str| {
        if asks(of) { fields.required(name, Decoder::text) } else { fields.optional(name, Decoder::text) }
    };
    let key = text("key", "ed25519");
    let signature = text("sig", "ed25519");
    let identity = text("identity", "sigstore");
    let issuer = text("issuer", "sigstore");
    if asks("sigstore") {
        fields.required("bundle", Decoder::any_object);
    } else {
        fields.optional("bundle", Decoder::any_object);
    }
    fields.optional("signer", Decoder::text);
    let staging = fields.optional("instance", |decoder, json| {
        decoder.one_of(json, &[("production", false), ("staging", true)])
    });
    fields.optional("role", |decoder, json| {
        decoder.one_of(json, &[("author", ()), ("reviewer", ()), ("scanner", ())])
    });
    Some(match kind? {
        SignatureType::Ed25519 => Signature::Ed25519 { key: key?, signature: signature? },
        SignatureType::Sigstore => {
            Signature::Sigstore { issuer: issuer?, identity: identity?, staging: staging.unwrap_or(false) }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_holds_at_the_end_of_the_text_too() {
        for (shape, good, bad) in [
            (SKILL_NAME, "a-b1", ["a-b1\n", "-a", "a--b", "A", "", "a-"]),
            (CAPABILITY_ID, "a.b_c-1", ["a..b", "a\n", ".a", "a-", "", "ä"]),
            (VERSION, "01.2.3-rc.1", ["1.2", "1.2.3-", "1.2.3-a+b", "1.2.3\n", "١.٢.٣", ".1.2"]),
            (FEATURE, "filter:scale_vaapi.2", ["filter", ":x", "x:", "X:y", "a:b:c", "a:b\n"]),
            (AGENT, "-claude-code", ["", "a_b", "A", "a ", "a\n", "é"]),
            (VENDOR, "kitbag-1", ["-a", "", "a_b", "A", "a\n", "x.y"]),
        ] {
            assert!((shape.holds)(good), "{good:?}");
            for text in bad {
                assert!(!(shape.holds)(text), "{text:?} is {}", shape.rule);
            }
        }
        assert!((DIGEST.holds)(&"0f".repeat(32)));
        assert!(!(DIGEST.holds)(&"0F".repeat(32)));
        assert!((VERSION.holds)("1.2.3+build.5"));
    }
}
