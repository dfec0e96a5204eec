//! JSON as kitbag reads it: I-JSON (RFC 7493), once, strictly, with the place of everything.
//!
//! [`read::read`] refuses what two parsers could read differently: duplicate names after unescaping, integers beyond
//! ±(2^53−1), numbers that overflow, lone surrogates, invalid UTF-8, a byte order mark, nesting deeper than the profile
//! says. What it accepts keeps its byte [`Span`], so every later sentence about a value can point at it.

pub mod canonical;
pub mod compare;
pub mod decode;
mod plain;
pub mod print;
mod problem;
pub mod read;
pub mod value;

pub use problem::{Problem, ProblemKind, Step, excerpt};
pub use read::{MAX_DEPTH, SyntaxError, SyntaxErrorKind, read};
pub use value::{Json, Member, Object, Pointer, Span, Value};
