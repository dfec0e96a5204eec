//! The storm `http_head`, driven by coverage.
#![no_main]

use kitbag_testkit::storm;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| storm::http_head(bytes));
