//! Names of entries: bytes that are UTF-8 because a flag says so, because they are ASCII, or because a field says so.

use flate2::Crc;

use crate::archive::codes;
use crate::archive::refusal::shown;

use super::extra::{Extra, Problem};
use super::fields::u32_at;

/// The name of an entry.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) text: String,
    /// Whether other readers take the bytes in a legacy character set and see another name.
    pub(super) is_ambiguous: bool,
}

/// The name that `raw` stands for.
pub(super) fn decode(raw: &[u8], says_utf8: bool, extra: &Extra<'_>) -> Result<Name, Problem> {
    let plain = std::str::from_utf8(raw).ok();
    let field = extra.unicode_path.map(|field| unicode_path(field, raw)).transpose()?;
    let is_ambiguous = !says_utf8 && !raw.is_ascii();
    let text = match (plain, field) {
        (Some(plain), Some(field)) if plain != field => {
            let message = format!("the Unicode path field says `{}`", shown(field.as_bytes()));
            return Err((&codes::ZIP_UNICODE_PATH, message));
        }
        (Some(plain), _) => plain,
        (None, Some(field)) if !says_utf8 => field,
        (None, _) => return Err((&codes::NAME_NOT_UTF8, "the name is not valid UTF-8".to_owned())),
    };
    Ok(Name { text: text.to_owned(), is_ambiguous })
}

/// Version 1, the checksum of the name it belongs to, the name in UTF-8.
fn unicode_path<'b>(field: &'b [u8], raw: &[u8]) -> Result<&'b str, Problem> {
    let refuse = |message: &str| Err((&codes::ZIP_UNICODE_PATH, message.to_owned()));
    if field.len() < 5 || field[0] != 1 {
        return refuse("the Unicode path field is malformed");
    }
    let mut crc = Crc::new();
    crc.update(raw);
    if u32_at(field, 1) != crc.sum() {
        return refuse("the Unicode path field belongs to another name");
    }
    std::str::from_utf8(&field[5..]).or_else(|_| refuse("the Unicode path field is not valid UTF-8"))
}
