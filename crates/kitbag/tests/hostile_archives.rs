//! Every hostile archive through the verb that writes: it is refused, and nothing is left on disk; what is sound is written.
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]

use std::fs;

use kitbag::interrupt::Interrupt;
use kitbag::unpack::{Answer, Request, unpack};
use kitbag_core::finding::Findings;
use kitbag_core::formats;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use kitbag_testkit::archive::cases::packaged;
use kitbag_testkit::folder::Folder;

/// Whether the archive is unpacked; and that nothing but it lies in its folder where it is not.
fn is_written(folder: &Folder, archive: &[u8]) -> bool {
    fs::write(folder.at("archive"), archive).unwrap();
    let request = Request { file: folder.at("archive"), folder: folder.at("out"), expected: None };
    let answer = unpack(&request, &Interrupt::new()).unwrap();
    if matches!(answer, Answer::Unpacked(_)) {
        fs::remove_dir_all(folder.at("out")).unwrap();
        return true;
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["archive"], "{answer:?}");
    false
}

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new(Some("desk".to_owned()), Root::Folder);
    for (path, text) in files {
        tree.insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(*text))).unwrap();
    }
    tree
}

/// The archive of the package in `tree`, as its own format writes it.
fn packed(tree: &Tree) -> Vec<u8> {
    let package = formats::open(tree, None, &mut Findings::default());
    let face =
        package.faces.iter().find(|face| !face.document().identity().format.starts_with("agent")).unwrap();
    let mut archive = Vec::new();
    face.document().pack(&package.tree, &mut archive).unwrap();
    archive
}

#[test]
fn what_is_refused_leaves_nothing_on_disk() {
    let folder = Folder::new();
    let (mut refused, mut written) = ([0, 0], Vec::new());
    for case in packaged() {
        for (at, archive) in [&case.splice, &case.adcap].into_iter().enumerate() {
            if is_written(&folder, archive) {
                written.push((case.name, at));
            } else {
                refused[at] += 1;
            }
        }
    }
    assert!(refused.iter().all(|count| *count >= 60), "{refused:?}");
    // What no verb should have let pass: an entry that is no file, a path out of the folder, bytes that are not what they say.
    let hostile = [
        "link", "r-device", "k-device", "pipe", "pax", "gnu-long", "parent", "absolute", "checksum", "cut",
        "twice", "junk", "crc",
    ];
    for (name, _) in &written {
        assert!(!hostile.iter().any(|word| name.contains(word)), "`{name}` was written");
    }
    // A capability that lists no files is worth nothing, so no case of that format is written.
    assert!(written.iter().all(|(_, at)| *at == 0), "{written:?}");
    assert!(written.contains(&("tar-plain", 0)), "{written:?}");
}

#[test]
fn what_is_sound_is_written() {
    let folder = Folder::new();
    let skill = "---\nname: desk\ndescription: A desk. Use it to sit.\n---\n";
    let manifest = r#"{"specVersion":1,"namespace":"acme","name":"desk","version":"0.1.0","description":"A desk.","tools":[],"agent":{"instructions":"Sit.","skills":[]}}"#;
    let capability = r#"{"adcap":"1.0","description":"A desk.","id":"acme/desk","name":"Desk","version":"0.1.0","skills":[{"path":"skills/desk"}]}"#;
    let splice = packed(&tree(&[("manifest.json", manifest), ("SKILL.md", skill)]));
    let adcap = packed(&tree(&[("capability.json", capability), ("skills/desk/SKILL.md", skill)]));
    for archive in [splice, adcap] {
        assert!(is_written(&folder, &archive));
        // The same with one byte of it turned over, somewhere in the middle.
        let mut spoiled = archive.clone();
        spoiled[archive.len() / 2] ^= 0x10;
        assert!(!is_written(&folder, &spoiled));
        assert!(!is_written(&folder, &archive[..archive.len() - 1]));
        assert!(!is_written(&folder, &[&*archive, &archive].concat()));
    }
}
