//! Which versions of the specification are known (SkillPact §17).

use crate::finding::SpecVersion;

/// The versions this program knows, oldest first.
pub const KNOWN: &[SpecVersion] = &[
    SpecVersion { major: 0, minor: 1 },
    SpecVersion { major: 0, minor: 2 },
    SpecVersion { major: 0, minor: 3 },
    SpecVersion { major: 0, minor: 4 },
    SpecVersion { major: 0, minor: 5 },
    SpecVersion { major: 0, minor: 6 },
    SpecVersion { major: 0, minor: 7 },
    NEWEST,
];

/// The newest of them.
pub const NEWEST: SpecVersion = SpecVersion { major: 0, minor: 8 };

/// What is known of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is known.
    Known(SpecVersion),
    /// Its major version is known and, from 1.0 on, only adds; the contract may be read as the newest known one.
    NewerMinor,
    /// Nothing is known of it.
    Unsupported,
}

/// What is known of the version written `text`. During 0.x an unknown minor version is an unknown major one.
#[must_use]
pub fn status(text: &str, known: &[SpecVersion]) -> Status {
    // Compared as text: `0.08` and `00.8` are not how a version is written.
    if let Some(version) = known.iter().find(|version| version.to_string() == text) {
        return Status::Known(*version);
    }
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        Some((major, minor)) if is_number(major) && is_number(minor) => {
            let major_known =
                known.iter().any(|version| version.major != 0 && version.major.to_string() == major);
            if major_known { Status::NewerMinor } else { Status::Unsupported }
        }
        _ => Status::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_minor_version_is_read_only_from_1_0_on() {
        let known = [SpecVersion { major: 0, minor: 8 }, SpecVersion { major: 3, minor: 0 }];
        assert_eq!(status("3.0", &known), Status::Known(known[1]));
        assert_eq!(status("3.4", &known), Status::NewerMinor);
        assert_eq!(status("4.0", &known), Status::Unsupported);
        assert_eq!(status("0.9", &known), Status::Unsupported);
    }
}
