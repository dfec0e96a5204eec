//! The files of a Skill: their order, and the hash of all of them.

use std::cmp::Ordering;
use std::io::{self, Read};

use crate::digest::{Hasher, Sha256};
use crate::path::PackagePath;
use crate::tree::Blob;

/// How Open-Science orders names: as people do, letters without regard to case first, lower case before upper case where
/// nothing else differs. Outside of ASCII its order is a collation's; ours is that of code points.
#[must_use]
pub fn order(one: &str, other: &str) -> Ordering {
    let weights = |text: &str| text.chars().map(weight).collect::<Vec<_>>();
    weights(one).cmp(&weights(other)).then_with(|| other.cmp(one))
}

/// White space, then punctuation in the root collation's order, then digits, then letters.
fn weight(character: char) -> (u8, u32) {
    const PUNCTUATION: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
    match character {
        c if c.is_whitespace() => (0, c.into()),
        c if c.is_ascii_punctuation() => (1, u32::try_from(PUNCTUATION.find(c).unwrap_or(0)).unwrap_or(0)),
        c if c.is_ascii_digit() => (2, c.into()),
        c => (3, c.to_lowercase().next().unwrap_or(c).into()),
    }
}

/// The hash of some files, in the order in which they come: path, NUL, content, NUL.
///
/// # Errors
/// When a content cannot be read.
pub fn hash<'f>(files: impl IntoIterator<Item = (&'f PackagePath, &'f Blob)>) -> io::Result<Sha256> {
    let mut hasher = Hasher::default();
    let mut chunk = vec![0; 64 << 10];
    for (path, blob) in files {
        hasher.update(path.as_str().as_bytes());
        hasher.update(&[0]);
        let mut content = blob.open()?;
        loop {
            match content.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => hasher.update(&chunk[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        hasher.update(&[0]);
    }
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ordered_as_people_order_them() {
        let mut names = ["b", "A", "a-b", "a/b", "a.md", "a1", "B", "a", "a_b"];
        names.sort_by(|one, other| order(one, other));
        assert_eq!(names, ["a", "A", "a_b", "a-b", "a.md", "a/b", "a1", "b", "B"]);
    }

    #[test]
    fn the_hash_is_of_paths_and_contents() {
        let path = PackagePath::new("a").unwrap();
        let blob = Blob::from_bytes("x");
        assert_eq!(hash([(&path, &blob)]).unwrap(), Sha256::of(b"a\0x\0"));
    }
}
