//! [`HashingSpool`]: contents that are only compared are hashed while they pass by and not kept. Unpacking and hashing run
//! side by side, so that comparing takes no longer than the slower of the two.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use kitbag_core::archive::Spool;
use kitbag_core::digest::{Hasher, Sha256};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Content;

use super::spool::DiskSpool;

/// Bytes handed over at once: a thread that is woken for less spends its time on waking.
const CHUNK_BYTES: usize = 256 << 10;
/// Chunks that may wait to be hashed: enough that neither side stands still, and two mebibytes in all.
const WAITING: usize = 8;

/// Keeps documents, which are read again, and the digest of everything else.
#[derive(Default)]
pub(super) struct HashingSpool {
    documents: DiskSpool,
    hashing: Option<Hashing>,
}

impl HashingSpool {
    /// Waits until every content is hashed. Before, none of them has a digest.
    pub fn finish(&mut self) -> io::Result<()> {
        self.hashing.take().map_or(Ok(()), Hashing::finish)
    }
}

impl Spool for HashingSpool {
    fn store(&mut self, path: &PackagePath, content: &mut dyn Read) -> io::Result<Box<dyn Content>> {
        if is_document(path) {
            return self.documents.store(path, content);
        }
        let hashing = match &mut self.hashing {
            Some(hashing) => hashing,
            None => self.hashing.insert(Hashing::start()?),
        };
        let digest = Arc::new(OnceLock::new());
        hashing.pass(content, &digest)?;
        Ok(Box::new(Passed(digest)))
    }
}

/// Whether some format may read the file as a document of its own.
fn is_document(path: &PackagePath) -> bool {
    let name = path.name().to_ascii_lowercase();
    [".json", ".md"].iter().any(|ending| name.ends_with(ending))
}

/// A content of which the digest is left.
struct Passed(Arc<OnceLock<Sha256>>);

impl Content for Passed {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Err(io::Error::other("the content was hashed and not kept"))
    }

    fn digest(&self) -> Option<Sha256> {
        self.0.get().copied()
    }
}

enum Message {
    /// A buffer, and how much of it is content.
    Bytes(Vec<u8>, usize),
    /// The content is complete; its digest belongs here.
    End(Arc<OnceLock<Sha256>>),
}

/// The thread that hashes.
struct Hashing {
    send: SyncSender<Message>,
    /// Buffers that come back to be filled again.
    spare: Receiver<Vec<u8>>,
    thread: JoinHandle<()>,
}

impl Hashing {
    fn start() -> io::Result<Self> {
        let (send, receive) = mpsc::sync_channel(WAITING);
        let (give_back, spare) = mpsc::channel();
        let thread = thread::Builder::new().spawn(move || hash(&receive, &give_back))?;
        Ok(Self { send, spare, thread })
    }

    fn pass(&self, content: &mut dyn Read, digest: &Arc<OnceLock<Sha256>>) -> io::Result<()> {
        loop {
            let mut bytes = self.spare.try_recv().unwrap_or_else(|_| vec![0; CHUNK_BYTES]);
            let mut full = 0;
            while full < CHUNK_BYTES {
                match content.read(&mut bytes[full..]) {
                    Ok(0) => break,
                    Ok(count) => full += count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            if full > 0 {
                self.send(Message::Bytes(bytes, full))?;
            }
            if full < CHUNK_BYTES {
                return self.send(Message::End(Arc::clone(digest)));
            }
        }
    }

    fn send(&self, message: Message) -> io::Result<()> {
        self.send.send(message).map_err(|_| stopped())
    }

    fn finish(self) -> io::Result<()> {
        drop(self.send);
        self.thread.join().map_err(|_| stopped())
    }
}

fn stopped() -> io::Error {
    io::Error::other("the thread that hashes has stopped")
}

fn hash(messages: &Receiver<Message>, give_back: &Sender<Vec<u8>>) {
    let mut hasher = Hasher::default();
    for message in messages {
        match message {
            Message::Bytes(bytes, full) => {
                hasher.update(&bytes[..full]);
                // Nobody is left to fill it when everything was handed over.
                let _unwanted = give_back.send(bytes);
            }
            Message::End(digest) => {
                // Each content ends once.
                let _set = digest.set(std::mem::take(&mut hasher).finish());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_core::tree::{Blob, Executable};

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    #[test]
    fn what_passes_by_leaves_its_digest_and_a_document_stays() {
        let mut spool = HashingSpool::default();
        let texts = [vec![b'a'; 3 * CHUNK_BYTES], vec![b'b'; CHUNK_BYTES + 1], Vec::new()];
        let passed: Vec<_> =
            texts.iter().map(|text| spool.store(&path("x.bin"), &mut text.as_slice()).unwrap()).collect();
        let document = spool.store(&path("x.JSON"), &mut &b"{}"[..]).unwrap();
        assert!(document.digest().is_none());
        spool.finish().unwrap();
        for (text, content) in texts.iter().zip(passed) {
            assert_eq!(content.digest(), Some(Sha256::of(text)));
            let blob = Blob::new(text.len() as u64, Executable::No, content);
            assert_eq!(blob.digest().unwrap(), Sha256::of(text));
            assert!(blob.open().is_err());
        }
        assert_eq!(Blob::new(2, Executable::No, document).read(9).unwrap(), b"{}");
    }

    #[test]
    fn an_error_of_the_content_comes_out_as_it_went_in() {
        struct Bad;
        impl Read for Bad {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("its own words"))
            }
        }
        let mut spool = HashingSpool::default();
        let Err(error) = spool.store(&path("x"), &mut Bad) else { panic!("a bad content was taken") };
        assert_eq!(error.to_string(), "its own words");
        spool.finish().unwrap();
    }
}
