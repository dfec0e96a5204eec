//! Random numbers that are the same everywhere, and inputs made with them.

/// xorshift64*.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        // Seeds that follow one another must not give streams that do.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; 0 for 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1) as u64;
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[7]
    }
}

/// Bytes at which readers change their mind.
const INTERESTING: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b" ",
    b"/",
    b"\\",
    b"..",
    b"./",
    b":",
    b": ",
    b"#",
    b"- ",
    b"---\n",
    b"...\n",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"*",
    b"**",
    b"?",
    b"@",
    b"@local",
    b"&a ",
    b"*a",
    b"!!",
    b"<<: ",
    b"|",
    b">",
    b"%",
    b"\xef\xbb\xbf",
    b"\xc3\xa9",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xae",
    b"\xed\xa0\x80",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"true",
    b"-0",
    b"1e999",
    b"9007199254740992",
    b"0.1",
    b"\xff\xff",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0\0\0\0\0",
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PK\x06\x06",
    b"PK\x06\x07",
    b"PK\x07\x08",
    b"\x1f\x8b\x08",
    b"ustar\x0000",
    b"ustar  \0",
    b"x",
    b"g",
    b"L",
    b"K",
    b"1",
    b"2",
    b"5",
    b"8",
    b"path=",
    b"size=",
];

/// A seed with one to eight changes, few more often than many. Every other input keeps its length, because formats with
/// offsets are refused for those alone once anything moves.
pub(super) fn mutate(seeds: &[Vec<u8>], random: &mut Random, most: usize) -> Vec<u8> {
    let mut input = seeds[random.below(seeds.len())].clone();
    let changes = 1 + random.below(8).min(random.below(8));
    let keeps_length = random.below(2) == 0;
    for _ in 0..changes {
        if keeps_length {
            overwrite(&mut input, random);
        } else {
            change(&mut input, seeds, random);
        }
    }
    input.truncate(most);
    input
}

/// A change that moves nothing.
fn overwrite(input: &mut [u8], random: &mut Random) {
    let at = random.below(input.len());
    let Some(byte) = input.get_mut(at) else { return };
    match random.below(4) {
        0 => *byte ^= 1 << random.below(8),
        1 => *byte = random.byte(),
        // A number a little larger or smaller: lengths, offsets, counts.
        2 => *byte = if random.below(2) == 0 { byte.wrapping_add(1) } else { byte.wrapping_sub(1) },
        _ => {
            let new = INTERESTING[random.below(INTERESTING.len())];
            for (old, new) in input[at..].iter_mut().zip(new) {
                *old = *new;
            }
        }
    }
}

/// Any change.
fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let few = 1 + random.below(16);
    let stop = (at + few).min(input.len());
    match random.below(8) {
        0 | 1 => overwrite(input, random),
        2 | 3 => {
            let new = INTERESTING[random.below(INTERESTING.len())];
            input.splice(at..at, new.iter().copied());
        }
        4 => {
            input.drain(at..stop);
        }
        5 => {
            let copy = input[at..stop].to_vec();
            let to = random.below(input.len() + 1);
            input.splice(to..to, copy);
        }
        6 => {
            // A piece of another seed, of any length.
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len() + 1);
            let len = random.below(other.len() - from + 1);
            input.splice(at..stop, other[from..from + len].iter().copied());
        }
        _ => input.truncate(at),
    }
}
