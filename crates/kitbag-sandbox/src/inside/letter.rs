//! [`Letter`]: what is done once a tree is there, as bytes, for a process that is not a copy of the supervisor.
//!
//! It is written and read by one version of this program: anything that is not exactly what was written is no letter, and
//! a reader is bounded by the bytes there are.

use std::ffi::CString;

use super::landlock::{Access, Rule, Rules};
use super::orders::{AskingForAll, Doors, Limit, Reach, Streams, Within};
use super::seccomp::Filter;
use super::system::Fd;
use super::words::Words;

/// The most bytes of a letter. The kernel takes fewer as arguments and environment.
pub(crate) const LETTER_AT_MOST: usize = 16 << 20;

/// What a letter begins with: its reader must be of the version of its writer.
const BEGINNING: &str = concat!("kitbag-sandbox ", env!("CARGO_PKG_VERSION"), " letter 1\n");

/// What a process inside is told.
#[derive(Debug)]
pub(crate) struct Letter {
    /// Folders that are handed to the supervisor.
    pub(crate) handed: Vec<CString>,
    /// What is done.
    pub(crate) within: Within,
}

impl Letter {
    /// The letter as bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let within = &self.within;
        let mut out = Writer(BEGINNING.as_bytes().to_vec());
        let Streams { input, output, errors } = within.streams;
        for Fd(number) in [within.ready, within.words, within.kept, input, output, errors] {
            out.number(u64::from(number.cast_unsigned()));
        }
        out.texts(&self.handed);
        out.text(&within.folder);
        out.text(&within.program);
        out.texts(within.arguments.texts());
        out.texts(within.environment.texts());
        out.numbers(
            within
                .limits
                .iter()
                .flat_map(|limit| [u64::from(limit.resource.cast_unsigned()), limit.soft, limit.hard]),
        );
        out.number(u64::from(within.doors.is_some()));
        if let Some(doors) = &within.doors {
            out.number(match doors.reach {
                Reach::Everywhere => 0,
                Reach::Proxy => 1,
            });
            out.number(match doors.asking {
                AskingForAll::Allowed => 0,
                AskingForAll::Pointless => 1,
            });
            out.number(u64::from(doors.to.0.cast_unsigned()));
            out.numbers(doors.ports.iter().copied().map(u64::from));
            out.texts(doors.proxied.texts());
        }
        out.number(u64::from(within.followed));
        out.numbers(within.filter.words());
        let (rules, attributes, known) = match &within.rules {
            None => (&[][..], [0; 3], 0),
            Some(rules) => rules.parts(),
        };
        out.numbers(attributes);
        out.number(u64::try_from(known).unwrap_or(0));
        out.number(u64::try_from(rules.len()).unwrap_or(0));
        for Rule { at, access } in rules {
            out.text(at);
            out.number(access.bits());
        }
        out.0
    }

    /// The letter that `bytes` are, if they are one.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes.strip_prefix(BEGINNING.as_bytes())?);
        let [ready, words, kept, input, output, errors] = from.descriptors()?;
        let handed = from.texts()?;
        let folder = from.text()?;
        let program = from.text()?;
        let arguments = Words::new(from.texts()?);
        let environment = Words::new(from.texts()?);
        let limits = from.numbers()?.chunks_exact(3).map(limit).collect::<Option<Vec<_>>>()?;
        let doors = if from.claim()? { Some(from.doors()?) } else { None };
        let followed = from.claim()?;
        let filter = Filter::from_words(&from.numbers()?)?;
        let attributes = from.numbers()?.try_into().ok()?;
        let known = usize::try_from(from.number()?).ok()?;
        let count = from.number()?;
        let mut rules = Vec::new();
        for _ in 0..count {
            let at = from.text()?;
            rules.push(Rule { at, access: Access::from_bits(from.number()?) });
        }
        let rules = (known > 0).then(|| Rules::from_parts(rules, attributes, known));
        let streams = Streams { input, output, errors };
        let within = Within {
            ready,
            words,
            kept,
            streams,
            folder,
            doors,
            rules,
            filter,
            followed,
            limits,
            program,
            arguments,
            environment,
        };
        from.0.is_empty().then_some(Self { handed, within })
    }
}

fn limit(numbers: &[u64]) -> Option<Limit> {
    let [resource, soft, hard] = *numbers else { return None };
    Some(Limit { resource: i32::try_from(resource).ok()?, soft, hard })
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = u64>) {
        let numbers: Vec<u64> = numbers.into_iter().collect();
        self.number(u64::try_from(numbers.len()).unwrap_or(0));
        numbers.into_iter().for_each(|number| self.number(number));
    }

    fn text(&mut self, text: &CString) {
        self.number(u64::try_from(text.count_bytes()).unwrap_or(0));
        self.0.extend(text.as_bytes());
    }

    fn texts(&mut self, texts: &[CString]) {
        self.number(u64::try_from(texts.len()).unwrap_or(0));
        texts.iter().for_each(|text| self.text(text));
    }
}

/// Reads from what is left. A count is never believed before what it counts is there.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn numbers(&mut self) -> Option<Vec<u64>> {
        let count = self.number()?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(self.number()?);
        }
        Some(numbers)
    }

    fn claim(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn doors(&mut self) -> Option<Doors> {
        let reach = if self.claim()? { Reach::Proxy } else { Reach::Everywhere };
        let asking = if self.claim()? { AskingForAll::Pointless } else { AskingForAll::Allowed };
        let [to] = self.descriptors()?;
        let ports =
            self.numbers()?.into_iter().map(|port| u16::try_from(port).ok()).collect::<Option<_>>()?;
        Some(Doors { reach, asking, ports, to, proxied: Words::new(self.texts()?) })
    }

    fn descriptors<const N: usize>(&mut self) -> Option<[Fd; N]> {
        let mut all = [Fd(-1); N];
        for fd in &mut all {
            *fd = Fd(u32::try_from(self.number()?).ok()?.cast_signed());
        }
        Some(all)
    }

    fn text(&mut self) -> Option<CString> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        CString::new(text).ok()
    }

    fn texts(&mut self) -> Option<Vec<CString>> {
        let count = self.number()?;
        let mut texts = Vec::new();
        for _ in 0..count {
            texts.push(self.text()?);
        }
        Some(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::seccomp::{Asking, Executables, Sockets};
    use super::{
        Access, AskingForAll, Doors, Fd, Filter, Letter, Limit, Reach, Rule, Rules, Streams, Within, Words,
    };

    fn letter(version: u32) -> Letter {
        let rule = |at: &std::ffi::CStr, access| Rule { at: at.to_owned(), access };
        let rules = vec![rule(c"/", Access::LIST), rule(c"/work", Access::READ.and(Access::CHANGE))];
        let within = Within {
            ready: Fd(4),
            words: Fd(5),
            kept: Fd(-1),
            streams: Streams { input: Fd(7), output: Fd(8), errors: Fd(9) },
            folder: c"/work".to_owned(),
            doors: (version > 1).then(|| Doors {
                reach: Reach::Proxy,
                asking: AskingForAll::Pointless,
                ports: vec![80, u16::MAX],
                to: Fd(10),
                proxied: Words::new(vec![c"HTTP_PROXY=x".to_owned()]),
            }),
            rules: Rules::new(version, Sockets::Pairs, rules),
            filter: Filter::new(Executables::Listed, Asking::Tracer, Sockets::Internet),
            followed: version > 1,
            limits: vec![Limit { resource: 7, soft: 1, hard: u64::MAX }],
            program: c"/bin/\xff".to_owned(),
            arguments: Words::new(vec![c"sh".to_owned(), c"".to_owned()]),
            environment: Words::new(Vec::new()),
        };
        Letter { handed: vec![c"/tmp".to_owned()], within }
    }

    #[test]
    fn a_letter_is_read_as_it_was_written() {
        for version in [0, 1, 7] {
            let letter = letter(version);
            let bytes = letter.bytes();
            let read = Letter::read(&bytes).unwrap();
            assert_eq!(format!("{read:?}"), format!("{letter:?}"));
            assert_eq!(read.bytes(), bytes);
        }
    }

    #[test]
    fn anything_else_is_no_letter() {
        let whole = letter(7).bytes();
        for length in 0..whole.len() {
            assert!(Letter::read(&whole[..length]).is_none(), "cut at {length}");
        }
        let mut longer = whole.clone();
        longer.push(0);
        assert!(Letter::read(&longer).is_none());
        // Whatever is changed, reading ends, and neither panics nor takes memory for what is not there.
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            let _read = Letter::read(&changed);
        }
    }
}
