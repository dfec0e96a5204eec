//! `specialist`: what would an installation of this package do; and installing, exporting and deleting, in a store.
//!
//! Two readers look at an archive. Open-Science's own says, in its codes, what Open-Science would make of it; the strict reader
//! of every archive decides what is believed, and what is installed is what that one read.

mod delete;
mod error;
mod export;
mod install;
mod list;
mod package;
mod preview;
mod shelf;
mod shown;
mod wider;

pub use delete::{Deleted, Deletion, DeletionRequest, delete, preview_deletion};
pub use error::Error;
pub use export::{ExportOutcome, ExportPreview, ExportRequest, Exported, export, preview_export};
pub use install::{InstallRequest, Installation, Installed, Seen, WiderPermissions, install};
pub use list::{Entry, edit, list, show};
pub use preview::{Answer, Look, Request, Verdict, look, preview, remember};
pub use shown::{ASKER, Token};
pub use wider::Wider;
