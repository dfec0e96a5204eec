//! The storm `adcap_manifest`, driven by coverage.
#![no_main]

use kitbag_testkit::storm;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| storm::adcap_manifest(bytes));
