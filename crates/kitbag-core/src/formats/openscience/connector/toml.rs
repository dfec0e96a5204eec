//! A table of TOML 1.0, as far as a configuration needs one: texts, lists of texts and a map of texts. It is only written.

use std::fmt::Write as _;

/// A table under construction.
#[derive(Debug)]
pub(super) struct Table(String);

impl Table {
    /// The table at `path`.
    pub(super) fn new<'p>(path: impl IntoIterator<Item = &'p str>) -> Self {
        let keys: Vec<String> = path.into_iter().map(key).collect();
        Self(format!("[{}]\n", keys.join(".")))
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.line(name, &string(value));
    }

    pub(super) fn list(&mut self, name: &str, values: &[String]) {
        let values: Vec<String> = values.iter().map(|value| string(value)).collect();
        self.line(name, &format!("[{}]", values.join(", ")));
    }

    pub(super) fn map(&mut self, name: &str, values: &[(String, String)]) {
        let values: Vec<String> =
            values.iter().map(|(name, value)| format!("{} = {}", key(name), string(value))).collect();
        self.line(name, &format!("{{ {} }}", values.join(", ")));
    }

    fn line(&mut self, name: &str, value: &str) {
        let _infallible = writeln!(self.0, "{} = {value}", key(name));
    }

    /// The text of the table.
    pub(super) fn document(self) -> String {
        self.0
    }
}

/// A key: bare where it may be, otherwise quoted.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { string(name) }
}

/// A basic string.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => {
                let _infallible = write!(out, "\\u{:04X}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_quoted_so_that_it_reads_back_as_it_is() {
        let mut table = Table::new(["mcp_servers", "a b"]);
        table.text("command", "C:\\x \"y\"\n\u{7f}é");
        table.list("args", &["-y".to_owned(), String::new()]);
        table.map("env_http_headers", &[("X-A".to_owned(), "V".to_owned())]);
        assert_eq!(
            table.document(),
            "[mcp_servers.\"a b\"]\ncommand = \"C:\\\\x \\\"y\\\"\\n\\u007Fé\"\nargs = [\"-y\", \"\"]\n\
             env_http_headers = { X-A = \"V\" }\n"
        );
    }
}
