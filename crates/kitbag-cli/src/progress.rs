//! A sign of life on standard error for work that takes longer than a second, when a person watches.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use kitbag::resource::{Wanted, Watch};
use kitbag_core::limits::Bytes;

use crate::render::Plain;
use crate::terminal::Terminal;

/// Work shorter than this needs no sign of life.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two signs.
const BEAT: Duration = Duration::from_millis(250);

/// The longest sign, in characters, so that it stays one line.
const SIGN_AT_MOST: usize = 78;

/// What is fetched just now, told beside the time.
#[derive(Clone, Debug, Default)]
pub struct Fetching(Arc<Mutex<String>>);

impl Watch for Fetching {
    fn comes(&self, wanted: &Wanted, bytes: u64) {
        let size = wanted.pin.size;
        let text = if bytes < size {
            format!(", {} of {} of {}", Bytes(bytes), Bytes(size), wanted.title())
        } else {
            String::new()
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

impl Fetching {
    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Says that work goes on until it is dropped.
#[derive(Debug)]
pub struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Starts the clock for `what` (`checking`). Does nothing when nobody watches standard error.
    pub fn start(what: &'static str, terminal: &Terminal) -> Self {
        Self::fetching(what, Fetching::default(), terminal)
    }

    /// The same, which also tells what is fetched.
    pub fn fetching(what: &'static str, fetching: Fetching, terminal: &Terminal) -> Self {
        if !terminal.is_watched() {
            return Self(None);
        }
        let (stop, stopped) = mpsc::channel();
        let terminal = terminal.clone();
        let beat = move || {
            let begun = Instant::now();
            let (mut wait, mut longest) = (PATIENCE, 0);
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = BEAT;
                let seconds = begun.elapsed().as_secs();
                let sign = format!("{what} … {seconds} s{}", Plain(&fetching.text()));
                let sign: String = sign.chars().take(SIGN_AT_MOST).collect();
                longest = longest.max(sign.chars().count());
                // Where nothing can be written, nobody watches any more.
                if terminal.talk(|out| write!(out, "\r{sign:longest$}")).is_err() {
                    return;
                }
            }
            if wait == BEAT {
                let _unsaid = terminal.talk(|out| write!(out, "\r{:longest$}\r", ""));
            }
        };
        Self(Some((stop, thread::spawn(beat))))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // A thread that panicked has only failed to say that work goes on.
            let _joined = thread.join();
        }
    }
}
