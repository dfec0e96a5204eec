//! Archives of random files, made by other libraries: every one is read, and comes out as it went in.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use kitbag_core::archive::{self, Error, InMemory, LIMITS, Reading, Unpacked};
use kitbag_core::tree::{Executable, Node};
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Content and whether it is executable, by path.
type Files = BTreeMap<String, (Vec<u8>, bool)>;

/// Files whose paths are no folders of one another: folders end in `-d`, files do not. Some paths are longer than any
/// header field.
fn files() -> impl Strategy<Value = Files> {
    let folder = prop_oneof!["[a-z]{1,8}-d", "[a-z]{40,90}-d", "[é技ü ]{1,4}-d"];
    let name = prop_oneof!["[a-zA-Z0-9_]{1,12}(\\.[a-z]{1,3})?", "[a-z]{100,200}", "[é技ü]{1,40}z"];
    let path = (prop::collection::vec(folder, 0..4), name).prop_map(|(mut folders, name)| {
        folders.push(name);
        folders.join("/")
    });
    let content = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..1500),
        ("[a-z \n]{0,40}", 0..400usize).prop_map(|(text, times)| text.repeat(times).into_bytes()),
    ];
    let is_reserved = |path: &String| {
        path.split('/').any(|segment| kitbag_core::path::PathRules::PORTABLE.check(segment).is_err())
    };
    let path = path.prop_filter("a name that Windows keeps for itself", move |path| !is_reserved(path));
    prop::collection::btree_map(path, (content, any::<bool>()), 0..12)
}

fn read(bytes: &[u8]) -> Result<Unpacked, Error> {
    archive::read(&mut Cursor::new(bytes), Reading { name: None, limits: LIMITS, spool: &mut InMemory })
}

fn came_out(bytes: &[u8]) -> Files {
    let unpacked = read(bytes).unwrap();
    assert!(unpacked.remarks.is_empty(), "{:?}", unpacked.remarks);
    let mut files = Files::new();
    for (path, node) in unpacked.tree.iter() {
        match node {
            Node::File(blob) => {
                let content = blob.read(1 << 20).unwrap();
                files.insert(path.to_string(), (content, blob.executable() == Executable::Yes));
            }
            other => assert!(matches!(other, Node::Folder), "`{path}` came out as {other:?}"),
        }
    }
    files
}

fn tar_gz(files: &Files, header: fn() -> tar::Header) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, (content, executable)) in files {
        let mut header = header();
        header.set_size(content.len() as u64);
        header.set_mode(if *executable { 0o755 } else { 0o644 });
        tar.append_data(&mut header, path, &**content).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

fn options(files: &Files, executable: bool) -> SimpleFileOptions {
    // Which of them is a matter of the number of files, so that all come up.
    let method =
        if files.len().is_multiple_of(2) { CompressionMethod::Stored } else { CompressionMethod::Deflated };
    SimpleFileOptions::default()
        .compression_method(method)
        .large_file(files.len().is_multiple_of(3))
        .unix_permissions(if executable { 0o755 } else { 0o644 })
}

fn zip(files: &Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, (content, executable)) in files {
        zip.start_file(path, options(files, *executable)).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn streamed_zip(files: &Files) -> Vec<u8> {
    let mut out = Vec::new();
    let mut zip = ZipWriter::new_stream(&mut out);
    for (path, (content, executable)) in files {
        zip.start_file(path, options(files, *executable)).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap();
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_tar_crate_writes_comes_out_as_it_went_in(files in files()) {
        prop_assert_eq!(came_out(&tar_gz(&files, tar::Header::new_gnu)), files);
    }

    #[test]
    fn what_the_zip_crate_writes_comes_out_as_it_went_in(files in files()) {
        prop_assert_eq!(came_out(&zip(&files)), files);
    }

    #[test]
    fn what_the_zip_crate_streams_comes_out_as_it_went_in(files in files()) {
        prop_assert_eq!(came_out(&streamed_zip(&files)), files);
    }

    /// Cut anywhere, an archive is refused and never read as a smaller one.
    #[test]
    fn an_archive_cut_anywhere_is_refused(files in files(), cut in any::<prop::sample::Index>()) {
        for whole in [tar_gz(&files, tar::Header::new_gnu), zip(&files)] {
            prop_assert!(read(&whole).is_ok());
            prop_assert!(matches!(read(&whole[..cut.index(whole.len())]), Err(Error::Refused(_))));
        }
    }

    /// With any one bit turned over, a compressed tar is refused or says the same.
    #[test]
    fn a_gzip_with_one_bit_turned_over_says_the_same_or_nothing(
        files in files(),
        at in any::<prop::sample::Index>(),
        bit in 0..8u32,
    ) {
        let mut bytes = tar_gz(&files, tar::Header::new_gnu);
        let at = at.index(bytes.len());
        bytes[at] ^= 1u8 << bit;
        if read(&bytes).is_ok() {
            prop_assert_eq!(came_out(&bytes), files);
            // Of the header, only time, hints, the system's name and that it is text are under no checksum; inside, the
            // bits that fill up a stored block are; the checksum and the length at the end are all looked at.
            let free = (4..bytes.len() - 8).contains(&at) || (at, bit) == (3, 0);
            prop_assert!(free, "byte {} is not looked at", at);
        }
    }
}
