//! [`Step`]: what was being done when a sandbox could not be made.

use std::fmt;

macro_rules! steps {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $words:literal;)*) => {
        /// One step on the way into the sandbox, in their order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Step {
            $($(#[$doc])* $name,)*
        }

        impl Step {
            #[cfg(sandbox)]
            pub(crate) const fn number(self) -> u64 {
                match self { $(Self::$name => $number,)* }
            }

            #[cfg(sandbox)]
            pub(crate) const fn from_number(number: u64) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }
        }

        impl fmt::Display for Step {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$name => $words,)* })
            }
        }
    };
}

steps! {
    /// A pipe or a descriptor of the supervisor.
    Prepare = 1, "prepare the pipes";
    /// A process in new namespaces; refused where user namespaces are.
    Clone = 2, "start a process in its own namespaces";
    /// Which user outside stands for the user inside.
    MapUser = 3, "map the user";
    /// The control groups that count what a run uses.
    Group = 23, "begin in its control group";
    /// Dying with the supervisor.
    Bond = 4, "bind its life to the supervisor's";
    /// A session of its own, without a terminal.
    Session = 5, "begin a session";
    /// Taking hold of what is mounted.
    Source = 6, "take hold of what is listed";
    /// The user inside.
    User = 7, "become the user inside";
    /// The root folder.
    Root = 8, "make the root folder";
    /// Putting one listed thing in its place.
    Place = 9, "put what is listed in its place";
    /// `/proc`.
    Proc = 10, "mount /proc";
    /// Leaving the host's tree.
    Pivot = 11, "leave the host's files";
    /// The working folder.
    Folder = 12, "enter the working folder";
    /// The network of its own and its doors.
    Network = 21, "open the way out";
    /// Standard input, output and errors.
    Streams = 13, "connect the streams";
    /// Capabilities, securebits, `no_new_privs`.
    Rights = 14, "give up all rights";
    /// Landlock.
    Landlock = 15, "apply the file rules";
    /// seccomp.
    Calls = 16, "apply the system call rules";
    /// The process that the program becomes.
    Fork = 17, "start the first process";
    /// Resource limits.
    Limits = 18, "apply the limits";
    /// The program itself.
    Execute = 19, "start the program";
    /// Following the programs from outside.
    Trace = 20, "follow the programs";
    /// Another program that makes the sandbox.
    Launch = 22, "have bubblewrap make the sandbox";
}

#[cfg(all(test, sandbox))]
mod tests {
    use super::Step;

    #[test]
    fn every_step_comes_back_from_its_number() {
        for number in 1..=23 {
            assert_eq!(Step::from_number(number).map(Step::number), Some(number));
        }
        assert_eq!(Step::from_number(0), None);
        assert_eq!(Step::from_number(24), None);
    }
}
