//! What the bytes of a package are worth, for every format: which digests pin it, whether they hold, and where somebody may
//! have signed them. Signatures are judged on top of this, never instead of it.

use std::fmt;

use crate::digest::Sha256;
use crate::finding::Findings;

/// What the bytes are worth, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The format's own rules refuse the package, so nothing in it is used.
    Refused,
    /// A byte, a file or a digest is not the one that is listed or was asked for.
    Tampered,
    /// Nothing says what the bytes should be.
    Unpinned,
    /// The archive was read by its format's strict rules, and nothing in it or beside it says what its bytes should be.
    Unsigned,
    /// Every file is the one that a digest names, and nothing else is there. That says nothing about who made it.
    VerifiedBytes,
}

impl Outcome {
    /// The word for it in every output.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Tampered => "tampered",
            Self::Unpinned => "unpinned",
            Self::Unsigned => "unsigned",
            Self::VerifiedBytes => "verified-bytes",
        }
    }

    /// Whether something is wrong with the bytes: nothing of such a package may be used.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        matches!(self, Self::Refused | Self::Tampered)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Where a signature is, which is all that the bytes part knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// The format has no signatures, or keeps them where the package is not: in a registry.
    Elsewhere,
    /// The format keeps signatures in the package, and none is there.
    Absent,
    /// So many are there.
    Present {
        /// How many.
        signatures: usize,
    },
}

/// How a digest is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// 64 hexadecimal digits.
    Hex,
    /// `sha256-` and the digits, as Splice writes them.
    Integrity,
}

/// A digest that pins a package, under the name its format has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// `integrity`, `filesDigest`, `manifestSha256`, …
    pub name: &'static str,
    /// The digest.
    pub sha256: Sha256,
    /// How the format writes it.
    pub spelling: Spelling,
    /// How much of the package it covers.
    pub reach: Reach,
}

/// How much of a package a digest covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every byte that was read.
    Everything,
    /// Some of it: a document, or the files that are packed.
    Part,
}

impl Pin {
    /// The digest as the format writes it.
    #[must_use]
    pub fn value(&self) -> String {
        match self.spelling {
            Spelling::Hex => self.sha256.to_string(),
            Spelling::Integrity => format!("sha256-{}", self.sha256),
        }
    }

    /// The digest in a text as any format writes it: 64 lower-case hexadecimal digits, alone or after `sha256-` or
    /// `sha256:`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Sha256> {
        let hex = text.strip_prefix("sha256-").or_else(|| text.strip_prefix("sha256:")).unwrap_or(text);
        Sha256::from_hex(hex)
    }
}

/// Digest and length of the file that a package came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveBytes {
    /// SHA-256 of the file.
    pub sha256: Sha256,
    /// Its length.
    pub size: u64,
}

/// What one document says the bytes are worth.
#[derive(Debug)]
pub struct Verification {
    /// The answer.
    pub outcome: Outcome,
    /// Where a signature is.
    pub seal: Seal,
    /// What pins the package.
    pub pins: Vec<Pin>,
    /// Files that were compared with a listed digest.
    pub compared: usize,
    /// Why the answer is no better.
    pub findings: Findings,
}

impl Verification {
    /// A package that nothing pins: the format lists no digests.
    #[must_use]
    pub fn unpinned(seal: Seal) -> Self {
        Self {
            outcome: Outcome::Unpinned,
            seal,
            pins: Vec::new(),
            compared: 0,
            findings: Findings::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_any_format_writes_it_and_otherwise_not_at_all() {
        let sha256 = Sha256::of(b"abc");
        for spelling in [Spelling::Hex, Spelling::Integrity] {
            assert_eq!(
                Pin::parse(&Pin { name: "x", sha256, spelling, reach: Reach::Part }.value()),
                Some(sha256)
            );
        }
        assert_eq!(Pin::parse(&format!("sha256:{sha256}")), Some(sha256));
        for bad in ["", "sha256-", "md5-abc", &format!("sha512-{sha256}"), &format!("{sha256}0")] {
            assert_eq!(Pin::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_two_answers_forbid_the_use_of_a_package() {
        let all = [
            Outcome::Refused,
            Outcome::Tampered,
            Outcome::Unpinned,
            Outcome::Unsigned,
            Outcome::VerifiedBytes,
        ];
        assert!(all.is_sorted());
        assert_eq!(all.map(Outcome::is_negative), [true, true, false, false, false]);
    }
}
