//! Hermetic runs of a program: no environment but what a test gives, no input unless given.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A run that is being prepared.
#[derive(Debug)]
pub struct Run {
    command: Command,
    input: Vec<u8>,
}

/// What a run gave.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// `program` in `folder`, with an environment that holds nothing of the caller's.
    #[must_use]
    pub fn new(program: impl AsRef<OsStr>, folder: &Path) -> Self {
        let mut command = Command::new(program);
        command.current_dir(folder).env_clear();
        // Windows starts nothing without it.
        if let Some(root) = std::env::var_os("SystemRoot") {
            command.env("SystemRoot", root);
        }
        Self { command, input: Vec::new() }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gives standard input; without it, there is none.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it cannot be started, or prints something else than UTF-8.
    #[must_use]
    pub fn ran(mut self) -> Ran {
        let mut child = self.start();
        let mut stdin = child.stdin.take();
        let input = self.input;
        let feeder = std::thread::spawn(move || {
            // A program that does not read its input closes it, which is its right.
            let _unread = stdin.as_mut().map(|stdin| stdin.write_all(&input));
        });
        let output = child.wait_with_output().unwrap_or_else(|error| panic!("no output: {error}"));
        assert!(feeder.join().is_ok(), "the input was given");
        let text = |bytes| String::from_utf8(bytes).unwrap_or_else(|error| panic!("not UTF-8: {error}"));
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs it with a standard output that was closed before it began.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn ran_into_a_closed_pipe(mut self) -> Ran {
        let (reader, writer) = std::io::pipe().unwrap_or_else(|error| panic!("no pipe: {error}"));
        drop(reader);
        let output = self.command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).output();
        let output = output.unwrap_or_else(|error| panic!("no output: {error}"));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ran { code: output.status.code(), stdout: String::new(), stderr }
    }

    /// Runs it on a terminal with this many columns, on which the input is typed. Both streams arrive together as standard output, as the terminal
    /// would show them.
    ///
    /// # Panics
    /// When it cannot be started, or prints something else than UTF-8.
    #[cfg(unix)]
    #[must_use]
    pub fn ran_on_a_terminal(self, columns: u16) -> Ran {
        let (code, shown) = crate::pty::run(self.command, columns, &self.input)
            .unwrap_or_else(|error| panic!("cannot run on a terminal: {error}"));
        let stdout = String::from_utf8(shown).unwrap_or_else(|error| panic!("not UTF-8: {error}"));
        Ran { code, stdout: stdout.replace("\r\n", "\n"), stderr: String::new() }
    }

    fn start(&mut self) -> Child {
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        pipes.spawn().unwrap_or_else(|error| panic!("cannot start the program: {error}"))
    }
}
