//! A package with one tool, a project, a cache, and every Node.js there is.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use kitbag::interrupt::Interrupt;
use kitbag::resource::Supply;
use kitbag::run::{Dependencies, Error, FaultKind, Given, Prepared, Ran, Request, prepare};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

/// A Splice package with one tool called `it`, and a project with a few files.
pub(crate) struct House {
    pub(crate) folder: Folder,
    manifest: Value,
}

/// One version of Node.js.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) major: u32,
    folder: PathBuf,
}

/// Every version of Node.js there is; none, and said so, where nothing can be run.
pub(crate) fn nodes() -> Vec<Node> {
    let node =
        |(major, program): (u32, PathBuf)| Node { major, folder: program.parent().unwrap().to_owned() };
    // Between 24 and 26 there is little that a tool sees.
    cases::nodes().into_iter().filter(|(major, _)| *major != 25).map(node).collect()
}

/// What each version has said of itself, by the name of the file it is kept in: asked once for all houses.
static SAID: LazyLock<Mutex<HashMap<u32, Said>>> = LazyLock::new(Mutex::default);

/// The name of a file, and what is in it.
type Said = (OsString, Vec<u8>);

/// A body of a tool that is called with `input` and `context`.
pub(crate) fn tool(body: &str) -> String {
    format!("export default async function (input, context) {{\n{body}\n}}\n")
}

impl House {
    /// A package whose tool has this body.
    pub(crate) fn new(body: &str) -> Self {
        Self::with(json!({}), &tool(body))
    }

    /// A package whose module is `module`, with these permissions.
    #[expect(clippy::needless_pass_by_value, reason = "it is written where the house is made")]
    pub(crate) fn with(permissions: Value, module: &str) -> Self {
        let manifest = json!({
            "specVersion": 1, "namespace": "tests", "name": "house", "version": "1.0.0", "description": "A house.",
            "permissions": permissions,
            "tools": [{"name": "it", "description": "Does it.", "entry": "tools/it.mjs", "timeoutMs": 30_000,
                "input": {"type": "object", "properties": {"n": {"type": "integer"}, "text": {"type": "string"}},
                    "additionalProperties": false}}],
        });
        let folder = Folder::new()
            .file("package/SKILL.md", "# House\n\nHas a tool.\n")
            .file("package/tools/it.mjs", module)
            .file("project/data/a.txt", "a")
            .file("project/data2/b.txt", "b")
            .file("project/secret.txt", "secret")
            .folder("cache");
        Self { folder, manifest }
    }

    /// With another word in the tool's declaration.
    pub(crate) fn declaring(mut self, name: &str, value: Value) -> Self {
        self.manifest["tools"][0][name] = value;
        self
    }

    /// With another word in the manifest.
    pub(crate) fn stating(mut self, name: &str, value: Value) -> Self {
        self.manifest[name] = value;
        self
    }

    /// With a further file in the package.
    pub(crate) fn file(mut self, below: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.folder = self.folder.file(&format!("package/{below}"), bytes);
        self
    }

    pub(crate) fn request(&self, node: &Node) -> Request {
        fs::write(self.folder.at("package/manifest.json"), self.manifest.to_string()).unwrap();
        Request {
            path: self.folder.at("package"),
            tool: "it".into(),
            project: self.folder.at("project"),
            cache: self.folder.at("cache"),
            search: vec![node.folder.clone()],
            environment: [
                ("SEEN", "seen-value"),
                ("HIDDEN", "hidden-value"),
                ("MY_SECRET", "correct-horse-battery"),
                ("NODE_OPTIONS", "--no-such-flag-at-all"),
            ]
            .map(|(name, value)| (name.into(), value.into()))
            .into(),
            stage: None,
            dependencies: Dependencies::default(),
            supply: Supply::default(),
        }
    }

    pub(crate) fn prepared(&self, node: &Node) -> Prepared {
        let kept = self.folder.at("cache/interpreters");
        let said = SAID.lock().unwrap().get(&node.major).cloned();
        if let Some((name, bytes)) = &said {
            fs::create_dir_all(&kept).unwrap();
            fs::write(kept.join(name), bytes).unwrap();
        }
        let prepared = prepare(&self.request(node), &Interrupt::new());
        let prepared = prepared.unwrap_or_else(|error| panic!("node {}: {error}: {error:?}", node.major));
        if said.is_none() {
            let file = fs::read_dir(kept).unwrap().next().unwrap().unwrap();
            let said = (file.file_name(), fs::read(file.path()).unwrap());
            SAID.lock().unwrap().insert(node.major, said);
        }
        prepared
    }

    pub(crate) fn refused(&self, node: &Node) -> Error {
        prepare(&self.request(node), &Interrupt::new()).unwrap_err()
    }

    /// `None`, and said so, where no sandbox can be made.
    pub(crate) fn run(&self, node: &Node) -> Option<Ran> {
        run(&self.prepared(node), "{\"n\": 1}")
    }

    pub(crate) fn project(&self, below: &str) -> PathBuf {
        self.folder.at("project").join(Path::new(below))
    }
}

/// `None`, and said so, where no sandbox can be made.
pub(crate) fn run(prepared: &Prepared, input: &str) -> Option<Ran> {
    let input = prepared.input(&Given { json: Some(input.as_bytes()), ..Given::default() });
    match prepared.run(&input.unwrap_or_else(|fault| panic!("{fault:?}"))) {
        Ok(ran) => Some(ran),
        Err(Error::Sandbox(error)) if std::env::var_os("KITBAG_TOOLS").is_none() => {
            cases::skip(&format!("no sandbox can be made here: {error}"));
            None
        }
        Err(error) => panic!("{error}: {error:?}"),
    }
}

pub(crate) fn output(node: &Node, ran: &Ran) -> Value {
    match &ran.answer {
        Ok(output) => Value::from(output),
        Err(fault) => panic!("node {}: {fault:?}\n{}", node.major, ran.logs),
    }
}

/// That the tool gave no output, for this reason, told in a sentence with these words.
pub(crate) fn assert_fault(node: &Node, ran: &Ran, kind: FaultKind, words: &str) {
    let major = node.major;
    match &ran.answer {
        Ok(output) => panic!("node {major}: {}\n{}", Value::from(output), ran.logs),
        Err(fault) => {
            assert_eq!(fault.kind, kind, "node {major}: {fault:?}\n{}", ran.logs);
            assert!(fault.message.contains(words), "node {major}: {words}: {fault:?}\n{}", ran.logs);
        }
    }
}
