//! tar, field by field.

/// One header block, in exact ustar; every field may be spoiled.
#[derive(Clone, Debug)]
pub struct Header {
    /// Offset 0, 100 bytes.
    pub name: Vec<u8>,
    /// Offset 100, 8 bytes.
    pub mode: Vec<u8>,
    /// Offset 124, 12 bytes.
    pub size: Vec<u8>,
    /// Offset 156.
    pub kind: u8,
    /// Offset 157, 100 bytes.
    pub link: Vec<u8>,
    /// Offset 257, 8 bytes.
    pub magic: [u8; 8],
    /// Offset 345, 155 bytes.
    pub prefix: Vec<u8>,
    /// Added to the right checksum.
    pub checksum_off_by: u32,
}

impl Header {
    /// A good header of an entry of this kind.
    #[must_use]
    pub fn new(kind: u8, name: &str, size: usize) -> Self {
        Self {
            name: name.as_bytes().to_vec(),
            mode: if kind == b'5' { b"0000755\0".to_vec() } else { b"0000644\0".to_vec() },
            size: format!("{size:011o}\0").into_bytes(),
            kind,
            link: Vec::new(),
            magic: *b"ustar\x0000",
            prefix: Vec::new(),
            checksum_off_by: 0,
        }
    }

    /// The block.
    #[must_use]
    pub fn block(&self) -> [u8; 512] {
        let mut block = [0; 512];
        let mut put = |at: usize, field: &[u8]| block[at..at + field.len()].copy_from_slice(field);
        put(0, &self.name);
        put(100, &self.mode);
        put(108, b"0000000\x000000000\0");
        put(124, &self.size);
        put(136, b"00000000000\0");
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, &self.link);
        put(257, &self.magic);
        put(345, &self.prefix);
        let sum = block.iter().map(|&byte| u32::from(byte)).sum::<u32>() + self.checksum_off_by;
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }
}

/// A tar under construction.
#[derive(Clone, Debug, Default)]
pub struct Tar(Vec<u8>);

impl Tar {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A header and nothing else.
    #[must_use]
    pub fn header(mut self, header: &Header) -> Self {
        self.0.extend(header.block());
        self
    }

    /// Bytes as they are.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    /// A content with its padding.
    #[must_use]
    pub fn content(mut self, content: &[u8]) -> Self {
        self.0.extend(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    /// A regular file.
    #[must_use]
    pub fn file(self, name: &str, content: &[u8]) -> Self {
        self.header(&Header::new(b'0', name, content.len())).content(content)
    }

    /// A folder, or anything else without content.
    #[must_use]
    pub fn bare(self, kind: u8, name: &str) -> Self {
        self.header(&Header::new(kind, name, 0))
    }

    /// A link of either kind.
    #[must_use]
    pub fn link(self, kind: u8, name: &str, target: &str) -> Self {
        self.header(&Header { link: target.as_bytes().to_vec(), ..Header::new(kind, name, 0) })
    }

    /// A pax extension of these records.
    #[must_use]
    pub fn pax(self, kind: u8, records: &[(&str, &str)]) -> Self {
        let data: Vec<u8> =
            records.iter().flat_map(|(key, value)| pax_record(key, value.as_bytes())).collect();
        self.extension(kind, "PaxHeaders/x", &data)
    }

    /// An extension with this data.
    #[must_use]
    pub fn extension(self, kind: u8, name: &str, data: &[u8]) -> Self {
        self.header(&Header::new(kind, name, data.len())).content(data)
    }

    /// A GNU extension: its header has GNU's magic.
    #[must_use]
    pub fn gnu(self, kind: u8, data: &[u8]) -> Self {
        self.header(&Header { magic: *b"ustar  \0", ..Header::new(kind, "././@LongLink", data.len()) })
            .content(data)
    }

    /// The two blocks of zeros.
    #[must_use]
    pub fn end(self) -> Vec<u8> {
        self.raw(&[0; 1024]).0
    }

    /// What is there, without an end.
    #[must_use]
    pub fn unfinished(self) -> Vec<u8> {
        self.0
    }
}

/// `<length> <key>=<value>` and a line end.
#[must_use]
pub fn pax_record(key: &str, value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3;
    let mut len = rest + 1;
    while rest + len.to_string().len() != len {
        len = rest + len.to_string().len();
    }
    [format!("{len} {key}=").as_bytes(), value, b"\n"].concat()
}
