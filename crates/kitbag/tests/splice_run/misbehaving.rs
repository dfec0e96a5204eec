//! Tools that misbehave: each has its code, and nothing of it is left.

use std::time::Duration;

use kitbag::run::FaultKind;
use serde_json::json;

use crate::house::{House, assert_fault, nodes, output, tool};

#[test]
fn what_a_tool_prints_is_a_log_and_never_an_answer() {
    let body = "const fs = await import('node:fs');\n\
        fs.writeSync(1, 'a banner without an end'); console.log('{\"type\":\"result\",\"ok\":true,\"output\":\"forged\"}');\n\
        fs.writeSync(1, '\\noutput \"forged\"\\n'); fs.writeSync(1, Buffer.from([0xff, 0xfe, 10]));\n\
        fs.writeSync(1, 'x output \"forged\"\\n'); process.send?.({ type: 'result', ok: true, output: 'forged' });\n\
        return 'mine';";
    let house = House::new(body);
    for node in nodes() {
        let Some(ran) = house.run(&node) else { return };
        assert_eq!(output(&node, &ran), json!("mine"), "node {}", node.major);
        for words in ["a banner without an end", "output \"forged\"", "\u{fffd}"] {
            assert!(ran.logs.contains(words), "node {}: {words}: {}", node.major, ran.logs);
        }
    }
}

#[test]
fn a_tool_that_answers_by_itself_breaks_the_protocol_or_is_not_heard() {
    // It takes hold of what says the answer, before that is said.
    let rows = [
        "const { default: fs } = await import('node:fs'); const write = fs.writeSync; fs.writeSync = (...all) => { write(2, 'caught'); return write(...all); };",
        "JSON.stringify = () => '\"forged\"'; Buffer.from = () => { throw 1; };",
        "Array.prototype.join = () => 'forged'; String.prototype.concat = () => 'forged';",
        "Object.prototype.toJSON = () => 'forged';",
        "process.exit = () => {}; process.reallyExit = () => {}; process.on('exit', () => { for (;;); });",
    ];
    for node in nodes() {
        for body in rows {
            let house = House::new(&format!("{body}\nreturn 'mine';"));
            let Some(ran) = house.run(&node) else { return };
            assert_eq!(output(&node, &ran), json!("mine"), "node {}: {body}", node.major);
            assert!(!ran.logs.contains("caught"), "node {}: {}", node.major, ran.logs);
        }
    }
}

#[test]
fn too_much_has_its_limit() {
    let fs = "const { default: fs } = await import('node:fs');\n\
        const write = (to, text) => { try { fs.writeSync(to, text); } catch (error) { if (error.code !== 'EAGAIN') throw error; } };";
    let rows = [
        (format!("{fs} for (;;) write(1, 'x'.repeat(65536));"), FaultKind::OutputTooLarge, "line's length"),
        (
            format!("{fs} for (;;) write(1, '\\n'.repeat(65536));"),
            FaultKind::OutputTooLarge,
            "standard output",
        ),
        (format!("{fs} for (;;) write(2, 'x'.repeat(65536));"), FaultKind::ToolCrashed, "standard errors"),
        ("return 'x'.repeat(1 << 24);".to_owned(), FaultKind::OutputTooLarge, "16777218 bytes"),
    ];
    // The limits are the sandbox's, whatever runs in it: the oldest version and the newest.
    let nodes = nodes();
    for node in nodes.first().into_iter().chain(nodes.last()) {
        for (body, kind, words) in &rows {
            let Some(ran) = House::new(body).run(node) else { return };
            assert_fault(node, &ran, *kind, words);
        }
        // What is logged is kept as far as anybody reads it, and the tool goes on.
        let Some(ran) =
            House::new("for (let i = 0; i < 20000; i++) console.log('x'.repeat(1000)); return 1;").run(node)
        else {
            return;
        };
        assert_eq!(output(node, &ran), json!(1), "node {}", node.major);
        assert!(ran.logs.len() < 66_000 && ran.logs.ends_with("[logs truncated]"), "{}", ran.logs.len());
    }
}

#[test]
fn disks_are_not_filled() {
    let body = "const fs = await import('node:fs'); const p = context.paths.project;\n\
        const chunk = Buffer.alloc(1 << 20); for (let i = 0; ; i++) { const f = fs.openSync(`${p}/out/${i}`, 'w'); for (let j = 0; j < 60; j++) fs.writeSync(f, chunk); }";
    let house = House::with(json!({"fs": {"write": ["out"]}}), &tool(body));
    for node in nodes().into_iter().rev().take(1) {
        let Some(ran) = house.run(&node) else { return };
        assert_fault(&node, &ran, FaultKind::ToolCrashed, "disk");
    }
}

#[test]
fn a_tool_without_an_end_is_ended_with_everything_it_began() {
    let rows = [
        "for (;;);",
        "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); await new Promise(() => {});",
        "await new Promise((r) => setTimeout(r, 600_000));",
    ];
    for node in nodes() {
        for body in rows {
            let house = House::new(body).declaring("timeoutMs", json!(1500));
            let Some(ran) = house.run(&node) else { return };
            assert_fault(&node, &ran, FaultKind::Timeout, "no answer within 1500 ms");
            assert!(ran.duration >= Duration::from_millis(1500));
        }
    }
}

#[test]
fn a_tool_that_waits_for_nothing_has_crashed() {
    for node in nodes() {
        let Some(ran) = House::new("await new Promise(() => {});").run(&node) else { return };
        assert_fault(&node, &ran, FaultKind::ToolCrashed, "gave no answer");
    }
}

#[test]
fn what_goes_on_behind_an_answer_is_ended_with_it() {
    let body =
        "setInterval(() => console.log('still here'), 1); process.on('exit', () => { for (;;); }); return 1;";
    for node in nodes() {
        let Some(ran) = House::new(body).run(&node) else { return };
        assert_eq!(output(&node, &ran), json!(1), "node {}", node.major);
    }
}
