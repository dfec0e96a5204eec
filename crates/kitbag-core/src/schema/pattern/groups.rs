//! Everything that begins with a parenthesis.

use super::{At, Blanks, MAX_DEPTH, Read, Reader, Refused, Width};

impl<'t> Reader<'t> {
    /// What follows an opening parenthesis; `None` for what is no item: a comment, or flags for the whole.
    pub(super) fn group(&mut self, blanks: Blanks, at: At) -> Read<Option<Width>> {
        if !self.take('?') {
            return self.capture(blanks, None).map(Some);
        }
        match self.next().ok_or(Refused::Syntax)? {
            'P' if self.take('<') => {
                let name = self.until('>')?;
                self.capture(blanks, Some(name)).map(Some)
            }
            'P' if self.take('=') => {
                let name = self.until(')')?;
                let group = *self.names.get(name).ok_or(Refused::Syntax)?;
                self.reference(group).map(Some)
            }
            ':' | '>' => self.inner(blanks).map(Some),
            '#' => self.until(')').map(|_| None),
            '=' | '!' => self.inner(blanks).map(|_| Some(Width::NONE)),
            '<' => {
                let Some('=' | '!') = self.next() else { return Err(Refused::Syntax) };
                let outermost = self.behind.is_none();
                if outermost {
                    self.behind = Some(self.groups.len());
                }
                let Width(least, most) = self.inner(blanks)?;
                if outermost {
                    self.behind = None;
                }
                if least == most { Ok(Some(Width::NONE)) } else { Err(Refused::Syntax) }
            }
            '(' => self.condition(blanks).map(Some),
            c => self.flags(c, blanks, at),
        }
    }

    /// The inside of a group, with its end.
    fn inner(&mut self, blanks: Blanks) -> Read<Width> {
        let width = self.alternatives(blanks, At::Later)?;
        self.need(')')?;
        Ok(width)
    }

    fn capture(&mut self, blanks: Blanks, name: Option<&'t str>) -> Read<Width> {
        let number = self.groups.len();
        if let Some(name) = name
            && (!is_identifier(name) || self.names.insert(name, number).is_some())
        {
            return Err(Refused::Syntax);
        }
        self.groups.push(None);
        let width = self.inner(blanks)?;
        self.groups[number] = Some(width);
        Ok(width)
    }

    /// `(?(1)yes|no)`.
    fn condition(&mut self, blanks: Blanks) -> Read<Width> {
        let named = self.until(')')?;
        let group = if is_identifier(named) {
            *self.names.get(named).ok_or(Refused::Syntax)?
        } else {
            let is_number = named.bytes().all(|byte| byte.is_ascii_digit());
            let number = named.parse::<usize>().ok().filter(|number| is_number && *number > 0);
            number.ok_or(Refused::Syntax)?
        };
        self.conditions.insert(group);
        if self.behind.is_some() {
            self.reference(group)?;
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refused::Syntax);
        }
        let yes = self.sequence(blanks, At::Later)?;
        let no = if self.take('|') { self.sequence(blanks, At::Later)? } else { Width::NONE };
        self.depth -= 1;
        self.need(')')?;
        Ok(yes.or(no))
    }

    /// Flags that begin with `c`: for a group, or, at the start, for the whole.
    fn flags(&mut self, c: char, blanks: Blanks, at: At) -> Read<Option<Width>> {
        let (mut on, mut off) = (String::new(), String::new());
        let mut c = c;
        while c != '-' && c != ':' && c != ')' {
            if !matches!(c, 'i' | 'm' | 's' | 'x' | 'a' | 'u') {
                return Err(Refused::Syntax);
            }
            on.push(c);
            c = self.next().ok_or(Refused::Syntax)?;
        }
        if on.contains('a') && on.contains('u') {
            return Err(Refused::Syntax);
        }
        if c == ')' {
            // The reader never comes here without a flag: `(?)` begins with `)`.
            if on.is_empty() || at == At::Later {
                return Err(Refused::Syntax);
            }
            if on.contains('x') && self.blanks == Blanks::Literal {
                return Err(Refused::Verbose);
            }
            return Ok(None);
        }
        if c == '-' {
            c = self.next().ok_or(Refused::Syntax)?;
            while c != ':' {
                if !matches!(c, 'i' | 'm' | 's' | 'x') || on.contains(c) {
                    return Err(Refused::Syntax);
                }
                off.push(c);
                c = self.next().ok_or(Refused::Syntax)?;
            }
            if off.is_empty() {
                return Err(Refused::Syntax);
            }
        }
        let blanks = match (on.contains('x'), off.contains('x')) {
            (true, _) => Blanks::Layout,
            (_, true) => Blanks::Literal,
            _ => blanks,
        };
        self.inner(blanks).map(Some)
    }
}

/// Whether a text can name a group: a letter or underscore, then letters, digits and underscores of any script.
fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}
