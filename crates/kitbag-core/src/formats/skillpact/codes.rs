//! Every finding of SkillPact, Appendix A, by the specification's own names; then kitbag's own, in lower case.

use crate::finding::{Code, Grade, Severity, SpecVersion};

/// Every code, in the order in which a check meets them.
pub static CODES: &[&Code] = &[
    &SKILL_MD_MISSING,
    &FRONTMATTER_MISSING,
    &FM_NAME,
    &FM_NAME_DIR,
    &FM_DESCRIPTION,
    &FM_COMPAT,
    &BODY_LONG,
    &CONTRACT_MISSING,
    &CONTRACT_JSON,
    &CONTRACT_VERSION_UNSUPPORTED,
    &CONTRACT_VERSION_NEWER,
    &SCHEMA,
    &NAME_MISMATCH,
    &HIGH_RISK,
    &SCOPE_EMPTY,
    &UNKNOWN_SCOPE_TOKEN,
    &UNKNOWN_VARIABLE,
    &SCOPE_TRAVERSAL,
    &DUP_CAPABILITY,
    &UNDECLARED_EFFECT,
    &DESTRUCTIVE_NO_EFFECT,
    &BAD_SUBSCHEMA,
    &UNKNOWN_REQUIREMENT,
    &ENTRY_MISSING,
    &SCOPE_WIDENED,
    &UNKNOWN_FEATURE_KIND,
    &NO_ENTRY,
    &UNUSED_PERMISSION,
    &TEST_UNKNOWN_CAPABILITY,
    &TEST_UNDECLARED_NETWORK,
    &UNCONFIRMED_DRAFT,
    &NO_TESTS,
    &UNTESTED_CAPABILITY,
    &INTEGRITY_EMPTY,
    &INTEGRITY_PATH,
    &INTEGRITY_MISSING,
    &INTEGRITY_MISMATCH,
    &INTEGRITY_UNLISTED,
    &DUP_SIGNATURE,
    &SIGNATURE_INVALID,
    &SIGSTORE_UNVERIFIED,
    &SIGNATURE_ROLE_UNSIGNED,
    &CONDITIONAL_SCOPE,
    &SIGNATURE_UNVERIFIED,
    &TOO_MANY_FINDINGS,
];

/// A warning before a version, an error from it on.
const fn since(major: u16, minor: u16) -> Grade {
    Grade::Since { version: SpecVersion { major, minor }, before: Severity::Warning, after: Severity::Error }
}

/// There is no SKILL.md beside the contract.
pub static SKILL_MD_MISSING: Code = Code {
    slug: "skillpact/SKILL_MD_MISSING",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §3",
    summary: "There is no SKILL.md beside the contract.",
    why: "A contract describes the skill it lies next to; without one it describes nothing.",
    help: "Put the contract into the folder of the SKILL.md it describes.",
};

/// SKILL.md does not begin with front matter that can be read.
pub static FRONTMATTER_MISSING: Code = Code {
    slug: "skillpact/FRONTMATTER_MISSING",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §3",
    summary: "SKILL.md does not begin with front matter that can be read.",
    why: "The contract's name is compared with the one in the front matter, so nothing else of the pair can be checked, and most harnesses do not load such a skill.",
    help: "Begin SKILL.md with a line `---`, then `name:` and `description:`, then another line `---`; quote values that contain `: `.",
};

/// The front matter's name is not a skill name.
pub static FM_NAME: Code = Code {
    slug: "skillpact/FM_NAME",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §20, Agent Skills",
    summary: "The front matter's name is not a skill name.",
    why: "Harnesses find a skill by this name.",
    help: "Use at most 64 characters: groups of a-z and 0-9, joined by single hyphens; quote a name that YAML reads as a number or a date.",
};

/// The front matter's name is not the name of the folder.
pub static FM_NAME_DIR: Code = Code {
    slug: "skillpact/FM_NAME_DIR",
    grade: since(0, 7),
    clause: "SkillPact §3",
    summary: "The front matter's name is not the name of the folder.",
    why: "Harnesses that go by the folder and harnesses that go by the front matter would know the skill by two names.",
    help: "Rename the folder or the skill so that both are the same.",
};

/// The front matter's description is missing, empty or too long.
pub static FM_DESCRIPTION: Code = Code {
    slug: "skillpact/FM_DESCRIPTION",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §20, Agent Skills",
    summary: "The front matter's description is missing, empty or too long.",
    why: "A harness decides by this text when to use the skill.",
    help: "Describe in 1 to 1024 characters what the skill does and when to use it.",
};

/// The front matter's compatibility is longer than 500 characters.
pub static FM_COMPAT: Code = Code {
    slug: "skillpact/FM_COMPAT",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §20, Agent Skills",
    summary: "The front matter's compatibility is longer than 500 characters.",
    why: "The Agent Skills specification cuts it there.",
    help: "Shorten it to 500 characters.",
};

/// The body of SKILL.md has more than 500 lines.
pub static BODY_LONG: Code = Code {
    slug: "skillpact/BODY_LONG",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §20, Agent Skills",
    summary: "The body of SKILL.md has more than 500 lines.",
    why: "The whole body is put before the model each time the skill is used.",
    help: "Move details into files that the body names.",
};

/// There is no contract.
pub static CONTRACT_MISSING: Code = Code {
    slug: "skillpact/CONTRACT_MISSING",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §3",
    summary: "There is no contract.",
    why: "Nothing is declared, so nothing can be checked.",
    help: "Write a skill.contract.json next to SKILL.md, or name the file that holds the contract.",
};

/// The contract is not I-JSON.
pub static CONTRACT_JSON: Code = Code {
    slug: "skillpact/CONTRACT_JSON",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §4.1",
    summary: "The contract is not I-JSON.",
    why: "Two programs could read it differently, and a signature would cover another text than the one that is judged.",
    help: "Write it as UTF-8 JSON with distinct names, integers within ±(2^53−1) and at most 64 levels.",
};

/// The contract follows a version of the specification that is not known.
pub static CONTRACT_VERSION_UNSUPPORTED: Code = Code {
    slug: "skillpact/CONTRACT_VERSION_UNSUPPORTED",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §17",
    summary: "The contract follows a version of the specification that is not known.",
    why: "What its members mean is not known.",
    help: "Use one of the known versions.",
};

/// The contract follows a newer minor version of a known major version.
pub static CONTRACT_VERSION_NEWER: Code = Code {
    slug: "skillpact/CONTRACT_VERSION_NEWER",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §17",
    summary: "The contract follows a newer minor version of a known major version.",
    why: "Members that the newer version added were not checked.",
    help: "Use a version of kitbag that knows it.",
};

/// The contract does not conform to the schema.
pub static SCHEMA: Code = Code {
    slug: "skillpact/SCHEMA",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §5",
    summary: "The contract does not conform to the schema.",
    why: "A member that is missing, misspelt or of another kind means something else than its author thinks.",
    help: "Change it as the message says; extensions belong under `x.<vendor>`.",
};

/// The contract and the front matter name different skills.
pub static NAME_MISMATCH: Code = Code {
    slug: "skillpact/NAME_MISMATCH",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §3",
    summary: "The contract and the front matter name different skills.",
    why: "The contract may belong to another skill.",
    help: "Give both the same name.",
};

/// Spending or sending is not limited.
pub static HIGH_RISK: Code = Code {
    slug: "skillpact/HIGH_RISK",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §6",
    summary: "Spending or sending is not limited.",
    why: "A skill that may spend anything or write to anybody is one that few harnesses let run.",
    help: "Use `scoped` and say what is paid for, or who is written to.",
};

/// A scoped effect has no scope.
pub static SCOPE_EMPTY: Code = Code {
    slug: "skillpact/SCOPE_EMPTY",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §6",
    summary: "A scoped effect has no scope.",
    why: "It says that there is a limit and does not say which.",
    help: "Name at least one scope, or use `none`.",
};

/// A scope is a reserved token that is not defined.
pub static UNKNOWN_SCOPE_TOKEN: Code = Code {
    slug: "skillpact/UNKNOWN_SCOPE_TOKEN",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §6",
    summary: "A scope is a reserved token that is not defined.",
    why: "Nothing matches it, so the effect is narrower than it looks.",
    help: "Use `@local` for network scopes; no other token is defined.",
};

/// A scope names a variable that is not defined.
pub static UNKNOWN_VARIABLE: Code = Code {
    slug: "skillpact/UNKNOWN_VARIABLE",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §6",
    summary: "A scope names a variable that is not defined.",
    why: "Whoever reads the scope cannot know what it stands for.",
    help: "Use `$INPUT`, `$INPUT_DIR`, `$OUTPUT`, `$WORKDIR`, `$SKILL_DIR` or `$TMPDIR`.",
};

/// A path scope contains traversal.
pub static SCOPE_TRAVERSAL: Code = Code {
    slug: "skillpact/SCOPE_TRAVERSAL",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §6.1",
    summary: "A path scope contains traversal.",
    why: "It seems to name one folder and reaches another.",
    help: "Write it without `.` and `..` segments, empty segments and backslashes.",
};

/// Two capabilities have the same id.
pub static DUP_CAPABILITY: Code = Code {
    slug: "skillpact/DUP_CAPABILITY",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §7",
    summary: "Two capabilities have the same id.",
    why: "A policy or a test that names the id could mean either.",
    help: "Give each capability an id of its own.",
};

/// A capability has an effect that the permissions exclude.
pub static UNDECLARED_EFFECT: Code = Code {
    slug: "skillpact/UNDECLARED_EFFECT",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §7",
    summary: "A capability has an effect that the permissions exclude.",
    why: "The permissions promise less than the skill does.",
    help: "Declare the effect in `permissions`, or take it out of the capability.",
};

/// A destructive capability writes, sends and spends nothing.
pub static DESTRUCTIVE_NO_EFFECT: Code = Code {
    slug: "skillpact/DESTRUCTIVE_NO_EFFECT",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §7",
    summary: "A destructive capability writes, sends and spends nothing.",
    why: "What destroys something changes something.",
    help: "Add the effect by which it destroys, or take `destructive` away.",
};

/// The schema of a capability's input or output is no JSON Schema.
pub static BAD_SUBSCHEMA: Code = Code {
    slug: "skillpact/BAD_SUBSCHEMA",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §7",
    summary: "The schema of a capability's input or output is no JSON Schema.",
    why: "Nobody can check an input or output against it.",
    help: "Write it as JSON Schema, Draft 2020-12.",
};

/// A capability requires something that `requirements` does not list.
pub static UNKNOWN_REQUIREMENT: Code = Code {
    slug: "skillpact/UNKNOWN_REQUIREMENT",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §7",
    summary: "A capability requires something that `requirements` does not list.",
    why: "It would be missed only when the capability runs.",
    help: "List it in `requirements.binaries` or `requirements.runtimes`.",
};

/// An entry names a file that is not in the skill.
pub static ENTRY_MISSING: Code = Code {
    slug: "skillpact/ENTRY_MISSING",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §7",
    summary: "An entry names a file that is not in the skill.",
    why: "The capability cannot be started.",
    help: "Add the file, or correct the path.",
};

/// A capability's scope is wider than the skill's.
pub static SCOPE_WIDENED: Code = Code {
    slug: "skillpact/SCOPE_WIDENED",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §7",
    summary: "A capability's scope is wider than the skill's.",
    why: "Whoever consented to the skill's permissions did not consent to this.",
    help: "Narrow it, or widen the permission.",
};

/// A capability names a feature of a kind that nothing can be asked for.
pub static UNKNOWN_FEATURE_KIND: Code = Code {
    slug: "skillpact/UNKNOWN_FEATURE_KIND",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §7",
    summary: "A capability names a feature of a kind that nothing can be asked for.",
    why: "Nobody can find out whether the feature is there.",
    help: "Add the kind to `features_check` of the requirement that has it.",
};

/// A capability has effects and no entry.
pub static NO_ENTRY: Code = Code {
    slug: "skillpact/NO_ENTRY",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §7",
    summary: "A capability has effects and no entry.",
    why: "It says what it does and not how it is started.",
    help: "Add `entry.cli` or `entry.mcp_tool`.",
};

/// No capability uses a declared permission.
pub static UNUSED_PERMISSION: Code = Code {
    slug: "skillpact/UNUSED_PERMISSION",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §6",
    summary: "No capability uses a declared permission.",
    why: "A skill should not ask for what it does not need.",
    help: "Set its level to `none`, or add the effect to the capability that has it.",
};

/// A test names a capability that is not there.
pub static TEST_UNKNOWN_CAPABILITY: Code = Code {
    slug: "skillpact/TEST_UNKNOWN_CAPABILITY",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §10",
    summary: "A test names a capability that is not there.",
    why: "The capability it was meant for is untested.",
    help: "Correct the id.",
};

/// A test uses the network and the permissions exclude it.
pub static TEST_UNDECLARED_NETWORK: Code = Code {
    slug: "skillpact/TEST_UNDECLARED_NETWORK",
    grade: since(0, 8),
    clause: "SkillPact §10",
    summary: "A test uses the network and the permissions exclude it.",
    why: "The test shows that the skill does what it promises not to do.",
    help: "Declare the network, or take `network` from the test.",
};

/// The contract is a draft that nobody has confirmed.
pub static UNCONFIRMED_DRAFT: Code = Code {
    slug: "skillpact/UNCONFIRMED_DRAFT",
    grade: since(0, 8),
    clause: "SkillPact §14",
    summary: "The contract is a draft that nobody has confirmed.",
    why: "A program guessed parts of it.",
    help: "Check the guesses, then remove the markers.",
};

/// A tool has no conformance tests.
pub static NO_TESTS: Code = Code {
    slug: "skillpact/NO_TESTS",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §10",
    summary: "A tool has no conformance tests.",
    why: "Nothing shows that it does what the contract says, and it cannot reach level L2.",
    help: "Add at least one test case.",
};

/// A capability has no test, while others have.
pub static UNTESTED_CAPABILITY: Code = Code {
    slug: "skillpact/UNTESTED_CAPABILITY",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §10",
    summary: "A capability has no test, while others have.",
    why: "Nothing shows that it does what the contract says.",
    help: "Add a test case that names it.",
};

/// The file list lacks SKILL.md.
pub static INTEGRITY_EMPTY: Code = Code {
    slug: "skillpact/INTEGRITY_EMPTY",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §11.2",
    summary: "The file list lacks SKILL.md.",
    why: "The file that every harness reads is not pinned.",
    help: "List every file of the skill with its SHA-256.",
};

/// A path of the file list is not allowed, or a symbolic link is in the skill.
pub static INTEGRITY_PATH: Code = Code {
    slug: "skillpact/INTEGRITY_PATH",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §11.2",
    summary: "A path of the file list is not allowed, or a symbolic link is in the skill.",
    why: "A path that leaves the folder, or a link, makes the digest of one file stand for another.",
    help: "List plain relative paths, and replace links by copies.",
};

/// A listed file is not there.
pub static INTEGRITY_MISSING: Code = Code {
    slug: "skillpact/INTEGRITY_MISSING",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §11",
    summary: "A listed file is not there.",
    why: "What was pinned is not what is delivered.",
    help: "Add the file, or make the list anew.",
};

/// A listed file has another digest.
pub static INTEGRITY_MISMATCH: Code = Code {
    slug: "skillpact/INTEGRITY_MISMATCH",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §11",
    summary: "A listed file has another digest.",
    why: "The file was changed after it was listed.",
    help: "Find out who changed it; if you did, make the list anew.",
};

/// A file is not in the file list.
pub static INTEGRITY_UNLISTED: Code = Code {
    slug: "skillpact/INTEGRITY_UNLISTED",
    grade: since(0, 8),
    clause: "SkillPact §11.2",
    summary: "A file is not in the file list.",
    why: "It can be changed without any digest noticing.",
    help: "List it, remove it, or exclude it where it may be excluded.",
};

/// A key or identity signed the contract more than once.
pub static DUP_SIGNATURE: Code = Code {
    slug: "skillpact/DUP_SIGNATURE",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §11",
    summary: "A key or identity signed the contract more than once.",
    why: "One signer could pass for several.",
    help: "Keep one signature of each signer.",
};

/// A signature does not hold.
pub static SIGNATURE_INVALID: Code = Code {
    slug: "skillpact/SIGNATURE_INVALID",
    grade: Grade::Always(Severity::Error),
    clause: "SkillPact §11",
    summary: "A signature does not hold.",
    why: "The contract was changed after it was signed, or was never signed by that key.",
    help: "Sign it again.",
};

/// A Sigstore signature was not verified.
pub static SIGSTORE_UNVERIFIED: Code = Code {
    slug: "skillpact/SIGSTORE_UNVERIFIED",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §11",
    summary: "A Sigstore signature was not verified.",
    why: "Nothing is known about who signed.",
    help: "Verify it where the Sigstore trust root is at hand.",
};

/// The signatures do not cover their roles.
pub static SIGNATURE_ROLE_UNSIGNED: Code = Code {
    slug: "skillpact/SIGNATURE_ROLE_UNSIGNED",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §11.1",
    summary: "The signatures do not cover their roles.",
    why: "Anybody can relabel them, so before version 0.8 none can count as its author's.",
    help: "Raise `contract_version` to 0.8 and sign again.",
};

/// A conditional effect reaches beyond the skill's scope.
pub static CONDITIONAL_SCOPE: Code = Code {
    slug: "skillpact/conditional-scope",
    grade: Grade::Always(Severity::Warning),
    clause: "SkillPact §6",
    summary: "A conditional effect reaches beyond the skill's scope.",
    why: "The skill's scope must cover every case, conditional ones too; whoever consented to it did not consent to this.",
    help: "Narrow the conditional scope, or widen the permission.",
};

/// A signature was not verified.
pub static SIGNATURE_UNVERIFIED: Code = Code {
    slug: "skillpact/signature-unverified",
    grade: Grade::Always(Severity::Warning),
    clause: "kitbag",
    summary: "A signature was not verified.",
    why: "This version of kitbag does not verify Ed25519 signatures, so nothing is known about who signed.",
    help: "Verify it with a program that does.",
};

/// There is more to say about the contract than is listed.
pub static TOO_MANY_FINDINGS: Code = Code {
    slug: "skillpact/too-many-findings",
    grade: Grade::Always(Severity::Error),
    clause: "kitbag",
    summary: "There is more to say about the contract than is listed.",
    why: "What is not listed may be worse than what is.",
    help: "Repair what is listed, then check again.",
};
