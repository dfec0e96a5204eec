//! JSON-RPC 2.0 messages as MCP uses them: one object per line, no batches.

use serde_json::{Value as Plain, json};

use crate::json::{Json, Object, Value};

/// Newest revision with a handshake.
pub(super) const HANDSHAKE: &str = "2025-11-25";
/// Revisions with a handshake whose tools are called in the same way.
pub(super) const HANDSHAKES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", HANDSHAKE];
/// The revision without one, in which every request says who makes it.
pub(super) const STATELESS: &str = "2026-07-28";

/// A message of the other side.
#[derive(Debug)]
pub(super) enum Message<'m> {
    /// An answer to one of our requests.
    Response { id: Option<i64>, outcome: Result<&'m Json, Refused> },
    /// A request, which must be answered.
    Request { id: &'m Json, method: &'m str },
    /// Something that needs no answer.
    Notification,
}

/// An error that the other side answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) code: i64,
    pub(super) message: String,
}

impl<'m> Message<'m> {
    /// The message in `json`; `None` when it is none.
    pub(super) fn of(json: &'m Json) -> Option<Self> {
        let Value::Object(object) = &json.value else { return None };
        if object.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return None;
        }
        if let Some(method) = object.get("method") {
            let method = method.as_str()?;
            return Some(match object.get("id") {
                Some(id) => Self::Request { id, method },
                None => Self::Notification,
            });
        }
        let id = object.get("id")?;
        let outcome = match (object.get("result"), object.get("error")) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(refused(error)?),
            _ => return None,
        };
        Some(Self::Response { id: whole(id), outcome })
    }
}

fn refused(error: &Json) -> Option<Refused> {
    let Value::Object(error) = &error.value else { return None };
    let error: &Object = error;
    let message = error.get("message").and_then(Json::as_str).unwrap_or_default();
    Some(Refused { code: whole(error.get("code")?)?, message: message.to_owned() })
}

/// A whole number, however it is written.
fn whole(json: &Json) -> Option<i64> {
    Plain::from(json).as_i64()
}

/// A request, as a line.
pub(super) fn request(id: i64, method: &str, params: &Plain) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

/// A notification, as a line.
pub(super) fn notification(method: &str) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "method": method}))
}

/// The answer to a request of the other side.
pub(super) fn answer(id: &Json, outcome: Result<Plain, (i64, &str)>) -> Vec<u8> {
    let id = Plain::from(id);
    line(&match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, message)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    })
}

fn line(message: &Plain) -> Vec<u8> {
    // A line end inside a text is escaped, so the only one ends the line.
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}
