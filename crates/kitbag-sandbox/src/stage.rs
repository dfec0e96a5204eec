//! [`inner_stage()`]: how a program lends itself to the sandbox as its inner part.

use std::ffi::OsString;

/// The word by which a program knows that it was started as the inner part.
pub(crate) const STAGE: &str = "kitbag-sandbox-stage";

/// The word by which it knows that it was started to attempt what a sandbox must refuse.
pub(crate) const CANARY: &str = "kitbag-sandbox-canary";

/// Lends the calling program to the sandbox: when it was started as the inner part of one, this does that part and never
/// comes back. Otherwise it does nothing.
///
/// A program that names itself in [`Settings::stage`](crate::Settings::stage) calls this first of all in its `main`, before
/// it reads its arguments or starts a thread.
pub fn inner_stage() {
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(word) if word == STAGE => {
            let letter = words.next().and_then(|number| number.to_str()?.parse().ok());
            enter(letter.unwrap_or(-1));
        }
        Some(word) if word == CANARY => sing(words.collect()),
        _ => {}
    }
}

#[cfg(sandbox)]
fn enter(letter: i32) {
    crate::inside::enter_stage(letter);
}

#[cfg(not(sandbox))]
fn enter(_letter: i32) {}

#[cfg(sandbox)]
#[expect(clippy::needless_pass_by_value, reason = "the arguments end here")]
fn sing(words: Vec<OsString>) {
    let code = crate::doctor::canary::sing(&words);
    std::process::exit(code);
}

#[cfg(not(sandbox))]
fn sing(_words: Vec<OsString>) {}
