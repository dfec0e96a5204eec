//! What ordinary tools write is read, and comes out as it went in.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

use std::collections::BTreeMap;
use std::io::Cursor;

use kitbag_core::archive::{self, InMemory, LIMITS, Reading, Unpacked};
use kitbag_core::tree::{Executable, Node};
use kitbag_testkit::archive::tools;

fn read(bytes: &[u8]) -> Result<Unpacked, archive::Error> {
    let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
    archive::read(&mut Cursor::new(bytes), reading)
}

/// Every file of the archive, by its path in the sample, with its content and whether it is executable.
fn files(unpacked: &Unpacked, wrapper: Option<&str>) -> BTreeMap<String, (Vec<u8>, bool)> {
    let mut found = BTreeMap::new();
    for (path, node) in unpacked.tree.iter() {
        let text = match wrapper {
            Some(wrapper) => path.as_str().strip_prefix(wrapper).unwrap().trim_start_matches('/'),
            None => path.as_str(),
        };
        match node {
            Node::File(blob) => {
                let content = blob.read(1 << 20).unwrap();
                found.insert(text.to_owned(), (content, blob.executable() == Executable::Yes));
            }
            Node::Folder => {}
            other => panic!("`{path}` came out as {other:?}"),
        }
    }
    found
}

#[test]
fn every_archive_that_an_ordinary_tool_makes_of_the_sample_is_read_whole() {
    let sample = tools::Sample::new();
    let mut made = 0;
    let mut wrong = Vec::new();
    for recipe in tools::RECIPES {
        let Some(bytes) = sample.pack(recipe) else { continue };
        made += 1;
        match read(&bytes) {
            Ok(unpacked) if files(&unpacked, recipe.wrapper) == sample.files(recipe) => {}
            Ok(_) => wrong.push(format!("{}: other files came out", recipe.name)),
            Err(error) => wrong.push(format!("{}: {error}", recipe.name)),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(made > 0, "no tool at all is installed");
}
