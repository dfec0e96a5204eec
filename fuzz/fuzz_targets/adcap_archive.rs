//! The storm `adcap_archive`, driven by coverage.
#![no_main]

use kitbag_testkit::storm;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| storm::adcap_archive(bytes));
