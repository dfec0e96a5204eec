//! Archives for tests: made by the tools people use, and made field by field with named ways to spoil them.

pub mod cases;
mod deflate;
pub mod gzip;
pub mod tar;
pub mod tools;
pub mod zip;

pub use deflate::{deflate_run, deflate_stored, deflate_stored_then_run};

/// The CRC-32 of gzip and zip, bit by bit: slow, and not the code under test.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}
