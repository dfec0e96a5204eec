//! Integers without an upper limit other than the loader's own.

use std::fmt;

/// Most decimal digits that Python turns into an integer. Digits of other bases have no limit there; they have this one here.
const MAX_DIGITS: usize = 4_300;

/// An integer of any size, in canonical decimal form: `-17`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Integer(Box<str>);

impl Integer {
    /// The canonical decimal digits, with `-` when negative.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses what the loader takes for an integer: underscores anywhere, a sign, `0b`, `0x`, a leading zero for octal,
    /// colons for base 60. `None` where it gives up: no digits, a digit too large for its base, too many digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text: String = text.chars().filter(|&character| character != '_').collect();
        let (negative, digits) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, &*text),
        };
        let parts: Vec<(&str, u32)> = if let Some(digits) = digits.strip_prefix("0b") {
            vec![(digits, 2)]
        } else if let Some(digits) = digits.strip_prefix("0x") {
            vec![(digits, 16)]
        } else if digits.len() > 1 && digits.starts_with('0') {
            vec![(&digits[1..], 8)]
        } else {
            digits.split(':').map(|part| (part, 10)).collect()
        };
        if parts.len() > MAX_DIGITS {
            return None;
        }
        let mut limbs = Limbs::default();
        let single = parts.len() == 1;
        for (digits, radix) in parts {
            let part = Limbs::parse(digits, radix)?;
            if single {
                limbs = part;
            } else {
                limbs.multiply_add(60, part.small()?);
            }
        }
        Some(Self(limbs.decimal(negative).into()))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number in base 10⁹, lowest limb first.
#[derive(Default)]
struct Limbs(Vec<u32>);

const BASE: u64 = 1_000_000_000;

impl Limbs {
    fn parse(digits: &str, radix: u32) -> Option<Self> {
        if digits.is_empty() || digits.len() > MAX_DIGITS {
            return None;
        }
        let mut limbs = Self::default();
        for digit in digits.chars() {
            limbs.multiply_add(radix, digit.to_digit(radix)?);
        }
        Some(limbs)
    }

    fn multiply_add(&mut self, factor: u32, term: u32) {
        let mut carry = u64::from(term);
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = u32::try_from(product % BASE).unwrap_or(0);
            carry = product / BASE;
        }
        if carry > 0 {
            self.0.push(u32::try_from(carry).unwrap_or(0));
        }
    }

    /// The value, when one limb holds it: a part between colons has few digits.
    fn small(&self) -> Option<u32> {
        match *self.0 {
            [] => Some(0),
            [limb] => Some(limb),
            _ => None,
        }
    }

    fn decimal(&self, negative: bool) -> String {
        let mut text = String::new();
        for limb in self.0.iter().rev() {
            if text.is_empty() {
                text = limb.to_string();
            } else {
                text.push_str(&format!("{limb:09}"));
            }
        }
        match (text.is_empty(), negative) {
            (true, _) => "0".to_owned(),
            (false, true) => format!("-{text}"),
            (false, false) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_becomes_the_same_decimal() {
        for (text, decimal) in [
            ("0", "0"),
            ("-0", "0"),
            ("+1_000", "1000"),
            ("010", "8"),
            ("0b101", "5"),
            ("-0x_ff", "-255"),
            ("1:20", "80"),
            ("-190:20:30", "-685230"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("0xffffffffffffffffffff", "1208925819614629174706175"),
        ] {
            assert_eq!(Integer::parse(text).unwrap().as_str(), decimal, "{text}");
        }
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for text in ["", "-", "0b_", "0x", "0b2", "089", "1::2", "a"] {
            assert_eq!(Integer::parse(text), None, "{text}");
        }
        assert!(Integer::parse(&"9".repeat(4_300)).is_some());
        assert!(Integer::parse(&"9".repeat(4_301)).is_none());
    }
}
