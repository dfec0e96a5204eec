//! [`Words`]: a list of texts as exec takes it, made before the child is.

use std::ffi::{CString, c_char};
use std::fmt;
use std::ptr;

/// Texts that end with NUL, and the list of their addresses, which ends with a null address.
pub(crate) struct Words {
    addresses: Vec<*const c_char>,
    /// Owns what the addresses point to. A `CString` keeps its bytes where they are when it is moved.
    texts: Vec<CString>,
}

impl Words {
    pub(crate) fn new(texts: Vec<CString>) -> Self {
        let addresses = texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Self { addresses, texts }
    }

    /// The texts themselves.
    pub(super) fn texts(&self) -> &[CString] {
        &self.texts
    }

    pub(super) fn address(&self) -> usize {
        self.addresses.as_ptr() as usize
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.texts).finish()
    }
}
