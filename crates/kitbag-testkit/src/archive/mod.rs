//! Archives for tests: made by the tools people use, and made field by field with named ways to spoil them.

pub mod cases;
mod deflate;
pub mod gzip;
pub mod tar;
pub mod tools;
pub mod zip;

pub use deflate::{deflate_run, deflate_stored, deflate_stored_then_run};

/// The CRC-32 of gzip and zip, by its textbook table: not the code under test.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes
        .iter()
        .fold(u32::MAX, |crc, &byte| (crc >> 8) ^ CRC_TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)])
}

const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u32;
    while byte < 256 {
        let mut crc = byte;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
};
