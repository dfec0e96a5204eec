//! Questions to a name server (RFC 1035), as far as they are answered: one question, no compression, no classes but the
//! internet's. Whatever else is asked is answered with an error, or not at all.

use std::net::Ipv4Addr;

/// The longest message that is read: more than any question with its options has.
pub const MESSAGE_AT_MOST: usize = 1500;
/// The length of a message's head.
const HEAD: usize = 12;
/// The longest name as it is sent (RFC 1035 §3.1).
const NAME_AT_MOST: usize = 255;
/// How long an answer may be kept, in seconds: as long as the run, but nobody can know how long that is.
const KEEP: u32 = 60;

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<'m> {
    head: [u8; HEAD],
    /// The question as it was sent, to be repeated.
    asked: &'m [u8],
    /// The labels of the name, as they were sent: any bytes.
    labels: Vec<&'m [u8]>,
    /// What is asked of it: 1 for IPv4 addresses, 28 for IPv6 ones, 12 for the name of an address, …
    pub kind: u16,
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The name is there and has this address, if that is what was asked for; nothing else is known of it.
    Address(Ipv4Addr),
    /// There is no such name.
    NoName,
    /// The server cannot answer now.
    Failure,
}

/// The question for the IPv4 addresses of a name.
pub const ADDRESS: u16 = 1;
/// The question for the name of an address.
pub const POINTER: u16 = 12;

/// Why a message is no question that can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is not even a message, or it is an answer: nothing is said to it.
    Ignored,
    /// It is malformed, or asks something that is not known: this is said to it.
    Refused([u8; HEAD]),
}

impl<'m> Question<'m> {
    /// Reads `message`.
    ///
    /// # Errors
    /// [`Unread`], with what is to be said.
    pub fn read(message: &'m [u8]) -> Result<Self, Unread> {
        const ANSWER: u8 = 0x80;
        const OPERATION: u8 = 0x78;
        let (head, body) = message.split_first_chunk::<HEAD>().ok_or(Unread::Ignored)?;
        let [_, _, flags, ..] = *head;
        if flags & ANSWER != 0 || message.len() > MESSAGE_AT_MOST {
            return Err(Unread::Ignored);
        }
        let refuse = |code: u8| Unread::Refused(said(*head, code, [0; 3]));
        if flags & OPERATION != 0 {
            return Err(refuse(NOT_IMPLEMENTED));
        }
        let malformed = || refuse(MALFORMED);
        // One question, no answers, no authorities; options are at the end, and none changes what is answered.
        let [_, _, _, _, questions @ .., _, _] = *head;
        if questions != [0, 1, 0, 0, 0, 0] {
            return Err(malformed());
        }
        let (labels, length) = name(body).ok_or_else(malformed)?;
        let asked = body.get(..length + 4).ok_or_else(malformed)?;
        let Some((_, &[kind_high, kind_low, class_high, class_low])) = asked.split_last_chunk::<4>() else {
            return Err(malformed());
        };
        if [class_high, class_low] != [0, 1] {
            return Err(refuse(NOT_IMPLEMENTED));
        }
        Ok(Self { head: *head, asked, labels, kind: u16::from_be_bytes([kind_high, kind_low]) })
    }

    /// The name, in ASCII; `None` when a label holds something that no host name has, and above all a dot.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let labels: Option<Vec<&str>> = self
            .labels
            .iter()
            .map(|label| std::str::from_utf8(label).ok().filter(|_| label.iter().all(plain)))
            .collect();
        labels.map(|labels| labels.join("."))
    }

    /// The name, whatever it is, for a person.
    #[must_use]
    pub fn shown(&self) -> String {
        let labels: Vec<_> = self.labels.iter().map(|label| label.escape_ascii().to_string()).collect();
        labels.join(".")
    }

    /// The message that answers with `answer`.
    #[must_use]
    pub fn answered(&self, answer: Answer) -> Vec<u8> {
        /// The name of the question, by its place.
        const SAME_NAME: [u8; 2] = [0xc0, 12];
        let (code, address) = match answer {
            Answer::Address(address) => (0, (self.kind == ADDRESS).then_some(address)),
            Answer::NoName => (NO_NAME, None),
            Answer::Failure => (FAILURE, None),
        };
        let mut message = said(self.head, code, [1, u8::from(address.is_some()), 0]).to_vec();
        message.extend_from_slice(self.asked);
        if let Some(address) = address {
            message.extend_from_slice(&SAME_NAME);
            message.extend_from_slice(&[0, 1, 0, 1]);
            message.extend_from_slice(&KEEP.to_be_bytes());
            message.extend_from_slice(&[0, 4]);
            message.extend_from_slice(&address.octets());
        }
        message
    }
}

const MALFORMED: u8 = 1;
const FAILURE: u8 = 2;
const NO_NAME: u8 = 3;
const NOT_IMPLEMENTED: u8 = 4;

/// The head of an answer: to `head`, with this code and so many questions, answers and authorities.
fn said(head: [u8; HEAD], code: u8, counts: [u8; 3]) -> [u8; HEAD] {
    const ANSWER_FROM_ITS_OWNER: u8 = 0x84;
    const RECURSION_WANTED: u8 = 0x01;
    const RECURSION_HAD: u8 = 0x80;
    let [id_high, id_low, flags, ..] = head;
    let [questions, answers, authorities] = counts;
    let first = ANSWER_FROM_ITS_OWNER | (flags & RECURSION_WANTED);
    [id_high, id_low, first, RECURSION_HAD | code, 0, questions, 0, answers, 0, authorities, 0, 0]
}

/// The labels of the name that `bytes` begin with, and its length with the empty label at its end. A pointer is no label.
fn name(bytes: &[u8]) -> Option<(Vec<&[u8]>, usize)> {
    const LABEL_AT_MOST: u8 = 63;
    let (mut labels, mut at) = (Vec::new(), 0_usize);
    loop {
        let length = *bytes.get(at)?;
        at += 1;
        if length == 0 {
            return (at <= NAME_AT_MOST).then_some((labels, at));
        }
        let end = at + usize::from(length);
        if length > LABEL_AT_MOST || end >= NAME_AT_MOST {
            return None;
        }
        labels.push(bytes.get(at..end)?);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::{Answer, MESSAGE_AT_MOST, Question, Unread};

    fn message(name: &[&[u8]], kind: u16, class: u16) -> Vec<u8> {
        let mut message = vec![0xab, 0xcd, 1, 0x20, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name {
            message.push(u8::try_from(label.len()).unwrap());
            message.extend_from_slice(label);
        }
        message.push(0);
        message.extend_from_slice(&kind.to_be_bytes());
        message.extend_from_slice(&class.to_be_bytes());
        message
    }

    fn code(unread: Result<Question<'_>, Unread>) -> Option<u8> {
        match unread {
            Err(Unread::Refused(head)) => Some(head[3] & 0xf),
            Err(Unread::Ignored) => None,
            Ok(question) => panic!("{question:?}"),
        }
    }

    #[test]
    fn a_question_is_answered_with_its_own_words() {
        let asked = message(&[b"Good", b"test"], 1, 1);
        let question = Question::read(&asked).unwrap();
        assert_eq!(question.name().as_deref(), Some("Good.test"));
        let answered = question.answered(Answer::Address(Ipv4Addr::new(198, 18, 0, 1)));
        assert_eq!(answered[..12], [0xab, 0xcd, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(answered[12..asked.len()], asked[12..]);
        assert_eq!(answered[asked.len()..asked.len() + 6], [0xc0, 12, 0, 1, 0, 1]);
        assert_eq!(answered[answered.len() - 6..], [0, 4, 198, 18, 0, 1]);
        let none = question.answered(Answer::NoName);
        assert_eq!((none[3] & 0xf, none[7], none.len()), (3, 0, asked.len()));
        assert_eq!(question.answered(Answer::Failure)[3] & 0xf, 2);
    }

    #[test]
    fn a_name_that_is_there_has_no_answer_to_other_questions() {
        for kind in [28, 65, 16, 255] {
            let asked = message(&[b"good", b"test"], kind, 1);
            let question = Question::read(&asked).unwrap();
            let answered = question.answered(Answer::Address(Ipv4Addr::LOCALHOST));
            assert_eq!((answered[3] & 0xf, answered[7], answered.len()), (0, 0, asked.len()), "{kind}");
        }
    }

    #[test]
    fn options_after_the_question_change_nothing() {
        let mut asked = message(&[b"good", b"test"], 1, 1);
        let plain = Question::read(&asked).unwrap().answered(Answer::NoName);
        asked[11] = 1;
        asked.extend_from_slice(&[0, 0, 41, 4, 0xd0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Question::read(&asked).unwrap().answered(Answer::NoName), plain);
    }

    #[test]
    fn a_dot_inside_a_label_makes_no_two_labels_of_it() {
        for label in [&b"good.test"[..], b"a\0b", b"a b", b"a@b", "\u{fc}".as_bytes(), b"*"] {
            let asked = message(&[label, b"evil"], 1, 1);
            let question = Question::read(&asked).unwrap();
            assert_eq!(question.name(), None);
            assert!(question.shown().is_ascii());
        }
    }

    #[test]
    fn what_is_no_question_is_refused_or_ignored() {
        let good = message(&[b"good", b"test"], 1, 1);
        for end in 0..12 {
            assert_eq!(code(Question::read(&good[..end])), None);
        }
        for end in 12..good.len() {
            assert_eq!(code(Question::read(&good[..end])), Some(1), "{end}");
        }
        let with = |at: usize, byte: u8| {
            let mut message = good.clone();
            message[at] = byte;
            message
        };
        assert_eq!(code(Question::read(&with(2, 0x81))), None, "an answer");
        assert_eq!(code(Question::read(&with(2, 0x28))), Some(4), "an update");
        for (at, byte) in [(5, 0), (5, 2), (7, 1), (9, 1), (12, 0xc0), (12, 64), (12, 255)] {
            assert_eq!(code(Question::read(&with(at, byte))), Some(1), "{at} {byte}");
        }
        assert_eq!(code(Question::read(&message(&[b"good"], 1, 3))), Some(4), "another class");
        let label: &[u8] = &[b'a'; 63];
        assert!(Question::read(&message(&[label, label, label, &label[..61]], 1, 1)).is_ok());
        assert_eq!(code(Question::read(&message(&[label, label, label, &label[..62]], 1, 1))), Some(1));
        let long = [&*good, &vec![0; MESSAGE_AT_MOST]].concat();
        assert_eq!(code(Question::read(&long)), None);
    }
}
