//! What of the host is shown inside: patterns become folders and files.
//!
//! A mount is a folder with everything in it, or a file. A pattern that says less is read against what is there: the files
//! that it matches now are shown, one by one. No way leads out of a symbolic folder: a link that does is not shown.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use kitbag_core::glob::{self, Dialect};
use kitbag_core::permit::{Allowed, LossKind, Pattern, Root, Scope};

use crate::plan::{Item, Programs, Rights};

use super::losses::Losses;
use super::names::Called;
use super::{INPUT, OUTPUT, PACKAGE, PROJECT, PackageFiles, Places, TEMP, WORK};

/// The most folders and files that are shown.
const SHOWN_AT_MOST: usize = 128;
/// The most of them that patterns with wildcards show.
const MATCHES_AT_MOST: usize = 96;
/// The most files and folders that are looked at for them.
const LOOKED_AT_MOST: usize = 20_000;
/// The deepest folder that is looked into.
const DEPTH_AT_MOST: usize = 64;

/// Folders of the host's root that are the sandbox's own, or would show what no package needs to see.
const OWN: [&str; 15] = [
    PACKAGE, PROJECT, INPUT, OUTPUT, WORK, TEMP, "/proc", "/dev", "/sys", "/run", "/boot", "/etc", "/usr",
    "/bin", "/lib",
];

/// What is shown so far.
pub(super) struct Files<'p> {
    places: &'p Places,
    called: &'p Called,
    /// What is there already: the system, and what the caller adds.
    tree: &'p [Item],
    programs_are_listed: bool,
    package: PackageFiles,
    /// By its name inside: what it is on the host, and what may be done with it.
    shown: BTreeMap<PathBuf, (PathBuf, Rights)>,
    /// Names inside that lead to others.
    links: BTreeMap<PathBuf, PathBuf>,
    matches: usize,
    looked: usize,
    keeps_output: bool,
}

/// A symbolic folder: what it is on the host, and what it is called inside.
struct Place {
    host: PathBuf,
    inside: PathBuf,
}

/// How far a pattern reaches below its place.
enum Reach<'t> {
    /// This, and everything in it.
    Whole(&'t str),
    /// This, which should be a file.
    Exact(&'t str),
    /// What the pattern matches below this.
    Matching(&'t str),
}

impl<'p> Files<'p> {
    pub(super) fn new(
        (places, called): (&'p Places, &'p Called),
        tree: &'p [Item],
        package: PackageFiles,
        programs: &Programs,
    ) -> Self {
        let mut files = Self {
            places,
            called,
            tree,
            programs_are_listed: *programs != Programs::Any,
            package,
            shown: BTreeMap::new(),
            links: BTreeMap::new(),
            matches: 0,
            looked: 0,
            keeps_output: false,
        };
        let rights = match package {
            PackageFiles::Data => Rights::Read,
            PackageFiles::Programs => Rights::Code,
        };
        files.shown.insert(called.package.clone(), (places.package.clone(), rights));
        files
    }

    /// Whether the output is made in memory, and kept.
    pub(super) const fn keeps_output(&self) -> bool {
        self.keeps_output
    }

    /// Everything that is shown.
    pub(super) fn items(self) -> Vec<Item> {
        let shown = self.shown.into_iter().map(|(at, (from, rights))| Item::Host { from, at, rights });
        let links = self.links.into_iter().map(|(at, to)| Item::Link { at, to });
        shown.chain(links).collect()
    }

    /// Shows what `allowed` reaches.
    pub(super) fn grant(&mut self, allowed: &Allowed, rights: Rights, losses: &mut Losses) {
        match &allowed.scope {
            Scope::Nothing => {}
            Scope::Anything => self.everything(allowed, rights, losses),
            Scope::Patterns(patterns) => {
                for pattern in &**patterns {
                    if let Err((kind, because)) = self.pattern(pattern, rights) {
                        losses.add(allowed, kind, because);
                    }
                }
            }
        }
    }

    /// "Anything": what the host's root holds, but for what is the system's or the sandbox's own.
    fn everything(&mut self, allowed: &Allowed, rights: Rights, losses: &mut Losses) {
        let entries = fs::read_dir("/").into_iter().flatten().filter_map(Result::ok);
        let mut folders: Vec<PathBuf> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .filter(|folder| !is_own(folder))
            .collect();
        folders.sort();
        for folder in folders {
            let _already_there = self.show(&folder, &folder, rights);
        }
        for (root, text) in
            [(Root::Project, "$WORKSPACE"), (Root::Input, "$INPUT"), (Root::Output, "$OUTPUT")]
        {
            let whole = Pattern { root: Some(root), text: text.to_owned(), dialect: Dialect::SkillPactPath };
            let _not_in_this_run = self.pattern(&whole, rights);
        }
        let what = if rights == Rights::Read { "read" } else { "written" };
        let because = format!(
            "what is the system's own (`/proc`, `/sys`, `/dev`, `/run`, `/etc`, `/tmp`, …) is not {what}, whatever may be"
        );
        losses.add(allowed, LossKind::Tightened, because);
    }

    fn pattern(&mut self, pattern: &Pattern, rights: Rights) -> Result<(), (LossKind, String)> {
        let dropped = |because: String| Err((LossKind::Dropped, because));
        let text = pattern.text.as_str();
        let Some((place, variable)) = self.place(pattern)? else { return Ok(()) };
        let (variable, below) = text.split_at_checked(variable).unwrap_or(("", text));
        if glob::path::has_traversal(text) && text != "." {
            return dropped(format!("`{text}` is no path of one spelling"));
        }
        match reach(pattern.dialect, below) {
            Reach::Whole(path) => self.one(&place, path, text, rights, true),
            Reach::Exact(path) => self.one(&place, path, text, rights, false),
            Reach::Matching(prefix) => self.matching(&place, (variable, prefix), text, rights),
        }
    }

    /// The place that a pattern starts from, and how many bytes of its text name it. `None` when all of it is the run's
    /// own scratch, which is there anyway.
    fn place(&mut self, pattern: &Pattern) -> Result<Option<(Place, usize)>, (LossKind, String)> {
        let text = pattern.text.as_str();
        let variable = if text.starts_with('$') { text.find('/').unwrap_or(text.len()) } else { 0 };
        let name = text.get(..variable).unwrap_or_default();
        let missing =
            |what: &str| Err((LossKind::Dropped, format!("this run has no {what}, so `{text}` is nothing")));
        let at = |host: &Path, inside: PathBuf| Ok(Some((Place { host: host.to_owned(), inside }, variable)));
        let (places, called) = (self.places, self.called);
        match pattern.root {
            Some(Root::Package) => at(&places.package, called.package.clone()),
            Some(Root::Work | Root::Temp) => Ok(None),
            Some(Root::Project) => match &places.project {
                Some(project) => at(project, called.project.clone()),
                None => missing("project"),
            },
            Some(Root::Input) => match &places.input {
                Some(input) => at(input, called.input.clone()),
                None => missing("input"),
            },
            Some(Root::InputDir) => match places.input.as_deref().and_then(Path::parent) {
                Some(folder) => at(folder, called.input_folder.clone()),
                None => missing("input"),
            },
            Some(Root::Output) => match &places.output {
                Some(output) if output.exists() => at(output, called.output.clone()),
                _ => {
                    self.keeps_output = true;
                    Ok(None)
                }
            },
            None if !name.is_empty() => {
                let further = places.further.iter().filter(|(known, _)| {
                    text.strip_prefix(known.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                });
                let longest = further.max_by_key(|(known, _)| known.len());
                let Some((known, host)) = longest else {
                    return Err((LossKind::Dropped, format!("nothing says what `{name}` is")));
                };
                let inside = called.further(known, host);
                Ok(Some((Place { host: host.clone(), inside }, known.len())))
            }
            None if text.starts_with('/') => at(Path::new("/"), "/".into()),
            // Relative to where the run takes place.
            None => match &places.project {
                Some(project) => at(project, called.project.clone()),
                None => Ok(None),
            },
        }
    }

    /// Shows one folder or file.
    fn one(
        &mut self,
        place: &Place,
        path: &str,
        text: &str,
        rights: Rights,
        whole: bool,
    ) -> Result<(), (LossKind, String)> {
        let asked = below(&place.host, path);
        let inside = below(&place.inside, path);
        if place.inside == Path::new("/") && (path.is_empty() || is_own_or_above(&inside)) {
            if rights == Rights::Read && self.is_there(&inside) {
                return Ok(());
            }
            return Err((LossKind::Dropped, format!("`{text}` is the sandbox's own here")));
        }
        let (root, real) = match (fs::canonicalize(&place.host), fs::canonicalize(&asked)) {
            (Ok(root), Ok(real)) => (root, real),
            (Err(error), _) | (_, Err(error)) => return not_there(&error, text, rights),
        };
        let Ok(rest) = real.strip_prefix(&root) else {
            return Err((LossKind::Dropped, format!("`{text}` leads out of its folder, to another place")));
        };
        if !whole && !path.is_empty() && real.is_dir() {
            let because =
                format!("`{text}` names a folder and nothing in it; `{text}/**` names what is in it");
            return Err((LossKind::Tightened, because));
        }
        let real_inside = below(&place.inside, rest);
        self.show(&real, &real_inside, rights)?;
        if real_inside != inside && !self.is_there(&inside) {
            self.links.insert(inside, real_inside);
        }
        Ok(())
    }

    /// Shows the files that `text`, a pattern, matches now: it begins with a variable and a path without wildcards.
    fn matching(
        &mut self,
        place: &Place,
        (variable, prefix): (&str, &str),
        text: &str,
        rights: Rights,
    ) -> Result<(), (LossKind, String)> {
        let start = below(&place.host, prefix);
        let (root, start) = match (fs::canonicalize(&place.host), fs::canonicalize(&start)) {
            (Ok(root), Ok(start)) => (root, start),
            (Err(error), _) | (_, Err(error)) => return not_there(&error, text, rights),
        };
        if !start.starts_with(&root) {
            return Err((LossKind::Dropped, format!("`{text}` leads out of its folder, to another place")));
        }
        let lead = if variable.is_empty() && !text.starts_with('/') { "" } else { "/" };
        let all = self.files_below(&start, |path| {
            let Some(below) = path.strip_prefix(&start).ok().and_then(Path::to_str) else { return false };
            let between = if prefix.is_empty() { "" } else { "/" };
            glob::path::matches(text, &format!("{variable}{lead}{prefix}{between}{below}"))
        });
        for path in all.found {
            let Ok(rest) = path.strip_prefix(&root) else { continue };
            let inside = place.inside.join(rest);
            if place.inside == Path::new("/") && is_own_or_above(&inside) {
                continue;
            }
            self.show(&path, &inside, rights)?;
        }
        if all.more {
            let because = format!(
                "`{text}` matches among too many files: {MATCHES_AT_MOST} of them are shown at most, after {LOOKED_AT_MOST} were looked at"
            );
            return Err((LossKind::Tightened, because));
        }
        if rights == Rights::Write {
            let because =
                format!("of what `{text}` matches, only files that are there already can be written");
            return Err((LossKind::Tightened, because));
        }
        Ok(())
    }

    /// The files below `start` that are `wanted`, sorted; links are neither followed nor shown.
    fn files_below(&mut self, start: &Path, wanted: impl Fn(&Path) -> bool) -> Matches {
        let mut matches = Matches::default();
        let mut todo = vec![(start.to_owned(), 0)];
        while let Some((folder, depth)) = todo.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.filter_map(Result::ok) {
                self.looked += 1;
                if self.looked > LOOKED_AT_MOST {
                    matches.more = true;
                    todo.clear();
                    break;
                }
                let path = entry.path();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && depth < DEPTH_AT_MOST => todo.push((path, depth + 1)),
                    Ok(kind) if kind.is_file() && wanted(&path) => matches.found.push(path),
                    _ => {}
                }
            }
        }
        matches.found.sort();
        let room = MATCHES_AT_MOST.saturating_sub(self.matches);
        matches.more |= matches.found.len() > room;
        matches.found.truncate(room);
        self.matches += matches.found.len();
        matches
    }

    /// Shows `host` at `inside`, unless what is shown already does.
    fn show(&mut self, host: &Path, inside: &Path, rights: Rights) -> Result<(), (LossKind, String)> {
        let above = self.shown.range(..=inside.to_owned()).rev();
        let covering = above.filter(|(at, _)| inside.starts_with(at)).map(|(_, (_, rights))| *rights).next();
        let is_package = inside == self.called.package;
        match (covering, rights) {
            (Some(Rights::Write | Rights::WriteCode), _) => return Ok(()),
            (Some(_), Rights::Read) => return Ok(()),
            (None, Rights::Read) if self.is_there(inside) => return Ok(()),
            (_, Rights::Write) if self.is_there(inside) => {
                let because = format!("`{}` is the system's, and is only read", inside.display());
                return Err((LossKind::Dropped, because));
            }
            _ => {}
        }
        let own = self.tree.iter().find(|item| {
            matches!(item, Item::File { .. } | Item::Memory { .. }) && item.at().starts_with(inside)
        });
        if let Some(own) = own {
            let (inside, own) = (inside.display(), own.at().display());
            return Err((LossKind::Dropped, format!("`{inside}` holds `{own}`, which is the sandbox's own")));
        }
        if self.shown.len() >= SHOWN_AT_MOST {
            let because =
                format!("only {SHOWN_AT_MOST} folders and files can be shown; the others are left out");
            return Err((LossKind::Tightened, because));
        }
        let rights = match (rights, self.package) {
            (Rights::Write, PackageFiles::Programs) if is_package && self.programs_are_listed => {
                let because = "a package that writes to itself could change the programs that it may start";
                return Err((LossKind::Dropped, because.to_owned()));
            }
            (Rights::Write, PackageFiles::Programs) if is_package => Rights::WriteCode,
            (rights, _) => rights,
        };
        // What lies in it and may do less needs no place of its own any more.
        let needless: Vec<PathBuf> = self
            .shown
            .range(inside.to_owned()..)
            .take_while(|(at, _)| at.starts_with(inside))
            .filter(|(_, (_, less))| *less <= rights)
            .map(|(at, _)| at.clone())
            .collect();
        for at in needless {
            self.shown.remove(&at);
        }
        self.shown.insert(inside.to_owned(), (host.to_owned(), rights));
        Ok(())
    }

    /// Whether something of the system, or of the caller's, is at `path` or holds it.
    fn is_there(&self, path: &Path) -> bool {
        self.tree.iter().any(|item| match item {
            Item::Host { at, .. } => path.starts_with(at),
            item => path == item.at(),
        })
    }
}

#[derive(Default)]
struct Matches {
    found: Vec<PathBuf>,
    more: bool,
}

/// `path` in `folder`. The folder itself, for no path: joining nothing would make it end with a slash, which a file does not.
fn below(folder: &Path, path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    if path.as_os_str().is_empty() { folder.to_owned() } else { folder.join(path) }
}

/// How far `below`, the text of a pattern behind its variable, reaches.
fn reach(dialect: Dialect, below: &str) -> Reach<'_> {
    let path = below.trim_start_matches('/');
    if dialect == Dialect::SplicePath {
        return Reach::Whole(if path == "." { "" } else { path });
    }
    // A variable alone is its whole folder: SkillPact §10 speaks of a scope that "includes" `$SKILL_DIR`.
    let whole = path.strip_suffix("/**").or((path == "**" || path.is_empty()).then_some(""));
    let has_wildcard = |text: &str| text.contains(['*', '?']);
    match whole {
        Some(folder) if !has_wildcard(folder) => Reach::Whole(folder),
        _ if !has_wildcard(path) => Reach::Exact(path),
        _ => {
            let wildcard = path.find(['*', '?']).unwrap_or(path.len());
            let literal = path.get(..wildcard).unwrap_or_default();
            Reach::Matching(literal.rfind('/').and_then(|end| literal.get(..end)).unwrap_or_default())
        }
    }
}

/// What is not there is read by nobody; to be written, it would have to be there.
fn not_there(error: &io::Error, text: &str, rights: Rights) -> Result<(), (LossKind, String)> {
    match (error.kind(), rights) {
        (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, Rights::Read) => Ok(()),
        (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, _) => Err((
            LossKind::Tightened,
            format!("`{text}` is not there; what is to be written has to be made first"),
        )),
        _ => Err((LossKind::Dropped, format!("`{text}` cannot be looked at: {error}"))),
    }
}

/// Whether a folder of the host's root is the sandbox's own, or one that it shows in its own way.
fn is_own(path: &Path) -> bool {
    let first = path.components().find_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    first.is_none_or(|name| {
        OWN.iter().any(|own| own.trim_start_matches('/') == name)
            || name.to_str().is_some_and(|name| name.starts_with("lib") || name == "sbin")
    })
}

/// Whether an absolute path is the sandbox's own.
fn is_own_or_above(path: &Path) -> bool {
    // Below these, what the sandbox does not have of its own can be shown.
    let in_system = ["/etc", "/usr"].iter().any(|own| path.starts_with(own) && path != Path::new(own));
    !in_system && is_own(path)
}
