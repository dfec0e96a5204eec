//! Deflate without a compressor, so that the bytes never change: stored blocks, and runs of one byte.

/// `content` in stored blocks.
#[must_use]
pub fn deflate_stored(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut chunks = content.chunks(0xffff).peekable();
    if chunks.peek().is_none() {
        return vec![1, 0, 0, 0xff, 0xff];
    }
    while let Some(chunk) = chunks.next() {
        let len = u16::try_from(chunk.len()).unwrap_or(u16::MAX);
        out.push(u8::from(chunks.peek().is_none()));
        out.extend(len.to_le_bytes());
        out.extend((!len).to_le_bytes());
        out.extend(chunk);
    }
    out
}

/// `content` in stored blocks, then the zeros of [`deflate_run`].
#[must_use]
pub fn deflate_stored_then_run(content: &[u8], matches: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in content.chunks(0xffff) {
        let mut block = deflate_stored(chunk);
        // Not the last block.
        block[0] = 0;
        out.append(&mut block);
    }
    out.append(&mut deflate_run(matches));
    out
}

/// `1 + 258 × matches` zeros in one block with the fixed code: 13 bits for each 258 bytes.
#[must_use]
pub fn deflate_run(matches: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0b1, 1);
    bits.push(0b01, 2);
    // The literal 0 is 00110000; length 258 is code 285, 11000101; distance 1 is code 0, 00000. Codes go in top bit first.
    bits.push_code(0b0011_0000, 8);
    for _ in 0..matches {
        bits.push_code(0b1100_0101, 8);
        bits.push_code(0, 5);
    }
    bits.push_code(0, 7);
    bits.out
}

#[derive(Default)]
struct Bits {
    out: Vec<u8>,
    used: u32,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            if self.used.is_multiple_of(8) {
                self.out.push(0);
            }
            if let Some(last) = self.out.last_mut()
                && value >> bit & 1 == 1
            {
                *last |= 1 << (self.used % 8);
            }
            self.used += 1;
        }
    }

    fn push_code(&mut self, code: u32, count: u32) {
        self.push(code.reverse_bits() >> (32 - count), count);
    }
}
