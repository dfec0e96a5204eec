//! Contents that packages name: fetched over real connections from servers on this machine, each with the certificate of an
//! authority that lives as long as its test.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the test looks at files")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use kitbag::interrupt::Interrupt;
use kitbag::resource::{
    Authorisation, Authorise, Cache, Collect, Data, Dry, Error, Kept, Kind, Patience, Purpose, Shards,
    Supply, Unauthorised, Wanted, Watch,
};
use kitbag_core::digest::Sha256;
use kitbag_core::transfer::Pin;
use kitbag_registry::fetch::SecretHeader;
use kitbag_registry::http::{Authorities, Https, Plain};
use kitbag_testkit::authority::Authority;
use kitbag_testkit::folder::Folder;
use kitbag_testkit::server::{Asked, Reply, Server};
use url::Url;

/// What is pinned.
fn content() -> Vec<u8> {
    (0_u32..50_000).flat_map(u32::to_le_bytes).collect()
}

/// A cache, and somebody who vouches for servers.
struct House {
    folder: Folder,
    authority: Authority,
    supply: Supply,
}

impl House {
    fn new() -> Self {
        let authority = Authority::new();
        let trusted = Authorities::only(authority.pem().as_bytes()).unwrap();
        let fetch = Https::trusting(trusted, Plain::ToThisMachine);
        let supply = Supply { fetch: Some(Arc::new(fetch)), ..Supply::default() };
        Self { folder: Folder::new(), authority, supply }
    }

    fn cache(&self) -> Cache {
        Cache::at(self.folder.at("cache"))
    }

    fn serve(&self, answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Server {
        Server::encrypted(&self.authority, |_| answer)
    }

    fn obtain(&self, wanted: &Wanted) -> Result<Kept, Error> {
        self.cache().obtain(wanted, &self.supply, &Patience::of(&Interrupt::new()))
    }

    /// What is wrong, in words.
    fn refused(&self, wanted: &Wanted) -> String {
        let error = self.obtain(wanted).unwrap_err().to_string();
        assert_eq!(self.blobs(), [""; 0], "nothing has the name: {error}");
        error
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.folder.at(folder)).into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn blobs(&self) -> Vec<String> {
        self.names("cache/blobs").into_iter().filter(|name| name != "partial").collect()
    }

    fn partial(&self, wanted: &Wanted) -> PathBuf {
        self.folder.at("cache/blobs/partial").join(wanted.pin.sha256.to_string())
    }

    /// What somebody who was ended has left.
    fn leave(&self, wanted: &Wanted, bytes: &[u8]) {
        fs::create_dir_all(self.folder.at("cache/blobs/partial")).unwrap();
        fs::write(self.partial(wanted), bytes).unwrap();
    }
}

fn wanted(sources: &[String]) -> Wanted {
    let content = content();
    Wanted {
        capability: "tests/maps".to_owned(),
        resource: "maps".to_owned(),
        shard: None,
        pin: Pin { sha256: Sha256::of(&content), size: content.len() as u64 },
        sources: sources.to_vec(),
        entitlement: None,
    }
}

fn from(servers: &[&Server]) -> Wanted {
    wanted(&servers.iter().map(|server| format!("{}/maps", server.url())).collect::<Vec<_>>())
}

/// The part that was asked for, as a server that knows parts gives it.
fn part(asked: &Asked, content: &[u8]) -> Reply {
    let begin = asked.header("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-'));
    let Some(begin) = begin.and_then(|begin| begin.parse::<usize>().ok()) else {
        return Reply::ok(content).header("etag", "\"one\"");
    };
    let rest = Reply { status: 206, ..Reply::ok(&content[begin..]) };
    let range = format!("bytes {begin}-{}/{}", content.len() - 1, content.len());
    rest.header("content-range", range).header("etag", "\"one\"")
}

/// An answer that breaks off after so many bytes.
fn cut(reply: Reply, after: usize) -> Reply {
    let length = reply.body.len() as u64;
    Reply { body: reply.body[..after].to_vec(), length: Some(length), ..reply }
}

#[test]
fn a_content_is_fetched_once_and_kept_where_nobody_writes() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let wanted = from(&[&server]);
    let kept = house.obtain(&wanted).unwrap();
    assert_eq!(fs::read(kept.path()).unwrap(), content());
    assert!(fs::metadata(kept.path()).unwrap().permissions().readonly());
    assert_eq!(house.obtain(&wanted).unwrap().path(), kept.path());
    assert_eq!(server.asked().len(), 1, "what is kept is not asked for");
    assert_eq!(house.blobs(), [wanted.pin.sha256.to_string()]);
    assert_eq!(house.names("cache/blobs/partial"), [""; 0]);
}

#[test]
fn mirrors_are_asked_in_order_until_one_has_it() {
    let house = House::new();
    let gone = house.serve(|_| Reply::status(404));
    let wrong = house.serve(|_| Reply::ok(vec![0; content().len()]));
    let silent = house.serve(|_| Reply::default());
    let right = house.serve(|_| Reply::ok(content()));
    let late = house.serve(|_| Reply::ok(content()));
    house.obtain(&from(&[&gone, &wrong, &silent, &right, &late])).unwrap();
    let asked = [&gone, &wrong, &right, &late].map(|server| server.asked().len());
    assert_eq!(asked, [1, 1, 1, 0]);
    let bad = House::new();
    let gone = bad.serve(|_| Reply::status(404));
    let denied = bad.serve(|_| Reply::status(403));
    let error = bad.refused(&from(&[&gone, &denied]));
    assert_eq!(
        error,
        "the resource `maps` cannot be fetched: 127.0.0.1: it is not there (status 404); 127.0.0.1: it is not given to us (status 403)"
    );
}

#[test]
fn what_is_not_pinned_gets_no_name() {
    let shorter = content().len() - 1;
    let longer = [content(), vec![0]].concat();
    let other: Vec<u8> = content().into_iter().rev().collect();
    let rows: [(Reply, &str); 6] = [
        (Reply::ok(&longer[..]), "it has 200001 bytes, and 200000 are pinned"),
        (Reply::ok(&content()[..shorter]), "it has 199999 bytes, and 200000 are pinned"),
        // Nobody says how long these are.
        (Reply { length: None, ..Reply::ok(&longer[..]) }, "it has more bytes than are pinned"),
        (Reply { length: None, ..Reply::ok(vec![7; 2_000_000]) }, "it has more bytes than are pinned"),
        (Reply { length: None, ..Reply::ok(&other[..]) }, "its bytes are not those that are pinned"),
        (Reply::ok(&other[..]).header("content-encoding", "gzip"), "in an encoding that nobody asked for"),
    ];
    for (reply, words) in rows {
        let house = House::new();
        let server = house.serve(move |_| reply.clone());
        let wanted = from(&[&server]);
        let error = house.refused(&wanted);
        assert!(error.contains(words), "{error}");
        let held = fs::metadata(house.partial(&wanted)).map_or(0, |found| found.len());
        assert_eq!(held, 0, "and nothing of it is kept: {words}");
    }
    // The twin: nobody says how long it is, and it is right.
    let house = House::new();
    let server = house.serve(|_| Reply { length: None, ..Reply::ok(content()) });
    house.obtain(&from(&[&server])).unwrap();
}

#[test]
fn an_answer_that_breaks_off_is_continued_where_it_did() {
    let house = House::new();
    let times = AtomicUsize::new(0);
    let server = house.serve(move |asked| {
        let reply = part(asked, &content());
        if times.fetch_add(1, Ordering::SeqCst) < 2 { cut(reply, 60_000) } else { reply }
    });
    let kept = house.obtain(&from(&[&server])).unwrap();
    assert_eq!(fs::read(kept.path()).unwrap(), content());
    let asked = server.asked();
    let ranges: Vec<_> =
        asked.iter().map(|asked| (asked.header("range"), asked.header("if-range"))).collect();
    let one = Some("\"one\"");
    assert_eq!(ranges, [(None, None), (Some("bytes=60000-"), one), (Some("bytes=120000-"), one)]);
    assert_eq!(house.names("cache/blobs/partial"), [""; 0]);
}

#[test]
fn a_server_that_always_breaks_off_is_given_up_and_its_bytes_are_kept_for_the_next() {
    let house = House::new();
    let broken = house.serve(|asked| cut(part(asked, &content()), 1000));
    let wanted = from(&[&broken]);
    let error = house.refused(&wanted);
    assert!(error.contains("broke off"), "{error}");
    assert_eq!(broken.asked().len(), 5);
    assert_eq!(fs::metadata(house.partial(&wanted)).unwrap().len(), 5000);
    let whole = house.serve(|asked| part(asked, &content()));
    house.obtain(&from(&[&whole])).unwrap();
    let asked = whole.asked();
    // Another address: its tags say nothing about what is here. The digest does.
    assert_eq!((asked[0].header("range"), asked[0].header("if-range")), (Some("bytes=5000-"), None));
    assert_eq!(asked.len(), 1);
}

#[test]
fn a_server_that_has_something_else_by_now_or_knows_no_parts_is_heard_from_the_beginning() {
    let answers: [fn(&Asked) -> Reply; 4] = [
        // Parts are unknown, or the tag is another one by now.
        |_| Reply::ok(content()),
        // Another part.
        |asked| match asked.header("range") {
            None => Reply::ok(content()),
            Some(_) => {
                Reply { status: 206, ..Reply::ok(content()) }.header("content-range", "bytes 0-199999/200000")
            }
        },
        |asked| match asked.header("range") {
            None => Reply::ok(content()),
            Some(_) => Reply { status: 206, ..Reply::ok(&content()[1000..]) },
        },
        |asked| asked.header("range").map_or_else(|| Reply::ok(content()), |_| Reply::status(416)),
    ];
    for answer in answers {
        let house = House::new();
        let server = house.serve(answer);
        let wanted = from(&[&server]);
        house.leave(&wanted, &content()[..1000]);
        let kept = house.obtain(&wanted).unwrap();
        assert_eq!(fs::read(kept.path()).unwrap(), content());
        assert_eq!(server.asked()[0].header("range"), Some("bytes=1000-"));
    }
}

#[test]
fn what_is_here_is_compared_from_its_first_byte() {
    // A beginning of something else: the mirror is heard once more, from its beginning.
    let house = House::new();
    let server = house.serve(|asked| part(asked, &content()));
    let wanted = from(&[&server]);
    house.leave(&wanted, &[7; 1000]);
    let kept = house.obtain(&wanted).unwrap();
    assert_eq!(fs::read(kept.path()).unwrap(), content());
    assert_eq!(
        server.asked().iter().map(|asked| asked.header("range").is_some()).collect::<Vec<_>>(),
        [true, false]
    );
    // As long as all of it, right or wrong, or longer.
    for (left, times) in [(content(), 0), (vec![7; 200_000], 1), (vec![7; 200_001], 1)] {
        let house = House::new();
        let server = house.serve(|asked| part(asked, &content()));
        let wanted = from(&[&server]);
        house.leave(&wanted, &left);
        let kept = house.obtain(&wanted).unwrap();
        assert_eq!(fs::read(kept.path()).unwrap(), content());
        assert_eq!(server.asked().len(), times);
    }
}

#[test]
fn redirects_are_followed_to_https_and_not_for_ever() {
    let house = House::new();
    let there = house.serve(|asked| part(asked, &content()));
    let to = format!("{}/elsewhere", there.url());
    let server = house.serve(move |_| Reply::status(302).header("location", to.clone()));
    house.obtain(&from(&[&server])).unwrap();
    assert_eq!(there.asked()[0].target, "/elsewhere");
    // A server that would answer, were it asked.
    let plain = Server::new(|_| |_: &str| Reply::ok(content()));
    let to = format!("{}/maps", plain.url());
    let bad = House::new();
    let server = bad.serve(move |_| Reply::status(302).header("location", to.clone()));
    let error = bad.refused(&from(&[&server]));
    assert!(error.contains("to what is no plain https address"), "{error}");
    assert_eq!(plain.asked(), []);
    assert!(bad.refused(&wanted(&[format!("{}/maps", plain.url())])).contains("no plain https address"));
    assert_eq!(plain.asked(), []);
    let round = bad.serve(|_| Reply::status(307).header("location", "/again"));
    let error = bad.refused(&from(&[&round]));
    assert!(error.contains("again and again"), "{error}");
    assert_eq!(round.asked().len(), 6);
}

#[test]
fn a_server_that_nobody_vouches_for_is_no_mirror() {
    let house = House::new();
    let stranger = Server::encrypted(&Authority::new(), |_| |_: &Asked| Reply::ok(content()));
    let error = house.refused(&from(&[&stranger]));
    assert!(error.contains("127.0.0.1: "), "{error}");
    assert_eq!(stranger.asked(), []);
}

/// Somebody who grants access, and remembers what for.
struct Grants {
    gives: fn(&Url) -> Authorisation,
    asked: Mutex<Vec<String>>,
}

impl Authorise for Grants {
    fn authorise(&self, purpose: &Purpose<'_>) -> Result<Authorisation, Unauthorised> {
        let Purpose { capability, resource, entitlement, url } = purpose;
        self.asked.lock().unwrap().push(format!("{capability} {resource} {entitlement} {}", url.path()));
        Ok((self.gives)(url))
    }
}

fn entitled(wanted: Wanted) -> Wanted {
    Wanted { entitlement: Some("pro".to_owned()), ..wanted }
}

#[test]
fn what_is_not_for_everybody_says_what_it_is_for_and_is_not_asked_for() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let error = house.refused(&entitled(from(&[&server])));
    assert_eq!(
        error,
        "the resource `maps` cannot be fetched: it is for those who hold the entitlement `pro` of tests/maps; this program \
         cannot prove that you do, a host that issues it can"
    );
    assert_eq!(server.asked(), []);
}

#[test]
fn a_grant_is_told_to_its_host_and_to_nobody_else() {
    let mut house = House::new();
    let grants = Arc::new(Grants {
        gives: |_| Authorisation::Headers(vec![SecretHeader::new("X-Grant", "test-only-secret").unwrap()]),
        asked: Mutex::default(),
    });
    house.supply.authorise = Arc::clone(&grants) as _;
    let elsewhere = house.serve(|_| Reply::ok(content()));
    let to = format!("{}/maps", elsewhere.url());
    let server = house.serve(move |asked| match asked.target.as_str() {
        "/maps" => Reply::status(302).header("location", "/same"),
        _ => Reply::status(302).header("location", to.clone()),
    });
    house.obtain(&entitled(from(&[&server]))).unwrap();
    let told = |server: &Server| {
        server.asked().iter().map(|asked| asked.header("x-grant").map(str::to_owned)).collect::<Vec<_>>()
    };
    let secret = Some("test-only-secret".to_owned());
    assert_eq!((told(&server), told(&elsewhere)), (vec![secret.clone(), secret], vec![None]));
    assert_eq!(*grants.asked.lock().unwrap(), ["tests/maps maps pro /maps"]);
    // A resource that is for everybody is fetched without.
    let house = House { folder: Folder::new(), ..house };
    let open = house.serve(|_| Reply::ok(content()));
    house.obtain(&from(&[&open])).unwrap();
    assert_eq!((told(&open), grants.asked.lock().unwrap().len()), (vec![None], 1));
}

#[test]
fn an_address_that_works_for_a_while_is_used_and_never_said_or_kept() {
    let mut house = House::new();
    let gives: fn(&Url) -> Authorisation =
        |url| Authorisation::Address(url.join("/signed?signature=test-only-secret").unwrap());
    house.supply.authorise = Arc::new(Grants { gives, asked: Mutex::default() });
    let server = house.serve(|asked| match asked.target.as_str() {
        "/signed?signature=test-only-secret" => cut(part(asked, &content()), 1000),
        other => panic!("nobody asks for {other}"),
    });
    let error = house.refused(&entitled(from(&[&server])));
    assert!(error.contains("broke off") && !error.contains("secret"), "{error}");
    for folder in ["cache/blobs", "cache/blobs/partial"] {
        for name in house.names(folder) {
            let path = house.folder.at(folder).join(&name);
            let text = if path.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            assert!(!String::from_utf8_lossy(&text).contains("secret"), "{name}");
        }
    }
    let url = Url::parse("https://a.example/x?signature=test-only-secret").unwrap();
    assert_eq!(format!("{:?}", Authorisation::Address(url)), "Address(a.example, …)");
}

#[test]
fn offline_is_what_is_kept_and_nothing_else() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let wanted = from(&[&server]);
    let (offline, interrupt) = (Supply::default(), Interrupt::new());
    let error = house.cache().obtain(&wanted, &offline, &Patience::of(&interrupt)).unwrap_err();
    assert_eq!(error.to_string(), "the resource `maps` is not in the cache, and nothing is fetched offline");
    assert!(!house.folder.at("cache").exists(), "nothing is made for that");
    house.obtain(&wanted).unwrap();
    house.cache().obtain(&wanted, &offline, &Patience::of(&interrupt)).unwrap();
    // A host that is not reached says so, too.
    let away = House::new();
    drop(server);
    let error = away.refused(&wanted);
    assert!(error.starts_with("the resource `maps` cannot be fetched: 127.0.0.1: "), "{error}");
}

#[test]
fn what_is_kept_and_no_longer_what_it_should_be_is_fetched_again() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let wanted = from(&[&server]);
    let path = house.obtain(&wanted).unwrap().path().to_owned();
    for damage in [vec![7; 200_000], vec![7], Vec::new()] {
        fs::remove_file(&path).unwrap();
        fs::write(&path, damage).unwrap();
        assert_eq!(fs::read(house.obtain(&wanted).unwrap().path()).unwrap(), content());
    }
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn several_that_want_one_content_fetch_it_once() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let wanted = from(&[&server]);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| house.obtain(&wanted).map(|_| ()))).collect();
        all.into_iter().for_each(|one| one.join().unwrap().unwrap());
    });
    assert_eq!(server.asked().len(), 1);
    assert_eq!(house.names("cache/blobs/partial"), [""; 0]);
}

#[test]
fn whoever_no_longer_waits_leaves_a_beginning_that_is_continued() {
    struct Stop(Interrupt);
    impl Watch for Stop {
        fn comes(&self, wanted: &Wanted, bytes: u64) {
            assert!(bytes <= wanted.pin.size);
            self.0.flag().store(true, Ordering::SeqCst);
        }
    }
    let mut house = House::new();
    let server = house.serve(|asked| part(asked, &content()));
    let wanted = from(&[&server]);
    let interrupt = Interrupt::new();
    house.supply.watch = Arc::new(Stop(interrupt.clone()));
    let stopped = house.cache().obtain(&wanted, &house.supply, &Patience::of(&interrupt));
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    let held = fs::metadata(house.partial(&wanted)).unwrap().len();
    assert!((1..200_000).contains(&held), "{held}");
    house.supply.watch = Arc::new(());
    house.obtain(&wanted).unwrap();
    assert_eq!(server.asked()[1].header("range"), Some(format!("bytes={held}-").as_str()));
    let late = Patience { interrupt: &Interrupt::new(), until: Some(std::time::Instant::now()) };
    let other = House::new();
    assert!(matches!(other.cache().obtain(&wanted, &other.supply, &late), Err(Error::Late)));
}

#[test]
fn a_content_that_has_no_room_is_not_begun() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let mut wanted = from(&[&server]);
    wanted.pin.size = 1 << 52;
    let error = house.obtain(&wanted).unwrap_err();
    assert!(matches!(error, Error::Full { needed, .. } if needed == 1 << 52), "{error}");
    assert_eq!(server.asked(), []);
}

#[test]
fn a_shard_is_pinned_by_its_map_and_found_beside_it() {
    let house = House::new();
    let map = format!(
        r#"{{"shards": [{{"path": "s/a b.bin", "sha256": "{}", "size": 200000}}], "routing": "any"}}"#,
        Sha256::of(&content())
    );
    let answer = map.clone();
    let server = house.serve(move |asked| match asked.target.as_str() {
        "/set/map.json" => Reply::ok(answer.as_bytes()),
        "/set/s/a%20b.bin" => Reply::ok(content()),
        other => panic!("nobody asks for {other}"),
    });
    let pin = Pin { sha256: Sha256::of(map.as_bytes()), size: map.len() as u64 };
    let wanted = Wanted { pin, ..wanted(&[format!("{}/set/map.json", server.url())]) };
    let kept = house.obtain(&wanted).unwrap();
    assert_eq!(server.asked().len(), 1, "no shard comes with its map");
    let shards = Shards::read(&wanted, &kept).unwrap();
    let shard = shards.shard("s/a b.bin").unwrap();
    assert_eq!(shard.title(), "the shard `s/a b.bin` of `maps`");
    assert_eq!(fs::read(house.obtain(&shard).unwrap().path()).unwrap(), content());
    assert_eq!(shards.shard("s/b.bin"), None);
    // What is no map is none.
    let other = from(&[&house.serve(|_| Reply::ok(content()))]);
    let kept = house.obtain(&other).unwrap();
    let error = Shards::read(&other, &kept).unwrap_err().to_string();
    assert!(error.starts_with("the resource `maps` is no map of shards: "), "{error}");
}

fn collect(house: &House, unused_for: Duration, dry: Dry, data: Data) -> (Vec<Kind>, Vec<Kind>) {
    let unused_since = SystemTime::now().checked_sub(unused_for).unwrap();
    let collect = Collect { unused_since, data, dry };
    let collected = house.cache().collect(&collect, &Interrupt::new()).unwrap();
    let kinds = |entries: &[kitbag::resource::Entry]| entries.iter().map(|entry| entry.kind).collect();
    (kinds(&collected.gone), kinds(&collected.in_use))
}

/// Whatever was not used since a moment that is still to come.
fn collect_all(house: &House, data: Data) -> (Vec<Kind>, Vec<Kind>) {
    let unused_since = SystemTime::now() + Duration::from_secs(60);
    let collected =
        house.cache().collect(&Collect { unused_since, data, dry: Dry::No }, &Interrupt::new()).unwrap();
    let kinds = |entries: &[kitbag::resource::Entry]| entries.iter().map(|entry| entry.kind).collect();
    (kinds(&collected.gone), kinds(&collected.in_use))
}

#[test]
fn what_is_used_is_not_collected_and_what_is_not_goes() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let wanted = from(&[&server]);
    let kept = house.obtain(&wanted).unwrap();
    let other = Wanted { pin: Pin { sha256: Sha256::of(b"other"), size: 5 }, ..wanted.clone() };
    house.leave(&other, b"oth");
    let folder = House { folder: house.folder.file("cache/data/tests/maps/it/notes", "12345"), ..house };
    let house = folder;
    assert_eq!(collect_all(&house, Data::Stays), (vec![Kind::Partial], vec![Kind::Content]));
    assert!(kept.path().exists());
    drop(kept);
    let day = Duration::from_secs(86_400);
    assert_eq!(collect(&house, day, Dry::No, Data::Stays), (vec![], vec![]), "it was of use lately");
    let entries = house.cache().list().unwrap();
    assert_eq!(
        entries.iter().map(|entry| (entry.kind, entry.bytes)).collect::<Vec<_>>(),
        [(Kind::Content, 200_000), (Kind::Data, 5)]
    );
    assert_eq!(entries[1].name, "tests/maps");
    assert_eq!(collect_all(&house, Data::Stays), (vec![Kind::Content], vec![]));
    assert!(house.folder.at("cache/data/tests/maps/it/notes").exists());
    assert_eq!(collect_all(&house, Data::Goes), (vec![Kind::Data], vec![]));
    assert_eq!(house.cache().list().unwrap(), []);
}

#[test]
fn a_dry_run_takes_nothing_away() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    house.obtain(&from(&[&server])).unwrap();
    let unused_since = SystemTime::now() + Duration::from_secs(60);
    let collect = Collect { unused_since, data: Data::Stays, dry: Dry::Yes };
    let collected = house.cache().collect(&collect, &Interrupt::new()).unwrap();
    assert_eq!((collected.gone.len(), collected.bytes()), (1, 200_000));
    assert_eq!(house.blobs().len(), 1);
}

#[test]
fn every_content_is_compared_with_its_name() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let path = house.obtain(&from(&[&server])).unwrap().path().to_owned();
    let checked = |house: &House| {
        let checked = house.cache().verify(&Interrupt::new()).unwrap();
        checked.into_iter().map(|one| (one.entry.kind, one.is_right)).collect::<Vec<_>>()
    };
    assert_eq!(checked(&house), [(Kind::Content, true)]);
    fs::remove_file(&path).unwrap();
    fs::write(&path, vec![7; 200_000]).unwrap();
    assert_eq!(checked(&house), [(Kind::Content, false)]);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_content_is_replaced_and_not_followed() {
    let house = House::new();
    let server = house.serve(|_| Reply::ok(content()));
    let wanted = from(&[&server]);
    let house = House {
        folder: house
            .folder
            .file("theirs", content())
            .file("others", "beginning")
            .link(&format!("cache/blobs/{}", wanted.pin.sha256), "../../theirs")
            .link(&format!("cache/blobs/partial/{}", wanted.pin.sha256), "../../../others"),
        ..house
    };
    let kept = house.obtain(&wanted).unwrap();
    assert!(fs::symlink_metadata(kept.path()).unwrap().is_file());
    assert_eq!(fs::read(house.folder.at("theirs")).unwrap(), content());
    assert_eq!(fs::read(house.folder.at("others")).unwrap(), b"beginning");
}
