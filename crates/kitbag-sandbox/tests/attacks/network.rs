//! Attacks over sockets: 15 to 18.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use kitbag_sandbox::{Item, Programs, Rights};

use crate::world::{Attack, EAFNOSUPPORT, EPERM, Seen, Twin, World};

on_each_backend! {
    no_family_of_sockets_is_there,
    a_program_may_talk_to_itself,
    nobody_who_listens_on_the_host_is_reached,
    a_pair_of_sockets_stays_a_pair,
}

fn no_family_of_sockets_is_there(world: &World) {
    world.withstands(
        &world.plan(&Programs::Any),
        &[
            Attack(&["socket", "1", "1"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "2", "1"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "2", "2"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "10", "1"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "16", "3"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "17", "3"], Twin::Root, EAFNOSUPPORT),
            Attack(&["socket", "31", "3"], Twin::Root, EAFNOSUPPORT),
            Attack(&["socket", "38", "5"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "40", "1"], Twin::Anyone, EAFNOSUPPORT),
            Attack(&["socket", "44", "3"], Twin::Root, EAFNOSUPPORT),
            Attack(&["ring"], Twin::Anyone, EPERM),
        ],
    );
}

fn a_program_may_talk_to_itself(world: &World) {
    assert_eq!(world.seen_inside(&world.plan(&Programs::Any), &["pair"]), Seen::Open);
}

fn nobody_who_listens_on_the_host_is_reached(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    let path = world.at("listener");
    let _by_path = UnixListener::bind(&path).unwrap();
    crate::world::open_to_all(&path);
    let name = crate::kill::word("listener", world);
    let _by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    // Even one that is listed.
    plan.tree.push(Item::Host { from: path.clone(), at: path.clone(), rights: Rights::Write });
    for place in [path.to_str().unwrap().to_owned(), format!("@{name}")] {
        let words = ["local", &place];
        assert_eq!(world.seen_outside(&words), Seen::Open, "{place}");
        assert_eq!(world.seen_inside(&plan, &words), Seen::Errno(97), "{place}");
    }
}

fn a_pair_of_sockets_stays_a_pair(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    let path = world.at("datagrams");
    let _listener = UnixDatagram::bind(&path).unwrap();
    crate::world::open_to_all(&path);
    plan.tree.push(Item::Host { from: path.clone(), at: path.clone(), rights: Rights::Write });
    let words = ["turned", path.to_str().unwrap()];
    assert_eq!(world.seen_outside(&words), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &words), Seen::Errno(1));
}
