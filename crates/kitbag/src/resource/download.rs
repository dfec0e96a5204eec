//! Fetching: mirrors in order, each asked for what is missing, until what is here is what is pinned.

use std::io::{self, Read as _};

use kitbag_core::transfer::{Answer, Question, Reaction};
use kitbag_registry::fetch::{Fetch, FetchError, Request, Response, Resume, SecretHeader, is_too_long};
use url::Url;

use super::partial::Partial;
use super::{Authorisation, Error, Failure, Patience, Purpose, Supply, Wanted};

/// How often a mirror is asked to go on after its answer broke off.
const CONTINUED_AT_MOST: u32 = 4;
/// Bytes that are taken at once.
const CHUNK_BYTES: usize = 64 << 10;
/// Any kind of content.
const ANYTHING: &str = "*/*";

/// Why asking one mirror came to nothing.
enum Trouble {
    /// It is of no use; another one may be.
    Mirror(String),
    /// Its answer broke off, and what came is kept.
    BrokeOff(String),
    /// No mirror helps.
    All(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::All(error)
    }
}

/// Fills `partial` until it is right.
pub(super) fn fill(
    partial: &mut Partial,
    wanted: &Wanted,
    supply: &Supply,
    patience: &Patience<'_>,
) -> Result<(), Error> {
    let Some(fetch) = supply.fetch.as_deref() else {
        return Err(Error::Offline { what: wanted.title() });
    };
    if partial.is_full() {
        // Somebody was ended before they gave it its name, or what is here is something else.
        if partial.is_right() {
            return Ok(());
        }
        partial.restart(None)?;
    }
    has_room(partial, wanted)?;
    let mut download = Download { partial, wanted, supply, fetch, patience };
    let mut failures = Vec::new();
    for source in &wanted.sources {
        match download.mirror(source) {
            Ok(()) => return Ok(()),
            Err(Trouble::All(error)) => return Err(error),
            Err(Trouble::Mirror(because) | Trouble::BrokeOff(because)) => {
                failures.push(Failure { host: host_of(source), because });
            }
        }
    }
    Err(Error::Nowhere { what: wanted.title(), failures })
}

fn host_of(source: &str) -> String {
    let url = Url::parse(source).ok();
    url.as_ref().and_then(Url::host_str).unwrap_or("an address that is none").to_owned()
}

/// One content being fetched.
struct Download<'d> {
    partial: &'d mut Partial,
    wanted: &'d Wanted,
    supply: &'d Supply,
    fetch: &'d (dyn Fetch + Send + Sync),
    patience: &'d Patience<'d>,
}

impl Download<'_> {
    /// Asks one mirror until what is here is right.
    fn mirror(&mut self, source: &str) -> Result<(), Trouble> {
        let mut continued = 0;
        loop {
            let began_with = self.partial.bytes();
            match self.attempt(source) {
                Ok(()) if self.partial.is_right() => return Ok(()),
                Ok(()) => {
                    self.partial.restart(None)?;
                    // What was here may have been somebody else's; then this mirror has not been heard yet.
                    if began_with == 0 {
                        let because = "its bytes are not those that are pinned".to_owned();
                        return Err(Trouble::Mirror(because));
                    }
                }
                Err(Trouble::BrokeOff(because)) => {
                    continued += 1;
                    if self.partial.bytes() <= began_with || continued > CONTINUED_AT_MOST {
                        return Err(Trouble::BrokeOff(because));
                    }
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Asks one mirror once, wherever it leads.
    fn attempt(&mut self, source: &str) -> Result<(), Trouble> {
        let mirror = |error: &dyn std::fmt::Display| Trouble::Mirror(error.to_string());
        let (url, secrets) = self.authorised(source)?;
        let mut question = Question::new(url).map_err(|refusal| mirror(&refusal))?;
        if let Some(held) = self.partial.held(source) {
            question = question.holding(held);
        }
        loop {
            self.patience.check()?;
            let response = self.ask(&question, &secrets).map_err(|error| match error {
                FetchError::Failed { because, .. } => Trouble::Mirror(because),
                error => mirror(&error),
            })?;
            let answer = answer_of(&response);
            let reaction =
                question.react(self.wanted.pin.size, &answer).map_err(|refusal| mirror(&refusal))?;
            match reaction {
                Reaction::Ask(next) => question = next,
                Reaction::Whole(tag) => {
                    self.partial.restart(tag.map(|tag| (source, tag)))?;
                    return self.take(response);
                }
                Reaction::Rest => return self.take(response),
            }
        }
    }

    /// The address to ask for `source`, with what has to be told there.
    fn authorised(&self, source: &str) -> Result<(Url, Vec<SecretHeader>), Trouble> {
        let url = Url::parse(source)
            .map_err(|error| Trouble::Mirror(format!("the address cannot be read: {error}")))?;
        let Some(entitlement) = &self.wanted.entitlement else { return Ok((url, Vec::new())) };
        let (capability, resource) = (&self.wanted.capability, &self.wanted.resource);
        let purpose = Purpose { capability, resource, entitlement, url: &url };
        match self.supply.authorise.authorise(&purpose) {
            Ok(Authorisation::Headers(headers)) => Ok((url, headers)),
            Ok(Authorisation::Address(url)) => Ok((url, Vec::new())),
            Err(unauthorised) => {
                let what = self.wanted.title();
                Err(Trouble::All(Error::Unauthorised { what, because: unauthorised.0 }))
            }
        }
    }

    fn ask(&self, question: &Question, secrets: &[SecretHeader]) -> Result<Response, FetchError> {
        let resume = question.held.as_ref().map(|held| Resume { from: held.bytes, tag: held.tag.as_deref() });
        self.fetch.get(&Request {
            url: &question.url,
            accept: ANYTHING,
            token: None,
            secrets: if question.may_tell_secrets() { secrets } else { &[] },
            resume,
            // Whoever is asked for a part may still send all of it; how much of that is taken, `take` decides.
            most: self.wanted.pin.size,
        })
    }

    /// Takes the bytes of an answer, up to the last one that is pinned.
    fn take(&mut self, mut response: Response) -> Result<(), Trouble> {
        let more = "it has more bytes than are pinned";
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            self.patience.check()?;
            let count = match response.body.read(&mut chunk) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_too_long(&error) => {
                    self.partial.restart(None)?;
                    return Err(Trouble::Mirror(more.to_owned()));
                }
                Err(error) => return Err(Trouble::BrokeOff(format!("its answer broke off: {error}"))),
            };
            let left = self.wanted.pin.size - self.partial.bytes();
            if count == 0 {
                if left == 0 {
                    return Ok(());
                }
                let has = self.partial.bytes();
                let size = self.wanted.pin.size;
                return Err(Trouble::BrokeOff(format!("its answer ends after {has} of {size} bytes")));
            }
            if count as u64 > left {
                // One byte too many is another content, however it began.
                self.partial.restart(None)?;
                return Err(Trouble::Mirror(more.to_owned()));
            }
            self.partial.push(&chunk[..count])?;
            self.supply.watch.comes(self.wanted, self.partial.bytes());
        }
    }
}

fn answer_of(response: &Response) -> Answer<'_> {
    Answer {
        status: response.head.status,
        length: response.head.length,
        location: response.head.location.as_deref(),
        tag: response.part.tag.as_deref(),
        range: response.part.range.as_deref(),
        encoding: response.part.encoding.as_deref(),
    }
}

/// Whether what is missing has room where the cache is, as far as the system says.
#[cfg(unix)]
fn has_room(partial: &Partial, wanted: &Wanted) -> Result<(), Error> {
    let needed = wanted.pin.size - partial.bytes();
    let Some(free) = partial.free() else { return Ok(()) };
    if needed <= free { Ok(()) } else { Err(Error::Full { what: wanted.title(), needed, free }) }
}

#[cfg(not(unix))]
fn has_room(_partial: &Partial, _wanted: &Wanted) -> Result<(), Error> {
    Ok(())
}
