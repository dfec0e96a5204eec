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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{report, written};

    #[test]
    fn a_package_is_a_suite_and_a_finding_a_case() {
        let text = written(|out| check(&report(), Warnings::Ignore, out));
        insta::assert_snapshot!(text, @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="kitbag check" tests="5" skipped="0" failures="2" errors="0">
            <testsuite name="my skills/x,y" tests="3" skipped="0" errors="0" failures="1">
                <testcase name="package/size at my skills/x,y" classname="my skills/x,y">
                    <system-out>info: my skills/x,y: 100% of {budget}, [really]: 5,000 files
        Some programs give up on large packages.
        Leave out\n::error::what nobody needs.</system-out>
                </testcase>
                <testcase name="agent-skill/name-form at my skills/x,y/SKILL.md:2:7" classname="my skills/x,y">
                    <failure message="the name `\u{1b}[2JEvil\u{202e}` has a capital letter" type="agent-skill/name-form">my skills/x,y/SKILL.md:2:7: the name `\u{1b}[2JEvil\u{202e}` has a capital letter
        Programs that follow the text refuse the skill.
        Use lower-case letters, digits and single hyphens.</failure>
                </testcase>
                <testcase name="agent-skill/duplicate-field at my skills/x,y/SKILL.md:4:1" classname="my skills/x,y">
                    <system-out>warning: my skills/x,y/SKILL.md:4:1: `description` is there twice
        Programs disagree on which of the two counts.
        Remove one of them.</system-out>
                </testcase>
            </testsuite>
            <testsuite name="down.zip:a/b" tests="1" skipped="0" errors="0" failures="1">
                <testcase name="agent-skill/name-form at down.zip:a/b/SKILL.md:2:7" classname="down.zip:a/b">
                    <failure message="the name is empty" type="agent-skill/name-form">down.zip:a/b/SKILL.md:2:7: the name is empty
        Programs that follow the text refuse the skill.
        Use lower-case letters, digits and single hyphens.</failure>
                </testcase>
            </testsuite>
            <testsuite name="fine" tests="1" skipped="0" errors="0" failures="0">
                <testcase name="sound" classname="fine"/>
            </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn a_warning_is_a_failure_only_where_warnings_count() {
        let failures = |warnings| written(|out| check(&report(), warnings, out)).matches("<failure").count();
        assert_eq!(failures(Warnings::Ignore), 2);
        assert_eq!(failures(Warnings::Count), 3);
    }
}
