//! The tree: a file system in memory that holds only what is listed, and becomes the root.

use std::ffi::CStr;
use std::os::fd::AsRawFd as _;

use crate::step::Step;

use super::child::{At as _, Fault};
use super::orders::{MOUNTS_AT_MOST, Operation, Orders, Proc};
use super::system::{self, Errno, Fd, mount};

/// Copies of everything that is listed, attached nowhere yet.
pub(super) struct Sources([Option<Fd>; MOUNTS_AT_MOST]);

/// Takes hold of what is listed. This is done as the caller, because the user inside may not be able to reach it.
pub(super) fn take_hold(orders: &Orders) -> Result<Sources, Fault> {
    let mut sources = Sources([None; MOUNTS_AT_MOST]);
    mount::make_private().at(Step::Source)?;
    let mut places = sources.0.iter_mut();
    for operation in &orders.tree {
        if let Operation::Bind { from, attributes, copy, .. } = operation {
            let copy = match copy {
                Some(copy) => Fd(copy.as_raw_fd()),
                None => {
                    let copy = mount::copy(from).at(Step::Source)?;
                    mount::restrict(copy, *attributes, mount::Reach::AllBelow).at(Step::Source)?;
                    copy
                }
            };
            let place = places.next().ok_or(Errno(libc::E2BIG)).at(Step::Source)?;
            *place = Some(copy);
        }
    }
    Ok(sources)
}

/// Makes the tree and enters it; nothing of the host's is left.
pub(super) fn enter(orders: &Orders, sources: &Sources) -> Result<(), Fault> {
    let tame = Operation::TAME;
    let settings = [(c"size", orders.root_size.as_c_str()), (c"mode", c"0755")];
    let root = mount::fresh(c"tmpfs", &settings, tame).at(Step::Root)?;
    // On top of the host's root, where only a path that starts below can see it: no folder of the host is needed.
    let host = system::open(Fd::HERE, c"/", libc::O_PATH | libc::O_DIRECTORY, 0).at(Step::Root)?;
    mount::attach(root, host).at(Step::Root)?;
    system::change_folder_to(root).at(Step::Root)?;
    let mut sources = sources.0.iter().flatten();
    for operation in &orders.tree {
        make(orders, root, operation, &mut sources).at(Step::Place)?;
    }
    proc(root, orders.proc).at(Step::Proc)?;
    mount::pivot_here().at(Step::Pivot)?;
    // The mounts below keep what they were given.
    mount::restrict(root, mount::READ_ONLY, mount::Reach::This).at(Step::Pivot)?;
    system::host_name(c"sandbox").at(Step::Pivot)?;
    system::change_folder(&orders.within.folder).at(Step::Folder)
}

fn make<'s>(
    orders: &Orders,
    root: Fd,
    operation: &Operation,
    sources: &mut impl Iterator<Item = &'s Fd>,
) -> Result<(), Errno> {
    match operation {
        Operation::Folder(path) => system::make_folder(root, path),
        Operation::File(path, content) => {
            let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW;
            let file = system::open(root, path, flags, 0o644)?;
            let written = write_all(file, content);
            system::close(file);
            written
        }
        Operation::Link(target, path) => system::make_link(target, root, path),
        Operation::Bind { at, .. } => {
            let source = sources.next().ok_or(Errno(libc::ENOENT))?;
            attach(*source, root, at)
        }
        Operation::Memory { at, size, inodes, kept } => {
            let settings =
                [(c"size", size.as_c_str()), (c"nr_inodes", inodes.as_c_str()), (c"mode", c"0755")];
            let attributes = Operation::TAME | Operation::NO_EXECUTION;
            let folder = mount::fresh(c"tmpfs", &settings, attributes)?;
            if *kept {
                // Whoever holds it after the end can still read it.
                system::hand_out(orders.within.kept, folder, 0)?;
            }
            attach(folder, root, at)
        }
    }
}

fn write_all(file: Fd, mut content: &[u8]) -> Result<(), Errno> {
    while !content.is_empty() {
        match system::write(file, content)? {
            0 => return Err(Errno(libc::ENOSPC)),
            count => content = content.get(count..).unwrap_or_default(),
        }
    }
    Ok(())
}

fn attach(tree: Fd, root: Fd, at: &CStr) -> Result<(), Errno> {
    // Found without following a link: a link inside something that is listed must not choose where the next thing goes.
    let place = system::place(root, at)?;
    let attached = mount::attach(tree, place);
    system::close(place);
    system::close(tree);
    attached
}

fn proc(root: Fd, proc: Proc) -> Result<(), Errno> {
    let settings: &[_] = match proc {
        Proc::Absent => return Ok(()),
        // Only what one may look into is seen: that hides the first process, whose command line is the supervisor's.
        Proc::Full => &[(c"hidepid", c"ptraceable")],
        Proc::Processes => &[(c"hidepid", c"ptraceable"), (c"subset", c"pid")],
    };
    let attributes = Operation::TAME | Operation::NO_EXECUTION;
    attach(mount::fresh(c"proc", settings, attributes)?, root, c"proc")
}
