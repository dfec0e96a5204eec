//! [`MeasuredFile`]: the digest of a file, taken from the very bytes that were read, so that it cannot be another's.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use kitbag_core::digest::Hasher;
use kitbag_core::formats::ArchiveBytes;

/// A file that is hashed while somebody reads it from its start to its end. Whoever starts anew is hashed anew.
pub(super) struct MeasuredFile<'f> {
    file: &'f mut File,
    hasher: Option<Hasher>,
    at: u64,
}

impl<'f> MeasuredFile<'f> {
    /// `file`, whose next byte is its first.
    pub fn new(file: &'f mut File) -> Self {
        Self { file, hasher: Some(Hasher::default()), at: 0 }
    }

    /// What was read, if that was the whole file in one go.
    pub fn finish(self) -> io::Result<Option<ArchiveBytes>> {
        let size = self.file.metadata()?.len();
        Ok(self
            .hasher
            .filter(|_| self.at == size)
            .map(|hasher| ArchiveBytes { sha256: hasher.finish(), size }))
    }
}

impl Read for MeasuredFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&into[..count]);
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for MeasuredFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = self.file.seek(to)?;
        if at != self.at || at == 0 {
            self.hasher = (at == 0).then(Hasher::default);
            self.at = at;
        }
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_core::digest::Sha256;
    use kitbag_testkit::folder::Folder;

    #[test]
    fn only_a_file_read_from_end_to_end_has_a_digest() {
        let folder = Folder::new().file("a", "abcdef");
        let read = |steps: &dyn Fn(&mut MeasuredFile<'_>)| {
            let mut file = File::open(folder.at("a")).unwrap();
            let mut measured = MeasuredFile::new(&mut file);
            steps(&mut measured);
            measured.finish().unwrap()
        };
        let all = |file: &mut MeasuredFile<'_>| assert!(io::copy(file, &mut io::sink()).unwrap() > 0);
        let whole = Some(ArchiveBytes { sha256: Sha256::of(b"abcdef"), size: 6 });
        assert_eq!(read(&all), whole);
        assert_eq!(
            read(&|file| {
                file.read_exact(&mut [0; 3]).unwrap();
                file.seek(SeekFrom::End(0)).unwrap();
                file.rewind().unwrap();
                all(file);
            }),
            whole
        );
        assert_eq!(read(&|file| file.read_exact(&mut [0; 3]).unwrap()), None);
        assert_eq!(
            read(&|file| {
                file.seek(SeekFrom::Start(1)).unwrap();
                all(file);
            }),
            None
        );
    }
}
