//! SHA-256, its spellings, and hashing what is read.

use std::fmt;
use std::io::{self, Read, Write};

use sha2::Digest as _;

/// A SHA-256 digest. Prints as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of everything `source` gives, in constant memory.
    ///
    /// # Errors
    /// The source's own.
    pub fn of_reader(source: &mut dyn Read) -> io::Result<Self> {
        let mut hasher = Hasher::default();
        let mut chunk = [0; 16 << 10];
        loop {
            match source.read(&mut chunk) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(n) => hasher.update(&chunk[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(Self(bytes))
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{self}")
    }
}

/// A SHA-256 under way, for bytes that pass by on their way elsewhere.
#[derive(Clone, Default)]
pub struct Hasher(sha2::Sha256);

impl Hasher {
    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes taken.
    #[must_use]
    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

/// A sink that counts and hashes what passes through it.
pub struct Measured<W> {
    out: W,
    hasher: Hasher,
    size: u64,
}

impl<W: Write> Measured<W> {
    /// Nothing has passed yet.
    pub fn new(out: W) -> Self {
        Self { out, hasher: Hasher::default(), size: 0 }
    }

    /// The digest and the number of the bytes that passed.
    #[must_use]
    pub fn finish(self) -> (Sha256, u64) {
        (self.hasher.finish(), self.size)
    }
}

impl<W: Write> Write for Measured<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        self.size += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vector_of_fips_180_and_its_spellings() {
        let digest = Sha256::of(b"abc");
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), hex);
        assert_eq!(Sha256::from_hex(hex), Some(digest));
        assert_eq!(Sha256::from_hex(&hex.to_uppercase()), None);
        assert_eq!(Sha256::from_hex(&hex[1..]), None);
        assert_eq!(Sha256::of_reader(&mut &b"abc"[..]).unwrap(), digest);
        let mut measured = Measured::new(Vec::new());
        measured.write_all(b"a").unwrap();
        measured.write_all(b"bc").unwrap();
        assert_eq!(measured.finish(), (digest, 3));
    }
}
