//! The storm `dns`, driven by coverage.
#![no_main]

use kitbag_testkit::storm;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| storm::dns(bytes));
