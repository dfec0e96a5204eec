//! The storm `mount_plan`, driven by coverage.
#![no_main]

use kitbag_testkit::storm;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| storm::mount_plan(bytes));
