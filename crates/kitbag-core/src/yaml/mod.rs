//! YAML as a tree with the place of everything, before anybody says what a word means.
//!
//! [`read()`] turns text into [`Stream`]: scalars with their text and style, sequences, mappings as ordered pairs with
//! repeated keys kept, tags and anchors as written. An alias is a reference to a node and is never expanded, so a document
//! is as large in memory as it is on disk, whatever it multiplies to. What a plain word *is* (text, a number, a truth value)
//! depends on who reads: each schema is a small room of its own, named after the promise it keeps, and none has a switch.
//!
//! | schema | who reads so |
//! |---|---|
//! | [`failsafe`] | text, sequences and mappings, nothing else |
//! | [`core_1_2`] | YAML 1.2's core schema: `true`, `null`, `1`, `0x1F`, `.5` |
//! | [`yaml_1_1`] | PyYAML's safe loader: `yes`, `010`, `1:20`, dates, merge keys |

pub mod core_1_2;
mod error;
pub mod failsafe;
pub mod layout;
mod node;
mod read;
pub mod yaml_1_1;

pub use error::{Problem, SyntaxError, SyntaxErrorKind};
pub use node::{Anchor, Content, Node, NodeId, Scalar, Stream, Style, Tag};
pub use read::{Bounds, read};
