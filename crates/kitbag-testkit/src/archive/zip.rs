//! zip, field by field.

use super::{crc32, deflate_stored};

/// What follows a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Nothing.
    None,
    /// A descriptor with or without its signature, with sizes of four or eight bytes.
    Plain {
        /// Whether its signature stands before it.
        signed: bool,
        /// Whether sizes have eight bytes.
        wide: bool,
    },
}

/// What one of the two headers of an entry says. Every field may be spoiled.
#[derive(Clone, Debug)]
pub struct Header {
    /// The name.
    pub name: Vec<u8>,
    /// The flags.
    pub flags: u16,
    /// The compression method.
    pub method: u16,
    /// The checksum.
    pub crc: u32,
    /// The packed size.
    pub packed: u32,
    /// The size.
    pub size: u32,
    /// The extra fields.
    pub extra: Vec<u8>,
}

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What stands before the content.
    pub local: Header,
    /// What stands in the directory.
    pub central: Header,
    /// The content as it is stored.
    pub packed: Vec<u8>,
    /// Whether and how a descriptor follows.
    pub descriptor: Descriptor,
    /// Bytes after that, which belong to nothing.
    pub gap: Vec<u8>,
    /// External attributes.
    pub attributes: u32,
    /// Where the local header is said to be; `None`: where it is.
    pub offset: Option<u32>,
    /// Whether a local record is written at all.
    pub has_local: bool,
}

impl Entry {
    fn new(name: &str, content: &[u8], method: u16, packed: Vec<u8>) -> Self {
        let header = Header {
            name: name.as_bytes().to_vec(),
            flags: 0,
            method,
            crc: crc32(content),
            packed: word(packed.len()),
            size: word(content.len()),
            extra: Vec::new(),
        };
        Self {
            local: header.clone(),
            central: header,
            packed,
            descriptor: Descriptor::None,
            gap: Vec::new(),
            attributes: 0o100_644 << 16,
            offset: None,
            has_local: true,
        }
    }

    /// A file, stored.
    #[must_use]
    pub fn stored(name: &str, content: &[u8]) -> Self {
        Self::new(name, content, 0, content.to_vec())
    }

    /// A file in deflate's stored blocks.
    #[must_use]
    pub fn deflated(name: &str, content: &[u8]) -> Self {
        Self::new(name, content, 8, deflate_stored(content))
    }

    /// A file whose compressed form is given.
    #[must_use]
    pub fn packed_as(name: &str, content: &[u8], packed: Vec<u8>) -> Self {
        Self::new(name, content, 8, packed)
    }

    /// A folder.
    #[must_use]
    pub fn folder(name: &str) -> Self {
        Self { attributes: 0o040_755 << 16 | 0x10, ..Self::stored(name, b"") }
    }

    /// This entry with a Unix mode.
    #[must_use]
    pub fn mode(self, mode: u32) -> Self {
        Self { attributes: mode << 16, ..self }
    }

    /// This entry with `change` made to both of its headers.
    #[must_use]
    pub fn both(mut self, change: impl Fn(&mut Header)) -> Self {
        change(&mut self.local);
        change(&mut self.central);
        self
    }

    /// This entry with `change` made to the local header.
    #[must_use]
    pub fn local(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(&mut self.local);
        self
    }

    /// This entry with `change` made to its record in the directory.
    #[must_use]
    pub fn central(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(&mut self.central);
        self
    }

    /// This entry with its sizes deferred to a descriptor.
    #[must_use]
    pub fn described(self, descriptor: Descriptor) -> Self {
        let deferred = Self { descriptor, ..self.both(|header| header.flags |= 8) };
        deferred.local(|header| (header.crc, header.packed, header.size) = (0, 0, 0))
    }
}

/// One extra field.
#[must_use]
pub fn extra(id: u16, data: &[u8]) -> Vec<u8> {
    [&id.to_le_bytes()[..], &short(data.len()).to_le_bytes(), data].concat()
}

/// Info-ZIP's Unicode path field for the name `raw`.
#[must_use]
pub fn unicode_path(raw: &[u8], name: &str) -> Vec<u8> {
    extra(0x7075, &[&[1], &crc32(raw).to_le_bytes()[..], name.as_bytes()].concat())
}

/// What the end record says; every field may be spoiled.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Number of this file of the archive.
    pub disk: u16,
    /// Number of records.
    pub entries: u16,
    /// Bytes of the directory.
    pub directory_bytes: u32,
    /// Where the directory begins.
    pub directory: u32,
}

/// A zip; every part may be spoiled.
#[derive(Clone, Debug, Default)]
pub struct Zip {
    /// What stands before everything.
    pub prefix: Vec<u8>,
    /// The entries, in the order of both the contents and the directory.
    pub entries: Vec<Entry>,
    /// What stands between the contents and the directory.
    pub before_directory: Vec<u8>,
    /// What stands between the directory and the end.
    pub after_directory: Vec<u8>,
    /// The archive's comment.
    pub comment: Vec<u8>,
    /// What follows everything.
    pub suffix: Vec<u8>,
}

impl Zip {
    /// A good one, with these entries.
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self { entries: entries.into_iter().collect(), ..Self::default() }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes_with(|_| {}, |_, _| Vec::new())
    }

    /// Its bytes, with `spoil` applied to the end record, and with what `zip64` makes of the end and its own place put
    /// before it.
    #[must_use]
    pub fn bytes_with(
        &self,
        spoil: impl FnOnce(&mut End),
        zip64: impl FnOnce(&mut End, usize) -> Vec<u8>,
    ) -> Vec<u8> {
        let mut out = self.prefix.clone();
        let mut directory = Vec::new();
        for entry in &self.entries {
            let here = word(out.len());
            if entry.has_local {
                put_local(&mut out, entry);
            }
            put_record(&mut directory, entry, entry.offset.unwrap_or(here));
        }
        out.extend(&self.before_directory);
        let mut end = End {
            disk: 0,
            entries: short(self.entries.len()),
            directory_bytes: word(directory.len()),
            directory: word(out.len()),
        };
        out.extend(directory);
        out.extend(&self.after_directory);
        spoil(&mut end);
        let before_end = zip64(&mut end, out.len());
        out.extend(before_end);
        out.extend(b"PK\x05\x06");
        for field in [end.disk, end.disk, end.entries, end.entries] {
            out.extend(field.to_le_bytes());
        }
        out.extend(end.directory_bytes.to_le_bytes());
        out.extend(end.directory.to_le_bytes());
        out.extend(short(self.comment.len()).to_le_bytes());
        out.extend(&self.comment);
        out.extend(&self.suffix);
        out
    }
}

/// The zip64 end record and its locator for `end`, standing at `at`.
#[must_use]
pub fn zip64_end(end: &End, at: usize) -> Vec<u8> {
    let mut out = b"PK\x06\x06".to_vec();
    out.extend(44u64.to_le_bytes());
    out.extend([45, 0, 45, 0]);
    out.extend([0; 8]);
    for field in [u64::from(end.entries); 2] {
        out.extend(field.to_le_bytes());
    }
    out.extend(u64::from(end.directory_bytes).to_le_bytes());
    out.extend(u64::from(end.directory).to_le_bytes());
    out.extend(b"PK\x06\x07");
    out.extend([0; 4]);
    out.extend((at as u64).to_le_bytes());
    out.extend(1u32.to_le_bytes());
    out
}

fn put_header(out: &mut Vec<u8>, header: &Header) {
    out.extend(20u16.to_le_bytes());
    out.extend(header.flags.to_le_bytes());
    out.extend(header.method.to_le_bytes());
    // 1 January 1980, midnight.
    out.extend([0, 0, 0x21, 0]);
    for field in [header.crc, header.packed, header.size] {
        out.extend(field.to_le_bytes());
    }
    out.extend(short(header.name.len()).to_le_bytes());
    out.extend(short(header.extra.len()).to_le_bytes());
}

fn put_local(out: &mut Vec<u8>, entry: &Entry) {
    out.extend(b"PK\x03\x04");
    put_header(out, &entry.local);
    out.extend(&entry.local.name);
    out.extend(&entry.local.extra);
    out.extend(&entry.packed);
    if let Descriptor::Plain { signed, wide } = entry.descriptor {
        if signed {
            out.extend(b"PK\x07\x08");
        }
        out.extend(entry.central.crc.to_le_bytes());
        for field in [entry.central.packed, entry.central.size] {
            if wide {
                out.extend(u64::from(field).to_le_bytes());
            } else {
                out.extend(field.to_le_bytes());
            }
        }
    }
    out.extend(&entry.gap);
}

fn put_record(out: &mut Vec<u8>, entry: &Entry, offset: u32) {
    out.extend(b"PK\x01\x02");
    // Made by version 3.0 on Unix.
    out.extend([30, 3]);
    put_header(out, &entry.central);
    // Comment length, disk, internal attributes.
    out.extend([0; 6]);
    out.extend(entry.attributes.to_le_bytes());
    out.extend(offset.to_le_bytes());
    out.extend(&entry.central.name);
    out.extend(&entry.central.extra);
}

fn word(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

fn short(len: usize) -> u16 {
    u16::try_from(len).unwrap_or(u16::MAX)
}
