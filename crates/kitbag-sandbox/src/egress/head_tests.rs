use kitbag_core::glob::Host;

use super::{Content, Head, HeadError, end};

fn good(host: &str) -> Host {
    Host::parse(host).unwrap()
}

fn read(text: &str) -> Result<Head<'_>, HeadError> {
    Head::read(text.as_bytes())
}

#[test]
fn a_request_is_read_and_sent_on_as_the_only_one_of_its_connection() {
    let head = read(
        "POST /a?b HTTP/1.1\r\nHOST: Good.test:80\r\nKeep-Alive: 5\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\n\
         Upgrade: h2c\r\nContent-Length: 3\r\nX-Kept:  a b \r\nProxy-Authorization: secret\r\n\r\n",
    )
    .unwrap();
    assert_eq!((head.method, head.target, head.version), ("POST", "/a?b", "HTTP/1.1"));
    assert_eq!(head.host(), Ok(Some((good("good.test"), Some(80)))));
    assert_eq!(head.content(), Ok(Content::Length(3)));
    let sent = head.forwarded("good.test", "/a?b").unwrap();
    assert_eq!(
        String::from_utf8(sent).unwrap(),
        "POST /a?b HTTP/1.1\r\nHost: good.test\r\nContent-Length: 3\r\nX-Kept: a b\r\nConnection: close\r\n\r\n"
    );
}

#[test]
fn the_end_of_a_head_is_found_from_wherever_one_looks_on() {
    let bytes = b"GET / HTTP/1.1\r\nHost: a\r\n\r\nmore";
    let whole = bytes.len() - 4;
    for from in 0..=whole - 1 {
        assert_eq!(end(&bytes[..whole], from), Some(whole), "{from}");
        assert_eq!(end(&bytes[..whole - 1], from.min(whole - 1)), None, "{from}");
    }
    assert_eq!(end(b"GET / HTTP/1.1\n\nmore", 0), Some(16), "reading it fails then");
}

#[test]
fn what_two_readers_could_read_differently_is_no_head() {
    for text in [
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\rHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET / HTTP/1.1\r\nX: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nX: a\u{b}b\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        assert!(matches!(read(text), Err(HeadError::Field | HeadError::Line)), "{text:?}");
    }
    for line in [
        "GET  / HTTP/1.1",
        "GET / HTTP/1.1 ",
        " GET / HTTP/1.1",
        "GET\t/ HTTP/1.1",
        "GET /",
        "GET / HTTP/2.0",
        "PRI * HTTP/2.0",
        "GET / http/1.1",
        "G(T / HTTP/1.1",
        "GET /\u{fc} HTTP/1.1",
        "",
    ] {
        assert_eq!(read(&format!("{line}\r\nHost: a\r\n\r\n")), Err(HeadError::Line), "{line:?}");
    }
}

#[test]
fn there_is_one_host_and_it_is_one() {
    let host = |fields: &str| {
        let text = format!("GET / HTTP/1.1\r\n{fields}\r\n\r\n");
        Head::read(text.as_bytes()).unwrap().host()
    };
    assert_eq!(host("Host: good.test"), Ok(Some((good("good.test"), None))));
    assert_eq!(host("Host: [::1]:8080"), Ok(Some((good("::1"), Some(8080)))));
    assert_eq!(host("X: y"), Ok(None));
    assert_eq!(host("Host: good.test\r\nhost: good.test"), Err(HeadError::Hosts));
    for value in ["", "a, b", "evil@good.test", "good.test/", "a:b", "127.1", "g\u{fc}t.test", "a b", "::1"] {
        assert!(matches!(host(&format!("Host: {value}")), Err(HeadError::Host(_))), "{value}");
    }
}

#[test]
fn a_whole_address_says_host_and_path() {
    let place = |target: &str| {
        let text = format!("GET {target} HTTP/1.1\r\n\r\n");
        Head::read(text.as_bytes()).unwrap().place().map(|(host, path)| (host, path.to_owned()))
    };
    assert_eq!(place("/a?b#c"), Ok((None, "/a?b#c".into())));
    assert_eq!(place("http://Good.test/a"), Ok((Some((good("good.test"), None)), "/a".into())));
    assert_eq!(place("HTTP://good.test:81"), Ok((Some((good("good.test"), Some(81))), "/".into())));
    for target in ["https://good.test/", "good.test:443", "*", "//good.test", "http:/good.test", "http://a?b"]
    {
        match place(target) {
            Err(HeadError::Target) => {}
            // A path that begins with two slashes is a path.
            Ok((None, path)) if path == "//good.test" => {}
            other => panic!("{target}: {other:?}"),
        }
    }
    for target in ["http://user@good.test/", "http:///", "http://a:0/", "http://good.test\\@evil/"] {
        assert!(matches!(place(target), Err(HeadError::Host(_))), "{target}");
    }
}

#[test]
fn the_end_of_the_content_is_said_once_and_clearly() {
    let content = |version: &str, fields: &str| {
        let text = format!("POST / {version}\r\n{fields}\r\n\r\n");
        Head::read(text.as_bytes()).unwrap().content()
    };
    assert_eq!(content("HTTP/1.1", "X: y"), Ok(Content::Length(0)));
    assert_eq!(content("HTTP/1.0", "Content-Length: 007"), Ok(Content::Length(7)));
    assert_eq!(content("HTTP/1.1", "Transfer-Encoding: Chunked"), Ok(Content::Chunks));
    for fields in [
        "Content-Length: 1\r\nContent-Length: 1",
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: \u{b7}chunked",
        "Content-Length: +1",
        "Content-Length: 1, 1",
        "Content-Length: -1",
        "Content-Length: 0x1",
        "Content-Length:",
        "Content-Length: 9999999999999999999",
    ] {
        assert_eq!(content("HTTP/1.1", fields), Err(HeadError::Content), "{fields}");
    }
    assert_eq!(content("HTTP/1.0", "Transfer-Encoding: chunked"), Err(HeadError::Content));
}

#[test]
fn what_the_request_cannot_be_without_is_not_taken_away() {
    for name in ["Host", "content-length", "x, Transfer-Encoding"] {
        let text = format!("POST / HTTP/1.1\r\nHost: a\r\nConnection: {name}\r\n\r\n");
        assert_eq!(read(&text).unwrap().forwarded("a", "/"), Err(HeadError::Connection), "{name}");
    }
    let many = "x,".repeat(1000);
    let text = format!("POST / HTTP/1.1\r\nHost: a\r\nConnection: {many}\r\n\r\n");
    assert_eq!(read(&text).unwrap().forwarded("a", "/"), Err(HeadError::Connection));
}
