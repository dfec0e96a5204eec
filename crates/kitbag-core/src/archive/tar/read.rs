//! The reader: blocks in, entries out.

use std::io::Read;

use crate::archive::codes;
use crate::archive::refusal::{Error, Offset, Refusal, shown};
use crate::archive::source::fill;
use crate::archive::unpack::{Reading, Unpacked, Unpacking};
use crate::limits::Exceeded;
use crate::path::{PackagePath, Rule};
use crate::tree::{Executable, Node, SpecialKind};

use super::header::{self, BLOCK, Header, Kind, Problem};
use super::pax::{self, EXTENSION_BYTES, Records, Scope};
use super::profile::{Profile, ZeroBlocks};

/// Zeros after the end, at most: no tool fills a record larger than this.
const END_BYTES: u64 = 1 << 20;

/// What a tar came in, for the bytes that refusals name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// In nothing.
    Plain,
    /// In a gzip.
    Gzip,
}

/// Reads the tar in `source` to its end.
///
/// # Errors
/// [`Error::Refused`] at the first thing wrong with it; a refusal that `source` carries in its own errors comes out as such.
pub fn read(
    source: &mut dyn Read,
    profile: &Profile,
    packing: Packing,
    reading: Reading<'_>,
) -> Result<Unpacked, Error> {
    let blocks = Blocks { source, at: 0, packing };
    let mut tar =
        Tar { blocks, profile, number: 0, before: Before::Nothing, unpacking: Unpacking::new(reading) };
    while tar.step()? == Step::Entry {}
    Ok(tar.unpacking.finish())
}

#[derive(PartialEq, Eq)]
enum Step {
    Entry,
    End,
}

/// The extension records that stand before an entry.
enum Before {
    Nothing,
    Pax(Records),
    Gnu { name: Option<Vec<u8>>, link: Option<Vec<u8>> },
}

struct Tar<'s, 'r> {
    blocks: Blocks<'s>,
    profile: &'s Profile,
    /// Entries so far; extensions belong to the entry they precede.
    number: u64,
    before: Before,
    unpacking: Unpacking<'r>,
}

impl Tar<'_, '_> {
    fn step(&mut self) -> Result<Step, Error> {
        let at = self.blocks.offset();
        let Some(block) = self.blocks.next()? else {
            let message = "the tar ends without its two blocks of zeros";
            return Err(Refusal::new(&codes::TAR_END, at, message).into());
        };
        if block.iter().all(|&byte| byte == 0) {
            self.end(at)?;
            return Ok(Step::End);
        }
        self.unpacking.spend_entry(at)?;
        let number = self.number + 1;
        if number > self.profile.entries {
            return Err(Refusal::exceeded(Exceeded::Entries { max: self.profile.entries }, at).into());
        }
        let header = Header::parse(&block, self.profile.headers)
            .map_err(|problem| Error::from(refusal(at, problem)).within(number, header::raw_name(&block)))?;
        match header.kind {
            Kind::Pax | Kind::PaxGlobal | Kind::GnuName | Kind::GnuLink => {
                self.extension(&header, at).map_err(|error| error.within(number, &header.name))?;
            }
            _ => {
                self.number = number;
                let before = std::mem::replace(&mut self.before, Before::Nothing);
                let name = before.name(&header);
                self.entry(&header, &before, name, at).map_err(|error| error.within(number, name))?;
            }
        }
        Ok(Step::Entry)
    }

    fn entry(&mut self, header: &Header<'_>, before: &Before, name: &[u8], at: Offset) -> Result<(), Error> {
        if let Before::Pax(Records { size: Some(size), .. }) = before
            && *size != header.size
        {
            let message = format!("the pax size is {size} and the header's is {}", header.size);
            return Err(Refusal::new(&codes::PAX_SIZE, at, message).into());
        }
        let refuse = |code, message: String| Err(Error::from(Refusal::new(code, at, message)));
        match header.kind {
            Kind::HardLink => {
                let target = shown(before.link(header));
                return refuse(&codes::HARD_LINK, format!("the entry is a hard link to `{target}`"));
            }
            Kind::Other(kind) => {
                let kind = [kind].escape_ascii().to_string();
                return refuse(&codes::ENTRY_KIND, format!("the entry is of the kind `{kind}`"));
            }
            _ => {}
        }
        if self.rule(header.kind) == Rule::Refuse {
            return refuse(&codes::NOT_A_FILE, format!("the entry is {}", what(header.kind)));
        }
        if header.kind != Kind::File && header.size != 0 {
            let message = format!("{} claims {} bytes of content", what(header.kind), header.size);
            return refuse(&codes::TAR_SIZE, message);
        }
        let Some(path) = self.path(header.kind, name, at)? else { return Ok(()) };
        match header.kind {
            Kind::File => self.file(header, path, at),
            Kind::Folder => Ok(self.unpacking.insert(path, Node::Folder, at)?),
            Kind::SymbolicLink => {
                let target = String::from_utf8_lossy(before.link(header)).into_owned();
                Ok(self.unpacking.insert_link(path, target, at)?)
            }
            Kind::Pipe => Ok(self.unpacking.insert(path, Node::Special(SpecialKind::Pipe), at)?),
            _ => Ok(self.unpacking.insert(path, Node::Special(SpecialKind::Device), at)?),
        }
    }

    const fn rule(&self, kind: Kind) -> Rule {
        match kind {
            Kind::File => Rule::Allow,
            Kind::Folder => self.profile.folders,
            _ => self.profile.links_and_specials,
        }
    }

    fn file(&mut self, header: &Header<'_>, path: PackagePath, at: Offset) -> Result<(), Error> {
        let executable = if header.executable { Executable::Yes } else { Executable::No };
        self.unpacking.file(path, executable, header.size, &mut self.blocks, at)?;
        self.blocks.skip_padding()
    }

    /// The path of an entry; `None` for the root itself, which `tar -c .` lists as `./` and Python, told to add a folder
    /// under no name, as `/`.
    fn path(&mut self, kind: Kind, name: &[u8], at: Offset) -> Result<Option<PackagePath>, Error> {
        let Ok(mut text) = std::str::from_utf8(name) else {
            return Err(Refusal::new(&codes::NAME_NOT_UTF8, at, "the name is not valid UTF-8").into());
        };
        let is_folder = kind == Kind::Folder;
        if self.profile.dot_prefix == Rule::Allow {
            if is_folder && matches!(text, "." | "./" | "/") {
                return Ok(None);
            }
            text = text.strip_prefix("./").unwrap_or(text);
        }
        if is_folder {
            text = text.strip_suffix('/').unwrap_or(text);
        }
        Ok(Some(self.unpacking.path(text, self.profile.names, at)?))
    }

    fn extension(&mut self, header: &Header<'_>, at: Offset) -> Result<(), Error> {
        let refuse = |code, message: String| Err(Error::from(Refusal::new(code, at, message)));
        if self.profile.extensions == Rule::Refuse {
            return refuse(&codes::TAR_EXTENSION, "a pax or GNU extension record stands here".to_owned());
        }
        if header.size > EXTENSION_BYTES {
            let message =
                format!("the extension is {} bytes long and {EXTENSION_BYTES} are allowed", header.size);
            return refuse(&codes::EXTENSION_TOO_LARGE, message);
        }
        self.unpacking.spend_overhead(header.size, at)?;
        let data = self.blocks.data(header.size)?;
        let before = std::mem::replace(&mut self.before, Before::Nothing);
        self.before = match (header.kind, before) {
            (Kind::PaxGlobal, Before::Nothing) => {
                pax::parse(&data, Scope::Following).map_err(|problem| refusal(at, problem))?;
                Before::Nothing
            }
            (Kind::Pax, Before::Nothing) => {
                Before::Pax(pax::parse(&data, Scope::Next).map_err(|problem| refusal(at, problem))?)
            }
            (Kind::GnuName, Before::Nothing) => Before::Gnu { name: Some(long(data, at)?), link: None },
            (Kind::GnuLink, Before::Nothing) => Before::Gnu { name: None, link: Some(long(data, at)?) },
            (Kind::GnuName, Before::Gnu { name: None, link }) => {
                Before::Gnu { name: Some(long(data, at)?), link }
            }
            (Kind::GnuLink, Before::Gnu { name, link: None }) => {
                Before::Gnu { name, link: Some(long(data, at)?) }
            }
            _ => {
                let message = "two extensions that say the same of one entry stand in a row".to_owned();
                return refuse(&codes::EXTENSION_ORDER, message);
            }
        };
        Ok(())
    }

    /// Checks what follows the first block of zeros.
    fn end(&mut self, at: Offset) -> Result<(), Error> {
        if !matches!(self.before, Before::Nothing) {
            let message = "the tar ends after an extension that belongs to no entry";
            return Err(Refusal::new(&codes::EXTENSION_ORDER, at, message).into());
        }
        let zeros_from = self.blocks.at;
        let mut zeros = 1;
        while let Some(block) = self.blocks.next()? {
            let at = self.blocks.before_last();
            if block.iter().any(|&byte| byte != 0) {
                let (code, message) = if zeros == 1 {
                    (&codes::TAR_END, "a single block of zeros stands before more entries")
                } else {
                    (&codes::TRAILING_DATA, "the file goes on after the end of the tar")
                };
                return Err(Refusal::new(code, at, message).into());
            }
            zeros += 1;
            let surplus = self.profile.zero_blocks == ZeroBlocks::Two && zeros > 2;
            if surplus || self.blocks.at - zeros_from > END_BYTES {
                let message = "more zeros follow the end of the tar than its writer had to put there";
                return Err(Refusal::new(&codes::TRAILING_DATA, at, message).into());
            }
        }
        if zeros < 2 {
            let message = "the tar ends with one block of zeros instead of two";
            return Err(Refusal::new(&codes::TAR_END, at, message).into());
        }
        Ok(())
    }
}

impl Before {
    /// The name the entry has, once the extensions were heard.
    fn name<'n>(&'n self, header: &'n Header<'_>) -> &'n [u8] {
        match self {
            Self::Pax(Records { path: Some(path), .. }) => path.as_bytes(),
            Self::Gnu { name: Some(name), .. } => name,
            _ => &header.name,
        }
    }

    /// The target of the entry, if it is a link.
    fn link<'n>(&'n self, header: &'n Header<'_>) -> &'n [u8] {
        match self {
            Self::Pax(Records { link: Some(link), .. }) => link.as_bytes(),
            Self::Gnu { link: Some(link), .. } => link,
            _ => header.link,
        }
    }
}

/// A GNU long name: the text and one NUL.
fn long(mut data: Vec<u8>, at: Offset) -> Result<Vec<u8>, Refusal> {
    if data.last() == Some(&0) {
        data.pop();
    }
    if data.is_empty() || data.contains(&0) {
        let message = "a GNU long name is empty or holds a NUL";
        return Err(Refusal::new(&codes::TAR_FIELD, at, message));
    }
    Ok(data)
}

fn refusal(at: Offset, (code, message): Problem) -> Refusal {
    Refusal::new(code, at, message)
}

const fn what(kind: Kind) -> &'static str {
    match kind {
        Kind::Folder => "a folder",
        Kind::SymbolicLink => "a symbolic link",
        Kind::Pipe => "a named pipe",
        Kind::Device => "a device",
        _ => "an extension",
    }
}

/// The source, block by block; a content is read through it byte by byte.
struct Blocks<'a> {
    source: &'a mut dyn Read,
    at: u64,
    packing: Packing,
}

impl Blocks<'_> {
    const fn offset_of(&self, at: u64) -> Offset {
        match self.packing {
            Packing::Plain => Offset::Archive(at),
            Packing::Gzip => Offset::Unpacked(at),
        }
    }

    const fn offset(&self) -> Offset {
        self.offset_of(self.at)
    }

    /// Where the block just read began.
    const fn before_last(&self) -> Offset {
        self.offset_of(self.at.saturating_sub(BLOCK as u64))
    }

    /// The next block; `None` at the end.
    fn next(&mut self) -> Result<Option<[u8; BLOCK]>, Error> {
        let mut block = [0; BLOCK];
        match fill(self, &mut block)? {
            0 => Ok(None),
            BLOCK => Ok(Some(block)),
            part => {
                let message = format!("the last block has {part} of {BLOCK} bytes");
                Err(Refusal::new(&codes::TRUNCATED, self.offset(), message).into())
            }
        }
    }

    /// The content of an extension; `size` was checked against [`EXTENSION_BYTES`].
    fn data(&mut self, size: u64) -> Result<Vec<u8>, Error> {
        let at = self.offset();
        let len = usize::try_from(size.min(EXTENSION_BYTES)).unwrap_or(0);
        let mut data = vec![0; len];
        let found = fill(self, &mut data)?;
        if found < len {
            let message = format!("the extension ends after {found} of {len} bytes");
            return Err(Refusal::new(&codes::TRUNCATED, at, message).into());
        }
        self.skip_padding()?;
        Ok(data)
    }

    /// Moves on to the next block; what lies between must be zeros.
    fn skip_padding(&mut self) -> Result<(), Error> {
        let at = self.offset();
        let over = usize::try_from(self.at % BLOCK as u64).unwrap_or(0);
        if over == 0 {
            return Ok(());
        }
        let mut padding = [0; BLOCK];
        let padding = &mut padding[over..];
        if fill(self, padding)? < padding.len() {
            return Err(Refusal::new(&codes::TRUNCATED, at, "the padding of the content is cut off").into());
        }
        if padding.iter().any(|&byte| byte != 0) {
            let message = "the padding behind the content is not zero";
            return Err(Refusal::new(&codes::TAR_PADDING, at, message).into());
        }
        Ok(())
    }
}

impl Read for Blocks<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let n = self.source.read(into)?;
        self.at += n as u64;
        Ok(n)
    }
}
