//! What was typed as PATH, as a source for the library. The only reader of standard input.

use std::path::PathBuf;

use kitbag::read::Source;
use kitbag_core::limits::{self, Limits};

use crate::failure::{Failure, Kind};

/// Where `path` leads: `-` is standard input, judged under `name`.
pub fn source(path: PathBuf, name: &str) -> Result<Source, Failure> {
    if path.as_os_str() != "-" {
        return Ok(Source::Path(path));
    }
    let max = Limits::LOOSEST.document_bytes;
    #[expect(clippy::disallowed_methods, reason = "this is the room that owns standard input")]
    let mut input = std::io::stdin().lock();
    let bytes = limits::read_bounded(&mut input, 0, max)
        .map_err(|error| Failure::new(Kind::Input, format!("cannot read standard input: {error}")))?;
    Ok(Source::Document { name: Some(name.to_owned()), bytes })
}

/// The sources of several paths, of which at most one may be standard input.
pub fn sources(paths: Vec<PathBuf>, name: &str) -> Result<Vec<Source>, Failure> {
    if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new(Kind::Usage, "standard input (`-`) can be read only once"));
    }
    paths.into_iter().map(|path| source(path, name)).collect()
}
