//! What one face says about permissions as a whole.

use super::grant::{Grant, Never};

/// What one face says. Silence is not "none".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// The document has no word on permissions, or its format has none.
    Unspoken,
    /// It speaks.
    Spoken(Grants),
}

/// Every statement of one face.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// One per statement in the document.
    pub declared: Vec<Grant>,
    /// What the format gives without being asked.
    pub implied: Vec<Grant>,
    /// What the format never gives.
    pub ceiling: Vec<Never>,
}
