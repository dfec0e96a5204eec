//! What a tool takes and gives, by the schemas of its format.

use kitbag_core::formats::Face;
use kitbag_core::json::Json;
use kitbag_core::schema::Schema;
use kitbag_core::schema::subset::Subset;

use super::{DETAILS_AT_MOST, Error, Fault, FaultKind, details, unsupported};

/// A schema of a tool.
#[derive(Debug)]
pub(super) enum Shape {
    /// JSON Schema.
    Full(Box<Schema>),
    /// Splice's subset of it.
    Subset(Box<Subset>),
}

impl Shape {
    /// The schema `json` of a tool of `face`.
    pub(super) fn of(face: &Face, json: &Json) -> Result<Self, Error> {
        match face {
            Face::Splice(_) => match Subset::new(json) {
                Ok(subset) => Ok(Self::Subset(Box::new(subset))),
                Err(_faults) => Err(unsupported("a schema of the tool cannot be used")),
            },
            _ => Ok(Self::Full(Box::new(Schema::new(json).map_err(Error::Schema)?))),
        }
    }

    /// Whether `value` is what the schema says; a fault of the kind `kind`, when it is not.
    pub(super) fn check(&self, value: &Json, kind: FaultKind) -> Result<(), Fault> {
        let (root, message) = match kind {
            FaultKind::InvalidOutput => ("output", "the output is not what the tool says that it gives"),
            _ => ("input", "the input is not what the tool takes"),
        };
        let details: Vec<String> = match self {
            Self::Full(schema) => details(&schema.violations(value)),
            Self::Subset(subset) => {
                let unlike = subset.violations(value, root).into_iter().take(DETAILS_AT_MOST);
                unlike.map(|unlike| format!("{}: {}", unlike.path, unlike.message)).collect()
            }
        };
        if details.is_empty() {
            return Ok(());
        }
        Err(Fault { details, ..Fault::new(kind, message.to_owned()) })
    }
}
