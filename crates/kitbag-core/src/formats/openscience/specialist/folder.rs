//! A package in a folder (§3.4): the same limits without compression, and no wrapper. Links and what cannot be read replace
//! everything else; what is neither file nor folder is passed over by Open-Science, and told by whoever checks any package.

use crate::finding::{Finding, Findings, Place};
use crate::path::PackagePath;
use crate::tree::{Names, Node, Tree};

use super::super::codes;
use super::content::Files;
use super::layer::is_folder_noise;
use super::{FILE_BYTES, FILES, SEGMENTS, TOTAL_BYTES};

/// The files of the package that `tree` is; `None` when its layer has an error, so that the content is not looked at.
#[must_use]
pub fn files(tree: &Tree, out: &mut Findings) -> Option<Files> {
    let mut blocked = false;
    for (path, node) in tree.iter() {
        match node {
            Node::Link { .. } => {
                let message = format!("`{path}` is a symbolic link");
                out.push(Finding::new(&codes::SYMBOLIC_LINK, Place::file(path.clone()), message));
                blocked = true;
            }
            Node::Unreadable { .. } => {
                let message = format!("`{path}` cannot be read");
                out.push(Finding::new(&codes::DIRECTORY_UNREADABLE, Place::file(path.clone()), message));
                blocked = true;
            }
            Node::File(blob) if blob.names() == Names::Several => {
                let message = format!("`{path}` is a hard link: the same file is also somewhere else");
                out.push(Finding::new(&codes::HARD_LINK, Place::file(path.clone()), message));
                blocked = true;
            }
            Node::File(_) | Node::Folder | Node::Special(_) => {}
        }
    }
    if blocked {
        return None;
    }
    let mut files = Files::new();
    let mut bytes = 0u64;
    let mut count = 0;
    let mut is_sound = true;
    let mut too_deep: Option<PackagePath> = None;
    for (path, node) in tree.iter() {
        if too_deep.as_ref().is_some_and(|folder| path.below(folder).is_some()) {
            continue;
        }
        let segments = path.segments().count();
        if segments > SEGMENTS && matches!(node, Node::Folder | Node::File(_)) {
            let message = format!("`{path}` has {segments} segments and may have {SEGMENTS}");
            out.push(Finding::new(&codes::ARCHIVE_PATH_DEPTH, Place::file(path.clone()), message));
            is_sound = false;
            if matches!(node, Node::Folder) {
                too_deep = Some(path.clone());
                continue;
            }
        }
        let Node::File(blob) = node else { continue };
        count += 1;
        bytes = bytes.saturating_add(blob.len());
        if blob.len() > FILE_BYTES {
            let message = format!("`{path}` has {} bytes and may have {FILE_BYTES}", blob.len());
            out.push(Finding::new(&codes::ARCHIVE_FILE_SIZE, Place::file(path.clone()), message));
            is_sound = false;
        }
        if is_folder_noise(path.as_str()) {
            let message = format!("`{path}` was left behind by an operating system");
            out.push(Finding::new(&codes::METADATA_NOISE, Place::file(path.clone()), message));
        } else {
            files.push((path.clone(), blob.clone()));
        }
        if count > FILES || bytes > TOTAL_BYTES {
            break;
        }
    }
    if count > FILES {
        let message = format!("there are more than {FILES} files");
        out.push(Finding::new(&codes::ARCHIVE_FILE_COUNT, Place::package(), message));
        is_sound = false;
    }
    if bytes > TOTAL_BYTES {
        let message = format!("the files have more than {TOTAL_BYTES} bytes in all");
        out.push(Finding::new(&codes::ARCHIVE_UNCOMPRESSED_SIZE, Place::package(), message));
        is_sound = false;
    }
    is_sound.then_some(files)
}
