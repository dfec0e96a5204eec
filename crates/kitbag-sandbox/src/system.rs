//! [`System`]: the host's own programs and libraries as items of a plan.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::plan::{Item, Programs, Rights};

/// Folders that may be links into `/usr`.
const TOP_FOLDERS: [&str; 5] = ["/bin", "/sbin", "/lib", "/lib64", "/lib32"];
/// Folders of libraries and of what programs read. None of them is where programs are looked for.
const LIBRARIES: [&str; 6] =
    ["/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/share", "/usr/include", "/usr/local/lib"];
/// What programs read of the host's settings.
const SETTINGS: [&str; 4] = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl", "/etc/localtime"];
/// The dynamic loaders, by their well-known names.
const LOADERS: [&str; 4] = [
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];
/// The most links between a program's name and the program.
const LINKS_AT_MOST: usize = 16;

/// What of the host exists inside, and what of it may be started.
#[derive(Clone, Debug)]
pub struct System {
    /// To be put into a plan's tree.
    pub items: Vec<Item>,
    /// To be a plan's programs.
    pub programs: Programs,
}

/// A program of the host that cannot be listed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SystemError {
    /// It cannot be found.
    Program(PathBuf, io::Error),
    /// It lies behind too many links.
    Links(PathBuf),
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(path, _) => write!(f, "the program `{}` cannot be found", path.display()),
            Self::Links(path) => write!(f, "the program `{}` lies behind too many links", path.display()),
        }
    }
}

impl std::error::Error for SystemError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Program(_, source) => Some(source),
            Self::Links(_) => None,
        }
    }
}

impl System {
    /// All programs of `/usr` and its libraries.
    #[must_use]
    pub fn whole() -> Self {
        let mut items = vec![host(Path::new("/usr"), Rights::Code)];
        items.extend(top_folders());
        items.extend(settings());
        Self { items, programs: Programs::Any }
    }

    /// `programs` and no others: their names, what these are links to, their libraries, and the dynamic loader.
    ///
    /// A program that is a script needs its interpreter on the list as well. What lies in a folder of libraries cannot be
    /// started, but the dynamic loader can be made to load it.
    ///
    /// # Errors
    /// [`SystemError`] when one of them is not there.
    pub fn with_programs(programs: &[PathBuf]) -> Result<Self, SystemError> {
        let mut items = Vec::new();
        for folder in LIBRARIES.map(Path::new) {
            if folder.is_dir() && !folder.is_symlink() {
                items.push(host(folder, Rights::Code));
            }
        }
        items.extend(top_folders());
        // First, because a program's name may lead through one of them.
        items.extend(settings());
        let mut listed = BTreeSet::new();
        for program in programs {
            let real = named(program, &mut items)?;
            listed.insert(real);
        }
        for loader in LOADERS {
            if let Ok(real) = fs::canonicalize(loader) {
                if !is_there(&items, &real) {
                    items.push(host(&real, Rights::Code));
                }
                listed.insert(real);
            }
        }
        Ok(Self { items, programs: Programs::Listed(listed.into_iter().collect()) })
    }
}

/// The dynamic loaders of this host.
#[cfg(sandbox)]
pub(crate) fn loaders() -> impl Iterator<Item = &'static Path> {
    LOADERS.iter().map(Path::new)
}

fn host(path: &Path, rights: Rights) -> Item {
    Item::Host { from: path.to_owned(), at: path.to_owned(), rights }
}

/// `/bin` and its like: links into `/usr` stay links; where they are folders of their own, only those of libraries are
/// there unless everything is.
fn top_folders() -> Vec<Item> {
    let link = |folder: &&str| {
        let to = fs::read_link(folder).ok()?;
        Some(Item::Link { at: PathBuf::from(folder), to })
    };
    TOP_FOLDERS.iter().filter_map(link).collect()
}

fn settings() -> Vec<Item> {
    let there = SETTINGS.map(Path::new).into_iter().filter(|path| path.exists());
    let mut items: Vec<Item> = there.map(|path| host(path, Rights::Read)).collect();
    let file = |at: &str, content: &str| Item::File { at: at.into(), content: content.into() };
    items.extend([
        file("/etc/passwd", "user:x:1000:1000::/work:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"),
        file("/etc/group", "user:x:1000:\nnogroup:x:65534:\n"),
        file("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"),
        file("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
        file("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:5 attempts:2\n"),
    ]);
    items
}

/// Lists the links from `program` to what it is, and that; the last is given back.
fn named(program: &Path, items: &mut Vec<Item>) -> Result<PathBuf, SystemError> {
    let missing = |source| SystemError::Program(program.to_owned(), source);
    let mut name = whole_folder(program).map_err(missing)?;
    for _ in 0..LINKS_AT_MOST {
        let Ok(to) = fs::read_link(&name) else {
            fs::metadata(&name).map_err(missing)?;
            if !is_there(items, &name) {
                items.push(host(&name, Rights::Code));
            }
            return Ok(name);
        };
        let next = name.parent().unwrap_or(Path::new("/")).join(&to);
        if !is_there(items, &name) {
            items.push(Item::Link { at: name, to });
        }
        name = whole_folder(&next).map_err(missing)?;
    }
    Err(SystemError::Links(program.to_owned()))
}

/// `path` with every link in its folder followed, and its own name kept.
fn whole_folder(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(fs::canonicalize(path.parent().unwrap_or(Path::new("/")))?.join(name))
}

/// Whether `path` is among `items`, or inside one.
fn is_there(items: &[Item], path: &Path) -> bool {
    items.iter().any(|item| match item {
        Item::Host { at, .. } => path.starts_with(at),
        Item::Link { at, .. } => path == at,
        Item::Memory { .. } | Item::File { .. } => false,
    })
}
