//! The same cases as archives of a package: behind the manifest of one, in a gzip, for the strict readers of the formats.

use crate::archive::deflate_run;
use crate::archive::gzip::Gzip;
use crate::archive::tar::{Header, Tar};

use super::{Case, Expect, SKILL, gzip};

/// A case as an archive of each format.
#[derive(Clone, Debug)]
pub struct Packaged {
    /// The name of the case.
    pub name: &'static str,
    /// Limits that differ from the format's own, by field name.
    pub limits: Vec<(&'static str, u64)>,
    /// A case that differs from it in what is wrong; none where nothing is wrong for the general reader.
    pub twin: Option<&'static str>,
    /// As an artifact of Splice.
    pub splice: Vec<u8>,
    /// As an `.adcap`.
    pub adcap: Vec<u8>,
}

/// A Splice package that needs no more files than a SKILL.md: an agent without tools of its own.
const SPLICE: &[u8] = br#"{"specVersion":1,"namespace":"acme","name":"desk","version":"0.1.0","description":"A desk.","tools":[],"agent":{"instructions":"Sit down.","skills":[]}}"#;
/// A capability that was never built.
const ADCAP: &[u8] =
    br#"{"adcap":"1.0","description":"A desk.","id":"acme/desk","name":"Desk","version":"0.1.0"}"#;

/// Every case of a tar or a gzip, and those that only a package's own rules refuse.
#[must_use]
pub fn packaged() -> Vec<Packaged> {
    let put =
        |name, limits, twin, [splice, adcap]: [Vec<u8>; 2]| Packaged { name, limits, twin, splice, adcap };
    let mut all = Vec::new();
    for case in super::all().into_iter().filter(is_of_a_tar) {
        let twin = case.twin();
        let tar = if case.archive.starts_with(&[0x1f, 0x8b]) { Tar::new().end() } else { case.archive };
        all.push(put(case.name, case.limits, twin, behind_manifests(&tar)));
    }
    let skill = Tar::new().file("SKILL.md", SKILL).end();
    let gzips = [SPLICE_BEFORE, ADCAP_BEFORE].map(|manifest| gzip::around(&with(manifest, &skill)));
    let [splice, adcap] = gzips;
    for (splice, adcap) in splice.into_iter().zip(adcap) {
        let twin = splice.twin();
        all.push(put(splice.name, splice.limits, twin, [splice.archive, adcap.archive]));
    }
    for (name, twin, tar) in own() {
        all.push(put(name, Vec::new(), Some(twin), behind_manifests(&tar)));
    }
    let zeros = |runs: usize| {
        let content = vec![0; 1 + 258 * runs];
        Gzip { deflate: deflate_run(runs), ..Gzip::of(&content) }.bytes()
    };
    all.push(put("own-zeros-only", Vec::new(), Some("tar-plain"), [zeros(80_000), zeros(80_000)]));
    all
}

type Manifest = (&'static str, &'static [u8]);
const SPLICE_BEFORE: Manifest = ("manifest.json", SPLICE);
const ADCAP_BEFORE: Manifest = ("capability.json", ADCAP);

fn is_of_a_tar(case: &Case) -> bool {
    ["tar-", "pax-", "gnu-", "strict-"].iter().any(|start| case.name.starts_with(start))
}

/// The tar `rest` behind a manifest.
fn with((name, content): Manifest, rest: &[u8]) -> Vec<u8> {
    [Tar::new().file(name, content).unfinished(), rest.to_vec()].concat()
}

fn behind_manifests(rest: &[u8]) -> [Vec<u8>; 2] {
    [SPLICE_BEFORE, ADCAP_BEFORE].map(|manifest| Gzip::of(&with(manifest, rest)).bytes())
}

/// What a package may not hold and an archive may: name, twin, the tar behind the manifest.
fn own() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let skill = || Tar::new().file("SKILL.md", SKILL);
    let split = |prefix: usize, name: usize| {
        let long = |length: usize| vec![b'p'; length];
        Tar::new()
            .file("SKILL.md", SKILL)
            .header(&Header { name: long(name), prefix: long(prefix), ..Header::new(b'0', "", 0) })
            .end()
    };
    let kind = |kind: u8| skill().bare(kind, "odd").end();
    let many = |count: usize| (0..count).fold(skill(), |tar, at| tar.file(&format!("data/{at}"), b"")).end();
    let size = |size: &[u8]| {
        let header = Header { size: size.to_vec(), ..Header::new(b'0', "SKILL.md", 0) };
        Tar::new().header(&header).content(SKILL).end()
    };
    vec![
        ("own-case-twins", "tar-plain", skill().file("Notes.md", b"").file("notes.md", b"").end()),
        (
            "own-case-twins-of-the-manifest",
            "tar-plain",
            skill().file("MANIFEST.JSON", b"").file("Capability.json", b"").end(),
        ),
        ("own-accent-twins", "tar-plain", skill().file("\u{e9}.md", b"").file("e\u{301}.md", b"").end()),
        (
            "own-manifest-twice",
            "tar-plain",
            skill().file("manifest.json", SPLICE).file("capability.json", ADCAP).end(),
        ),
        ("own-file-below-file", "tar-plain", skill().file("a", b"").file("a/b", b"").end()),
        ("own-file-above-file", "tar-plain", skill().file("a/b", b"").file("a", b"").end()),
        ("own-path-at-most", "tar-plain", split(155, 84)),
        ("own-path-longest-of-headers", "own-path-at-most", split(155, 100)),
        ("own-path-of-dots", "tar-plain", skill().file("a/..", b"").end()),
        ("own-hidden", "tar-plain", skill().file(".env", b"A=1").end()),
        ("own-character-device", "tar-plain", kind(b'3')),
        ("own-block-device", "tar-plain", kind(b'4')),
        ("own-pipe", "tar-plain", kind(b'6')),
        ("own-contiguous", "tar-plain", kind(b'7')),
        ("own-gnu-sparse", "tar-plain", kind(b'S')),
        ("own-gnu-volume", "tar-plain", kind(b'V')),
        ("own-gnu-multivolume", "tar-plain", kind(b'M')),
        ("own-solaris-extended", "tar-plain", kind(b'X')),
        ("own-unknown-kind", "tar-plain", kind(b'Z')),
        ("own-size-negative", "tar-plain", size(b"-0000000060\0")),
        ("own-size-all-digits", "tar-plain", size(b"777777777777")),
        ("own-five-hundred-files", "tar-plain", many(498)),
        ("own-files-over-five-hundred", "own-five-hundred-files", many(499)),
    ]
}

impl Case {
    fn twin(&self) -> Option<&'static str> {
        match self.expect {
            Expect::Refused { twin, .. } => Some(twin),
            Expect::Reads { .. } => None,
        }
    }
}
