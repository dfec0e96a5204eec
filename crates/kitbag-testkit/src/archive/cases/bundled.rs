//! A zip of a package, spoiled in one way: for verbs that install what they read. Whoever makes a case gives the entries of a
//! sound package and the folder that the spoiled entry lies in.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::archive::zip::{Descriptor, End, Entry, Zip, extra, unicode_path, zip64_end};
use crate::archive::{crc32, deflate_stored};

/// The package that is spoiled.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its entries.
    pub entries: Vec<Entry>,
    /// A folder in which it may hold any file, with a slash at its end.
    pub below: &'static str,
}

/// One way to spoil it.
#[derive(Clone, Copy, Debug)]
pub struct Spoiled {
    /// What it is called.
    pub name: &'static str,
    /// The code of the strict reader, without its room; `None` where the zip is one, and the package is not.
    pub code: Option<&'static str>,
    /// The spoiled zip.
    pub archive: fn(&Base) -> Vec<u8>,
    /// The same without what is wrong.
    pub twin: fn(&Base) -> Vec<u8>,
}

const TEXT: &[u8] = b"nothing to see here\n";

fn file(base: &Base) -> Entry {
    Entry::deflated(&format!("{}x.txt", base.below), TEXT)
}

fn named(base: &Base, name: &str) -> Entry {
    Entry::stored(&format!("{}{name}", base.below), TEXT)
}

/// A name that is not below the folder of the package.
fn raw(name: &[u8]) -> Entry {
    Entry::stored("", TEXT).both(|header| header.name = name.to_vec())
}

fn zip(base: &Base, more: impl IntoIterator<Item = Entry>) -> Zip {
    Zip::of(base.entries.iter().cloned().chain(more))
}

fn with(base: &Base, more: impl IntoIterator<Item = Entry>) -> Vec<u8> {
    zip(base, more).bytes()
}

fn plain(base: &Base) -> Vec<u8> {
    with(base, [file(base)])
}

fn end(base: &Base, spoil: impl FnOnce(&mut End)) -> Vec<u8> {
    zip(base, [file(base)]).bytes_with(spoil, |_, _| Vec::new())
}

/// A zip64 end, spoiled.
fn wide_end(base: &Base, spoil: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    zip(base, [file(base)]).bytes_with(
        |_| {},
        |end, at| {
            let mut records = zip64_end(end, at);
            spoil(&mut records);
            (end.entries, end.directory_bytes, end.directory) = (u16::MAX, u32::MAX, u32::MAX);
            records
        },
    )
}

fn sizes(size: u64, packed: u64) -> Vec<u8> {
    extra(1, &[size.to_le_bytes(), packed.to_le_bytes()].concat())
}

/// An entry whose sizes stand in a zip64 field.
fn wide(base: &Base, field: &[u8]) -> Entry {
    file(base).both(|header| {
        (header.size, header.packed) = (u32::MAX, u32::MAX);
        header.extra = field.to_vec();
    })
}

fn wide_sizes(base: &Base) -> Vec<u8> {
    sizes(TEXT.len() as u64, file(base).packed.len() as u64)
}

fn wide_twin(base: &Base) -> Vec<u8> {
    with(base, [wide(base, &wide_sizes(base))])
}

fn described(base: &Base) -> Vec<u8> {
    with(base, [file(base).described(Descriptor::Plain { signed: true, wide: false })])
}

fn in_folder(base: &Base) -> Vec<u8> {
    with(base, [named(base, "l/x")])
}

/// `count` folders and a file in them.
fn deep(base: &Base, count: usize) -> Vec<u8> {
    with(base, [named(base, &format!("{}x", "d/".repeat(count)))])
}

/// Eight mebibytes of zeros: in as few bytes as deflate has for them at its best, and in ten times as many otherwise.
fn zeros(base: &Base, level: Compression) -> Entry {
    let content = vec![0; 8 << 20];
    let mut encoder = DeflateEncoder::new(Vec::new(), level);
    let packed = encoder.write_all(&content).and_then(|()| encoder.finish());
    let packed = packed.unwrap_or_else(|error| panic!("memory was not written to: {error}"));
    Entry::packed_as(&format!("{}zeros", base.below), &content, packed)
}

macro_rules! spoiled {
    ($($name:literal, $code:expr, |$base:ident| $archive:expr, $twin:expr;)*) => {
        &[$(Spoiled { name: $name, code: $code, archive: |$base| $archive, twin: $twin },)*]
    };
}

/// Every way.
pub static SPOILED: &[Spoiled] = spoiled![
    // What the two headers of an entry say.
    "local-name", Some("zip-disagree"), |b| with(b, [file(b).local(|h| h.name = b"SKILL.md".to_vec())]), plain;
    "local-flags", Some("zip-disagree"), |b| with(b, [file(b).local(|h| h.flags = 1 << 11)]), plain;
    "local-method", Some("zip-disagree"), |b| with(b, [file(b).local(|h| h.method = 0)]), plain;
    "local-checksum", Some("zip-disagree"), |b| with(b, [file(b).local(|h| h.crc ^= 1)]), plain;
    "local-size", Some("zip-disagree"), |b| with(b, [file(b).local(|h| h.size += 1)]), plain;
    "local-packed", Some("zip-disagree"), |b| with(b, [file(b).local(|h| h.packed -= 1)]), plain;
    "no-local", Some("zip-local"), |b| {
        let lost = Entry { has_local: false, ..file(b) };
        Zip { before_directory: vec![b'x'; 200], ..zip(b, [lost]) }.bytes()
    }, plain;
    "unicode-path-differs", Some("zip-unicode-path"), |b| {
        let field = unicode_path(&file(b).central.name, "SKILL.md");
        with(b, [file(b).both(|h| h.extra.clone_from(&field))])
    }, |b| {
        let name = format!("{}x.txt", b.below);
        let field = unicode_path(name.as_bytes(), &name);
        with(b, [file(b).both(|h| h.extra.clone_from(&field))])
    };
    // zip64.
    "zip64-local-lies", Some("zip-disagree"), |b| {
        with(b, [wide(b, &wide_sizes(b)).local(|h| h.extra = sizes(1, 1))])
    }, wide_twin;
    "zip64-twice", Some("zip-extra"), |b| with(b, [wide(b, &[wide_sizes(b), sizes(1, 1)].concat())]), wide_twin;
    "zip64-missing", Some("zip64"), |b| with(b, [wide(b, &[])]), wide_twin;
    "zip64-unasked", Some("zip64"), |b| with(b, [file(b).both(|h| h.extra = sizes(1, 1))]), wide_twin;
    "zip64-huge", Some("unpacks-too-large"), |b| {
        with(b, [wide(b, &sizes(1 << 62, file(b).packed.len() as u64))])
    }, wide_twin;
    "zip64-locator-lies", Some("zip64"), |b| wide_end(b, |records| records[56 + 8] ^= 1), |b| wide_end(b, |_| {});
    "zip64-two-counts", Some("zip64"), |b| zip(b, [file(b)]).bytes_with(|_| {}, |end, at| {
        let records = zip64_end(end, at);
        end.entries = 1;
        records
    }), |b| wide_end(b, |_| {});
    "zip64-no-end", Some("zip64"), |b| end(b, |end| end.entries = u16::MAX), |b| wide_end(b, |_| {});
    // What no reader here unpacks.
    "encrypted", Some("zip-encrypted"), |b| with(b, [file(b).both(|h| h.flags = 1)]), plain;
    "encrypted-strongly", Some("zip-encrypted"), |b| with(b, [file(b).both(|h| h.flags = 1 << 6)]), plain;
    "encrypted-names", Some("zip-encrypted"), |b| with(b, [file(b).both(|h| h.flags = 1 << 13)]), plain;
    "patched", Some("zip-flags"), |b| with(b, [file(b).both(|h| h.flags = 1 << 5)]), plain;
    "bzip2", Some("zip-method"), |b| with(b, [file(b).both(|h| h.method = 12)]), plain;
    "aes", Some("zip-method"), |b| with(b, [file(b).both(|h| h.method = 99)]), plain;
    // Entries that are no files.
    "link", None, |b| with(b, [named(b, "l").mode(0o120_777)]), |b| with(b, [named(b, "l")]);
    "link-through", Some("path-inside-file"), |b| {
        with(b, [named(b, "l").mode(0o120_777), named(b, "l/x")])
    }, in_folder;
    "link-longer-than-any", Some("path-too-long"), |b| {
        with(b, [Entry::stored(&format!("{}l", b.below), &[b'x'; 5000]).mode(0o120_777)])
    }, |b| with(b, [named(b, "l")]);
    "pipe", None, |b| with(b, [Entry::stored(&format!("{}p", b.below), b"").mode(0o010_644)]), plain;
    "socket", None, |b| with(b, [Entry::stored(&format!("{}s", b.below), b"").mode(0o140_644)]), plain;
    "device", None, |b| with(b, [Entry::stored(&format!("{}d", b.below), b"").mode(0o060_644)]), plain;
    "folder-without-slash", Some("zip-kind"), |b| with(b, [named(b, "f").mode(0o040_755)]), |b| with(b, [named(b, "f")]);
    "folder-with-content", Some("zip-kind"), |b| {
        with(b, [Entry { attributes: 0x10, ..named(b, "f/") }])
    }, |b| with(b, [Entry::folder(&format!("{}f/", b.below)), named(b, "f/x")]);
    // Names.
    "name-not-utf8", Some("name-not-utf8"), |b| {
        with(b, [file(b).both(|h| h.name = [b.below.as_bytes(), b"caf\x82"].concat())])
    }, |b| with(b, [named(b, "café").both(|h| h.flags = 1 << 11)]);
    "name-flag-lies", Some("name-not-utf8"), |b| {
        with(b, [file(b).both(|h| (h.name, h.flags) = ([b.below.as_bytes(), b"caf\x82"].concat(), 1 << 11))])
    }, |b| with(b, [named(b, "café").both(|h| h.flags = 1 << 11)]);
    "name-absolute", Some("path-absolute"), |b| with(b, [raw(b"/etc/passwd")]), plain;
    "name-drive", Some("path-drive"), |b| with(b, [raw(b"C:/x")]), plain;
    "name-drive-relative", Some("path-drive"), |b| with(b, [raw(b"C:x")]), plain;
    "name-backslash", Some("path-backslash"), |b| with(b, [named(b, "a\\b")]), |b| with(b, [named(b, "a-b")]);
    "name-share", Some("path-backslash"), |b| with(b, [raw(b"\\\\host\\share")]), plain;
    "name-parent", Some("path-traversal"), |b| with(b, [raw(b"../x")]), plain;
    "name-parent-inside", Some("path-traversal"), |b| with(b, [named(b, "a/../../x")]), |b| with(b, [named(b, "a/x")]);
    "name-dot", Some("path-traversal"), |b| with(b, [named(b, "./x")]), plain;
    "name-empty-segment", Some("path-empty-segment"), |b| with(b, [named(b, "a//x")]), |b| with(b, [named(b, "a/x")]);
    "name-empty", Some("path-empty-segment"), |b| with(b, [raw(b"")]), plain;
    "name-nul", Some("path-control"), |b| with(b, [named(b, "x\0.txt")]), plain;
    "name-escape", Some("path-control"), |b| with(b, [named(b, "\u{1b}[2J")]), plain;
    "name-c1", Some("path-control"), |b| with(b, [named(b, "\u{9b}2J").both(|h| h.flags = 1 << 11)]), plain;
    "name-device", Some("path-device"), |b| with(b, [named(b, "CON")]), |b| with(b, [named(b, "CONTENT")]);
    "name-twice", Some("duplicate-path"), |b| with(b, [file(b), file(b)]), plain;
    "name-twice-but-for-case", None, |b| with(b, [named(b, "x"), named(b, "X")]), |b| with(b, [named(b, "x"), named(b, "y")]);
    "name-of-file-and-folder", Some("path-inside-file"), |b| with(b, [named(b, "l"), named(b, "l/x")]), in_folder;
    "name-deep", None, |b| deep(b, 40), |b| deep(b, 4);
    "name-too-long", Some("path-too-long"), |b| with(b, [named(b, &"n".repeat(5000))]), |b| with(b, [named(b, &"n".repeat(200))]);
    // Contents.
    "content-checksum", Some("checksum"), |b| {
        let mut entry = named(b, "x");
        entry.packed[0] ^= 1;
        with(b, [entry])
    }, |b| with(b, [named(b, "x")]);
    "content-longer-than-said", Some("zip-size"), |b| {
        let longer = deflate_stored(&[TEXT, TEXT].concat());
        with(b, [Entry::packed_as(&format!("{}x", b.below), TEXT, longer)])
    }, plain;
    "content-shorter-than-said", Some("truncated"), |b| with(b, [file(b).both(|h| h.size += 1)]), plain;
    "content-no-deflate", Some("deflate"), |b| {
        with(b, [Entry::packed_as(&format!("{}x", b.below), TEXT, vec![0xff; 40])])
    }, plain;
    "content-cut", Some("truncated"), |b| {
        let cut = deflate_stored(TEXT)[..12].to_vec();
        with(b, [Entry::packed_as(&format!("{}x", b.below), TEXT, cut)])
    }, plain;
    "content-hides-more", Some("zip-size"), |b| {
        let more = [deflate_stored(TEXT), b"hidden".to_vec()].concat();
        with(b, [Entry::packed_as(&format!("{}x", b.below), TEXT, more)])
    }, plain;
    "bomb", Some("ratio"), |b| with(b, [zeros(b, Compression::best())]), |b| with(b, [zeros(b, Compression::fast())]);
    "bomb-that-says-little", Some("zip-size"), |b| {
        with(b, [zeros(b, Compression::best()).both(|h| (h.size, h.crc) = (1000, crc32(&[0; 1000])))])
    }, |b| with(b, [zeros(b, Compression::fast())]);
    "bomb-shared", Some("zip-overlap"), |b| {
        let shared = Entry { has_local: false, offset: Some(0), ..named(b, "y") };
        with(b, [file(b), shared])
    }, |b| with(b, [file(b), named(b, "y")]);
    "bomb-quoted", Some("zip-overlap"), |b| {
        let inner = Zip::of([named(b, "y")]).bytes();
        let outer = named(b, "q");
        let before = zip(b, []).bytes_with(|_| {}, |_, _| Vec::new());
        let contents = before.windows(4).position(|window| window == b"PK\x01\x02").unwrap_or_default();
        let header = 30 + outer.local.name.len();
        let quoting = Entry::stored(&format!("{}q", b.below), &inner[..30 + outer.local.name.len()]);
        let quoted = Entry { has_local: false, offset: u32::try_from(contents + header).ok(), ..named(b, "y") };
        with(b, [quoting, quoted])
    }, |b| with(b, [named(b, "q"), named(b, "y")]);
    "descriptor-lies", Some("zip-descriptor"), |b| {
        let entry = file(b).described(Descriptor::Plain { signed: true, wide: false });
        let gap = [&b"PK\x07\x08"[..], &[0; 12]].concat();
        with(b, [Entry { descriptor: Descriptor::None, gap, ..entry }])
    }, described;
    "descriptor-missing", Some("zip-descriptor"), |b| {
        let entry = file(b).described(Descriptor::Plain { signed: true, wide: false });
        with(b, [Entry { descriptor: Descriptor::None, ..entry }])
    }, described;
    // The layout of the whole.
    "before-everything", Some("zip-prefix"), |b| [&plain(b)[..50], &plain(b)].concat(), plain;
    "behind-everything", Some("trailing-data"), |b| [plain(b), b"junk".to_vec()].concat(), plain;
    "between-entries", Some("zip-gap"), |b| with(b, [Entry { gap: b"hidden".to_vec(), ..file(b) }]), plain;
    "entry-that-is-not-listed", Some("zip-gap"), |b| {
        let hidden = Zip::of([named(b, "y")]).bytes();
        let local = hidden.windows(4).position(|window| window == b"PK\x01\x02").unwrap_or_default();
        Zip { before_directory: hidden[..local].to_vec(), ..zip(b, [file(b)]) }.bytes()
    }, |b| with(b, [file(b), named(b, "y")]);
    "two-ends", Some("zip-two-ends"), |b| {
        Zip { comment: Zip::default().bytes(), ..zip(b, [file(b)]) }.bytes()
    }, |b| Zip { comment: b"made by hand".to_vec(), ..zip(b, [file(b)]) }.bytes();
    "count-too-small", Some("zip-directory"), |b| end(b, |end| end.entries -= 1), |b| end(b, |_| {});
    "count-too-large", Some("zip-directory"), |b| end(b, |end| end.entries += 1), |b| end(b, |_| {});
    "directory-elsewhere", Some("zip-directory"), |b| {
        end(b, |end| (end.directory, end.directory_bytes) = (end.directory - 1, end.directory_bytes + 1))
    }, |b| end(b, |_| {});
    "of-several-files", Some("zip-disks"), |b| end(b, |end| end.disk = 1), |b| end(b, |_| {});
    "cut", Some("truncated"), |b| plain(b)[..plain(b).len() - 1].to_vec(), plain;
];
