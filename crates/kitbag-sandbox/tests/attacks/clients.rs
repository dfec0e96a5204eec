//! What people write programs in, with no variable that names a proxy: it reaches a listed host and nothing else.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use kitbag_sandbox::egress::{Hosts, Outside, Refusal, Verdict};
use kitbag_sandbox::{
    Backend, Ending, Item, Lack, Limits, Network, NetworkIsolation, Plan, Programs, Rights, Run, Settings,
    run_with,
};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;

use crate::servers::Model;
use crate::world::{World, open_to_all};

on_each_backend! {;
    with_namespaces:
    every_node_reaches_a_listed_host_and_nothing_else,
    python_reaches_a_listed_host_and_nothing_else,
    curl_reaches_a_listed_host_and_nothing_else,
    a_client_that_heeds_a_proxy_reaches_a_listed_host_where_there_is_only_that,
    a_client_that_heeds_a_proxy_reaches_a_listed_host_where_a_system_has_no_other_way,
}

const PYTHON: &str = "/usr/bin/python3";
const CURL: &str = "/usr/bin/curl";

/// Addresses that lead to the listed host.
const REACHED: [&str; 2] = ["http://good.test/", "https://good.test/"];
/// Addresses that lead elsewhere, the last four by way of the listed host.
const NOT_REACHED: [&str; 9] = [
    "http://evil.test/",
    "https://evil.test/",
    "http://1.2.3.4/",
    "https://1.2.3.4/",
    "http://169.254.169.254/",
    "http://good.test/to/http:--evil.test/",
    "https://good.test/to/https:--evil.test/",
    "http://good.test/to/http:--127.0.0.1/",
    "https://good.test/to/http:--169.254.169.254/",
];

/// A world whose listed host has servers of its own.
struct Site<'w> {
    world: &'w World,
    folder: Folder,
    servers: Child,
    model: Arc<Model>,
}

impl Drop for Site<'_> {
    fn drop(&mut self) {
        // They end by themselves when nobody holds their input.
        let _ended = (self.servers.kill(), self.servers.wait());
    }
}

impl<'w> Site<'w> {
    /// `None`, and said so, where there is no sandbox or a tool is missing.
    fn new(world: &'w World) -> Option<Self> {
        if !cases::tool("openssl") || !is_there(PYTHON) {
            return None;
        }
        let folder = Folder::new();
        open_to_all(folder.path());
        let (key, certificate) = (folder.at("key.pem"), folder.at("certificate.pem"));
        // A key of this run, for tests only.
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-days", "2", "-subj", "/CN=kitbag test only", "-addext", "subjectAltName=DNS:good.test"])
            .arg("-keyout")
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .stderr(Stdio::null())
            .status();
        assert!(made.is_ok_and(|status| status.success()), "openssl makes a certificate");
        let mut servers = Command::new(PYTHON)
            .args(["-I", "-c", include_str!("programs/servers.py")])
            .args([&certificate, &key])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(servers.stdout.take().unwrap());
        let mut ports = String::new();
        said.read_line(&mut ports).unwrap();
        let ports: Vec<u16> = ports.split_whitespace().map(|port| port.parse().unwrap()).collect();
        // What they say further is read, so that they never wait for it.
        std::thread::spawn(move || said.lines().count());
        let model = Arc::new(Model::new(&[(80, ports[0]), (443, ports[1])]));
        Some(Self { world, folder, servers, model })
    }

    fn plan(&self, program: &str, arguments: &[&str]) -> Plan {
        let mut plan = self.world.plan(&Programs::Any);
        plan.tree.push(Item::Host {
            from: self.folder.at("certificate.pem"),
            at: "/ca.pem".into(),
            rights: Rights::Read,
        });
        for (name, text) in [
            ("/clients.mjs", include_str!("programs/clients.mjs")),
            ("/clients.py", include_str!("programs/clients.py")),
        ] {
            plan.tree.push(Item::File { at: name.into(), content: text.into() });
        }
        plan.environment =
            [("NODE_EXTRA_CA_CERTS", "/ca.pem"), ("SSL_CERT_FILE", "/ca.pem"), ("PATH", "/usr/bin:/bin")]
                .map(|(name, value)| (name.into(), value.into()))
                .to_vec();
        plan.program = program.into();
        plan.arguments = arguments.iter().chain(&REACHED).chain(&NOT_REACHED).map(Into::into).collect();
        plan.network = Network::Listed(Hosts::parse(["good.test"]).unwrap());
        plan.limits = Limits { wall: Duration::from_secs(300), memory_in_all: None, ..plan.limits };
        plan
    }

    fn run(&self, plan: &Plan) -> Run {
        let outside: Arc<dyn Outside> = Arc::<Model>::clone(&self.model);
        run_with(plan, &Settings { outside, ..self.world.settings.clone() })
            .unwrap_or_else(|error| panic!("{}: {error:?}", plan.program.display()))
    }

    /// Runs a client; each way it has reaches what is listed, and nothing else.
    fn holds(&self, client: &str, plan: &Plan, ways: &[&str]) {
        let run = self.run(plan);
        let text = String::from_utf8_lossy(&run.outcome.output);
        let said = || format!("{client}:\n{text}\n{}", String::from_utf8_lossy(&run.outcome.errors));
        assert_eq!(run.outcome.ending, Ending::Exited(0), "{}", said());
        assert_eq!(run.report.network, NetworkIsolation::Listed);
        let came = |way: &str, address: &str| {
            let start = format!("{way} {address} ");
            let line = text.lines().find_map(|line| line.strip_prefix(&*start));
            line.unwrap_or_else(|| panic!("no {start}\n{}", said())).to_owned()
        };
        for way in ways {
            for address in REACHED {
                assert_eq!(came(way, address), "200 hello", "{way} {address}: {}", said());
            }
            for address in NOT_REACHED {
                let came = came(way, address);
                // One that follows no redirection stops at the listed host.
                let refused = came.contains("failed") || came.starts_with("403") || came == "302";
                assert!(refused, "{way} {address}: {}", said());
            }
        }
        let egress = run.outcome.egress;
        let asked = |host: &str, verdict: &Verdict| {
            egress.asked.iter().any(|asked| asked.host == host && asked.verdict == *verdict)
        };
        let refused = Verdict::Refused(Refusal::NotListed);
        assert!(asked("evil.test", &refused) && asked("1.2.3.4", &refused), "{client}: {egress:#?}");
        let allowed = egress.asked.iter().filter(|asked| asked.verdict == Verdict::Allowed);
        assert!(allowed.clone().all(|asked| asked.host == "good.test"), "{client}: {egress:#?}");
        assert!(allowed.count() >= 3, "{client}: {egress:#?}");
        assert!(
            self.model.asked().iter().all(|name| name == "good.test"),
            "{client}: {:?}",
            self.model.asked()
        );
    }
}

fn is_there(program: &str) -> bool {
    let found = Path::new(program).is_file();
    if !found {
        assert!(std::env::var_os("KITBAG_TOOLS").is_none(), "`{program}` is required here");
        cases::skip(&format!("`{program}` is not installed"));
    }
    found
}

fn node(site: &Site<'_>, program: &Path) -> Plan {
    let mut plan = site.plan("/node", &["/clients.mjs"]);
    plan.tree.push(Item::Host { from: program.to_owned(), at: "/node".into(), rights: Rights::Code });
    plan
}

fn every_node_reaches_a_listed_host_and_nothing_else(world: &World) {
    let nodes: Vec<(u32, PathBuf)> = cases::nodes();
    if nodes.is_empty() {
        return;
    }
    let Some(site) = Site::new(world) else { return };
    for (major, program) in nodes {
        site.holds(&format!("node {major}"), &node(&site, &program), &["fetch", "get"]);
    }
}

fn python_reaches_a_listed_host_and_nothing_else(world: &World) {
    let Some(site) = Site::new(world) else { return };
    let plan = site.plan(PYTHON, &["-I", "/clients.py"]);
    site.holds("python", &plan, &["urllib", "socket"]);
}

fn curl_reaches_a_listed_host_and_nothing_else(world: &World) {
    if !is_there(CURL) {
        return;
    }
    let Some(site) = Site::new(world) else { return };
    site.holds("curl", &curl(&site), &["curl"]);
}

fn curl(site: &Site<'_>) -> Plan {
    let script = "for address; do printf 'curl %s ' \"$address\"; \
                  curl -sSL -m 30 -w ' ' --cacert /ca.pem -o /work/text -w '%{http_code} ' \"$address\" 2>/work/why \
                  && cat /work/text || { printf 'failed '; cat /work/why; }; echo; rm -f /work/text; done";
    site.plan("/bin/sh", &["-c", script, "sh"])
}

/// How many ways of a client reach the listed host by `plan`, which leads through a proxy; it must reach nothing else.
fn reached(site: &Site<'_>, plan: &Plan) -> usize {
    let before = site.model.asked().len();
    let run = site.run(plan);
    assert_eq!(run.report.network, NetworkIsolation::Proxied);
    let text = String::from_utf8_lossy(&run.outcome.output).into_owned();
    let from =
        |host: &str| text.lines().filter(|line| line.contains(host) && line.ends_with("200 hello")).count();
    assert_eq!(from("evil") + from("1.2.3.4") + from("169.254"), 0, "{text}");
    let mut allowed = run.outcome.egress.asked.iter().filter(|asked| asked.verdict == Verdict::Allowed);
    assert!(allowed.all(|asked| asked.host == "good.test"), "{:#?}", run.outcome.egress);
    let asked = site.model.asked();
    assert!(asked[before..].iter().all(|name| name == "good.test"), "{asked:?}");
    from("good.test/ ")
}

fn a_client_that_heeds_a_proxy_reaches_a_listed_host_where_there_is_only_that(world: &World) {
    let Some(site) = Site::new(world) else { return };
    let proxied =
        |plan: Plan| Plan { network: Network::Proxied(Hosts::parse(["good.test"]).unwrap()), ..plan };
    let python = proxied(site.plan(PYTHON, &["/clients.py"]));
    assert_eq!(reached(&site, &python), 2, "the library does, sockets do not");
    for (major, program) in cases::nodes() {
        let ways = if major >= 22 { 4 } else { 0 };
        assert_eq!(reached(&site, &proxied(node(&site, &program))), ways, "node {major}");
    }
}

fn a_client_that_heeds_a_proxy_reaches_a_listed_host_where_a_system_has_no_other_way(world: &World) {
    for lack in [Lack::AnyAddress, Lack::Rights] {
        if (world.backend, lack) == (Backend::Native, Lack::Rights) {
            continue;
        }
        crate::proxied::lacking(world.backend, lack, |world| {
            let Some(site) = Site::new(world) else { return };
            let python = site.plan(PYTHON, &["/clients.py"]);
            assert_eq!(reached(&site, &python), 2, "the library does, sockets do not");
            assert_eq!(reached(&site, &curl(&site)), 2, "curl");
            let newest = cases::nodes().pop();
            if let Some((major, program)) = newest.filter(|(major, _)| *major >= 22) {
                assert_eq!(reached(&site, &node(&site, &program)), 4, "node {major}");
            }
        });
    }
}
