//! What a program says on its way out: hosts, handshakes, questions about names, heads of requests.

use std::net::Ipv4Addr;

use kitbag_core::glob::{self, Host, HostPattern};
use kitbag_sandbox::egress::body::Body;
use kitbag_sandbox::egress::dns::{Answer, Question, Unread};
use kitbag_sandbox::egress::head::{self, Content, Head};
use kitbag_sandbox::egress::hello::{self, HELLO_AT_MOST, Hello};

/// A pattern on the first line, a host on the rest: what is parsed has one spelling, and a pattern reaches nothing else.
///
/// # Panics
/// When a host has two spellings, or a pattern reaches what it does not match.
pub fn host(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, &text));
    let host = Host::parse(rest);
    if let Ok(host) = &host {
        let spelled = host.to_string();
        assert_eq!(Host::parse(&spelled).as_ref(), Ok(host), "`{rest}` is `{spelled}`");
        assert_eq!(Host::parse(&rest.to_ascii_uppercase()).as_ref(), Ok(host), "`{rest}` in capitals");
        if let Host::Name(name) = host {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
            assert!(!name.is_empty() && name.len() <= 253 && name.chars().all(plain), "`{name}` is no name");
            assert!(name.parse::<Ipv4Addr>().is_err(), "`{name}` is an address");
            let ends_in_number = name.rsplit('.').next().is_some_and(|last| last.parse::<u32>().is_ok());
            assert!(!ends_in_number, "`{name}` is read as an address somewhere");
        }
        if let Ok((again, port)) = Host::with_port(&format!("{spelled}:443")) {
            assert_eq!((&again, port), (host, Some(443)));
        } else {
            panic!("`{spelled}` has no room for a port");
        }
    }
    let Ok((pattern, _)) = HostPattern::with_port(first) else { return };
    let shown = pattern.to_string();
    assert_eq!(HostPattern::parse(&shown).as_ref(), Ok(&pattern), "`{first}` is `{shown}`");
    let Ok(host) = host else { return };
    if pattern.matches(&host) {
        match (&pattern, &host) {
            (HostPattern::Local, _) => assert!(glob::host::is_local(&host.to_string()), "`{host}`"),
            (HostPattern::Address(listed), Host::Address(address)) => assert_eq!(listed, address),
            (HostPattern::Names(names), Host::Name(name)) => {
                assert!(glob::host::matches(names, name), "`{names}` reaches `{name}`");
            }
            _ => panic!("`{pattern}` reaches `{host}`"),
        }
    }
}

/// A handshake: what is needed is never less than there is, and what is known does not change when more comes.
///
/// # Panics
/// When it does.
pub fn sni(bytes: &[u8]) {
    let all = hello::read(bytes);
    match &all {
        Ok(Hello::Needs(length)) => assert!((bytes.len() + 1..=HELLO_AT_MOST).contains(length), "{length}"),
        Ok(Hello::Whole(name)) => {
            let more = [bytes, b"more"].concat();
            assert_eq!(hello::read(&more), all, "more changes it");
            assert!(!matches!(name, Some(Host::Address(_))), "an address is no server's name");
        }
        Err(_) => assert_eq!(hello::read(&[bytes, b"more"].concat()), all, "more mends it"),
    }
    // A part of it is not known to be something else.
    for end in [1, 5, 9, bytes.len() / 2, bytes.len().saturating_sub(1)] {
        let Some(part) = bytes.get(..end) else { continue };
        match hello::read(part) {
            Ok(Hello::Needs(length)) => assert!(length > end),
            known => assert_eq!(known, all, "the first {end} bytes"),
        }
    }
}

/// A question about a name: what is answered repeats it, and is as short as an answer must be.
///
/// # Panics
/// When it does not.
pub fn dns(bytes: &[u8]) {
    let question = match Question::read(bytes) {
        Ok(question) => question,
        Err(Unread::Ignored) => return,
        Err(Unread::Refused(head)) => {
            assert_eq!(bytes.get(..2), head.get(..2), "it answers another question");
            assert!(head[2] & 0x80 != 0 && head[3] & 0xf != 0, "{head:?}");
            return;
        }
    };
    for answer in [Answer::Address(Ipv4Addr::new(198, 18, 0, 1)), Answer::NoName, Answer::Failure] {
        let answered = question.answered(answer);
        assert!(answered.len() <= 512, "{} bytes", answered.len());
        assert_eq!(answered.get(..2), bytes.get(..2));
        let asked = answered.len() - if answered[7] == 1 { 16 } else { 0 };
        assert_eq!(answered.get(12..asked), bytes.get(12..asked), "another question is repeated");
        assert_eq!(Question::read(&answered), Err(Unread::Ignored), "an answer is no question");
    }
    assert!(question.shown().is_ascii());
    if let Some(name) = question.name() {
        assert!(
            name.len() <= 253 && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'@'),
            "{name}"
        );
    }
}

/// A request: what is sent on is read again as the same request, for one host, and its content ends where it ended.
///
/// # Panics
/// When it does not.
pub fn http_head(bytes: &[u8]) {
    let end = head::end(bytes, 0);
    for from in [1, bytes.len() / 2, bytes.len()] {
        // Looking on from where one has looked already finds the same, unless it was passed.
        if end.is_none_or(|end| end > from) {
            assert_eq!(head::end(bytes, from), end, "from {from}");
        }
    }
    let Some(end) = end else { return };
    let (text, content) = bytes.split_at(end);
    let Ok(request) = Head::read(text) else { return };
    let place = request.place();
    let _host = request.host();
    let _shown = request.said_host();
    if let Ok(sent) = request.forwarded("good.test", "/path") {
        let again = Head::read(&sent).unwrap_or_else(|error| panic!("{error:?}: {}", sent.escape_ascii()));
        assert_eq!(again.host(), Ok(Some((Host::Name("good.test".to_owned()), None))));
        assert_eq!((again.method, again.target, again.version), (request.method, "/path", request.version));
        assert_eq!(again.content(), request.content(), "it ends elsewhere");
        assert_eq!(head::end(&sent, 0), Some(sent.len()), "there are two requests");
        let named =
            |name: &str| again.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name)).count();
        assert_eq!((named("host"), named("connection"), named("upgrade")), (1, 1, 0));
    }
    if let Ok((Some((host, _)), path)) = place {
        assert!(path.starts_with('/') && Host::parse(&host.to_string()) == Ok(host));
    }
    for announced in [request.content().ok(), Some(Content::Chunks)].into_iter().flatten() {
        let (mut whole, mut pieces) = (Body::new(announced), Body::new(announced));
        let at_once = whole.take(content);
        let mut taken = 0;
        let mut in_pieces = Ok(0);
        for piece in content.chunks(3) {
            match pieces.take(piece) {
                Ok(count) => taken += count,
                Err(disorder) => in_pieces = Err(disorder),
            }
            if in_pieces.is_err() || pieces.is_done() {
                break;
            }
        }
        assert_eq!(at_once, in_pieces.map(|_| taken), "it ends elsewhere in pieces");
        assert_eq!(whole.is_done(), pieces.is_done());
    }
}
