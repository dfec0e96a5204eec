//! What an archive may cost: hostile ones are refused after little work, and large ones pass through without being held.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use kitbag_core::archive::{self, Error, LIMITS, Reading, Source, Spool, Unpacked};
use kitbag_core::limits::Limits;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Content;
use kitbag_testkit::archive::gzip::Gzip;
use kitbag_testkit::archive::tar::{Header, Tar};
use kitbag_testkit::archive::zip::{Entry, Zip};
use kitbag_testkit::archive::{crc32, deflate_stored};

/// A spool that keeps nothing and counts what came.
#[derive(Default)]
struct Counting {
    contents: u64,
    bytes: u64,
}

impl Spool for Counting {
    fn store(&mut self, _: &PackagePath, content: &mut dyn Read) -> io::Result<Box<dyn Content>> {
        self.contents += 1;
        self.bytes += io::copy(content, &mut io::sink())?;
        Ok(Box::new(Vec::new()))
    }
}

/// A source that counts what is read of it.
struct Watched<T> {
    inner: T,
    read: u64,
}

impl<T: Read> Read for Watched<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.read += count as u64;
        Ok(count)
    }
}

impl<T: Seek> Seek for Watched<T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

fn read_from(source: &mut dyn Source, limits: Limits, spool: &mut dyn Spool) -> Result<Unpacked, Error> {
    archive::read(source, Reading { name: None, limits, spool })
}

/// The code of the refusal, and how many bytes were unpacked until then.
fn refused(bytes: &[u8], limits: Limits) -> (&'static str, u64) {
    let mut spool = Counting::default();
    match read_from(&mut Cursor::new(bytes), limits, &mut spool) {
        Err(Error::Refused(refusal)) => (refusal.code.slug, spool.bytes),
        other => (if other.is_ok() { "read" } else { "failed" }, spool.bytes),
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_gzip_of_zeros_is_refused_for_its_size_at_once_and_for_its_ratio_within_two_mebibytes() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let size = b"00400000000\0".to_vec();
    encoder.write_all(&Header { size, ..Header::new(b'0', "zeros", 0) }.block()).unwrap();
    io::copy(&mut io::repeat(0).take(64 << 20), &mut encoder).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 128 << 10, "{} bytes", bomb.len());
    let (code, unpacked) = refused(&bomb, LIMITS);
    assert_eq!(code, "archive/ratio");
    assert!(unpacked < 2 << 20, "{unpacked} bytes came out");
    let limits = Limits { file_bytes: (64 << 20) - 1, ..LIMITS };
    assert_eq!(refused(&bomb, limits), ("archive/file-too-large", 0));
}

#[test]
fn files_of_zeros_are_stopped_by_the_total_and_a_few_are_read() {
    let zeros = vec![0; 8 << 20];
    // Noise keeps the ratio legal, so that only the total can refuse.
    let noise: Vec<u8> = (0..300_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let tar = |files: usize| {
        let tar = Tar::new().file("noise", &noise);
        gzip(&(0..files).fold(tar, |tar, n| tar.file(&format!("{n}"), &zeros)).end())
    };
    let limits = Limits { total_bytes: 40 << 20, ..LIMITS };
    assert_eq!(refused(&tar(4), limits).0, "read");
    let (code, unpacked) = refused(&tar(6), limits);
    assert_eq!(code, "archive/unpacks-too-large");
    assert!(unpacked <= 40 << 20, "{unpacked} bytes came out");
}

#[test]
fn a_zip_whose_entries_claim_too_much_is_refused_before_any_is_unpacked() {
    let zeros = vec![0; 8 << 20];
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&zeros).unwrap();
    let packed = encoder.finish().unwrap();
    let entry = Entry::packed_as("", &zeros, packed);
    let zip = |entries: usize| {
        let named = |n: usize| entry.clone().both(|header| header.name = n.to_string().into_bytes());
        Zip::of((0..entries).map(named)).bytes()
    };
    let limits = Limits { total_bytes: 40 << 20, ratio: 1_100, ..LIMITS };
    assert_eq!(refused(&zip(3), limits).0, "read");
    assert_eq!(refused(&zip(6), limits), ("archive/unpacks-too-large", 0));
    assert_eq!(refused(&zip(1), LIMITS), ("archive/ratio", 0));
}

#[test]
fn a_zip_that_lies_about_a_size_is_stopped_at_the_size_it_claims() {
    let zeros = vec![0; 8 << 20];
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&zeros).unwrap();
    let entry = Entry::packed_as("a", &zeros, encoder.finish().unwrap());
    let lying = entry.both(|header| header.size = 100_000);
    assert_eq!(refused(&Zip::of([lying]).bytes(), LIMITS), ("archive/zip-size", 100_000));
}

#[test]
fn names_are_paid_for_with_the_folders_they_imply() {
    let path = |n: usize, segment: &str| format!("{n}/{}x", format!("{segment}/").repeat(60));
    // Each name of some 3,600 bytes implies 61 folders of 1,800 bytes on average: 110,000 bytes an entry.
    let long = "s".repeat(59);
    let tar = |entries: usize, segment: &str| {
        (0..entries)
            .fold(Tar::new(), |tar, n| tar.pax(b'x', &[("path", &path(n, segment))]).file("x", b""))
            .end()
    };
    assert_eq!(refused(&tar(100, &long), LIMITS).0, "read");
    assert_eq!(refused(&tar(300, &long), LIMITS).0, "archive/names-too-long");
    assert_eq!(refused(&tar(2_000, "s"), LIMITS).0, "read");
    assert_eq!(refused(&tar(2_200, "s"), LIMITS).0, "archive/too-many-entries");
}

#[test]
fn names_of_a_zip_are_paid_for_before_they_are_kept() {
    let entries = |count: usize| {
        let name = "n".repeat(4000);
        Zip::of((0..count).map(|n| Entry::stored(&format!("{n}{name}"), b""))).bytes()
    };
    assert_eq!(refused(&entries(1000), LIMITS).0, "read");
    assert_eq!(refused(&entries(5000), LIMITS).0, "archive/names-too-long");
}

#[test]
fn thousands_of_extensions_are_entries_and_bytes_like_any_other() {
    let comment = "c".repeat(200_000);
    let tar = |count: usize| {
        (0..count).fold(Tar::new(), |tar, _| tar.pax(b'g', &[("comment", &comment)])).file("a", b"").end()
    };
    let limits = Limits { total_bytes: 4 << 20, ..LIMITS };
    assert_eq!(refused(&tar(10), limits).0, "read");
    assert_eq!(refused(&tar(30), limits).0, "archive/unpacks-too-large");
    let limits = Limits { entries: 11, ..LIMITS };
    assert_eq!(refused(&tar(10), limits).0, "read");
    assert_eq!(refused(&tar(11), limits).0, "archive/too-many-entries");
}

#[test]
fn a_directory_of_a_million_records_that_are_not_there_costs_nothing() {
    let zip = Zip::of([Entry::stored("a", b"a")]);
    let bytes = zip.bytes_with(
        |_| {},
        |end, at| {
            let mut records = kitbag_testkit::archive::zip::zip64_end(end, at);
            records[24..32].copy_from_slice(&1_000_000u64.to_le_bytes());
            records[32..40].copy_from_slice(&1_000_000u64.to_le_bytes());
            end.entries = u16::MAX;
            records
        },
    );
    assert_eq!(refused(&bytes, LIMITS), ("archive/zip-directory", 0));
    assert_eq!(refused(&zip.bytes(), LIMITS).0, "read");
}

#[test]
fn a_large_file_is_handed_on_and_small_ones_stay() {
    let large = vec![b'x'; 1 << 20];
    let zip = Zip::of([Entry::stored("small", b"x"), Entry::deflated("large", &large)]).bytes();
    let tar = Gzip::of(&Tar::new().file("small", b"x").file("large", &large).end()).bytes();
    for archive in [zip, tar] {
        let mut spool = Counting::default();
        let unpacked = read_from(&mut Cursor::new(&archive), LIMITS, &mut spool).unwrap();
        assert_eq!((spool.contents, spool.bytes), (1, 1 << 20));
        assert_eq!(unpacked.tree.file("small").unwrap().read(10).unwrap(), b"x");
        assert_eq!(unpacked.tree.file("large").unwrap().len(), 1 << 20);
    }
}

#[test]
fn small_files_stay_only_as_long_as_they_are_few() {
    let content = vec![b'x'; 60_000];
    let tar = (0..400).fold(Tar::new(), |tar, n| tar.file(&format!("{n}"), &content)).end();
    let mut spool = Counting::default();
    read_from(&mut Cursor::new(&tar), LIMITS, &mut spool).unwrap();
    let kept = 400 * 60_000 - spool.bytes;
    assert!(kept > 7 << 20 && kept <= 8 << 20, "{kept} bytes stayed");
}

#[test]
fn an_archive_that_is_too_large_is_refused_by_its_length_alone() {
    let tar = Tar::new().file("a", &[b'a'; 100_000]).end();
    for bytes in [tar.clone(), gzip(&tar), Zip::of([Entry::stored("a", &tar)]).bytes()] {
        let mut watched = Watched { inner: Cursor::new(&bytes), read: 0 };
        let limits = Limits { archive_bytes: bytes.len() as u64 - 1, ..LIMITS };
        let answer = read_from(&mut watched, limits, &mut Counting::default());
        assert!(matches!(answer, Err(Error::Refused(refusal)) if refusal.code.slug == "archive/too-large"));
        assert_eq!(watched.read, 0);
    }
}

#[test]
fn a_source_or_spool_that_fails_is_no_fault_of_the_archive() {
    struct Failing;
    impl Spool for Failing {
        fn store(&mut self, _: &PackagePath, _: &mut dyn Read) -> io::Result<Box<dyn Content>> {
            Err(io::Error::other("disk full"))
        }
    }
    struct Lazy;
    impl Spool for Lazy {
        fn store(&mut self, _: &PackagePath, content: &mut dyn Read) -> io::Result<Box<dyn Content>> {
            content.read_exact(&mut [0; 10])?;
            Ok(Box::new(Vec::new()))
        }
    }
    let large = vec![b'x'; 1 << 20];
    let deflated = deflate_stored(&large);
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    for bytes in
        [Tar::new().file("a", &large).end(), Zip::of([Entry::packed_as("a", &large, deflated)]).bytes()]
    {
        for spool in [&mut Failing as &mut dyn Spool, &mut Lazy] {
            let answer = read_from(&mut Cursor::new(&bytes), LIMITS, spool);
            assert!(matches!(answer, Err(Error::Io(_))));
        }
        assert!(read_from(&mut Cursor::new(&bytes), LIMITS, &mut Counting::default()).is_ok());
    }
}
