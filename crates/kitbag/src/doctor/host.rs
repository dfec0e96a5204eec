//! The host is examined, or what was found when it was the same.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use kitbag_sandbox::doctor::{self, Examined, Health, Tried, Version};
use kitbag_sandbox::{Settings, Value as Field};
use serde_json::{Map, Value};

use super::{Backend, Canary, Diagnosis, Freshness, Interpreter, Request, cache};

pub(super) fn diagnose(request: &Request) -> io::Result<Diagnosis> {
    let key = key(request);
    let kept = match (&request.cache, request.freshness) {
        (Some(folder), Freshness::Kept) => cache::read(folder, &key),
        _ => None,
    };
    let is_kept = kept.is_some();
    let backends = match kept {
        Some(backends) => backends,
        None => {
            let folder = tempfile::Builder::new().prefix("kitbag-doctor-").tempdir_in(&request.temporary)?;
            let backends: Vec<Backend> =
                doctor::examine(&request.stage, folder.path())?.iter().map(backend).collect();
            if let Some(folder) = &request.cache {
                // An answer that cannot be kept is one all the same.
                let _kept = cache::write(folder, &key, &backends);
            }
            backends
        }
    };
    let settings = Settings { stage: Some(request.stage.clone()), ..Settings::default() };
    let interpreters =
        doctor::interpreters(&request.search, &settings).into_iter().map(interpreter).collect();
    let release = doctor::circumstances().lines().next().unwrap_or_default().to_owned();
    let system = format!("Linux {release} {}", std::env::consts::ARCH);
    Ok(Diagnosis { system, backends, interpreters, is_kept })
}

/// What an answer is kept for: the kernel, its settings, and the programs that were used, each as it is on disk.
fn key(request: &Request) -> String {
    let mut key = format!("kitbag {}\n{}\n", env!("CARGO_PKG_VERSION"), doctor::circumstances());
    let programs = std::iter::once(request.stage.clone()).chain(doctor::needed_programs());
    for program in programs {
        key.push_str(&file(&program));
    }
    key
}

fn file(path: &Path) -> String {
    match fs::metadata(path) {
        Ok(file) => format!(
            "{} {} {} {} {}.{}\n",
            path.display(),
            file.dev(),
            file.ino(),
            file.size(),
            file.mtime(),
            file.mtime_nsec()
        ),
        Err(_) => format!("{} -\n", path.display()),
    }
}

fn backend(examined: &Examined) -> Backend {
    let empty = Backend {
        name: examined.backend.name().to_owned(),
        works: false,
        holds: examined.holds(),
        because: None,
        help: None,
        report: None,
        lines: Vec::new(),
        canaries: Vec::new(),
    };
    match &examined.health {
        Health::Missing { because } => Backend {
            because: Some(because.clone()),
            help: Some(doctor::help(examined.backend).to_owned()),
            ..empty
        },
        Health::Works { report, canaries } => Backend {
            works: true,
            report: Some(
                report.fields().into_iter().map(|(name, field)| (name.to_owned(), value(field))).collect(),
            ),
            lines: report.to_string().lines().map(str::to_owned).collect(),
            canaries: canaries.iter().map(canary).collect(),
            ..empty
        },
    }
}

fn value(field: Field) -> Value {
    match field {
        Field::Word(word) => word.into(),
        Field::Claim(claim) => claim.into(),
        Field::Number(number) => number.into(),
        Field::Words(words) => words
            .into_iter()
            .map(|(name, word)| (name.to_owned(), word.into()))
            .collect::<Map<_, Value>>()
            .into(),
        Field::Sentences(sentences) => sentences.into(),
    }
}

fn canary(canary: &doctor::Canary) -> Canary {
    let word = |tried: &Tried| match tried {
        Tried::Open => "open",
        Tried::Refused(_) => "refused",
        Tried::Unknown => "unknown",
    };
    let because = match &canary.inside {
        Tried::Refused(words) => Some(words.clone()),
        _ => None,
    };
    Canary {
        attack: canary.attack.name().to_owned(),
        words: canary.attack.words().to_owned(),
        outside: word(&canary.outside).to_owned(),
        inside: word(&canary.inside).to_owned(),
        because,
    }
}

fn interpreter(found: doctor::Interpreter) -> Interpreter {
    let (version, because) = match found.version {
        Version::Said(version) => (Some(version), None),
        Version::Silent(because) => (None, Some(because)),
        Version::Unasked => (None, None),
    };
    let path = found.path.map(|path| path.display().to_string());
    Interpreter { name: found.name.to_owned(), path, version, because }
}
