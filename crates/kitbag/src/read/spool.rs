//! [`DiskSpool`]: one temporary file without a name, in which the large contents of an archive wait to be read.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use kitbag_core::archive::Spool;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Content;

/// Appends every content to one temporary file. It has no name, so nobody else opens it and it goes when the last content
/// goes; it is made when the first content comes, so that a small archive makes none.
#[derive(Debug, Default)]
pub(crate) struct DiskSpool {
    file: Option<Arc<File>>,
    end: u64,
}

impl Spool for DiskSpool {
    fn store(&mut self, _: &PackagePath, content: &mut dyn Read) -> io::Result<Box<dyn Content>> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(tempfile::tempfile()?))),
        };
        let start = self.end;
        let mut chunk = [0; 32 << 10];
        loop {
            match content.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    write_at(&file, &chunk[..count], self.end)?;
                    self.end += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Box::new(Window { file, start, end: self.end }))
    }
}

/// One content: some bytes of the file.
struct Window {
    file: Arc<File>,
    start: u64,
    end: u64,
}

impl Content for Window {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(WindowReader { file: &self.file, at: self.start, end: self.end }))
    }
}

struct WindowReader<'w> {
    file: &'w File,
    at: u64,
    end: u64,
}

impl Read for WindowReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(into.len());
        let count = read_at(self.file, &mut into[..most], self.at)?;
        if count == 0 && most > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at += count as u64;
        Ok(count)
    }
}

use positions::{read_at, write_at};

/// Reading and writing at a place, so that contents can be read side by side.
#[cfg(unix)]
mod positions {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt as _;

    pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
        file.read_at(into, at)
    }

    pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }
}

#[cfg(windows)]
mod positions {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt as _;

    pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
        file.seek_read(into, at)
    }

    pub(super) fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = file.seek_write(bytes, at)?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[count..];
            at += count as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_kept_apart_and_can_be_read_again() {
        let (mut spool, path) = (DiskSpool::default(), PackagePath::new("a").unwrap());
        let texts = [vec![b'a'; 100_000], Vec::new(), vec![b'b'; 5]];
        let contents: Vec<_> =
            texts.iter().map(|text| spool.store(&path, &mut text.as_slice()).unwrap()).collect();
        drop(spool);
        for _ in 0..2 {
            for (text, content) in texts.iter().zip(&contents) {
                let mut reader = content.open().unwrap();
                let bytes = kitbag_core::limits::read_bounded(&mut *reader, 0, 1 << 20).unwrap();
                assert!(bytes == *text);
            }
        }
    }

    #[test]
    fn an_error_of_the_content_comes_out_as_it_went_in() {
        struct Bad;
        impl Read for Bad {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("its own words"))
            }
        }
        let Err(error) = DiskSpool::default().store(&PackagePath::new("a").unwrap(), &mut Bad) else {
            panic!("a bad content was kept")
        };
        assert_eq!(error.to_string(), "its own words");
    }
}
