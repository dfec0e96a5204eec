//! Archives for tests: made by the tools people use, and made byte by byte with named ways to spoil them.

pub mod tools;
