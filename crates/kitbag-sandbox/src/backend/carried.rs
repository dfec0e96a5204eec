//! [`Carried`]: the program that does the inner part, and the files it consists of.
//!
//! It is loaded from what it was built with, never from the tree of the plan: what lies there may be anybody's.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program and what it is loaded with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) program: PathBuf,
    /// `None` when it needs none.
    pub(crate) loaded: Option<Loaded>,
}

/// What loads a program, and its libraries by the names it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub(crate) loader: PathBuf,
    pub(crate) libraries: Vec<(String, PathBuf)>,
}

/// How much of a program is looked at for its loader.
const HEAD: u64 = 64 << 10;
/// The most libraries.
const LIBRARIES_AT_MOST: usize = 64;

impl Carried {
    /// `program` and what it needs, asked of its own loader, which does not start it for that.
    pub(crate) fn of(program: &Path) -> io::Result<Self> {
        let program = std::fs::canonicalize(program)?;
        let mut head = Vec::new();
        File::open(&program)?.take(HEAD).read_to_end(&mut head)?;
        let Some(loader) = loader(&head)? else { return Ok(Self { program, loaded: None }) };
        let listed = Command::new(&loader)
            .arg("--list")
            .arg(&program)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::null())
            .output()?;
        if !listed.status.success() {
            return Err(io::Error::other(format!("{} cannot list its libraries", loader.display())));
        }
        let libraries = libraries(&String::from_utf8_lossy(&listed.stdout));
        if libraries.len() > LIBRARIES_AT_MOST {
            return Err(io::Error::other("too many libraries"));
        }
        Ok(Self { program, loaded: Some(Loaded { loader, libraries }) })
    }
}

/// The loader that an ELF program of 64 bits names; `None` when it names none.
fn loader(head: &[u8]) -> io::Result<Option<PathBuf>> {
    const INTERPRETER: u64 = 3;
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "no program of 64 bits");
    let number = |at: usize, length: usize| {
        let bytes = head.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let place = |at, length| number(at, length).and_then(|number| usize::try_from(number).ok());
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return Err(wrong());
    }
    let first = place(32, 8).ok_or_else(wrong)?;
    let (size, count) = place(54, 2).zip(place(56, 2)).ok_or_else(wrong)?;
    for index in 0..count {
        let at = index.checked_mul(size).and_then(|offset| first.checked_add(offset)).ok_or_else(wrong)?;
        if number(at, 4).ok_or_else(wrong)? != INTERPRETER {
            continue;
        }
        let (from, length) =
            place(at.saturating_add(8), 8).zip(place(at.saturating_add(32), 8)).ok_or_else(wrong)?;
        let name = from.checked_add(length).and_then(|to| head.get(from..to)).ok_or_else(wrong)?;
        let name = name.strip_suffix(b"\0").ok_or_else(wrong)?;
        return Ok(Some(PathBuf::from(OsStr::from_bytes(name))));
    }
    Ok(None)
}

/// The lines `name => /path (0x…)` of a loader's list.
fn libraries(list: &str) -> Vec<(String, PathBuf)> {
    let library = |line: &str| {
        let (name, rest) = line.trim().split_once(" => ")?;
        let path = rest.rsplit_once(" (").map_or(rest, |(path, _)| path);
        let plain = !name.contains('/') && !name.starts_with('.') && path.starts_with('/');
        plain.then(|| (name.to_owned(), PathBuf::from(path)))
    };
    list.lines().filter_map(library).collect()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Carried, libraries, loader};

    #[test]
    fn the_loader_of_a_program_is_found_and_so_are_its_libraries() {
        let me = std::env::current_exe().unwrap();
        let carried = Carried::of(&me).unwrap();
        if let Some(loaded) = carried.loaded {
            assert!(loaded.loader.is_file(), "{loaded:?}");
            assert!(loaded.libraries.iter().all(|(_, path)| path.is_file()), "{loaded:?}");
        }
        assert!(Carried::of(Path::new("/nothing/here")).is_err());
        assert!(Carried::of(Path::new("/etc/passwd")).is_err(), "no program");
    }

    #[test]
    fn a_program_that_is_cut_or_lies_about_itself_is_refused_or_names_nothing() {
        let me = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let head = &me[..1024];
        assert!(loader(head).unwrap().is_some_and(|loader| loader.is_absolute()));
        for length in 0..64 {
            assert!(loader(&head[..length]).is_err(), "{length}");
        }
        for at in 0..256 {
            let mut changed = head.to_vec();
            changed[at] ^= 0xff;
            let _answer = loader(&changed);
        }
    }

    #[test]
    fn a_loaders_list_is_read_as_it_is_printed() {
        let list = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n\tlib.so => not found\n\t../up => /x (0x1)\n";
        assert_eq!(libraries(list), [("libc.so.6".to_owned(), PathBuf::from("/lib/x/libc.so.6"))]);
        let musl = "\tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f)\n";
        assert_eq!(libraries(musl).len(), 1);
    }
}
