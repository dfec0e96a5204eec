//! Single characters, their escapes, and classes of them.

use super::{Before, Read, Reader, Refused, Width};

impl Reader<'_> {
    fn hex(&mut self, digits: usize) -> Read<u32> {
        let text = self.take_while(digits, |c| c.is_ascii_hexdigit());
        if text.len() != digits {
            return Err(Refused::Syntax);
        }
        u32::from_str_radix(text, 16).map_err(|_| Refused::Syntax)
    }

    /// `\N{…}`. The name is not looked up.
    fn named_character(&mut self) -> Read<()> {
        self.need('{')?;
        let name = self.until('}')?;
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '(' | ')');
        if !name.is_empty() && name.chars().all(belongs) { Ok(()) } else { Err(Refused::Syntax) }
    }

    /// What follows a backslash outside of a class.
    pub(super) fn escape(&mut self) -> Read<(Width, Before)> {
        let c = self.next().ok_or(Refused::Syntax)?;
        match c {
            'A' | 'b' | 'B' | 'Z' => return Ok((Width::NONE, Before::Position)),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'a' | 'f' | 'n' | 'r' | 't' | 'v' => {}
            'x' => drop(self.hex(2)?),
            'u' => drop(self.hex(4)?),
            'U' if self.hex(8)? > 0x10_ffff => return Err(Refused::Syntax),
            'U' => {}
            'N' => self.named_character()?,
            '0' => drop(self.take_while(2, |c| c.is_digit(8))),
            '1'..='9' => return Ok((self.back_reference(c)?, Before::Item)),
            c if c.is_ascii_alphabetic() => return Err(Refused::Syntax),
            _ => {}
        }
        Ok((Width::ONE, Before::Item))
    }

    /// A group's number, or an octal character of three digits.
    fn back_reference(&mut self, first: char) -> Read<Width> {
        let digit = |c: char| c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
        let mut group = digit(first);
        if let Some(second) = self.peek().filter(char::is_ascii_digit) {
            self.next();
            if first.is_digit(8)
                && second.is_digit(8)
                && let Some(third) = self.peek().filter(|c| c.is_digit(8))
            {
                self.next();
                let value = (group * 8 + digit(second)) * 8 + digit(third);
                return if value > 0o377 { Err(Refused::Syntax) } else { Ok(Width::ONE) };
            }
            group = group * 10 + digit(second);
        }
        self.reference(group)
    }

    /// The width of a closed group that may be referred to from here.
    pub(super) fn reference(&self, group: usize) -> Read<Width> {
        if self.behind.is_some_and(|before| group >= before) {
            return Err(Refused::Syntax);
        }
        self.groups.get(group).copied().flatten().ok_or(Refused::Syntax)
    }

    /// What follows an opening bracket.
    pub(super) fn class(&mut self) -> Read<Width> {
        self.take('^');
        let mut is_empty = true;
        loop {
            let low = match self.next().ok_or(Refused::Syntax)? {
                ']' if !is_empty => return Ok(Width::ONE),
                '\\' => self.class_escape()?,
                c => Some(u32::from(c)),
            };
            is_empty = false;
            if !self.take('-') {
                continue;
            }
            let high = match self.next().ok_or(Refused::Syntax)? {
                ']' => return Ok(Width::ONE),
                '\\' => self.class_escape()?,
                c => Some(u32::from(c)),
            };
            match (low, high) {
                (Some(low), Some(high)) if low <= high => {}
                _ => return Err(Refused::Syntax),
            }
        }
    }

    /// What follows a backslash in a class: a character, or `None` for many.
    fn class_escape(&mut self) -> Read<Option<u32>> {
        let c = self.next().ok_or(Refused::Syntax)?;
        Ok(Some(match c {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => return Ok(None),
            'a' => 7,
            'b' => 8,
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            'U' => match self.hex(8)? {
                code if code <= 0x10_ffff => code,
                _ => return Err(Refused::Syntax),
            },
            'N' => {
                self.named_character()?;
                return Ok(Some(0));
            }
            '0'..='7' => {
                let more = self.take_while(2, |c| c.is_digit(8));
                match u32::from_str_radix(&format!("{c}{more}"), 8) {
                    Ok(code) if code <= 0o377 => code,
                    _ => return Err(Refused::Syntax),
                }
            }
            c if c.is_ascii_alphanumeric() => return Err(Refused::Syntax),
            c => c.into(),
        }))
    }
}
