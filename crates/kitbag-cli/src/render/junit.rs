//! JUnit XML: a suite per package, a case per finding, and one passing case where nothing is wrong.

use std::io::{self, Write};

use kitbag::check::{Located, PackageReport, Report, Warnings};
use kitbag_core::finding::Severity;
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::plain::plain;

/// The whole report. Where warnings count, they are failures.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, warnings: Warnings, out: &mut dyn Write) -> io::Result<()> {
    let mut document = Document::new("kitbag check");
    for package in &report.packages {
        document.add_test_suite(suite(package, warnings));
    }
    document.serialize(out).map_err(io::Error::other)
}

fn suite(package: &PackageReport, warnings: Warnings) -> TestSuite {
    let name = plain(&package.location.to_string());
    let mut suite = TestSuite::new(name.as_str());
    let mut failed = false;
    for located in &package.findings {
        let fails = match located.finding.severity {
            Severity::Error => true,
            Severity::Warning => warnings == Warnings::Count,
            Severity::Info => false,
        };
        failed |= fails;
        suite.add_test_case(case(package, located, fails, &name));
    }
    if !failed {
        let mut sound = TestCase::new("sound", TestCaseStatus::success());
        sound.set_classname(name.as_str());
        suite.add_test_case(sound);
    }
    suite
}

fn case(package: &PackageReport, located: &Located, fails: bool, suite: &str) -> TestCase {
    let finding = &located.finding;
    let mut place = match &finding.place.file {
        Some(file) => plain(&package.location.file(file)),
        None => suite.to_owned(),
    };
    if let Some(start) = located.start {
        place.push_str(&format!(":{}:{}", start.line, start.column));
    }
    let message = plain(&finding.message);
    let text = format!("{place}: {message}\n{}\n{}", plain(&finding.why), plain(&finding.help));
    let mut case = if fails {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(finding.code.slug).set_message(message).set_description(text);
        TestCase::new(format!("{} at {place}", finding.code.slug), status)
    } else {
        let mut case = TestCase::new(format!("{} at {place}", finding.code.slug), TestCaseStatus::success());
        case.set_system_out(format!("{}: {text}", finding.severity));
        case
    };
    case.set_classname(suite);
    case
}
