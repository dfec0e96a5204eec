//! Half a gibibyte of package in an archive, checked in less than 64 MiB of memory. Alone in its file, because it measures
//! its own process.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use kitbag::check::{Request, check};
use kitbag::read::{Source, read};
use kitbag_core::digest::Sha256;

const SKILL: &[u8] =
    b"---\nname: big\ndescription: Holds large files. Use when measuring memory.\n---\n\n# Big\n";
/// Seven files of 73 MiB: 511 of the 512 MiB that an archive may unpack to.
const FILES: usize = 7;
const FILE_BYTES: u64 = 73 << 20;
/// Of each so many bytes of content,
const PERIOD: usize = 16 << 10;
/// so many are noise; the rest are zeros.
const NOISE: usize = 256;
/// What a process may use that checks it, with everything this test itself needs: half of the 64 MiB that are promised.
const MOST_KIB: u64 = 32 << 10;

/// Zeros with some noise among them, so that neither side of deflate is idle and the ratio is a believable one. The bytes
/// depend on their place alone, whatever pieces they are read in.
struct Content {
    at: u64,
}

impl Read for Content {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let within = usize::try_from(self.at).unwrap() % PERIOD;
        let count = into.len().min(PERIOD - within);
        let noisy = NOISE.saturating_sub(within).min(count);
        for byte in &mut into[..noisy] {
            let mixed = self.at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *byte = (mixed ^ mixed >> 31).to_le_bytes()[4];
            self.at += 1;
        }
        into[noisy..count].fill(0);
        self.at += (count - noisy) as u64;
        Ok(count)
    }
}

fn content() -> io::Take<Content> {
    Content { at: 0 }.take(FILE_BYTES)
}

fn write_tar_gz(path: &Path) {
    let file = BufWriter::new(File::create(path).unwrap());
    let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    let mut append = |name: &str, size: u64, content: &mut dyn Read| {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content).unwrap();
    };
    append("big/SKILL.md", SKILL.len() as u64, &mut &*SKILL);
    for n in 0..FILES {
        append(&format!("big/assets/{n}.bin"), FILE_BYTES, &mut content());
    }
    tar.into_inner().unwrap().finish().unwrap().flush().unwrap();
}

fn write_zip(path: &Path) {
    let mut zip = zip::ZipWriter::new(BufWriter::new(File::create(path).unwrap()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(1));
    zip.start_file("big/SKILL.md", options).unwrap();
    zip.write_all(SKILL).unwrap();
    for n in 0..FILES {
        zip.start_file(format!("big/assets/{n}.bin"), options).unwrap();
        io::copy(&mut content(), &mut zip).unwrap();
    }
    zip.finish().unwrap();
}

/// The most memory this process ever used, in KiB.
fn peak() -> u64 {
    let status = io::read_to_string(File::open("/proc/self/status").unwrap()).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn half_a_gibibyte_of_package_is_checked_in_less_than_64_mib() {
    let expected = Sha256::of_reader(&mut content()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, write) in [("big.tar.gz", write_tar_gz as fn(&Path)), ("big.zip", write_zip)] {
        let path = folder.path().join(name);
        write(&path);
        let packed = fs::metadata(&path).unwrap().len();
        assert!(packed > 8 << 20, "{packed} bytes hold next to nothing");
        let report =
            check(&Request { sources: vec![Source::Path(path.clone())], ..Request::default() }).unwrap();
        let formats: Vec<_> =
            report.packages.iter().flat_map(|package| &package.faces).map(|face| face.format).collect();
        assert_eq!(formats, ["agent-skill"], "{report:?}");
        // The positive twin: nothing was left out to save memory.
        let tree = read(&Source::Path(path.clone())).unwrap().tree;
        let last = tree.file(&format!("big/assets/{}.bin", FILES - 1)).unwrap();
        assert_eq!(last.digest().unwrap(), expected);
        drop(tree);
        assert!(peak() < MOST_KIB, "{name}: {} KiB", peak());
        fs::remove_file(&path).unwrap();
    }
}
