//! GitHub's API over real connections, to a server on this machine: what is asked, what is told to whom, and where it ends.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use kitbag_core::archive::InMemory;
use kitbag_core::formats::openscience::github::{Place, Requests, Trouble, place};
use kitbag_registry::fetch::Token;
use kitbag_registry::github::{Client, Error};
use kitbag_registry::http::{Https, Plain};
use kitbag_testkit::server::{Reply, Server};
use serde_json::{Value, json};
use url::Url;

const SKILL: &str = "---\nname: pdf\ndescription: Reads.\n---\n";

fn file(name: &str, url: &str) -> Value {
    json!({"name": name, "path": name, "type": "file", "size": 1, "download_url": url})
}

fn listing(items: &[Value]) -> Reply {
    Reply::ok(serde_json::to_vec(items).unwrap())
}

fn there() -> Place {
    place("github:a/b/p@main").unwrap()
}

/// The files of the Skill that the server gives, or what is wrong.
fn import(server: &Server, token: Option<&str>) -> Result<Vec<String>, Trouble> {
    let fetch = Https::new(Plain::ToThisMachine);
    let client = Client::new(&fetch, Some(Url::parse(&server.url()).unwrap()), token.and_then(Token::new));
    match client.skill(&there(), &mut Requests::default(), &mut InMemory) {
        Ok(preview) => Ok(preview.candidates[0].skill.files.iter().map(|(name, _)| name.clone()).collect()),
        Err(Error::Trouble(trouble)) => Err(trouble),
        Err(error) => panic!("{error}"),
    }
}

/// A server with one Skill, whose document is `document`.
fn with_document(document: impl Fn() -> Reply + Send + Sync + 'static) -> Server {
    Server::new(|here| {
        let raw = format!("{here}/raw/SKILL.md");
        move |target: &str| match target {
            "/repos/a/b/contents/p?ref=main" => listing(&[file("SKILL.md", &raw)]),
            "/raw/SKILL.md" => document(),
            other => panic!("nobody asks for {other}"),
        }
    })
}

#[test]
fn a_skill_comes_file_by_file() {
    let server = with_document(|| Reply::ok(SKILL));
    assert_eq!(import(&server, None).unwrap(), ["SKILL.md"]);
    let asked: Vec<String> = server.asked().into_iter().map(|asked| asked.target).collect();
    assert_eq!(asked, ["/repos/a/b/contents/p?ref=main", "/raw/SKILL.md"]);
}

#[test]
fn a_token_is_told_to_the_api_and_to_nobody_else() {
    let elsewhere = Server::new(|_| |_: &str| Reply::ok(SKILL));
    let raw = format!("{}/SKILL.md", elsewhere.url());
    let server = Server::new(|_| move |_: &str| listing(&[file("SKILL.md", &raw)]));
    assert_eq!(import(&server, Some("test-only-token")).unwrap(), ["SKILL.md"]);
    let told =
        |server: &Server| server.asked().into_iter().map(|asked| asked.authorization).collect::<Vec<_>>();
    assert_eq!(told(&server), [Some("Bearer test-only-token".to_owned())]);
    assert_eq!(told(&elsewhere), [None]);
}

#[test]
fn a_redirect_to_another_host_carries_no_token_and_one_without_encryption_is_not_followed() {
    let elsewhere = Server::new(|_| |_: &str| listing(&[]));
    let to = elsewhere.url();
    let server = Server::new(|_| move |_: &str| Reply::status(301).header("location", format!("{to}/x")));
    // The same host, another port: still this machine, and no longer the API.
    assert_eq!(import(&server, Some("test-only-token")), Err(Trouble::NoSkill));
    assert_eq!(elsewhere.asked().len(), 1);
    assert_eq!(elsewhere.asked()[0].authorization, None);
    let away = Server::new(|_| |_: &str| Reply::status(302).header("location", "http://198.51.100.1/x"));
    assert!(matches!(import(&away, None), Err(Trouble::Redirected { .. })));
    let round = Server::new(|_| |_: &str| Reply::status(302).header("location", "/again"));
    assert!(matches!(import(&round, None), Err(Trouble::Redirected { .. })));
    assert_eq!(round.asked().len(), 4);
}

#[test]
fn a_file_that_says_it_is_too_long_is_not_read_and_one_that_lies_is_cut() {
    let long = Trouble::FileBytes("SKILL.md".to_owned());
    // Nothing follows the head: whoever read the body would find it broken off.
    let declared = with_document(|| Reply { length: Some((50 << 20) + 1), ..Reply::ok("") });
    assert_eq!(import(&declared, None), Err(long.clone()));
    let lying = with_document(|| Reply { length: None, ..Reply::ok(vec![b'x'; (50 << 20) + 1]) });
    assert_eq!(import(&lying, None), Err(long));
    let at_most = with_document(|| {
        let body = [SKILL.as_bytes(), &vec![b'x'; (50 << 20) - SKILL.len()]].concat();
        Reply { length: None, ..Reply::ok(body) }
    });
    assert_eq!(import(&at_most, None).unwrap(), ["SKILL.md"]);
}

#[test]
fn an_answer_that_breaks_off_is_an_error_and_no_file() {
    let server = with_document(|| Reply { length: Some(1000), ..Reply::ok(SKILL) });
    let fetch = Https::new(Plain::ToThisMachine);
    let client = Client::new(&fetch, Some(Url::parse(&server.url()).unwrap()), None);
    let result = client.skill(&there(), &mut Requests::default(), &mut InMemory);
    assert!(matches!(result, Err(Error::Io(_))), "{result:?}");
    let silent = Server::new(|_| |_: &str| Reply::default());
    let client = Client::new(&fetch, Some(Url::parse(&silent.url()).unwrap()), None);
    let result = client.skill(&there(), &mut Requests::default(), &mut InMemory);
    assert!(matches!(result, Err(Error::Fetch(_))), "{result:?}");
}

#[test]
fn nobody_is_asked_without_encryption_unless_that_was_said() {
    let server = with_document(|| Reply::ok(SKILL));
    let fetch = Https::new(Plain::Refused);
    let client = Client::new(&fetch, Some(Url::parse(&server.url()).unwrap()), Token::new("test-only"));
    let result = client.skill(&there(), &mut Requests::default(), &mut InMemory);
    assert!(matches!(result, Err(Error::Fetch(_))), "{result:?}");
    assert_eq!(server.asked(), []);
}

#[test]
fn a_list_that_never_ends_is_not_read_to_its_end() {
    let server = Server::new(|_| |_: &str| Reply { length: None, ..Reply::ok(vec![b' '; 9 << 20]) });
    assert!(matches!(import(&server, None), Err(Trouble::Unreadable { .. })));
}
