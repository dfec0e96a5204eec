//! [`Report`]: what the isolation of a run really was. Each field is written from steps that were taken; a step that fails
//! ends the run before the program starts.

/// What held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What enforced it.
    pub backend: Backend,
    /// Whether the program could write only where the plan says.
    pub files_isolated: bool,
    /// Whether what the plan does not list did not exist for it.
    pub files_hidden: bool,
    /// What it reached.
    pub network: NetworkIsolation,
    /// What it could start.
    pub exec: ExecIsolation,
    /// What it saw of the system's processes.
    pub proc: ProcView,
    /// The version of Landlock that was applied; `None` where the kernel has none.
    pub landlock: Option<u32>,
    /// How many instructions the filter of system calls had.
    pub filter: usize,
    /// Whether the user inside is another one than the caller.
    pub other_user: bool,
    /// What is weaker than it could be, in words.
    pub degraded: Vec<String>,
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Report {
    /// Notes where the network that was asked for led in the end.
    pub(crate) fn reached(&mut self, reach: crate::inside::Reach) {
        self.network = match (self.network, reach) {
            (NetworkIsolation::None, _) => NetworkIsolation::None,
            (_, crate::inside::Reach::Everywhere) => NetworkIsolation::Listed,
            (asked, crate::inside::Reach::Proxy) => {
                if asked == NetworkIsolation::Listed {
                    let text = "not every address could be led to the supervisor: programs that heed no proxy reach nothing";
                    self.degraded.push(text.to_owned());
                }
                NetworkIsolation::Proxied
            }
        };
    }
}

/// What enforces a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// Namespaces, Landlock and seccomp, made by this crate.
    Native,
}

/// What a program reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkIsolation {
    /// Nothing.
    None,
    /// The listed hosts, whether or not it heeded a proxy.
    Listed,
    /// The listed hosts, through the proxy that its environment named.
    Proxied,
}

/// What a program could start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecIsolation {
    /// Whatever exists inside; there is no list.
    Unlisted,
    /// The listed programs; the kernel refused the rest.
    Prevented,
}

/// What a program saw in `/proc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcView {
    /// Its own processes.
    Processes,
    /// Its own processes, and the system's figures.
    Full,
    /// Nothing.
    Absent,
}
