//! Extra fields: an identifier, a length and data, in a row. Two of them change what an entry is.

use crate::archive::codes;
use crate::finding::Code;

use super::fields::{u16_at, u64_at};

/// A reason to refuse, before the entry and the byte are known.
pub(super) type Problem = (&'static Code, String);

/// The extra fields that matter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extra<'b> {
    /// Sizes and offset in eight bytes, where four did not hold them.
    pub(super) zip64: Option<&'b [u8]>,
    /// Info-ZIP's name in UTF-8, beside one in a legacy character set.
    pub(super) unicode_path: Option<&'b [u8]>,
}

impl<'b> Extra<'b> {
    pub(super) fn parse(mut bytes: &'b [u8]) -> Result<Self, Problem> {
        let mut extra = Self::default();
        while !bytes.is_empty() {
            let len = usize::from(u16_at(bytes, 2));
            let Some(data) = bytes.get(4..4 + len) else {
                return Err((&codes::ZIP_EXTRA, "an extra field is cut off".to_owned()));
            };
            let slot = match u16_at(bytes, 0) {
                0x0001 => Some(&mut extra.zip64),
                0x7075 => Some(&mut extra.unicode_path),
                _ => None,
            };
            if let Some(slot) = slot
                && slot.replace(data).is_some()
            {
                return Err((&codes::ZIP_EXTRA, "the same extra field is there twice".to_owned()));
            }
            bytes = &bytes[4 + len..];
        }
        Ok(extra)
    }

    /// The two sizes that a local header with a data descriptor repeats in a zip64 field, without leaving them to it: the
    /// field then says that the descriptor is a wide one (APPNOTE §4.3.9.2). It is taken away, and the sizes are to agree.
    pub(super) fn take_repeated_sizes(&mut self, small: [u32; 2]) -> Option<[u64; 2]> {
        let field = self.zip64.filter(|field| field.len() == 16 && !small.contains(&u32::MAX))?;
        self.zip64 = None;
        Some([u64_at(field, 0), u64_at(field, 8)])
    }

    /// Replaces each of `small`, in their order, that says "see zip64" by its eight bytes there. All of zip64 must be used.
    pub(super) fn widen<const N: usize>(&self, small: [u32; N]) -> Result<[u64; N], Problem> {
        let mut rest = self.zip64.unwrap_or_default();
        let mut wide = small.map(u64::from);
        for value in wide.iter_mut().filter(|value| **value == u64::from(u32::MAX)) {
            if rest.len() < 8 {
                return Err((
                    &codes::ZIP64,
                    "a size or offset is left to a zip64 field without it".to_owned(),
                ));
            }
            *value = u64_at(rest, 0);
            rest = &rest[8..];
        }
        if rest.is_empty() {
            Ok(wide)
        } else {
            Err((&codes::ZIP64, "the zip64 field says more than it was asked".to_owned()))
        }
    }
}
