//! A sign of life on standard error for work that takes longer than a second, when a person watches.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::terminal::Terminal;

/// Work shorter than this needs no sign of life.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two signs.
const BEAT: Duration = Duration::from_millis(250);

/// Says that work goes on until it is dropped.
#[derive(Debug)]
pub struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Starts the clock for `what` (`checking`). Does nothing when nobody watches standard error.
    pub fn start(what: &'static str, terminal: &Terminal) -> Self {
        if !terminal.is_watched() {
            return Self(None);
        }
        let (stop, stopped) = mpsc::channel();
        let terminal = terminal.clone();
        let beat = move || {
            let begun = Instant::now();
            let mut wait = PATIENCE;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = BEAT;
                let seconds = begun.elapsed().as_secs();
                // Where nothing can be written, nobody watches any more.
                if terminal.talk(|out| write!(out, "\r{what} … {seconds} s")).is_err() {
                    return;
                }
            }
            if wait == BEAT {
                let _unsaid = terminal.talk(|out| write!(out, "\r{:width$}\r", "", width = what.len() + 12));
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
