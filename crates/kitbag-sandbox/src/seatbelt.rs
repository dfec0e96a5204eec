//! The profile that a plan would have on macOS, in the language of `sandbox-exec`. Experimental: no backend uses it yet.
//!
//! Seatbelt has no tree of its own: a place is what it is on the host, links resolved, and what is not allowed is refused but
//! can be seen to exist. It has no limits and no namespace of processes either. So a plan that puts something elsewhere, or makes
//! what is not there, has no profile.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::plan::{Item, Network, Plan, Programs, Rights};

/// What of a plan a profile cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeatbeltError {
    /// It would be called something else inside.
    Elsewhere(PathBuf),
    /// It would only exist inside.
    OnlyInside(PathBuf),
    /// Its name is no text, or a control character is in it.
    Name(PathBuf),
    /// A list of hosts needs a network that is the program's own.
    Hosts,
}

impl std::fmt::Display for SeatbeltError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Elsewhere(path) => write!(f, "`{}` cannot be called something else inside", path.display()),
            Self::OnlyInside(path) => write!(f, "`{}` cannot exist inside only", path.display()),
            Self::Name(path) => write!(f, "`{}` cannot be named in a profile", path.display()),
            Self::Hosts => f.write_str("a list of hosts cannot be said in a profile"),
        }
    }
}

impl std::error::Error for SeatbeltError {}

/// What every program needs to start at all, and nothing of a user's.
const BASE: &str = "\
(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata (literal \"/\") (literal \"/private\") (literal \"/private/var\") (literal \"/private/tmp\"))
(allow file-read* file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))
(allow file-read* (literal \"/dev/random\") (literal \"/dev/urandom\"))
(allow file-read* (subpath \"/usr/lib\") (subpath \"/System/Library\") (literal \"/private/etc/localtime\"))
(allow file-map-executable (subpath \"/usr/lib\") (subpath \"/System/Library\"))
";

/// The profile of `plan`. Its places must be real paths: `/tmp` is a link on macOS, and a rule about a link says nothing.
///
/// # Errors
/// [`SeatbeltError`], the first thing that a profile cannot say.
pub fn seatbelt_profile(plan: &Plan) -> Result<String, SeatbeltError> {
    if plan.network != Network::Off && plan.network.hosts().is_some() {
        return Err(SeatbeltError::Hosts);
    }
    let mut profile = BASE.to_owned();
    let any = plan.programs == Programs::Any;
    for item in &plan.tree {
        let Item::Host { from, at, rights } = item else {
            return Err(SeatbeltError::OnlyInside(item.at().to_owned()));
        };
        if from != at {
            return Err(SeatbeltError::Elsewhere(at.clone()));
        }
        let place = quoted(at)?;
        rule(&mut profile, "file-read*", &place);
        if matches!(rights, Rights::Write | Rights::WriteCode) {
            rule(&mut profile, "file-write*", &place);
        }
        let is_code = matches!(rights, Rights::Code | Rights::WriteCode);
        if is_code {
            rule(&mut profile, "file-map-executable", &place);
        }
        if is_code && any {
            rule(&mut profile, "process-exec", &place);
        }
    }
    if let Programs::Listed(programs) = &plan.programs {
        for program in programs {
            let name = quoted(program)?;
            // A program is started by its own name only; the last rule that fits is the one that counts.
            let _infallible = writeln!(profile, "(allow process-exec (literal {name}))");
            let _infallible = writeln!(profile, "(allow file-read* file-map-executable (literal {name}))");
        }
    }
    // No file that runs as its owner is left, wherever may be written.
    profile.push_str("(deny file-write-setugid)\n");
    Ok(profile)
}

fn rule(profile: &mut String, operation: &str, place: &str) {
    // What is written to a text cannot fail.
    let _infallible = writeln!(profile, "(allow {operation} (subpath {place}))");
}

/// A path as a text of the profile's language.
fn quoted(path: &Path) -> Result<String, SeatbeltError> {
    let wrong = || SeatbeltError::Name(path.to_owned());
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control)).ok_or_else(wrong)?;
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{SeatbeltError, seatbelt_profile};
    use crate::plan::{Item, Network, Plan, Proc, Programs, Rights};

    fn plan(tree: Vec<Item>, programs: Programs) -> Plan {
        Plan { proc: Proc::Absent, ..Plan::new("/usr/bin/true", tree, programs) }
    }

    fn host(path: &str, rights: Rights) -> Item {
        Item::Host { from: path.into(), at: path.into(), rights }
    }

    #[test]
    fn everything_is_denied_but_what_is_listed() {
        let tree = vec![
            host("/opt/tools", Rights::Code),
            host("/Users/me/package", Rights::Read),
            host("/private/tmp/work", Rights::Write),
        ];
        let profile =
            seatbelt_profile(&plan(tree, Programs::Listed(vec!["/opt/tools/node".into()]))).unwrap();
        assert!(profile.starts_with("(version 1)\n(deny default)\n"), "{profile}");
        for line in [
            "(allow file-read* (subpath \"/Users/me/package\"))",
            "(allow file-write* (subpath \"/private/tmp/work\"))",
            "(allow file-map-executable (subpath \"/opt/tools\"))",
            "(allow process-exec (literal \"/opt/tools/node\"))",
        ] {
            assert!(profile.lines().any(|one| one == line), "{line} in\n{profile}");
        }
        for word in ["network", "mach-lookup", "file-write* (subpath \"/Users", "process-exec (subpath"] {
            assert!(!profile.contains(word), "{word} in\n{profile}");
        }
        let any = seatbelt_profile(&plan(vec![host("/opt/tools", Rights::Code)], Programs::Any)).unwrap();
        assert!(any.contains("(allow process-exec (subpath \"/opt/tools\"))"), "{any}");
    }

    #[test]
    fn a_name_never_becomes_a_rule() {
        let odd = "/a\") (allow default) (\\";
        let profile = seatbelt_profile(&plan(vec![host(odd, Rights::Read)], Programs::Any)).unwrap();
        let line = "(allow file-read* (subpath \"/a\\\") (allow default) (\\\\\"))";
        assert!(profile.lines().any(|one| one == line), "{profile}");
        let control = plan(vec![host("/a\nb", Rights::Read)], Programs::Any);
        assert_eq!(seatbelt_profile(&control), Err(SeatbeltError::Name("/a\nb".into())));
    }

    #[test]
    fn what_a_profile_cannot_say_is_refused() {
        let elsewhere = Item::Host { from: "/a".into(), at: "/b".into(), rights: Rights::Read };
        let inside = Item::File { at: "/etc/passwd".into(), content: Vec::new() };
        assert_eq!(
            seatbelt_profile(&plan(vec![elsewhere], Programs::Any)),
            Err(SeatbeltError::Elsewhere(PathBuf::from("/b")))
        );
        assert_eq!(
            seatbelt_profile(&plan(vec![inside], Programs::Any)),
            Err(SeatbeltError::OnlyInside(PathBuf::from("/etc/passwd")))
        );
        let hosts = crate::egress::Hosts::parse(["declared.test"]).unwrap();
        let network = Plan { network: Network::Listed(hosts), ..plan(Vec::new(), Programs::Any) };
        assert_eq!(seatbelt_profile(&network), Err(SeatbeltError::Hosts));
    }
}
