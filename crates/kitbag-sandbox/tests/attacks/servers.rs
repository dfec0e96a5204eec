//! Servers on loopback, and a model of the world outside that leads to them.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kitbag_sandbox::egress::Outside;

/// A public address, which nobody dials: the model leads elsewhere.
pub const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(1, 2, 3, 4));

/// A world outside in which names have the addresses that a test gives them, and everything that is dialled is a server
/// on loopback.
#[derive(Debug, Default)]
pub struct Model {
    /// For each name, what is answered first, second, … and from then on.
    names: BTreeMap<&'static str, Vec<Vec<IpAddr>>>,
    /// Where a port leads.
    ports: BTreeMap<u16, u16>,
    asked: Mutex<Vec<String>>,
    dialled: Mutex<Vec<SocketAddr>>,
}

impl Model {
    /// `good.test` and `other.test` are there, and every `port` leads to the server at the second.
    pub fn new(ports: &[(u16, u16)]) -> Self {
        let public = || vec![vec![PUBLIC]];
        let names = BTreeMap::from([("good.test", public()), ("other.test", public())]);
        Self { names, ports: ports.iter().copied().collect(), ..Self::default() }
    }

    /// A name, and the addresses it has each time it is asked for.
    pub fn name(mut self, name: &'static str, answers: &[&[&str]]) -> Self {
        let parsed = |answer: &&[&str]| answer.iter().map(|text| text.parse().unwrap()).collect();
        self.names.insert(name, answers.iter().map(parsed).collect());
        self
    }

    /// The names that somebody outside was asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// The addresses that were dialled.
    pub fn dialled(&self) -> Vec<SocketAddr> {
        self.dialled.lock().unwrap().clone()
    }
}

impl Outside for Model {
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut asked = self.asked.lock().unwrap();
        let before = asked.iter().filter(|asked| *asked == name).count();
        asked.push(name.to_owned());
        let answers = self.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(answers.get(before).or_else(|| answers.last()).cloned().unwrap_or_default())
    }

    fn dialled(&self, vetted: SocketAddr) -> SocketAddr {
        self.dialled.lock().unwrap().push(vetted);
        // Never anywhere else: a port that leads to no server leads to nobody.
        let port = self.ports.get(&vetted.port()).copied().unwrap_or(vetted.port());
        SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port)
    }
}

/// How a server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Answers each request of HTTP on a connection, as long as there are any: the most obliging server.
    Obliging,
    /// Greets first, then repeats what it is told.
    Greeting,
    /// Says one thing, whatever it is told.
    Plain,
}

/// A server that takes down what it is told.
#[derive(Debug)]
pub struct Server {
    pub port: u16,
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Server {
    /// It listens until the tests end.
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let notes = Arc::clone(&notes);
                thread::spawn(move || serve(stream, manner, &notes));
            }
        });
        Self { port, heard }
    }

    /// Each request, or what was said on each connection, in order.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().iter().map(|bytes| bytes.escape_ascii().to_string()).collect()
    }
}

fn serve(mut stream: TcpStream, manner: Manner, notes: &Mutex<Vec<Vec<u8>>>) {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let note = |bytes: &[u8]| notes.lock().unwrap().push(bytes.to_vec());
    let mut said = Vec::new();
    let mut chunk = [0; 4096];
    match manner {
        Manner::Plain => {
            let count = stream.read(&mut chunk).unwrap_or(0);
            note(&chunk[..count]);
            let _said = stream.write_all(b"\x16plainly");
        }
        Manner::Greeting => {
            let _said = stream.write_all(b"greetings\n");
            let _read = stream.read_to_end(&mut said);
            note(&said);
            let _said = stream.write_all(&said);
        }
        Manner::Obliging => loop {
            // A server that takes a request as it comes: its head, and whatever its length says.
            while let Some(end) = said.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&said[..end]).to_lowercase();
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())
                    .unwrap_or(0);
                let whole = end + 4 + length;
                if said.len() < whole {
                    break;
                }
                let request: Vec<u8> = said.drain(..whole).collect();
                note(&request);
                let last = head.contains("connection: close");
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n{}\r\nhello",
                    if last { "Connection: close\r\n" } else { "" }
                );
                if stream.write_all(answer.as_bytes()).is_err() {
                    return;
                }
                if last && said.is_empty() {
                    // Obliging to the last: a second request that is already on its way is taken as well.
                    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
                }
            }
            match stream.read(&mut chunk) {
                Ok(count) if count > 0 => said.extend_from_slice(&chunk[..count]),
                _ => return,
            }
        },
    }
}
