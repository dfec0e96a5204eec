use kitbag_core::glob::Host;

use super::{HELLO_AT_MOST, Hello, HelloError, read};

fn long(content: &[u8]) -> Vec<u8> {
    [&u16::try_from(content.len()).unwrap().to_be_bytes(), content].concat()
}

fn extension(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &long(content)].concat()
}

fn named(name: &[u8]) -> Vec<u8> {
    extension(0, &long(&[&[0][..], &long(name)].concat()))
}

/// A client's first message with these extensions.
fn message(extensions: &[u8]) -> Vec<u8> {
    let body = [&[3, 3][..], &[7; 32], &[1, 9], &long(&[0x13, 1]), &[1, 0], &long(extensions)].concat();
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[1][..], &length[1..], &body].concat()
}

fn records(message: &[u8], size: usize) -> Vec<u8> {
    message.chunks(size).flat_map(|part| [&[22, 3, 1][..], &long(part)].concat()).collect()
}

fn hello(extensions: &[u8]) -> Vec<u8> {
    records(&message(extensions), 1 << 14)
}

fn host(name: &str) -> Result<Hello, HelloError> {
    Ok(Hello::Whole(Some(Host::Name(name.to_owned()))))
}

#[test]
fn the_name_is_read_whatever_stands_around_it() {
    let around = |name: &[u8]| [extension(0x0a0a, &[]), named(name), extension(43, &[2, 3, 4])].concat();
    assert_eq!(read(&hello(&around(b"good.test"))), host("good.test"));
    assert_eq!(read(&hello(&around(b"GOOD.test."))), host("good.test"));
    let more = [hello(&around(b"good.test")), b"more".to_vec()].concat();
    assert_eq!(read(&more), host("good.test"), "what follows is not looked at");
    assert_eq!(read(&hello(&extension(43, &[2, 3, 4]))), Ok(Hello::Whole(None)));
}

#[test]
fn a_message_in_pieces_is_put_together() {
    let message = message(&named(b"good.test"));
    for size in [message.len(), message.len() - 1, 40, 4] {
        assert_eq!(read(&records(&message, size)), host("good.test"), "{size}");
    }
    assert!(matches!(read(&records(&message, 1)), Err(HelloError::Malformed(_))), "too many");
}

#[test]
fn how_much_is_needed_is_said_and_never_too_little() {
    let whole = records(&message(&named(b"good.test")), 20);
    for end in 0..whole.len() {
        match read(&whole[..end]) {
            Ok(Hello::Needs(length)) => assert!(length > end && length <= whole.len(), "{end}: {length}"),
            other => panic!("{end}: {other:?}"),
        }
    }
}

#[test]
fn what_names_nobody_or_somebody_in_a_riddle_is_refused() {
    for name in [
        &b"good.test\0.evil"[..],
        b"evil@good.test",
        b"127.0.0.1",
        b"::1",
        b"[::1]",
        b"0x7f.1",
        b"good..test",
        b"",
        b"\xff",
        "g\u{fc}t.test".as_bytes(),
    ] {
        assert_eq!(read(&hello(&named(name))), Err(HelloError::NoHost), "{}", name.escape_ascii());
    }
    let malformed = |extensions: &[u8]| matches!(read(&hello(extensions)), Err(HelloError::Malformed(_)));
    assert!(malformed(&[named(b"good.test"), named(b"evil.test")].concat()));
    let two = [&[0][..], &long(b"good.test"), &[0], &long(b"evil.test")].concat();
    assert!(malformed(&extension(0, &long(&two))));
    assert!(
        malformed(&extension(0, &long(&[&[1][..], &long(b"good.test")].concat()))),
        "another kind of name"
    );
    assert!(malformed(&extension(0, &[])) && malformed(&[0]) && malformed(&[0, 0, 0, 9]));
}

#[test]
fn a_hidden_name_is_refused_whatever_the_open_one_says() {
    let hidden = extension(0xfe0d, &[0; 40]);
    assert_eq!(read(&hello(&[named(b"good.test"), hidden.clone()].concat())), Err(HelloError::Hidden));
    assert_eq!(read(&hello(&hidden)), Err(HelloError::Hidden));
}

#[test]
fn what_is_no_handshake_is_known_by_its_first_bytes() {
    for bytes in [&b"GET / HTTP/1.1\r\n"[..], &[0x80, 0x2e], &[23, 3, 1, 0, 1, 0], &[22, 2, 0, 0, 1, 1], &[0]]
    {
        assert!(matches!(read(bytes), Err(HelloError::Malformed(_))), "{}", bytes.escape_ascii());
    }
    // A record of nothing, one that is too long, another message, and one that would never end.
    for bytes in [&[22, 3, 1, 0, 0][..], &[22, 3, 1, 0x40, 1], &[22, 3, 1, 0, 1, 2]] {
        assert!(matches!(read(bytes), Err(HelloError::Malformed(_))), "{bytes:?}");
    }
    assert_eq!(read(&[22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff]), Err(HelloError::Long));
    let endless = [&[22, 3, 1, 0x40, 0, 1, 0, 0x7f, 0xff][..], &vec![0; HELLO_AT_MOST]].concat();
    assert!(matches!(read(&endless), Err(HelloError::Malformed(_) | HelloError::Long)));
}
