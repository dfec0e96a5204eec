//! What both layers of a package share: which files are noise, and how a name that cannot be trusted is told.

use crate::json::excerpt;
use crate::path::PackagePath;

/// A name of an entry, as people can be told it: a plain path as it is, anything else by its last segment.
pub(super) fn shown(name: &str) -> String {
    let bare = name.strip_suffix('/').unwrap_or(name);
    let drive = matches!(bare.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let odd = drive || bare.contains('\\') || bare.chars().any(char::is_control);
    match PackagePath::new(bare) {
        Ok(path) if !odd => excerpt(path.as_str()),
        _ => shown_unsafe(name),
    }
}

/// A name that leads out of the package: its last segment, behind a mark.
fn shown_unsafe(name: &str) -> String {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = !last.is_empty() && last != "." && last != ".." && !last.chars().any(char::is_control);
    if is_plain { format!("[unsafe]/{}", excerpt(last)) } else { "[unsafe-path]".to_owned() }
}

/// Whether an entry of a ZIP is what an operating system leaves behind: at any level, in any case.
pub(super) fn is_zip_noise(path: &str) -> bool {
    path.split('/').any(|segment| {
        ["__MACOSX", ".DS_Store", "Thumbs.db"].iter().any(|noise| segment.eq_ignore_ascii_case(noise))
    })
}

/// The same in a folder, which is taken more exactly: `.DS_Store` at any level, the others at the root.
pub(super) fn is_folder_noise(path: &str) -> bool {
    path.rsplit('/').next() == Some(".DS_Store") || path == "Thumbs.db" || path.starts_with("__MACOSX/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_cannot_be_trusted_is_told_by_its_last_segment() {
        assert_eq!(shown_unsafe("../../etc/passwd"), "[unsafe]/passwd");
        assert_eq!(shown_unsafe("C:\\x\\y.txt"), "[unsafe]/y.txt");
        assert_eq!(shown_unsafe("a/.."), "[unsafe-path]");
        assert_eq!(shown_unsafe("a/\u{1b}[2J"), "[unsafe-path]");
        assert_eq!(shown("a/b.txt"), "a/b.txt");
        assert_eq!(shown("a/"), "a");
        assert_eq!(shown("/a/b.txt"), "[unsafe]/b.txt");
        assert_eq!(shown("a/\u{1b}[2J"), "[unsafe-path]");
    }

    #[test]
    fn noise_is_judged_by_where_it_is() {
        assert!(is_zip_noise("a/thumbs.DB") && is_zip_noise("__macosx/x"));
        assert!(!is_zip_noise("a/thumbs.txt"));
        assert!(is_folder_noise("a/.DS_Store") && is_folder_noise("Thumbs.db"));
        assert!(!is_folder_noise("a/Thumbs.db") && !is_folder_noise("thumbs.db"));
    }
}
