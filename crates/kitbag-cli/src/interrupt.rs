//! Ctrl-C and its kin, for verbs that write: the first asks the verb to take away what it has begun, the second ends the
//! program as ever.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kitbag::interrupt::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::{Failure, Kind};

/// A wish to stop that signals make known from now on.
pub fn on_signals() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::new();
    let register = |signal| {
        let asked: &Arc<AtomicBool> = interrupt.flag();
        // In this order: the second signal must find what the first has set.
        flag::register_conditional_default(signal, Arc::clone(asked))?;
        flag::register(signal, Arc::clone(asked))
    };
    for signal in [SIGINT, SIGTERM] {
        register(signal)
            .map_err(|error| Failure::new(Kind::Output, format!("cannot listen for signals: {error}")))?;
    }
    Ok(interrupt)
}
