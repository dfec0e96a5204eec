//! Dialling: a name is looked up once, every address it has is vetted, and one that was vetted is dialled. There is no
//! second look-up that could be answered otherwise.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use kitbag_core::glob::Host;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use super::asked::Refusal;
use super::relay::Shared;
use super::vet::is_public;
use super::wait::{Cut, Wait};

/// How long a name or an address is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most addresses of one name that are tried.
const TRIES_AT_MOST: usize = 4;

/// A connection to `host`, which is listed, at `port`.
pub(super) fn dial(shared: &Shared, wait: &Wait<'_>, host: &Host, port: u16) -> Result<TcpStream, Cut> {
    let addresses = match host {
        Host::Address(address) => vec![*address],
        // Nobody is asked where this host is.
        Host::Name(name) if name == "localhost" => {
            vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
        }
        Host::Name(name) => look_up(shared, wait, name)?,
    };
    let addresses: Vec<IpAddr> = addresses.iter().map(IpAddr::to_canonical).collect();
    if addresses.is_empty() {
        return Err(Refusal::NoAddress.into());
    }
    for address in &addresses {
        if !is_public(*address) && !shared.hosts.allow(&Host::Address(*address), port) {
            return Err(Refusal::Private(*address).into());
        }
    }
    for address in addresses.iter().take(TRIES_AT_MOST) {
        let to = shared.outside.dialled(SocketAddr::new(*address, port));
        if let Some(stream) = connect(wait, to)? {
            return Ok(stream);
        }
    }
    Err(Refusal::Unreachable.into())
}

/// Every address of `name`. A resolver cannot be interrupted, so it is asked in a thread that is left alone when the
/// answer comes too late: it holds nothing of the sandbox and ends with the answer.
fn look_up(shared: &Shared, wait: &Wait<'_>, name: &str) -> Result<Vec<IpAddr>, Cut> {
    let nowhere = || Cut::Refused(Refusal::NoAddress);
    let found = Arc::new(Mutex::new(Vec::new()));
    let (answered, answer) = io::pipe().map_err(|_| nowhere())?;
    let (outside, name, to) = (Arc::clone(&shared.outside), name.to_owned(), Arc::clone(&found));
    let ask = move || {
        let addresses = outside.addresses(&name).unwrap_or_default();
        *to.lock().unwrap_or_else(PoisonError::into_inner) = addresses;
        drop(answer);
    };
    thread::Builder::new().name("door look-up".to_owned()).spawn(ask).map_err(|_| nowhere())?;
    if wait.within(PATIENCE, vec![PollFd::new(&answered, PollFlags::IN)])?.is_none() {
        return Err(nowhere());
    }
    let addresses = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(addresses)
}

/// A connection to `to`; `None` when there is none to be had.
fn connect(wait: &Wait<'_>, to: SocketAddr) -> Result<Option<TcpStream>, Cut> {
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let Ok(socket) = rustix::net::socket_with(family, SocketType::STREAM, flags, None) else {
        return Ok(None);
    };
    match rustix::net::connect(&socket, &to) {
        Ok(()) => {}
        Err(Errno::INPROGRESS) => {
            if wait.within(PATIENCE, vec![PollFd::new(&socket, PollFlags::OUT)])?.is_none() {
                return Ok(None);
            }
            if !matches!(rustix::net::sockopt::socket_error(&socket), Ok(Ok(()))) {
                return Ok(None);
            }
        }
        Err(_) => return Ok(None),
    }
    Ok(Some(TcpStream::from(socket)))
}
