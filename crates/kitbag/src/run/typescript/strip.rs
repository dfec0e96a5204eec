//! The inner part of taking out types: reads modules line by line, and says what each of them is without its types.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::rc::Rc;
use std::thread;

use swc_common::errors::{DiagnosticBuilder, Emitter, Handler};
use swc_common::{BytePos, SourceMap};
use swc_ts_fast_strip::{Mode, Options, operate};

use super::{Became, Fault, Module, STRIPPER};

/// The stack of the thread that reads: it recurses as deeply as a module is nested.
const STACK_BYTES: usize = 512 << 20;

/// Lends the calling program to [`prepare`](crate::run::prepare): when it was started with the word for it in `words`, its
/// arguments without its own name, this takes the types out of what it reads from `input` and gives the code to exit with.
///
/// A program that names itself in [`Request::stage`](crate::run::Request::stage) calls this in its `main`, behind
/// [`kitbag_sandbox::inner_stage()`].
pub fn inner_stripper(
    mut words: impl Iterator<Item = OsString>,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Option<u8> {
    if words.next()? != STRIPPER {
        return None;
    }
    let strip = || strip_all(input, output);
    let stripped = thread::Builder::new().stack_size(STACK_BYTES).spawn(strip).map(thread::JoinHandle::join);
    Some(u8::from(!matches!(stripped, Ok(Ok(Ok(()))))))
}

fn strip_all(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    // What is sent was bounded by whoever sends it.
    for line in input.lines() {
        let module: Module = serde_json::from_str(&line?)?;
        let result = strip(&module.path, module.text);
        let mut line = serde_json::to_vec(&Became { path: module.path, result })?;
        line.push(b'\n');
        output.write_all(&line)?;
        output.flush()?;
    }
    Ok(())
}

/// `text` without its types, or the first reason why that is no module.
fn strip(path: &str, text: String) -> Result<String, Fault> {
    let map = Rc::new(SourceMap::default());
    let first = Rc::new(RefCell::new(None));
    let handler = Handler::with_emitter(false, false, Box::new(First { said: Rc::clone(&first) }));
    // As Node.js has it: decorators are left to the engine, which refuses them, and `module X {}` is refused here.
    let options = Options {
        module: (!path.ends_with(".cts")).then_some(true),
        filename: Some(path.to_owned()),
        mode: Mode::StripOnly,
        deprecated_ts_module_as_error: Some(true),
        ..options()
    };
    match operate(&map, &handler, text, options) {
        Ok(stripped) => Ok(stripped.code),
        Err(error) => {
            let (message, at) = first.borrow_mut().take().unwrap_or((error.message, None));
            let place = at.map(|at| map.lookup_char_pos(at));
            let (line, column) = place.map_or((1, 1), |place| (place.line, place.col.0 + 1));
            Err(Fault { line, column, message })
        }
    }
}

/// What the engine takes for granted where nothing is said.
fn options() -> Options {
    let mut options = Options::default();
    options.parser.decorators = true;
    options
}

/// What the engine says, and where.
type Said = (String, Option<BytePos>);

/// Keeps the first thing that is said.
struct First {
    said: Rc<RefCell<Option<Said>>>,
}

impl Emitter for First {
    fn emit(&mut self, said: &mut DiagnosticBuilder<'_>) {
        let at = said.span.primary_span().map(|span| span.lo);
        self.said.borrow_mut().get_or_insert_with(|| (said.message(), at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, (usize, usize, String)> {
        strip("a.ts", text.to_owned()).map_err(|fault| (fault.line, fault.column, fault.message))
    }

    #[test]
    fn types_become_spaces_and_everything_else_stays_where_it_was() {
        for (typed, gone, kept) in [
            ("const a: number = 1;\nexport default a;", "number", "= 1;\nexport default a;"),
            ("import type { A } from './a.ts';\nexport default 1;", "import", "export default 1;"),
            ("export default (x: string | null): x is string => x !== null;", "string", "=> x !== null;"),
            ("f(x as unknown as { a: 1 }, y!, <T>(z: T) => z);", "unknown", "=> z);"),
            ("class A { private readonly a: string = 'ä😀'; b?: number; }", "readonly", "         ; }"),
            ("interface A {\n  b: C\n}\r\nexport default null;", "interface", "}\r\nexport default null;"),
        ] {
            let plain = of(typed).unwrap();
            assert_eq!(plain.chars().count(), typed.chars().count(), "{plain}");
            for (was, is) in typed.chars().zip(plain.chars()) {
                // A statement that is gone leaves a semicolon, so that the next one is still one of its own.
                assert!(is == was || is == ' ' || is == ';', "{typed}: {plain}");
            }
            let end = kept.trim_start_matches('}');
            assert!(plain.ends_with(end) && !plain.contains(gone), "{typed}: {plain}");
        }
    }

    #[test]
    fn what_is_more_than_a_type_is_refused_where_it_stands() {
        for (text, line, column, words) in [
            ("enum A { B }", 1, 1, "enum"),
            ("const ä = 1;\n  namespace A { export const b = 1; }", 2, 3, "namespace"),
            ("class A {\n  constructor(private a: string) {}\n}", 2, 23, "parameter property"),
            ("import a = require('a');", 1, 1, "import"),
            ("export default <;", 1, 17, ""),
        ] {
            let (seen_line, seen_column, message) = of(text).unwrap_err();
            assert_eq!((seen_line, seen_column), (line, column), "{text}: {message}");
            assert!(message.to_lowercase().contains(words), "{text}: {message}");
        }
    }
}
