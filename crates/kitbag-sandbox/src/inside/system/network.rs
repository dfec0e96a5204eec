//! The sandbox's own network: its one interface, where its addresses lead, and the sockets that are made in it.

use super::{Errno, Fd, c_int, call, descriptor, ptr, signed};

/// Which addresses a socket has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Family {
    Four,
    /// And IPv4 ones as well, unless the socket is told otherwise.
    Six,
}

impl Family {
    const fn number(self) -> c_int {
        match self {
            Self::Four => libc::AF_INET,
            Self::Six => libc::AF_INET6,
        }
    }
}

fn socket(family: c_int, kind: c_int, protocol: c_int) -> Result<Fd, Errno> {
    let kind = kind | libc::SOCK_CLOEXEC;
    plain!(libc::SYS_socket, signed(family), signed(kind), signed(protocol)).and_then(descriptor)
}

/// Switches the loopback interface on.
pub(in super::super) fn raise_loopback() -> Result<(), Errno> {
    /// What the kernel takes: a name, and for this request a word of flags; it copies the whole.
    #[repr(C)]
    struct Request {
        name: [u8; 16],
        flags: i16,
        rest: [u8; 22],
    }
    const GET_FLAGS: usize = 0x8913;
    const SET_FLAGS: usize = 0x8914;
    const UP: i16 = 0x1;
    const UP_AND_RUNNING: i16 = UP | 0x40;
    let mut request = Request { name: [0; 16], flags: UP_AND_RUNNING, rest: [0; 22] };
    if let Some(name) = request.name.first_chunk_mut() {
        *name = *b"lo";
    }
    let any = socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
    // SAFETY: the kernel reads one request, of 40 bytes as here.
    let done = unsafe { call(libc::SYS_ioctl, [any.word(), SET_FLAGS, ptr::from_ref(&request) as usize]) };
    let done = match done {
        // Whoever made this network may have switched it on, and left no right to.
        Err(refused @ Errno(libc::EPERM)) => {
            // SAFETY: the kernel reads one request, of 40 bytes as here, and writes the flags into it.
            unsafe { call(libc::SYS_ioctl, [any.word(), GET_FLAGS, ptr::from_mut(&mut request) as usize]) }
                .and_then(|answer| if request.flags & UP == 0 { Err(refused) } else { Ok(answer) })
        }
        done => done,
    };
    super::close(any);
    done.map(drop)
}

/// Makes every address of `family` one of this network's own.
pub(in super::super) fn lead_all_home(family: Family) -> Result<(), Errno> {
    /// One message of the kernel's routing: a head, a route, and the interface as its one attribute.
    #[repr(C)]
    struct Message {
        length: u32,
        kind: u16,
        flags: u16,
        sequence: u32,
        port: u32,
        family: u8,
        to_length: u8,
        from_length: u8,
        service: u8,
        table: u8,
        protocol: u8,
        scope: u8,
        route: u8,
        route_flags: u32,
        attribute_length: u16,
        attribute: u16,
        interface: u32,
    }
    const NEW_ROUTE: u16 = 24;
    const REQUEST_ACKNOWLEDGED_CREATED_NEW: u16 = 0x1 | 0x4 | 0x400 | 0x200;
    const TABLE_LOCAL: u8 = 255;
    const PROTOCOL_BOOT: u8 = 3;
    const SCOPE_HOST: u8 = 254;
    const ROUTE_LOCAL: u8 = 2;
    const OUTPUT_INTERFACE: u16 = 4;
    /// The first interface of any network.
    const LOOPBACK: u32 = 1;
    let message = Message {
        length: 36,
        kind: NEW_ROUTE,
        flags: REQUEST_ACKNOWLEDGED_CREATED_NEW,
        sequence: 1,
        port: 0,
        family: u8::try_from(family.number()).unwrap_or(0),
        to_length: 0,
        from_length: 0,
        service: 0,
        table: TABLE_LOCAL,
        protocol: PROTOCOL_BOOT,
        scope: SCOPE_HOST,
        route: ROUTE_LOCAL,
        route_flags: 0,
        attribute_length: 8,
        attribute: OUTPUT_INTERFACE,
        interface: LOOPBACK,
    };
    let routing = socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE)?;
    let asked = exchange(routing, ptr::from_ref(&message) as usize, size_of::<Message>());
    super::close(routing);
    asked
}

/// Sends the one message at `message` and reads what the kernel says to it.
fn exchange(routing: Fd, message: usize, length: usize) -> Result<(), Errno> {
    const ERROR: [u8; 2] = 2_u16.to_ne_bytes();
    let mut answer = [0_u8; 256];
    // SAFETY: the caller gives a message that lives until here and is so long; no address is given.
    unsafe { call(libc::SYS_sendto, [routing.word(), message, length, 0, 0, 0])? };
    let (at, room) = (answer.as_mut_ptr() as usize, answer.len());
    // SAFETY: no more is written than there is room for; nobody's address is asked for.
    unsafe { call(libc::SYS_recvfrom, [routing.word(), at, room, 0, 0, 0])? };
    // A head of 16 bytes, whose kind is at 4, and a word that is nought or the negative of a number.
    match answer {
        [_, _, _, _, kind, of, _, _, _, _, _, _, _, _, _, _, a, b, c, d, ..] if [kind, of] == ERROR => {
            match c_int::from_ne_bytes([a, b, c, d]) {
                0 => Ok(()),
                refused => Err(Errno(refused.wrapping_neg())),
            }
        }
        _ => Err(Errno(libc::EPROTO)),
    }
}

/// A socket that takes connections to any address at `port`.
pub(in super::super) fn listener(family: Family, port: u16) -> Result<Fd, Errno> {
    const WAITING_AT_MOST: usize = 128;
    let listener = socket(family.number(), libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0)?;
    if family == Family::Six {
        let no: c_int = 0;
        let words = [
            listener.word(),
            signed(libc::IPPROTO_IPV6),
            signed(libc::IPV6_V6ONLY),
            ptr::from_ref(&no) as usize,
            size_of::<c_int>(),
        ];
        // SAFETY: the kernel reads one number.
        unsafe { call(libc::SYS_setsockopt, words)? };
    }
    bind(listener, family, port)?;
    plain!(libc::SYS_listen, listener.word(), WAITING_AT_MOST)?;
    Ok(listener)
}

/// A socket that takes datagrams to any IPv4 address at `port`.
pub(in super::super) fn datagrams(port: u16) -> Result<Fd, Errno> {
    let socket = socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_NONBLOCK, 0)?;
    bind(socket, Family::Four, port)?;
    Ok(socket)
}

/// Binds `socket` to every address at `port`.
fn bind(socket: Fd, family: Family, port: u16) -> Result<(), Errno> {
    /// The address of either family as far as it is not nought: the longer one has 28 bytes, the shorter one 16.
    #[repr(C)]
    struct Address {
        family: u16,
        port: u16,
        rest: [u32; 6],
    }
    let number = u16::try_from(family.number()).unwrap_or(0);
    let address = Address { family: number, port: port.to_be(), rest: [0; 6] };
    let length = match family {
        Family::Four => 16,
        Family::Six => size_of::<Address>(),
    };
    // SAFETY: the kernel reads so many bytes, which are there.
    unsafe { call(libc::SYS_bind, [socket.word(), ptr::from_ref(&address) as usize, length]) }.map(drop)
}
