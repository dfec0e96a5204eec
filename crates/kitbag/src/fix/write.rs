//! A document replaced as a whole or not at all: a new file beside it, written and synced, then renamed over it.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use portable::Replacement;
#[cfg(unix)]
pub(super) use unix::Replacement;

use kitbag_core::path::PackagePath;

/// Most names tried for the new file. Each that is taken is left behind by a run that was cut off.
const MOST_NAMES: u32 = 100;

/// The names to try for the file that will replace `file`: hidden, so that no program takes it for a document.
fn new_names(file: &PackagePath) -> impl Iterator<Item = String> {
    (0..MOST_NAMES).map(move |number| format!(".{}.kitbag-{number}", file.name()))
}
