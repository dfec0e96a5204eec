//! A world with a network: servers, a model of what is outside, and a program that says what a test wants.

use std::process::Command;
use std::sync::Arc;

use kitbag_sandbox::egress::{Asked, Egress, Hosts, Outside, Refusal, Verdict};
use kitbag_sandbox::{
    Ending, Item, Limits, Network, Outcome, Plan, Programs, Rights, Run, Settings, Traffic, run_with,
};

use crate::servers::{Manner, Model, Server};
use crate::world::{World, tools};

/// A world with servers, and a plan that reaches some of them.
pub struct Net<'w> {
    pub world: &'w World,
    pub plan: Plan,
    pub model: Arc<Model>,
    pub http: Server,
    pub tls: Server,
}

impl<'w> Net<'w> {
    pub fn new(world: &'w World, hosts: &[&str]) -> Self {
        Self::with(world, hosts, |model| model)
    }

    pub fn with(world: &'w World, hosts: &[&str], more: impl FnOnce(Model) -> Model) -> Self {
        let (http, tls) = (Server::start(Manner::Obliging), Server::start(Manner::Plain));
        let ports = [(80, http.port), (443, tls.port), (8080, http.port), (8443, tls.port)];
        let model = Arc::new(more(Model::new(&ports)));
        let mut plan = world.plan(&Programs::Any);
        plan.tree.push(Item::Host {
            from: tools().unwrap().speaker.clone(),
            at: "/speaker".into(),
            rights: Rights::Code,
        });
        plan.program = "/speaker".into();
        plan.network = Network::Listed(Hosts::parse(hosts.iter().copied()).unwrap());
        Self { world, plan, model, http, tls }
    }

    pub fn run(&self, words: &[&str]) -> Run {
        let plan = Plan { arguments: words.iter().map(Into::into).collect(), ..self.plan.clone() };
        self.run_plan(&plan)
    }

    pub fn run_plan(&self, plan: &Plan) -> Run {
        let outside: Arc<dyn Outside> = Arc::<Model>::clone(&self.model);
        let settings = Settings { outside, ..self.world.settings.clone() };
        run_with(plan, &settings).unwrap_or_else(|error| panic!("{:?}: {error}: {error:?}", plan.arguments))
    }

    /// What a conversation comes to inside, and what is recorded of it.
    pub fn inside(&self, words: &[&str]) -> (String, Egress) {
        let Outcome { output, errors, egress, ending, .. } = self.run(words).outcome;
        assert_eq!(ending, Ending::Exited(0), "{words:?}: {}", String::from_utf8_lossy(&errors));
        (String::from_utf8(output).unwrap().trim_end().to_owned(), egress)
    }

    /// The same conversation outside, with the server itself.
    pub fn outside(words: &[&str]) -> String {
        let output = Command::new(&tools().unwrap().speaker).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// A conversation that must be refused because of `refusal`, asked of `host`.
    pub fn refused(&self, words: &[&str], host: &str, port: Option<u16>, refusal: &Refusal) {
        let (dialled, heard) = (self.model.dialled().len(), self.heard());
        let (said, egress) = self.inside(words);
        assert!(is_refusal(&said), "{words:?}: {said}");
        let verdict = Verdict::Refused(refusal.clone());
        let found = egress
            .asked
            .iter()
            .any(|asked| (&*asked.host, asked.port, &asked.verdict, asked.sent) == (host, port, &verdict, 0));
        assert!(found, "{words:?}: {:#?}", egress.asked);
        assert_eq!(self.model.dialled().len(), dialled, "{words:?} dialled");
        assert_eq!(self.heard(), heard, "{words:?} was heard");
    }

    pub fn reached(&self, words: &[&str], host: &str, port: u16) {
        let (said, egress) = self.inside(words);
        assert!(!is_refusal(&said), "{words:?}: {said}: {:#?}", egress.asked);
        let asked = egress.asked.iter().find(|asked| (&*asked.host, asked.port) == (host, Some(port)));
        let asked = asked.unwrap_or_else(|| panic!("{words:?}: {:#?}", egress.asked));
        assert_eq!((&asked.verdict, asked.times), (&Verdict::Allowed, 1), "{words:?}");
        assert!(asked.sent > 0 && asked.received > 0, "{words:?}: {asked:?}");
    }

    pub fn heard(&self) -> usize {
        self.http.heard().len() + self.tls.heard().len()
    }
}

/// What somebody who was refused is told: by HTTP, by TLS, or by nobody.
pub fn is_refusal(said: &str) -> bool {
    const ALERT: &str = "said \\x15\\x03\\x03\\x00\\x02\\x021";
    ["said HTTP/1.1 403", "said HTTP/1.1 400", "errno ", "code ", "closed"]
        .iter()
        .any(|start| said.starts_with(start))
        || said == ALERT
}

pub fn get(host: &str) -> String {
    format!("GET / HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n")
}

/// The last request of a connection, for a server that would wait for more.
pub fn last(host: &str) -> String {
    format!("GET / HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n")
}

/// A client's first message that names `name`, with `more` extensions, as the speaker takes it.
pub fn hello(name: Option<&[u8]>, more: &[u8]) -> String {
    let long = |content: &[u8]| [&u16::try_from(content.len()).unwrap().to_be_bytes(), content].concat();
    let mut extensions = more.to_vec();
    if let Some(name) = name {
        extensions.extend([&[0, 0][..], &long(&long(&[&[0][..], &long(name)].concat()))].concat());
    }
    let body = [&[3, 3][..], &[7; 32], &[0], &long(&[0x13, 1]), &[1, 0], &long(&extensions)].concat();
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    let message = [&[1][..], &length[1..], &body].concat();
    let record = [&[22, 3, 1][..], &long(&message)].concat();
    record.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

impl Net<'_> {
    /// At a port of its own a host is dialled before anybody speaks; but nothing is said there.
    pub fn refused_after_dialling(&self, words: &[&str], host: &str, port: u16, refusal: &Refusal) {
        let requests = self.http.heard().len();
        let (said, egress) = self.inside(words);
        assert!(is_refusal(&said), "{words:?}: {said}");
        let verdict = Verdict::Refused(refusal.clone());
        let found =
            |asked: &&Asked| (&*asked.host, asked.port, &asked.verdict) == (host, Some(port), &verdict);
        assert!(egress.asked.iter().any(|asked| found(&asked)), "{words:?}: {:#?}", egress.asked);
        assert!(egress.asked.iter().all(|asked| asked.sent == 0), "{words:?}: {:#?}", egress.asked);
        assert_eq!(self.http.heard().len(), requests, "{words:?} was heard");
    }
}

pub fn limited(net: &Net<'_>, traffic: Traffic, words: &[&str]) -> Outcome {
    let limits = Limits { traffic, ..net.plan.limits };
    let arguments = words.iter().map(Into::into).collect();
    net.run_plan(&Plan { limits, arguments, ..net.plan.clone() }).outcome
}
