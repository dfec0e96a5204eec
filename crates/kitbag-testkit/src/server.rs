//! [`Server`]: answers over HTTP on this machine as a test says, encrypted or not, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::authority::Authority;

/// A question that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Path and query.
    pub target: String,
    /// The header `authorization`, where there is one.
    pub authorization: Option<String>,
    /// Every header, by its name in lower case.
    pub headers: Vec<(String, String)>,
}

impl Asked {
    /// The header called `name`, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The status; 0 hangs up without a word.
    pub status: u16,
    /// Headers beside `content-length`.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// What the header `content-length` says; `None`: nothing, so that the body ends with the connection.
    pub length: Option<u64>,
}

impl Reply {
    /// An answer with this body.
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self { status: 200, length: Some(body.len() as u64), body, headers: Vec::new() }
    }

    /// An answer without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, length: Some(0), ..Self::default() }
    }

    /// This answer with a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

type Answers = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A server on a port of this machine, until it is dropped.
pub struct Server {
    scheme: &'static str,
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// A server that answers as `answers` says, by path and query. It is told where it is first.
    ///
    /// # Panics
    /// When there is no port for it.
    #[must_use]
    pub fn new<A>(answers: impl FnOnce(&str) -> A) -> Self
    where
        A: Fn(&str) -> Reply + Send + Sync + 'static,
    {
        Self::start(None, |here| {
            let answers = answers(here);
            Arc::new(move |asked: &Asked| answers(&asked.target))
        })
    }

    /// An encrypted server, with a certificate of `authority`, that answers as `answers` says. It is told where it is first.
    ///
    /// # Panics
    /// When there is no port for it.
    #[must_use]
    pub fn encrypted<A>(authority: &Authority, answers: impl FnOnce(&str) -> A) -> Self
    where
        A: Fn(&Asked) -> Reply + Send + Sync + 'static,
    {
        Self::start(Some(authority.server()), |here| Arc::new(answers(here)))
    }

    fn start(
        encryption: Option<Arc<rustls::ServerConfig>>,
        answers: impl FnOnce(&str) -> Arc<Answers>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("no port: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("no port: {error}"));
        let scheme = if encryption.is_some() { "https" } else { "http" };
        let answers = answers(&format!("{scheme}://{address}"));
        let (asked, stopped) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let (told, stop) = (Arc::clone(&asked), Arc::clone(&stopped));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let (answers, told, encryption) =
                    (Arc::clone(&answers), Arc::clone(&told), encryption.clone());
                // A caller that hangs up has what it wanted.
                std::thread::spawn(move || {
                    let _served = match encryption.map(rustls::ServerConnection::new) {
                        None => serve(stream, &*answers, &told),
                        Some(Ok(session)) => {
                            serve(rustls::StreamOwned::new(session, stream), &*answers, &told)
                        }
                        Some(Err(_)) => Ok(()),
                    };
                });
            }
        });
        Self { scheme, address, asked, stopped, thread: Some(thread) }
    }

    /// Where it is: `http://127.0.0.1:PORT`, or with `https`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// What it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes it, so that it sees that it is to stop.
        let _woken = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

/// Answers questions until the caller hangs up, or an answer ends with the connection.
fn serve(stream: impl Read + Write, answers: &Answers, told: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = Vec::new();
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header)? == 0 || header.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = header.split_once(':') {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
        let asked = Asked { target, authorization: None, headers };
        let authorization = asked.header("authorization").map(str::to_owned);
        let asked = Asked { authorization, ..asked };
        let reply = answers(&asked);
        told.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        if reply.status == 0 {
            return Ok(());
        }
        let mut head = format!("HTTP/1.1 {} Answered\r\n", reply.status);
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match reply.length {
            Some(length) => head.push_str(&format!("content-length: {length}\r\n\r\n")),
            None => head.push_str("connection: close\r\n\r\n"),
        }
        let out = reader.get_mut();
        out.write_all(head.as_bytes())?;
        out.write_all(&reply.body)?;
        out.flush()?;
        if reply.length != Some(reply.body.len() as u64) {
            return Ok(());
        }
    }
}
