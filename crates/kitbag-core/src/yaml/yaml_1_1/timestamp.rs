//! Dates and times of day.

use std::fmt;

/// A date, perhaps with a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timestamp {
    /// From 1.
    pub year: u16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
    /// The time; a plain date has none.
    pub time: Option<Time>,
}

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// Millionths of a second.
    pub microsecond: u32,
    /// Minutes east of UTC, when a zone is written.
    pub offset: Option<i16>,
}

/// As Python prints it: `2024-01-02`, `2024-01-02 03:04:05.000600+02:00`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)?;
        let Some(time) = self.time else { return Ok(()) };
        write!(f, " {:02}:{:02}:{:02}", time.hour, time.minute, time.second)?;
        if time.microsecond != 0 {
            write!(f, ".{:06}", time.microsecond)?;
        }
        if let Some(offset) = time.offset {
            let sign = if offset < 0 { '-' } else { '+' };
            write!(f, "{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)?;
        }
        Ok(())
    }
}

/// What a text that looks like a timestamp is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It does not look like one.
    No,
    /// It looks like one and there is no such day, hour or zone.
    Impossible,
    /// It is one.
    Timestamp(Timestamp),
}

/// `YYYY-MM-DD`, or `YYYY-M-D`, `T`, `t` or blanks, `H:MM:SS`, a fraction, and perhaps a zone.
pub(super) fn look(text: &str) -> Look {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    match scan.timestamp() {
        Some((timestamp, possible)) if scan.at == text.len() => {
            if possible {
                Look::Timestamp(timestamp)
            } else {
                Look::Impossible
            }
        }
        _ => Look::No,
    }
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// `least` to `most` digits, as many as there are.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let count = self.bytes[self.at..].iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        if count < least {
            return None;
        }
        let digits = &self.bytes[self.at..self.at + count];
        self.at += count;
        Some(digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    }

    fn blanks(&mut self) -> usize {
        let count = self.bytes[self.at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.at += count;
        count
    }

    /// The timestamp, and whether the calendar has it.
    fn timestamp(&mut self) -> Option<(Timestamp, bool)> {
        let year = self.digits(4, 4)?;
        self.take(b'-')?;
        let before_month = self.at;
        let month = self.digits(1, 2)?;
        let short_month = self.at - before_month < 2;
        self.take(b'-')?;
        let before_day = self.at;
        let day = self.digits(1, 2)?;
        let short = short_month || self.at - before_day < 2;
        let mut possible = year >= 1 && (1..=12).contains(&month) && (1..=days(year, month)).contains(&day);
        let time = if self.at == self.bytes.len() {
            if short {
                return None;
            }
            None
        } else {
            let (time, fits) = self.time()?;
            possible &= fits;
            Some(time)
        };
        let byte = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
        let year = u16::try_from(year).unwrap_or(u16::MAX);
        Some((Timestamp { year, month: byte(month), day: byte(day), time }, possible))
    }

    fn time(&mut self) -> Option<(Time, bool)> {
        if matches!(self.peek()?, b'T' | b't') {
            self.at += 1;
        } else if self.blanks() == 0 {
            return None;
        }
        let hour = self.digits(1, 2)?;
        self.take(b':')?;
        let minute = self.digits(2, 2)?;
        self.take(b':')?;
        let second = self.digits(2, 2)?;
        let mut microsecond = 0;
        if self.take(b'.').is_some() {
            let mut scale = 100_000;
            while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
                microsecond += u32::from(digit - b'0') * scale;
                scale /= 10;
                self.at += 1;
            }
        }
        let (offset, zone_fits) = self.zone()?;
        let byte = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
        let time = Time { hour: byte(hour), minute: byte(minute), second: byte(second), microsecond, offset };
        Some((time, hour < 24 && minute < 60 && second < 60 && zone_fits))
    }

    fn zone(&mut self) -> Option<(Option<i16>, bool)> {
        if self.at == self.bytes.len() {
            return Some((None, true));
        }
        self.blanks();
        if self.take(b'Z').is_some() {
            return Some((Some(0), true));
        }
        let sign = match self.peek()? {
            b'-' => -1,
            b'+' => 1,
            _ => return None,
        };
        self.at += 1;
        let hours = self.digits(1, 2)?;
        let minutes = if self.take(b':').is_some() { self.digits(2, 2)? } else { 0 };
        let offset = hours * 60 + minutes;
        Some((i16::try_from(offset).ok().map(|offset| sign * offset), offset < 24 * 60))
    }
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_print_as_python_prints_them() {
        for (text, printed) in [
            ("2024-02-29", "2024-02-29"),
            ("2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.100000-05:00"),
            ("2001-12-15 2:59:43.1234567Z", "2001-12-15 02:59:43.123456+00:00"),
            ("2001-1-2 \t 03:04:05 +2", "2001-01-02 03:04:05+02:00"),
        ] {
            assert!(
                matches!(look(text), Look::Timestamp(timestamp) if timestamp.to_string() == printed),
                "{text}: {:?}",
                look(text)
            );
        }
    }

    #[test]
    fn what_only_looks_like_a_date_is_told_apart_from_what_does_not() {
        for text in
            ["2023-02-29", "0000-01-01", "2024-13-01", "2024-01-01 24:00:00", "2024-01-01 1:00:00 +24"]
        {
            assert_eq!(look(text), Look::Impossible, "{text}");
        }
        for text in ["2024-1-2", "2024-01", "2024-01-01 10", "2024-01-01x", "2024-01-01 1:00:00 Q", ""] {
            assert_eq!(look(text), Look::No, "{text}");
        }
    }
}
