//! Entries of a zip: what both headers and the content must agree on.

use crate::archive::zip::{Descriptor, Entry, Zip, extra, unicode_path};
use crate::archive::{crc32, deflate_stored};

use super::{Case, SKILL, reads, refused_in};

fn skill() -> Entry {
    Entry::deflated("SKILL.md", SKILL)
}

fn one(entry: Entry) -> Vec<u8> {
    Zip::of([entry]).bytes()
}

/// The entry under test, second of three.
fn middle(entry: Entry) -> Vec<u8> {
    Zip::of([skill(), entry, Entry::stored("c", b"c")]).bytes()
}

const B: &[u8] = b"the second file\n";

pub(super) fn cases() -> Vec<Case> {
    [good(), headers(), contents(), kinds(), extras(), descriptors()].into_iter().flatten().collect()
}

fn good() -> Vec<Case> {
    vec![
        reads("zip-plain", "A deflated file", one(skill()), &["SKILL.md"]),
        reads("zip-stored", "A stored file", one(Entry::stored("SKILL.md", SKILL)), &["SKILL.md"]),
        reads("zip-empty", "No entry at all", Zip::default().bytes(), &[]),
        reads("zip-three", "Three files", middle(Entry::deflated("b", B)), &["SKILL.md", "b", "c"]),
        reads(
            "zip-nested",
            "A zip in a zip is a file like any other",
            one(Entry::stored("inner.zip", &one(skill()))),
            &["inner.zip"],
        ),
        reads(
            "zip-out-of-order",
            "A directory in another order than the contents",
            {
                let mut zip = Zip::of([Entry::stored("b", b"b"), Entry::stored("a", b"a")]);
                let len = u32::try_from(30 + 1 + 1).unwrap_or_default();
                zip.entries[0].offset = Some(len);
                zip.entries[1].offset = Some(0);
                for entry in &mut zip.entries {
                    entry.has_local = false;
                }
                let locals = Zip::of([Entry::stored("a", b"a"), Entry::stored("b", b"b")]).bytes();
                zip.prefix = locals[..64].to_vec();
                zip.bytes()
            },
            &["a", "b"],
        ),
    ]
}

fn headers() -> Vec<Case> {
    let disagree =
        |name, about, entry| refused_in(2, name, about, middle(entry), "zip-disagree", "zip-three");
    let b = || Entry::deflated("b", B);
    vec![
        disagree("zip-local-name", "Another name in the local header", b().local(|h| h.name = b"e".to_vec())),
        disagree("zip-local-flags", "Other flags in the local header", b().local(|h| h.flags = 1 << 11)),
        disagree("zip-local-method", "Another method in the local header", b().local(|h| h.method = 0)),
        disagree("zip-local-crc", "Another checksum in the local header", b().local(|h| h.crc ^= 1)),
        disagree(
            "zip-local-crc-zero",
            "No checksum in the local header, and no descriptor either",
            b().local(|h| h.crc = 0),
        ),
        disagree("zip-local-size", "Another size in the local header", b().local(|h| h.size += 1)),
        disagree("zip-local-packed", "Another packed size in the local header", b().local(|h| h.packed -= 1)),
        refused_in(
            2,
            "zip-no-local",
            "A record that points to no local header",
            {
                let mut zip = Zip::of([skill(), b()]);
                zip.entries[1].has_local = false;
                zip.before_directory = vec![b'x'; 64];
                zip.bytes()
            },
            "zip-local",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-encrypted",
            "An encrypted entry",
            middle(b().both(|h| h.flags = 1)),
            "zip-encrypted",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-strongly-encrypted",
            "An entry in PKWARE's strong encryption",
            middle(b().both(|h| h.flags = 1 << 6)),
            "zip-encrypted",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-patched",
            "An entry said to be a patch",
            middle(b().both(|h| h.flags = 1 << 5)),
            "zip-flags",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-bzip2",
            "An entry in bzip2",
            middle(b().both(|h| h.method = 12)),
            "zip-method",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-aes",
            "An entry in WinZip's AES",
            middle(b().both(|h| h.method = 99)),
            "zip-method",
            "zip-three",
        ),
    ]
}

fn contents() -> Vec<Case> {
    let b = || Entry::deflated("b", B);
    let longer = [B, b"and more"].concat();
    vec![
        refused_in(
            2,
            "zip-crc",
            "A wrong checksum in both headers",
            middle(b().both(|h| h.crc ^= 1)),
            "checksum",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-stored-crc",
            "A stored content that was changed",
            {
                let mut entry = Entry::stored("b", B);
                entry.packed[0] ^= 1;
                middle(entry)
            },
            "checksum",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-size-too-small",
            "A content that unpacks to more than it claims",
            middle(Entry::packed_as("b", B, deflate_stored(&longer))),
            "zip-size",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-size-too-large",
            "A content that unpacks to less than it claims",
            middle(b().both(|h| h.size += 1)),
            "truncated",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-stored-two-sizes",
            "A stored content with two sizes",
            middle(Entry::stored("b", B).both(|h| h.size += 1)),
            "zip-size",
            "zip-stored",
        ),
        refused_in(
            2,
            "zip-behind-deflate",
            "Bytes between the end of the deflate stream and the end of the packed content",
            middle(Entry::packed_as("b", B, [deflate_stored(B), b"hidden".to_vec()].concat())),
            "zip-size",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-cut-deflate",
            "A deflate stream that does not end in its packed content",
            middle(Entry::packed_as("b", B, deflate_stored(B)[..12].to_vec())),
            "truncated",
            "zip-three",
        ),
        refused_in(
            2,
            "zip-broken-deflate",
            "Packed bytes that are not deflate",
            middle(Entry::packed_as("b", B, vec![0xff; 20])),
            "deflate",
            "zip-three",
        ),
    ]
}

fn kinds() -> Vec<Case> {
    let link = || Entry::stored("l", b"/etc/passwd").mode(0o120_777);
    vec![
        reads(
            "zip-folder",
            "A folder with an entry of its own",
            Zip::of([Entry::folder("a/"), Entry::deflated("a/SKILL.md", SKILL)]).bytes(),
            &["a/", "a/SKILL.md"],
        ),
        reads(
            "zip-link",
            "A symbolic link is an entry to be reported",
            middle(link()),
            &["SKILL.md", "c", "l -> /etc/passwd"],
        ),
        reads(
            "zip-special",
            "Pipes and devices by their mode are entries to be reported",
            Zip::of([
                Entry::stored("p", b"").mode(0o010_644),
                Entry::stored("d", b"").mode(0o060_644),
                Entry::stored("s", b"").mode(0o140_644),
            ])
            .bytes(),
            &["d = device", "p = named pipe", "s = socket"],
        ),
        refused_in(
            3,
            "zip-link-through",
            "A file behind a link of the same archive",
            Zip::of([skill(), link(), Entry::stored("l/x", b"")]).bytes(),
            "path-inside-file",
            "zip-link",
        ),
        refused_in(
            2,
            "zip-long-link",
            "A link whose target is longer than any path",
            middle(Entry::stored("l", &[b'x'; 5000]).mode(0o120_777)),
            "path-too-long",
            "zip-link",
        ),
        refused_in(
            2,
            "zip-folder-without-slash",
            "A folder by its mode and a file by its name",
            middle(Entry::stored("b", b"").mode(0o040_755)),
            "zip-kind",
            "zip-folder",
        ),
        refused_in(
            2,
            "zip-file-with-slash",
            "A file by its mode and a folder by its name",
            middle(Entry::stored("b/", b"")),
            "zip-kind",
            "zip-folder",
        ),
        refused_in(
            2,
            "zip-dos-folder-without-slash",
            "A folder by its DOS attribute and a file by its name",
            middle(Entry { attributes: 0x10, ..Entry::stored("b", b"") }),
            "zip-kind",
            "zip-folder",
        ),
        refused_in(
            2,
            "zip-folder-with-content",
            "A folder with a content",
            middle(Entry { attributes: 0x10, ..Entry::stored("b/", B) }),
            "zip-kind",
            "zip-folder",
        ),
        refused_in(
            2,
            "zip-folder-twice",
            "The same folder twice",
            Zip::of([Entry::folder("a/"), Entry::folder("a/")]).bytes(),
            "duplicate-path",
            "zip-folder",
        ),
    ]
}

fn extras() -> Vec<Case> {
    let b = || Entry::deflated("b", B);
    let with = |field: Vec<u8>| middle(b().both(|h| h.extra.clone_from(&field)));
    let described = || b().described(Descriptor::Plain { signed: true, wide: true });
    let packed = b().packed.len() as u64;
    let sizes = |size: u64, packed: u64| extra(1, &[size.to_le_bytes(), packed.to_le_bytes()].concat());
    let wide = |field: Vec<u8>| {
        b().both(|h| {
            (h.size, h.packed) = (u32::MAX, u32::MAX);
            h.extra.clone_from(&field);
        })
    };
    vec![
        reads(
            "zip-extra",
            "A time and an owner in extra fields",
            with(extra(0x5455, b"\x01\0\0\0\0")),
            &["SKILL.md", "b", "c"],
        ),
        reads(
            "zip64-sizes",
            "Sizes in a zip64 field that would have fitted without",
            middle(wide(sizes(B.len() as u64, packed))),
            &["SKILL.md", "b", "c"],
        ),
        reads(
            "zip-unicode-path",
            "A name in a legacy character set with a Unicode path field",
            middle(Entry::deflated("", B).both(|h| {
                h.name = b"caf\x82".to_vec();
                h.extra = unicode_path(b"caf\x82", "café");
            })),
            &["SKILL.md", "c", "café"],
        )
        .remarks(&["name-encoding"]),
        refused_in(
            2,
            "zip-extra-cut",
            "An extra field that is cut off",
            with(extra(0x5455, b"12345")[..6].to_vec()),
            "zip-extra",
            "zip-extra",
        ),
        refused_in(
            2,
            "zip64-twice",
            "Two zip64 fields, of which readers take the first or the last",
            middle(wide([sizes(B.len() as u64, packed), sizes(1, 1)].concat())),
            "zip-extra",
            "zip64-sizes",
        ),
        refused_in(
            2,
            "zip64-missing",
            "Sizes left to a zip64 field that is not there",
            middle(wide(Vec::new())),
            "zip64",
            "zip64-sizes",
        ),
        refused_in(
            2,
            "zip64-unasked",
            "A zip64 field with sizes that nothing leaves to it",
            with(sizes(1, 1)),
            "zip64",
            "zip64-sizes",
        ),
        reads(
            "zip64-local-repeats",
            "A local header that defers its sizes and has a zip64 field all the same",
            middle(described().local(|h| h.extra = sizes(0, 0))),
            &["SKILL.md", "b", "c"],
        ),
        refused_in(
            2,
            "zip64-local-repeats-wrongly",
            "The same, with a size that is not deferred and wrong",
            middle(described().local(|h| h.extra = sizes(1, 0))),
            "zip-disagree",
            "zip64-local-repeats",
        ),
        refused_in(
            2,
            "zip64-local-lies",
            "Another size in the local zip64 field",
            middle(wide(sizes(B.len() as u64, packed)).local(|h| h.extra = sizes(1, packed))),
            "zip-disagree",
            "zip64-sizes",
        ),
        refused_in(
            2,
            "zip-unicode-path-differs",
            "A Unicode path field that gives another name",
            with(unicode_path(b"b", "evil")),
            "zip-unicode-path",
            "zip-unicode-path",
        ),
        refused_in(
            2,
            "zip-unicode-path-stale",
            "A Unicode path field of another name",
            with(unicode_path(b"a", "b")),
            "zip-unicode-path",
            "zip-unicode-path",
        ),
        refused_in(
            2,
            "zip-unicode-path-malformed",
            "A Unicode path field of three bytes",
            with(extra(0x7075, &[1, 2, 3])),
            "zip-unicode-path",
            "zip-unicode-path",
        ),
        refused_in(
            2,
            "zip-unicode-path-local",
            "A Unicode path field in the local header alone that gives another name",
            middle(b().local(|h| h.extra = unicode_path(b"b", "evil"))),
            "zip-unicode-path",
            "zip-unicode-path",
        ),
    ]
}

fn descriptors() -> Vec<Case> {
    let b = |signed, wide| Entry::deflated("b", B).described(Descriptor::Plain { signed, wide });
    let names = ["SKILL.md", "b", "c"];
    let refuse =
        |name, about, entry, code| refused_in(2, name, about, middle(entry), code, "zip-descriptor-signed");
    let crc = crc32(B);
    vec![
        reads("zip-descriptor-signed", "A descriptor with its signature", middle(b(true, false)), &names),
        reads("zip-descriptor-bare", "A descriptor without signature", middle(b(false, false)), &names),
        reads("zip-descriptor-wide", "A descriptor with sizes of eight bytes", middle(b(true, true)), &names),
        reads("zip-descriptor-wide-bare", "One without signature", middle(b(false, true)), &names),
        reads(
            "zip-descriptor-and-header",
            "A descriptor that repeats what the local header says",
            middle(b(true, false).local(|h| {
                h.crc = crc;
                h.size = u32::try_from(B.len()).unwrap_or_default();
            })),
            &names,
        ),
        refuse(
            "zip-descriptor-missing",
            "No descriptor where one is announced",
            Entry { descriptor: Descriptor::None, ..b(true, false) },
            "zip-descriptor",
        ),
        refuse(
            "zip-descriptor-lies",
            "A descriptor with another checksum",
            Entry {
                descriptor: Descriptor::None,
                gap: [&b"PK\x07\x08"[..], &[0; 12]].concat(),
                ..b(true, false)
            },
            "zip-descriptor",
        ),
        refuse(
            "zip-descriptor-unannounced",
            "A descriptor that no flag announces",
            Entry { descriptor: Descriptor::Plain { signed: true, wide: false }, ..Entry::deflated("b", B) },
            "zip-gap",
        ),
        refuse(
            "zip-descriptor-header-lies",
            "A local header that says something else than the descriptor",
            b(true, false).local(|h| h.size = 1),
            "zip-disagree",
        ),
    ]
}
