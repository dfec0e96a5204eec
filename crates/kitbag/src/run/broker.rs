//! [`Broker`]: what a host does for tools that ask for it (Splice 1, "Capabilities"). Without one, nothing is available, and
//! a tool is told so.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use kitbag_core::formats::splice::wire::CAPABILITY_BYTES;
use serde_json::{Value as Plain, json};

/// Whoever answers calls of capabilities. It is asked only for what a package declares, within the budgets of the format, and
/// from a thread of each call's own, of which there are four at most.
pub trait Broker: Send + Sync + fmt::Debug {
    /// The answer: JSON of the shape that the format has for it. It is passed on as it is.
    ///
    /// # Errors
    /// When there is none, and why: the tool is told so, without what looks like a secret in it.
    fn call(&self, call: &CapabilityCall) -> Result<Plain, String>;
}

/// One call of a capability.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapabilityCall {
    /// The package: `@namespace/name`.
    pub package: String,
    /// The tool.
    pub tool: String,
    /// The capability.
    pub capability: String,
    /// What it is given.
    pub arguments: Plain,
}

/// What `broker` answers, as the tool is told; `redacted` takes out of an error what must not be told.
pub(super) fn answer(broker: &dyn Broker, call: &CapabilityCall, redacted: impl Fn(&str) -> String) -> Plain {
    let error = |code: &str, message: String| json!({"status": "ERROR", "code": code, "capability": call.capability, "message": message, "timestamp": now()});
    match catch_unwind(AssertUnwindSafe(|| broker.call(call))) {
        Ok(Ok(result)) => {
            let length = result.to_string().len();
            if length <= CAPABILITY_BYTES {
                return result;
            }
            error("RESULT_TOO_LARGE", format!("the result has {length} bytes (at most {CAPABILITY_BYTES})"))
        }
        Ok(Err(because)) => error("BROKER_ERROR", redacted(&because)),
        Err(_panic) => error("BROKER_ERROR", "the host failed to answer".to_owned()),
    }
}

/// What a tool is told where nobody answers.
pub(super) fn unavailable(capability: &str) -> Plain {
    json!({
        "status": "UNAVAILABLE",
        "code": "CAPABILITY_UNAVAILABLE",
        "capability": capability,
        "reason": "this host has nobody who answers calls of capabilities",
        "timestamp": now(),
    })
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    instant(since.as_secs(), since.subsec_millis())
}

/// A moment, in seconds since 1970, as ECMAScript writes it: `2026-01-31T09:05:00.000Z`.
fn instant(seconds: u64, milliseconds: u32) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    // Whole cycles of the calendar first, so that the years left are few.
    let (mut year, mut day) = (1970 + 400 * (days / 146_097), days % 146_097);
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in months {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_ecmascript_writes_them() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_868_799, "2000-02-29T23:59:59.007Z"),
            (1_798_761_599, "2026-12-31T23:59:59.007Z"),
            (1_709_164_800, "2024-02-29T00:00:00.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
            (16_725_225_600, "2500-01-01T00:00:00.007Z"),
        ] {
            assert_eq!(instant(seconds, 7), text);
        }
    }

    #[derive(Debug)]
    struct Fixed(Result<Plain, String>);

    impl Broker for Fixed {
        fn call(&self, call: &CapabilityCall) -> Result<Plain, String> {
            assert_ne!(call.arguments, json!("panic"), "test only");
            self.0.clone()
        }
    }

    fn answered(result: Result<Plain, String>, arguments: Plain) -> Plain {
        let call = CapabilityCall {
            package: "@a/b".to_owned(),
            tool: "t".to_owned(),
            capability: "web.search".to_owned(),
            arguments,
        };
        answer(&Fixed(result), &call, |text| text.replace("s3cr3t", "***"))
    }

    #[test]
    fn an_answer_is_passed_on_as_it_is_and_anything_else_is_an_error_of_the_host() {
        let live = json!({"status": "LIVE", "data": [1]});
        assert_eq!(answered(Ok(live.clone()), json!({})), live);
        let code = |answer: &Plain| (answer["status"].clone(), answer["code"].clone());
        let large = answered(Ok("x".repeat(CAPABILITY_BYTES).into()), json!({}));
        assert_eq!(code(&large), (json!("ERROR"), json!("RESULT_TOO_LARGE")));
        let failed = answered(Err("no s3cr3t".to_owned()), json!({}));
        assert_eq!(
            (code(&failed), &failed["message"]),
            ((json!("ERROR"), json!("BROKER_ERROR")), &json!("no ***"))
        );
        assert_eq!(code(&answered(Ok(live), json!("panic"))), (json!("ERROR"), json!("BROKER_ERROR")));
        assert_eq!(code(&unavailable("web.search")), (json!("UNAVAILABLE"), json!("CAPABILITY_UNAVAILABLE")));
    }
}
