//! Hosts: those that are declared, public ones only, looked at hop by hop (Splice 1, "Network guard").

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::{io, thread};

use kitbag::run::{FaultKind, Ran};
use kitbag_sandbox::egress::{Outside, Refusal, Verdict};
use serde_json::{Value, json};

use crate::house::{House, Node, assert_fault, nodes, output, run, tool};

/// A world in which every public address leads to one server here.
#[derive(Clone, Debug)]
struct Model {
    server: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));

impl Outside for Model {
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let private = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
        match name {
            "private.test" => Ok(vec![private]),
            "mixed.test" => Ok(vec![PUBLIC, private]),
            "local.test" => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
            "unknown.test" => Err(io::Error::other("no such name")),
            _ => Ok(vec![PUBLIC]),
        }
    }

    fn dialled(&self, vetted: SocketAddr) -> SocketAddr {
        if vetted.ip() == PUBLIC { self.server } else { vetted }
    }
}

impl Model {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let model = Self { server: listener.local_addr().unwrap(), heard: Arc::default() };
        let heard = Arc::clone(&model.heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let heard = Arc::clone(&heard);
                thread::spawn(move || serve(stream, &heard));
            }
        });
        model
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.lock().unwrap())
    }
}

/// `/to/302/http://…` redirects, everything else is answered with what was asked.
fn serve(stream: TcpStream, heard: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let (mut host, mut length, mut authorization) = (String::new(), 0, "");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("host:") {
            value.trim().clone_into(&mut host);
        }
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if lower.starts_with("authorization:") {
            authorization = " authorized";
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let said = format!("{method} {host}{path}{authorization} {}", String::from_utf8_lossy(&body));
    heard.lock().unwrap().push(said.trim().to_owned());
    let answer = match path.strip_prefix("/to/").and_then(|rest| rest.split_once('/')) {
        Some((status, to)) => format!(
            "HTTP/1.1 {status} Moved\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        None => {
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{said}", said.len())
        }
    };
    reader.get_mut().write_all(answer.as_bytes()).ok()
}

fn fetching(node: &Node, model: &Model, network: &Value, call: &str) -> Option<Ran> {
    let house = House::with(
        json!({"network": network}),
        &tool(&format!("const answer = await fetch({call}); return [answer.status, await answer.text()];")),
    );
    run(&house.prepared(node).reaching(Arc::new(model.clone())), "{}")
}

#[test]
fn a_declared_host_is_reached_and_no_other() {
    for node in nodes() {
        let model = Model::new();
        let rows = [
            (json!(["good.test"]), "'http://good.test/a'", "good.test/a"),
            (json!(["good.test"]), "'http://GOOD.test./a'", "/a"),
            (json!(["*.good.test"]), "new URL('http://a.b.good.test/')", "a.b.good.test/"),
            (
                json!(["*"]),
                "new Request('http://any.example/', { method: 'POST', body: 'x' })",
                "POST any.example/ x",
            ),
        ];
        for (network, call, words) in rows {
            let Some(ran) = fetching(&node, &model, &network, call) else { return };
            let seen = output(&node, &ran);
            assert_eq!(seen[0], 200, "node {}: {call}: {seen}", node.major);
            assert!(seen[1].as_str().unwrap().contains(words), "node {}: {seen}", node.major);
            assert!(ran.hosts.iter().all(|asked| asked.verdict == Verdict::Allowed), "{:?}", ran.hosts);
        }
        model.heard();
        for (network, call, words) in [
            (json!(["good.test"]), "'http://evil.test/'", "\"evil.test\" is denied"),
            (json!(["*.good.test"]), "'http://good.test/'", "\"good.test\" is denied"),
            (json!(["*.good.test"]), "'http://evil-good.test/'", "is denied"),
            (json!(["good.test"]), "'ftp://good.test/'", "not HTTP"),
            (json!(["good.test"]), "'file:///etc/passwd'", "not HTTP"),
            (json!([]), "'http://good.test/'", "is denied"),
        ] {
            let ran = fetching(&node, &model, &network, call).unwrap();
            assert_fault(&node, &ran, FaultKind::PermissionDenied, words);
        }
        assert_eq!(model.heard(), [""; 0], "node {}", node.major);
    }
}

#[test]
fn any_public_host_is_no_private_one_however_it_is_written() {
    let notations = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[fd00::1]",
        "[fe80::1]",
        "localhost",
        "a.localhost",
        "198.18.0.1",
    ];
    let calls: Vec<String> = notations.iter().map(|host| format!("http://{host}/")).collect();
    let body = format!(
        "const seen = []; for (const url of {}) {{ try {{ await fetch(url); seen.push([url, 'reached']); }} catch (error) {{ if (error.code !== 'ERR_ACCESS_DENIED') seen.push([url, String(error)]); }} }} return seen;",
        json!(calls)
    );
    let house = House::with(json!({"network": ["*"]}), &tool(&body));
    for node in nodes() {
        let Some(ran) = run(&house.prepared(&node).reaching(Arc::new(Model::new())), "{}") else { return };
        assert_eq!(output(&node, &ran), json!([]), "node {}", node.major);
    }
}

#[test]
fn a_name_that_leads_to_a_private_address_is_refused_and_named() {
    for node in nodes() {
        let model = Model::new();
        for name in ["private.test", "mixed.test", "local.test"] {
            let Some(ran) = fetching(&node, &model, &json!(["*"]), &format!("'http://{name}/'")) else {
                return;
            };
            let refused =
                ran.hosts.iter().find(|asked| asked.host == name && asked.verdict != Verdict::Allowed);
            assert!(refused.is_some(), "node {}: {:?}", node.major, ran.hosts);
            assert_ne!(refused.map(|asked| &asked.verdict), Some(&Verdict::Refused(Refusal::NotListed)));
            match &ran.answer {
                // The sandbox answers in the place of the host, which a tool may take for its answer.
                Ok(answer) => assert_eq!(Value::from(answer)[0], 403, "node {}: {name}", node.major),
                Err(fault) => {
                    assert_eq!(fault.kind, FaultKind::PermissionDenied, "node {}: {fault:?}", node.major);
                    assert!(fault.details[0].starts_with(name), "{fault:?}");
                }
            }
        }
        assert_eq!(model.heard(), [""; 0], "node {}", node.major);
        let ran = fetching(&node, &model, &json!(["*"]), "'http://good.test/'").unwrap();
        assert_eq!(output(&node, &ran)[0], 200);
    }
}

#[test]
fn every_hop_of_a_redirect_is_looked_at() {
    let both = json!(["good.test", "other.test"]);
    for node in nodes() {
        let model = Model::new();
        for status in [301, 302, 303, 307, 308] {
            let call = format!("'http://good.test/to/{status}/http://other.test/end'");
            let Some(ran) = fetching(&node, &model, &both, &call) else { return };
            assert!(output(&node, &ran)[1].as_str().unwrap().contains("GET other.test/end"), "{status}");
            let call = format!("'http://good.test/to/{status}/http://evil.test/end'");
            let ran = fetching(&node, &model, &both, &call).unwrap();
            assert_fault(
                &node,
                &ran,
                FaultKind::PermissionDenied,
                "Redirect blocked: network access to \"evil.test\"",
            );
            let call = format!("'http://good.test/to/{status}/http://127.0.0.1/end'");
            let ran = fetching(&node, &model, &json!(["*"]), &call).unwrap();
            assert_fault(&node, &ran, FaultKind::PermissionDenied, "Redirect blocked: ");
        }
        let post = |status: u32| {
            format!(
                "'http://good.test/to/{status}/http://other.test/end', {{ method: 'POST', body: 'x', headers: {{ authorization: 'y' }} }}"
            )
        };
        for (status, end) in [
            (301, "GET other.test/end"),
            (302, "GET other.test/end"),
            (303, "GET other.test/end"),
            (307, "POST other.test/end x"),
            (308, "POST other.test/end x"),
        ] {
            model.heard();
            let ran = fetching(&node, &model, &both, &post(status)).unwrap();
            assert_eq!(output(&node, &ran)[0], 200);
            let heard = model.heard();
            assert_eq!(heard.last().map(String::as_str), Some(end), "node {}: {heard:?}", node.major);
            assert!(heard[0].contains("authorized"), "what is for the first origin gets there: {heard:?}");
        }
        let loops = "'http://good.test/to/302/http://good.test/to/302/http://good.test/to/302/http://good.test/to/302/http://good.test/to/302/http://good.test/to/302/http://good.test/'";
        let ran = fetching(&node, &model, &both, loops).unwrap();
        assert_fault(&node, &ran, FaultKind::ToolError, "more than 5 redirects");
        let ran = fetching(
            &node,
            &model,
            &both,
            "'http://good.test/to/302/http://other.test/', { redirect: 'manual' }",
        )
        .unwrap();
        assert_eq!(output(&node, &ran)[0], 302, "node {}", node.major);
        let ran = fetching(
            &node,
            &model,
            &both,
            "'http://good.test/to/302/http://other.test/', { redirect: 'error' }",
        )
        .unwrap();
        assert_fault(&node, &ran, FaultKind::ToolError, "fetch failed");
    }
}

#[test]
fn a_name_that_is_none_is_no_denial_and_an_end_is_a_timeout() {
    for node in nodes() {
        let model = Model::new();
        let Some(ran) = fetching(
            &node,
            &model,
            &json!(["good.test", "unknown.test"]),
            "'http://good.test/', { signal: AbortSignal.abort() }",
        ) else {
            return;
        };
        assert_fault(&node, &ran, FaultKind::ToolError, "abort");
        let body = "try { await fetch('http://good.test/', { signal: AbortSignal.timeout(0) }); } catch (error) { return error.name; }";
        let house = House::with(json!({"network": ["good.test"]}), &tool(body));
        let ran = run(&house.prepared(&node).reaching(Arc::new(model)), "{}").unwrap();
        assert_eq!(output(&node, &ran), "TimeoutError", "node {}", node.major);
    }
}

#[test]
fn an_address_that_is_declared_itself_is_reached() {
    // A declared address is reached at the ports of HTTP, which not everybody may listen at.
    let Ok(listener) = TcpListener::bind("127.0.0.1:80") else {
        return kitbag_testkit::cases::skip("port 80 of this machine is not free");
    };
    let heard = Arc::new(Mutex::new(Vec::new()));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            serve(stream, &heard);
        }
    });
    for node in nodes() {
        for host in ["127.0.0.1", "localhost"] {
            let house = House::with(
                json!({"network": [host]}),
                &tool(&format!("return (await fetch('http://{host}/')).status;")),
            );
            let Some(ran) = house.run(&node) else { return };
            assert_eq!(output(&node, &ran), json!(200), "node {}: {host}", node.major);
        }
    }
}
