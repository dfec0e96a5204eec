//! What Node's own permissions leave open (facts of Splice 1, "What its sandbox does not enforce") is closed by the sandbox. The
//! tools here do not ask nicely.

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::house::{House, nodes, output, tool};

/// Whether somebody has knocked.
fn was_dialled(listener: &TcpListener) -> bool {
    listener.set_nonblocking(true).unwrap();
    listener.accept().is_ok()
}

#[test]
fn sqlite_opens_nothing_that_is_not_declared() {
    let body = "const seen = {}; let sqlite;\n\
        try { sqlite = await import('node:sqlite'); } catch { return 'none'; }\n\
        const p = context.paths.project;\n\
        for (const [name, path] of Object.entries({ host: process.env.SEEN, project: p + '/x.db', package: '/package/x.db', out: p + '/out/x.db' })) {\n\
          try { const db = new sqlite.DatabaseSync(path); db.exec('create table t (a)'); db.close(); seen[name] = true; } catch { seen[name] = false; }\n\
        }\n\
        try { const db = new sqlite.DatabaseSync(':memory:'); db.exec(`attach '${p}/secret.db' as s`); seen.attached = db.prepare('select a from s.t').all(); } catch { seen.attached = false; }\n\
        return seen;";
    for node in nodes() {
        let house = House::with(json!({"env": ["SEEN"], "fs": {"write": ["out"]}}), &tool(body));
        let outside = house.folder.at("outside.db");
        let mut request = house.request(&node);
        request.environment = vec![("SEEN".into(), outside.clone().into_os_string())];
        fs::write(house.project("secret.db"), "not for you").unwrap();
        let prepared = kitbag::run::prepare(&request, &kitbag::interrupt::Interrupt::new()).unwrap();
        let Some(ran) = crate::house::run(&prepared, "{}") else { return };
        let seen = output(&node, &ran);
        assert!(
            !outside.exists() && !house.project("x.db").exists() && !house.folder.at("package/x.db").exists()
        );
        if seen == "none" {
            assert!(node.major < 22, "node {} has it", node.major);
            continue;
        }
        assert_eq!(seen["attached"], json!(false), "node {}", node.major);
        assert_eq!(seen["out"], json!(true), "node {}: what is declared works: {seen}", node.major);
        assert!(house.project("out/x.db").is_file());
    }
}

#[test]
fn no_module_behind_the_others_opens_a_socket() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // However it got hold of them: the sandbox does not let them out.
    let body = format!(
        "const seen = [];\n\
         const tries = async (word, attempt) => {{ try {{ await attempt(); seen.push(word); }} catch {{}} }};\n\
         const connected = (socket) => new Promise((yes, no) => {{ socket.on('connect', yes); socket.on('error', no); socket.on('close', no); }});\n\
         await tries('client', async () => {{ const {{ ClientRequest }} = await import('node:_http_client'); const request = new ClientRequest('http://127.0.0.1:{port}/'); request.end(); await connected(request); }});\n\
         await tries('tls', async () => {{ const {{ connect }} = await import('_tls_wrap'); await connected(connect({port}, '127.0.0.1')); }});\n\
         await tries('required', async () => {{ const {{ default: it }} = await import('../lib/it.cjs'); await connected(it('_http_client', 'net').connect({port}, '127.0.0.1')); }});\n\
         await tries('binding', async () => {{ const {{ TCP, TCPConnectWrap }} = process.binding('tcp_wrap'); const tcp = new TCP(0); const wrap = new TCPConnectWrap(); await new Promise((yes, no) => {{ wrap.oncomplete = (status) => status === 0 ? yes() : no(); if (tcp.connect(wrap, '127.0.0.1', {port}) !== 0) no(); }}); }});\n\
         await tries('vm', async () => {{ const vm = await import('node:vm'); const it = vm.runInNewContext('(f) => f.constructor(\"return process\")()', {{}}); const net = it(Object).mainModule?.require?.('net'); await connected(net.connect({port}, '127.0.0.1')); }});\n\
         await tries('data', async () => {{ const {{ default: net }} = await import('data:text/javascript,import net from \"node:net\"; export default net'); await connected(net.connect({port}, '127.0.0.1')); }});\n\
         return seen;"
    );
    let cjs = "module.exports = (...names) => names.map((name) => { try { return module.constructor._load(name); } catch { return undefined; } }).find((it) => it?.connect);";
    let house = House::with(json!({}), &tool(&body)).file("lib/it.cjs", cjs);
    for node in nodes() {
        let Some(ran) = house.run(&node) else { return };
        assert_eq!(output(&node, &ran), json!([]), "node {}", node.major);
        assert!(!was_dialled(&listener), "node {}", node.major);
    }
    // The twin: from outside, the port is open.
    let _own = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while !was_dialled(&listener) {
        assert!(Instant::now() < until);
    }
}

#[test]
fn code_out_of_strings_runs_within_the_same_walls() {
    let body = "const vm = await import('node:vm'); const seen = {};\n\
        seen.vm = vm.runInNewContext('1 + 1');\n\
        const write = async (word, fs, path) => { try { fs.writeFileSync(path, 'x'); seen[word] = true; } catch { seen[word] = false; } };\n\
        const fs = await import('node:fs');\n\
        const inner = vm.runInNewContext('(fs, path) => fs.writeFileSync(path, \"x\")', {});\n\
        try { inner(fs, process.env.SEEN); seen.outside = true; } catch { seen.outside = false; }\n\
        const data = await import('data:text/javascript,import fs from \"node:fs\"; export default fs');\n\
        await write('data', data.default, process.env.SEEN);\n\
        await write('project', data.default, context.paths.project + '/x.txt');\n\
        return seen;";
    for node in nodes() {
        let house = House::with(json!({"env": ["SEEN"]}), &tool(body));
        let outside = house.folder.at("outside.txt");
        let mut request = house.request(&node);
        request.environment = vec![("SEEN".into(), outside.clone().into_os_string())];
        let prepared = kitbag::run::prepare(&request, &kitbag::interrupt::Interrupt::new()).unwrap();
        let Some(ran) = crate::house::run(&prepared, "{}") else { return };
        let seen = output(&node, &ran);
        assert_eq!(
            seen,
            json!({"vm": 2, "outside": false, "data": false, "project": false}),
            "node {}",
            node.major
        );
        assert!(!outside.exists() && !house.project("x.txt").exists());
    }
}

#[test]
fn nobody_outside_is_signalled() {
    let own = std::process::id();
    let body = format!(
        "const seen = {{}};\n\
         for (const [name, pid] of [['host', {own}], ['parent', process.ppid], ['everybody', -1]]) {{\n\
           try {{ process.kill(pid, name === 'host' ? 0 : 'SIGTERM'); seen[name] = true; }} catch (error) {{ seen[name] = error.code; }}\n\
         }}\n\
         return seen;"
    );
    let house = House::new(&body);
    for node in nodes() {
        let Some(ran) = house.run(&node) else { return };
        // The parent it sees is inside; this process goes on, which the next round shows.
        match &ran.answer {
            Ok(seen) => {
                let seen = serde_json::Value::from(seen);
                assert_eq!(seen["host"], "ESRCH", "node {}: {seen}", node.major);
            }
            Err(fault) => panic!("node {}: {fault:?}", node.major),
        }
    }
}

#[test]
fn links_lead_nowhere() {
    let body = "const fs = await import('node:fs'); const seen = []; const p = context.paths.project;\n\
        const tries = (word, attempt) => { try { attempt(); seen.push(word); } catch {} };\n\
        tries('through', () => fs.readFileSync(p + '/data/to-secret'));\n\
        tries('folder', () => fs.readFileSync(p + '/data/to-folder/secret.txt'));\n\
        tries('absolute', () => fs.readFileSync(p + '/data/to-outside'));\n\
        tries('within', () => fs.readFileSync(p + '/data/to-a'));\n\
        tries('own-link', () => { fs.symlinkSync('../secret.txt', p + '/out/link'); fs.readFileSync(p + '/out/link'); });\n\
        tries('hard', () => fs.linkSync(p + '/data/a.txt', p + '/out/hard'));\n\
        tries('hard-outside', () => fs.linkSync('/etc/passwd', p + '/out/passwd'));\n\
        tries('rename', () => fs.renameSync(p + '/data/a.txt', p + '/out/a.txt'));\n\
        return seen;";
    for node in nodes() {
        let house = House::with(json!({"fs": {"read": ["data"], "write": ["out"]}}), &tool(body));
        let outside = house.folder.at("outside.txt").display().to_string();
        fs::write(&outside, "not for you").unwrap();
        for (to, link) in [
            ("../secret.txt", "to-secret"),
            ("..", "to-folder"),
            (&*outside, "to-outside"),
            ("a.txt", "to-a"),
        ] {
            std::os::unix::fs::symlink(to, house.project("data").join(link)).unwrap();
        }
        let Some(ran) = house.run(&node) else { return };
        assert_eq!(output(&node, &ran), json!(["within"]), "node {}", node.major);
        assert!(house.project("data/a.txt").is_file());
        let made: Vec<_> =
            fs::read_dir(house.project("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(made.iter().all(|name| name == "link"), "{made:?}");
    }
}

#[test]
fn no_program_is_started_whatever_it_is_called() {
    let body = "const seen = [];\n\
        const cp = await import('node:child_process').catch(() => undefined) ?? (await import('../lib/it.cjs')).default;\n\
        for (const name of ['/bin/sh', '/usr/bin/id', process.execPath]) {\n\
          try { const { status } = cp.spawnSync(name, ['-c', 'exit 0']); if (status === 0) seen.push(name); } catch {}\n\
        }\n\
        return seen;";
    let cjs =
        "try { module.exports = module.constructor._load('child_process'); } catch { module.exports = {}; }";
    let house = House::new(body).file("lib/it.cjs", cjs);
    for node in nodes() {
        let Some(ran) = house.run(&node) else { return };
        assert_eq!(output(&node, &ran), json!([]), "node {}", node.major);
    }
}
