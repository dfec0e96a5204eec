//! Little-endian fields of fixed records.

/// The two bytes at `at`; zero past the end, which no caller reaches: records have fixed lengths.
pub(super) fn u16_at(record: &[u8], at: usize) -> u16 {
    record.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes))
}

/// The four bytes at `at`.
pub(super) fn u32_at(record: &[u8], at: usize) -> u32 {
    record.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The eight bytes at `at`.
pub(super) fn u64_at(record: &[u8], at: usize) -> u64 {
    record.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
