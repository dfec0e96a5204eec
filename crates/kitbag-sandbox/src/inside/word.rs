//! [`Word`]: what the sandbox's first process says to the supervisor, over a pipe the program never sees.

use crate::step::Step;

use super::system::Errno;

/// The bytes of one word. A pipe takes so few at once or not at all.
pub(crate) const LENGTH: usize = 32;

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A step failed; the program never ran.
    Fault(Step, Errno),
    /// The program waits to be followed before it begins.
    Waiting,
    /// The program ended.
    Ended {
        /// As `wait` gives it.
        status: i32,
        /// Processor time of it and of everything it waited for, in microseconds.
        cpu: u64,
        /// Its largest memory, in KiB.
        memory: u64,
    },
}

impl Word {
    pub(super) fn bytes(self) -> [u8; LENGTH] {
        let numbers = match self {
            Self::Fault(step, errno) => [1, step.number(), u64::from(errno.0.cast_unsigned()), 0],
            Self::Waiting => [3, 0, 0, 0],
            Self::Ended { status, cpu, memory } => [2, u64::from(status.cast_unsigned()), cpu, memory],
        };
        let mut bytes = [0; LENGTH];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        bytes
    }

    /// The word that `bytes` are, if they are one.
    pub(crate) fn read(bytes: &[u8; LENGTH]) -> Option<Self> {
        let number = |at: usize| {
            bytes.get(at * 8..at * 8 + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_ne_bytes)
        };
        let signed = |number: u64| u32::try_from(number).ok().map(u32::cast_signed);
        match number(0)? {
            1 => Some(Self::Fault(Step::from_number(number(1)?)?, Errno(signed(number(2)?)?))),
            2 => Some(Self::Ended { status: signed(number(1)?)?, cpu: number(2)?, memory: number(3)? }),
            3 => Some(Self::Waiting),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Errno, LENGTH, Step, Word};

    #[test]
    fn a_word_is_read_as_it_was_said() {
        for word in [
            Word::Fault(Step::Execute, Errno(13)),
            Word::Waiting,
            Word::Ended { status: 0x8b, cpu: u64::MAX, memory: 7 },
            Word::Ended { status: -1, cpu: 0, memory: 0 },
        ] {
            assert_eq!(Word::read(&word.bytes()), Some(word));
        }
        assert_eq!(Word::read(&[0; LENGTH]), None);
        assert_eq!(Word::read(&[0xff; LENGTH]), None);
    }
}
