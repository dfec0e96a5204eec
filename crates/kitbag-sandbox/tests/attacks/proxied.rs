//! Attacks on the list of hosts where a system cannot lead every address to the supervisor, or a bubblewrap gives its inner
//! part no rights: there the proxy is the only way, and everything holds that holds elsewhere.

use std::sync::Arc;
use std::time::Duration;

use kitbag_sandbox::egress::{Hosts, Refusal, Verdict};
use kitbag_sandbox::{Backend, Breach, Degraded, Ending, Lack, Network, NetworkIsolation, Plan, Traffic};

use crate::net::{Net, get, hello, is_refusal, limited};
use crate::servers::{Manner, Model, PUBLIC, Server};
use crate::world::{Seen, World};

/// Makes tests of functions that take a world: one for each way in which a system lacks the other way out.
macro_rules! where_there_is_only_a_proxy {
    ($($name:ident),* $(,)?) => {
        mod native {
            $(#[test] fn $name() {
                super::lacking(kitbag_sandbox::Backend::Native, kitbag_sandbox::Lack::AnyAddress, super::$name);
            })*
        }
        mod bwrap {
            $(#[test] fn $name() {
                super::lacking(kitbag_sandbox::Backend::Bubblewrap, kitbag_sandbox::Lack::AnyAddress, super::$name);
            })*
        }
        mod bwrap_without_rights {
            $(#[test] fn $name() {
                super::lacking(kitbag_sandbox::Backend::Bubblewrap, kitbag_sandbox::Lack::Rights, super::$name);
            })*
        }
    };
}

/// Tries `attack` in a world where something is taken to be missing.
pub fn lacking(backend: Backend, lack: Lack, attack: impl Fn(&World)) {
    World::with(backend, |world| {
        let mut world = world.again();
        world.settings.lacking.insert(lack);
        attack(&world);
    });
}

where_there_is_only_a_proxy! {
    the_report_and_the_environment_say_so,
    nothing_but_the_proxy_leads_out,
    a_host_that_is_not_listed_is_reached_in_no_way,
    a_name_that_leads_to_a_private_address_is_not_dialled,
    a_name_is_looked_up_once_and_what_was_vetted_is_dialled,
    what_is_said_must_be_what_was_asked_for,
    a_host_has_one_spelling_and_riddles_have_none,
    a_connection_is_for_one_request,
    a_port_of_its_own_is_reached_and_no_other,
    the_callers_own_servers_are_reached_where_they_are_listed,
    an_empty_list_is_no_network,
    a_limit_of_the_network_that_is_gone_over_names_itself,
}

/// Words that say something to the proxy.
fn say(text: &str) -> [&str; 4] {
    ["say", "127.0.0.1", "3128", text]
}

/// A request for a whole address.
fn whole(host: &str) -> String {
    format!("GET http://{host}/ HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n")
}

/// A wish for a tunnel.
fn connect(place: &str) -> String {
    format!("CONNECT {place} HTTP/1.1\\r\\nHost: {place}\\r\\n\\r\\n")
}

/// What comes of `inside` in a tunnel to `place`.
fn through(net: &Net<'_>, place: &str, inside: &str) -> String {
    net.inside(&["twice", "127.0.0.1", "3128", &connect(place), inside]).0
}

fn the_report_and_the_environment_say_so(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let plan = Plan { program: "/attack".into(), arguments: vec!["variables".into()], ..net.plan.clone() };
    let run = net.run_plan(&plan);
    assert_eq!(run.report.network, NetworkIsolation::Proxied);
    let degraded = &run.report.degraded;
    assert!(degraded.iter().any(|reason| reason.contains("programs that heed no proxy")), "{degraded:?}");
    assert_eq!(degraded.iter().filter(|reason| reason.contains("proxy")).count(), 1, "{degraded:?}");
    assert!(run.report.l2_eligible());
    let text = String::from_utf8(run.outcome.output).unwrap();
    let named = text.lines().filter(|line| line.ends_with("=http://127.0.0.1:3128")).count();
    assert!(named == 6 && text.contains("NODE_USE_ENV_PROXY=1"), "{text}");
    // It is less than could be had elsewhere, and all that was promised.
    let mut strict = world.again();
    strict.settings.degraded = Degraded::Refused;
    strict.settings.lacking.clone_from(&world.settings.lacking);
    let net = Net::new(&strict, &["good.test"]);
    net.reached(&say(&whole("good.test")), "good.test", 80);
    // A system that lacks nothing has no such variables.
    let mut other = world.again();
    other.settings.lacking.clear();
    let net = Net::new(&other, &["good.test"]);
    let run = net.run_plan(&Plan {
        program: "/attack".into(),
        arguments: vec!["variables".into()],
        ..net.plan.clone()
    });
    assert_eq!((run.report.network, &*run.outcome.output), (NetworkIsolation::Listed, &b""[..]));
}

fn nothing_but_the_proxy_leads_out(world: &World) {
    let net = Net::new(world, &["good.test"]);
    net.reached(&say(&whole("good.test")), "good.test", 80);
    assert_eq!(net.inside(&["name", "good.test", "127.0.0.1"]).0, "errno 111");
    for address in ["1.2.3.4", "10.0.0.1", "169.254.169.254", "198.18.0.1", "2606:4700::1111"] {
        for port in ["80", "443", "53"] {
            assert_eq!(net.inside(&["say", address, port, "x"]).0, "errno 101", "{address} {port}");
        }
    }
    // The caller's own servers, and ports that are doors elsewhere.
    for port in [&*net.http.port.to_string(), "80", "443"] {
        assert_eq!(net.inside(&["say", "127.0.0.1", port, "x"]).0, "errno 111", "{port}");
    }
    assert_eq!(net.heard(), 1);
}

fn a_host_that_is_not_listed_is_reached_in_no_way(world: &World) {
    let net = Net::new(world, &["good.test"]);
    net.reached(&say(&whole("good.test")), "good.test", 80);
    let tunnelled = through(&net, "good.test:443", &hello(Some(b"good.test"), &[]));
    assert!(tunnelled.ends_with("plainly"), "{tunnelled}");
    let not_listed = &Refusal::NotListed;
    net.refused(&say(&whole("evil.test")), "evil.test", Some(80), not_listed);
    net.refused(&say(&connect("evil.test:443")), "evil.test", Some(443), not_listed);
    net.refused(&say(&connect("good.test:22")), "good.test", Some(22), not_listed);
    for address in ["1.2.3.4", "169.254.169.254", "127.0.0.1"] {
        net.refused(&say(&whole(address)), address, Some(80), not_listed);
        net.refused(&say(&connect(&format!("{address}:443"))), address, Some(443), not_listed);
    }
    assert_eq!(net.model.asked(), ["good.test"; 2], "nobody outside was asked for another");
}

fn a_name_that_leads_to_a_private_address_is_not_dialled(world: &World) {
    for answer in [&["127.0.0.1"][..], &["169.254.169.254"], &["64:ff9b::a00:1"], &["1.2.3.4", "192.168.0.1"]]
    {
        let net = Net::with(world, &["good.test"], |model| model.name("good.test", &[answer]));
        let last = answer.last().unwrap().parse::<std::net::IpAddr>().unwrap().to_canonical();
        let refusal = Refusal::Private(last);
        net.refused(&say(&whole("good.test")), "good.test", Some(80), &refusal);
        net.refused(&say(&connect("good.test:443")), "good.test", Some(443), &refusal);
    }
    let net = Net::with(world, &["good.test", "@local"], |model| model.name("good.test", &[&["10.0.0.1"]]));
    net.reached(&say(&whole("good.test")), "good.test", 80);
}

fn a_name_is_looked_up_once_and_what_was_vetted_is_dialled(world: &World) {
    let change = |model: Model| model.name("good.test", &[&["1.2.3.4"], &["127.0.0.1"]]);
    let net = Net::with(world, &["good.test"], change);
    net.reached(&say(&whole("good.test")), "good.test", 80);
    assert_eq!((net.model.asked().len(), net.model.dialled()), (1, vec![(PUBLIC, 80).into()]));
    let refusal = Refusal::Private([127, 0, 0, 1].into());
    net.refused(&say(&whole("good.test")), "good.test", Some(80), &refusal);
}

fn what_is_said_must_be_what_was_asked_for(world: &World) {
    let net = Net::new(world, &["good.test", "other.test"]);
    for host in ["good.test", "other.test"] {
        net.reached(&say(&whole(host)), host, 80);
    }
    let two = "GET http://good.test/ HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n";
    net.refused(&say(two), "other.test", Some(3128), &Refusal::OtherHost("good.test:80".to_owned()));
    let names = [(&b"good.test"[..], true), (b"other.test", false), (b"evil.test", false)];
    for (name, reached) in names {
        let said = through(&net, "good.test:443", &hello(Some(name), &[]));
        assert!(said.starts_with("first HTTP/1.1 200"), "{said}");
        assert_eq!(said.ends_with("plainly"), reached, "{said}");
    }
    // Nor is a handshake without a name, or with one that is hidden, let through.
    let hidden = [0xfe, 0x0d, 0, 4, 1, 2, 3, 4];
    // The host has been dialled by then, and is told nothing.
    let heard = || net.tls.heard().iter().filter(|said| !said.is_empty()).count();
    for hello in [hello(None, &[]), hello(Some(b"good.test"), &hidden)] {
        let before = heard();
        assert!(!through(&net, "good.test:443", &hello).ends_with("plainly"));
        assert_eq!(heard(), before);
    }
}

fn a_host_has_one_spelling_and_riddles_have_none(world: &World) {
    let net = Net::new(world, &["good.test"]);
    for spelling in ["good.test", "GOOD.test", "good.test."] {
        net.reached(&say(&whole(spelling)), "good.test", 80);
        let said = through(&net, &format!("{spelling}:443"), &hello(Some(b"good.test"), &[]));
        assert!(said.ends_with("plainly"), "{spelling}: {said}");
    }
    for riddle in
        ["good.test\\x00.evil.test", "evil@good.test", "good.test%00", "127.1", "0x7f000001", "[::1"]
    {
        for text in [whole(riddle), connect(&format!("{riddle}:443"))] {
            let heard = net.heard();
            let (said, egress) = net.inside(&say(&text));
            assert!(said.starts_with("said HTTP/1.1 400"), "{text}: {said}");
            assert!(egress.asked.iter().all(|asked| asked.verdict != Verdict::Allowed), "{egress:#?}");
            assert_eq!(net.heard(), heard, "{text}");
        }
    }
}

fn a_connection_is_for_one_request(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let answers = |said: &str| said.matches("HTTP/1.1 200").count();
    for second in [whole("evil.test"), get("evil.test"), connect("evil.test:443"), whole("good.test")] {
        // At once, and later on the same connection.
        for words in [
            say(&format!("{}{second}", whole("good.test"))).map(str::to_owned).to_vec(),
            ["twice", "127.0.0.1", "3128", &whole("good.test"), &second].map(str::to_owned).to_vec(),
        ] {
            let before = net.http.heard().len();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (said, _) = net.inside(&words);
            assert_eq!(answers(&said), 1, "{words:?}: {said}");
            assert_eq!(net.http.heard().len(), before + 1, "{words:?}");
        }
    }
    // Where two readers see two ends, nobody is told anything.
    for fields in
        ["Content-Length: 3\\r\\nContent-Length: 60", "Content-Length: 4\\r\\nTransfer-Encoding: chunked"]
    {
        let before = net.http.heard().len();
        let text = format!(
            "POST http://good.test/ HTTP/1.1\\r\\nHost: good.test\\r\\n{fields}\\r\\n\\r\\n0\\r\\n\\r\\n"
        );
        let (said, _) = net.inside(&say(&text));
        assert!(said.starts_with("said HTTP/1.1 400"), "{fields}: {said}");
        assert_eq!(net.http.heard().len(), before, "{fields}");
    }
}

fn a_port_of_its_own_is_reached_and_no_other(world: &World) {
    let net = Net::new(world, &["good.test:8080", "good.test:8443"]);
    net.reached(&say(&whole("good.test:8080")), "good.test", 8080);
    let said = through(&net, "good.test:8443", &hello(Some(b"good.test"), &[]));
    assert!(said.ends_with("plainly"), "{said}");
    net.refused(&say(&whole("good.test")), "good.test", Some(80), &Refusal::NotListed);
    net.refused(&say(&connect("good.test:443")), "good.test", Some(443), &Refusal::NotListed);
    // Inside a tunnel to a port of its own somebody else is not asked for.
    let said = through(&net, "good.test:8443", &hello(Some(b"evil.test"), &[]));
    assert!(!said.ends_with("plainly"), "{said}");
}

fn the_callers_own_servers_are_reached_where_they_are_listed(world: &World) {
    let server = Server::start(Manner::Obliging);
    let host = format!("127.0.0.1:{}", server.port);
    for listed in [format!("@local:{}", server.port), host.clone()] {
        let net = Net::new(world, &[&listed]);
        let net = Net { model: Arc::new(Model::new(&[])), ..net };
        net.reached(&say(&whole(&host)), "127.0.0.1", server.port);
        let other = format!("127.0.0.1:{}", net.http.port);
        let (said, _) = net.inside(&say(&whole(&other)));
        assert!(is_refusal(&said), "{said}");
        assert_eq!((net.model.asked().len(), net.heard()), (0, 0));
    }
}

fn an_empty_list_is_no_network(world: &World) {
    let mut net = Net::new(world, &[]);
    net.plan.network = Network::Listed(Hosts::default());
    let run = net.run(&["say", "127.0.0.1", "3128", "x"]);
    assert_eq!((run.report.network, run.report.degraded.len()), (NetworkIsolation::None, 0));
    assert_eq!(String::from_utf8_lossy(&run.outcome.output), "errno 97\n");
    let plan = Plan { program: "/attack".into(), ..net.plan.clone() };
    assert_eq!(world.seen_inside(&plan, &["variables"]), Seen::Text(String::new()), "no proxy is named");
}

fn a_limit_of_the_network_that_is_gone_over_names_itself(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let few = Traffic { connections: 3, ..Traffic::default() };
    let many = ["many", "127.0.0.1", "3128", "4"];
    assert_eq!(limited(&net, few, &many).ending, Ending::Breached(Breach::Connections));
    let little = Traffic { bytes: 1 << 20, ..Traffic::default() };
    let post =
        "POST http://good.test/ HTTP/1.1\\r\\nHost: good.test\\r\\nContent-Length: 8388608\\r\\n\\r\\n";
    let flood = ["flood", "127.0.0.1", "3128", post, "8"];
    assert_eq!(limited(&net, little, &flood).ending, Ending::Breached(Breach::Traffic));
    assert_eq!(limited(&net, Traffic::default(), &flood).ending, Ending::Exited(0));
    let idle = Traffic { idle: Duration::from_millis(300), ..Traffic::default() };
    let outcome = limited(&net, idle, &say("GET http://good.test/ HTTP/1.1\\r\\nHost: good"));
    assert_eq!(outcome.ending, Ending::Exited(0));
    let silent = Verdict::Refused(Refusal::Silent);
    assert!(outcome.egress.asked.iter().any(|asked| asked.verdict == silent), "{:#?}", outcome.egress);
}
