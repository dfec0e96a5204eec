//! The counter over which a sandbox that is being made hands descriptors out.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
};

/// What lies on a counter.
pub(crate) enum Taken {
    /// A descriptor, and the byte that was said with it.
    Descriptor(OwnedFd, u8),
    /// Nothing yet.
    NotYet,
    /// Nothing, and nothing is going to.
    Closed,
}

/// The supervisor's side and the other one. Datagrams without losses: what is handed out waits until it is taken.
pub(crate) fn counter() -> Result<(OwnedFd, OwnedFd), Errno> {
    rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// Takes what lies first, without waiting for it.
pub(crate) fn take(counter: &OwnedFd) -> Result<Taken, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut word = [0_u8];
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    match rustix::net::recvmsg(counter, &mut [IoSliceMut::new(&mut word)], &mut control, flags) {
        Ok(message) if message.bytes > 0 => {}
        Err(Errno::AGAIN | Errno::INTR) => return Ok(Taken::NotYet),
        Ok(_) | Err(Errno::CONNRESET) => return Ok(Taken::Closed),
        Err(errno) => return Err(errno),
    }
    let rights = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut rights) => rights.next(),
        _ => None,
    });
    let [word] = word;
    // A word without a descriptor is nothing that is ever handed out.
    Ok(rights.map_or(Taken::Closed, |descriptor| Taken::Descriptor(descriptor, word)))
}
