//! [`Outcome`]: how a run ended.

use std::fmt;
use std::time::Duration;

use crate::egress::Egress;

/// How a run ended, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Standard output, up to the limit.
    pub output: Vec<u8>,
    /// Standard errors, up to the limit.
    pub errors: Vec<u8>,
    /// From start to end.
    pub wall: Duration,
    /// Processor time of the program and of everything it waited for; unknown when it was killed from outside.
    pub cpu: Option<Duration>,
    /// The largest memory of one of these processes, in bytes; unknown when it was killed from outside.
    pub memory: Option<u64>,
    /// What was asked of the network.
    pub egress: Egress,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It went over a limit.
    Breached(Breach),
    /// Whoever started it ended it.
    Stopped,
}

/// The limit a program went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Breach {
    /// Time from start to end.
    Wall,
    /// Processor time of one process.
    Cpu,
    /// Processor time of all processes together.
    CpuInAll,
    /// Memory of all processes together.
    Memory,
    /// Processes and threads, where a control group counts them.
    Processes,
    /// The size of a file.
    FileSize,
    /// What was written to folders of the host in all.
    Disk,
    /// The number of files in a folder in memory.
    Files,
    /// The bytes in a folder in memory, where no file system keeps that.
    FolderSize,
    /// Standard output.
    Output,
    /// Standard errors.
    Errors,
    /// The length of a line of standard output.
    Line,
    /// Connections in all.
    Connections,
    /// Bytes over the network.
    Traffic,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wall => "the time limit",
            Self::Cpu => "the limit of processor time",
            Self::CpuInAll => "the limit of processor time in all",
            Self::Memory => "the limit of memory in all",
            Self::Processes => "the limit of processes",
            Self::FileSize => "the limit of file size",
            Self::Disk => "the limit of disk in all",
            Self::Files => "the limit of files in a folder in memory",
            Self::FolderSize => "the limit of a folder in memory",
            Self::Output => "the limit of standard output",
            Self::Errors => "the limit of standard errors",
            Self::Line => "the limit of a line's length",
            Self::Connections => "the limit of connections",
            Self::Traffic => "the limit of traffic",
        })
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "ended with code {code}"),
            Self::Signalled(signal) => write!(f, "was ended by signal {signal}"),
            Self::Breached(breach) => write!(f, "went over {breach}"),
            Self::Stopped => f.write_str("was stopped"),
        }
    }
}
