//! [`Report`]: what the isolation of a run really was. Each field is written from steps that were taken; a step that fails
//! ends the run before the program starts.

use std::fmt;

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
    /// Whether the user outside, as whom the program ran, is another one than the caller.
    pub other_user: bool,
    /// The limits that were set, and what kept each.
    pub limits: Vec<Limited>,
    /// What is weaker than it could be, in words.
    pub degraded: Vec<String>,
}

#[cfg(sandbox)]
impl Report {
    /// Notes where the network that was asked for led in the end.
    pub(crate) fn reached(&mut self, reach: crate::inside::Reach) {
        self.network = match (self.network, reach) {
            (closed @ (NetworkIsolation::None | NetworkIsolation::Open), _) => closed,
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

/// One field of a report, under the name that machines read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A word out of a list that this version knows.
    Word(&'static str),
    /// Whether it is so.
    Claim(bool),
    /// A number; absent where there is nothing to count.
    Number(Option<u64>),
    /// Words by name.
    Words(Vec<(&'static str, &'static str)>),
    /// Sentences.
    Sentences(Vec<String>),
}

impl Report {
    /// Whether a run like this may count for `SkillPact` L2 (§10): files are isolated and hidden, and the network is not
    /// open. Every sandbox has a session of its own, and no input of the caller's.
    #[must_use]
    pub fn l2_eligible(&self) -> bool {
        let closed = match self.network {
            NetworkIsolation::None | NetworkIsolation::Listed | NetworkIsolation::Proxied => true,
            NetworkIsolation::Open => false,
        };
        self.files_isolated && self.files_hidden && closed
    }

    /// Every field, in an order and under names that stay.
    #[must_use]
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let limits = self.limits.iter().map(|limited| (limited.quantity.name(), limited.by.name())).collect();
        vec![
            ("backend", Value::Word(self.backend.name())),
            ("fs_isolated", Value::Claim(self.files_isolated)),
            ("fs_hidden", Value::Claim(self.files_hidden)),
            ("net", Value::Word(self.network.name())),
            ("exec", Value::Word(self.exec.name())),
            ("proc", Value::Word(self.proc.name())),
            ("landlock_abi", Value::Number(self.landlock.map(u64::from))),
            ("seccomp", Value::Number(u64::try_from(self.filter).ok())),
            ("other_user", Value::Claim(self.other_user)),
            ("limits", Value::Words(limits)),
            ("degraded", Value::Sentences(self.degraded.clone())),
            ("l2_eligible", Value::Claim(self.l2_eligible())),
        ]
    }
}

impl fmt::Display for Report {
    /// The report in lines for a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let so = |is: bool, yes: &'static str, no: &'static str| if is { yes } else { no };
        writeln!(f, "isolation  {}", self.backend.words())?;
        writeln!(
            f,
            "files      {}; {}",
            so(self.files_isolated, "written only where allowed", "written where the user may"),
            so(
                self.files_hidden,
                "what is not listed does not exist",
                "what is not listed can be seen to exist"
            ),
        )?;
        writeln!(f, "network    {}", self.network.words())?;
        writeln!(f, "programs   {}", self.exec.words())?;
        writeln!(f, "processes  {}", self.proc.words())?;
        let landlock =
            self.landlock.map_or_else(|| "no Landlock".to_owned(), |version| format!("Landlock {version}"));
        writeln!(f, "kernel     {landlock}, {} instructions of seccomp", self.filter)?;
        let limits: Vec<String> = self
            .limits
            .iter()
            .map(|Limited { quantity, by }| format!("{} ({})", quantity.words(), by.name()))
            .collect();
        writeln!(f, "limits     {}", limits.join(", "))?;
        for reason in &self.degraded {
            writeln!(f, "degraded   {reason}")?;
        }
        write!(f, "L2         {}", so(self.l2_eligible(), "may count for it", "may not count for it"))
    }
}

/// Gives each variant a name for machines and words for people.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($(#[$each:meta])* $variant:ident = $name:literal, $words:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$each])* $variant,)*
        }

        impl $type {
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// What machines call it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, in words.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$variant => $words,)* }
            }
        }
    };
}

named! {
    /// What enforces a boundary.
    Backend {
        /// Namespaces, Landlock and seccomp, made by this crate.
        Native = "native", "namespaces, Landlock and seccomp of its own";
        /// Namespaces made by the system's bubblewrap; Landlock, seccomp and limits by this crate.
        Bubblewrap = "bwrap", "namespaces of bubblewrap, Landlock and seccomp of its own";
        /// Landlock and seccomp, without namespaces: less than the others.
        Landlock = "landlock", "Landlock and seccomp, without namespaces";
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

named! {
    /// What a program reached.
    NetworkIsolation {
        /// Nothing.
        None = "none", "none";
        /// The listed hosts, whether or not it heeded a proxy.
        Listed = "allowlist-transparent", "only the listed hosts, whatever a program does";
        /// The listed hosts, through the proxy that its environment named.
        Proxied = "allowlist-proxy", "only the listed hosts, for programs that heed a proxy";
        /// Whatever the host reaches.
        Open = "open", "whatever the host reaches";
    }
}

named! {
    /// What a program could start.
    ExecIsolation {
        /// Whatever exists inside; there is no list.
        Unlisted = "any", "whatever exists inside";
        /// The listed programs; the kernel refused the rest.
        Prevented = "prevented", "only those listed; the kernel refuses the rest";
        /// The listed programs by their names; but a listed dynamic loader loads whatever can be read.
        Loadable = "loadable", "only those listed, and what a listed loader is told to load";
    }
}

named! {
    /// What a program saw in `/proc`.
    ProcView {
        /// Its own processes.
        Processes = "processes", "its own";
        /// Its own processes, and the system's figures.
        Full = "full", "its own, and the system's figures";
        /// Nothing.
        Absent = "absent", "no /proc";
        /// No file of it could be read, but which processes the system has could be found out.
        Closed = "closed", "that others exist, and nothing of /proc";
    }
}

/// A limit that was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited {
    /// Of what.
    pub quantity: Quantity,
    /// What kept it.
    pub by: Mechanism,
}

named! {
    /// What is limited.
    Quantity {
        /// Time from start to end.
        Wall = "wall", "time";
        /// What is said on each stream.
        Output = "output", "output";
        /// The longest line of standard output.
        Line = "line", "a line of output";
        /// Processor time of each process.
        Cpu = "cpu", "processor time";
        /// Processor time of all processes together.
        CpuInAll = "cpu_in_all", "processor time in all";
        /// Private memory of each process.
        Memory = "memory", "memory of each process";
        /// Memory of all processes together.
        MemoryInAll = "memory_in_all", "memory in all";
        /// Processes and threads.
        Processes = "processes", "processes";
        /// The size of each file.
        FileSize = "file_size", "size of a file";
        /// What is written to folders of the host in all.
        Disk = "disk", "disk in all";
        /// Open files of each process.
        OpenFiles = "open_files", "open files";
        /// Connections in all.
        Connections = "connections", "connections";
        /// Bytes over the network.
        Traffic = "traffic", "traffic";
        /// The size of folders in memory.
        FolderSize = "folder_size", "size of a folder in memory";
        /// The number of files in folders in memory.
        FolderFiles = "folder_files", "files in a folder in memory";
    }
}

named! {
    /// What keeps a limit.
    Mechanism {
        /// The supervisor, at every byte and every moment.
        Supervisor = "supervisor", "the supervisor";
        /// The kernel, for each process or each user.
        Rlimit = "rlimit", "the kernel's limits of a process";
        /// The kernel, for all processes of the run together: a control group. Processor time is counted by it, and looked at.
        Group = "cgroup", "a control group";
        /// The supervisor looks again and again; it may be exceeded in between.
        Look = "poll", "looking again and again";
        /// The size of a file system in memory.
        FileSystem = "tmpfs", "the size of the file system";
    }
}
