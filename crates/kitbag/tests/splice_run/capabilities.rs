//! Calls of capabilities: declared, budgeted, and answered by whoever the host has for it (Splice 1, "Capabilities").

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use kitbag::run::{Broker, CapabilityCall, FaultKind};
use serde_json::{Value, json};

use crate::house::{House, assert_fault, nodes, output, run, tool};

/// Answers with what it was asked, and counts.
#[derive(Debug, Default)]
struct Echo {
    calls: AtomicUsize,
}

impl Broker for Echo {
    fn call(&self, call: &CapabilityCall) -> Result<Value, String> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if call.arguments == json!({"fail": true}) {
            return Err("no luck with ghp_abcdefghijklmnopqrstuvwxyz at /project/a".to_owned());
        }
        Ok(json!({"status": "LIVE", "capability": call.capability, "data": call.arguments,
            "provenance": {"source": format!("{} {}", call.package, call.tool)}}))
    }
}

fn house(body: &str) -> House {
    House::with(json!({"capabilities": ["web.search", "market.price"]}), &tool(body))
}

#[test]
fn a_result_is_passed_on_as_it_is() {
    let body = "return context.capability('web.search', { q: 'a\\n😀', at: undefined, when: new Date(0) });";
    for node in nodes() {
        let echo = Arc::new(Echo::default());
        let Some(ran) = run(&house(body).prepared(&node).answered_by(echo.clone()), "{}") else { return };
        let expected = json!({"status": "LIVE", "capability": "web.search", "data": {"q": "a\n😀", "when": "1970-01-01T00:00:00.000Z"},
            "provenance": {"source": "@tests/house it"}});
        assert_eq!(output(&node, &ran), expected, "node {}", node.major);
        assert_eq!(echo.calls.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn without_a_broker_nothing_is_available() {
    let body = "const result = await context.capability('web.search'); return [result.status, result.code, result.capability, new Date(result.timestamp).getFullYear() > 2000];";
    for node in nodes() {
        let Some(ran) = house(body).run(&node) else { return };
        let expected = json!(["UNAVAILABLE", "CAPABILITY_UNAVAILABLE", "web.search", true]);
        assert_eq!(output(&node, &ran), expected, "node {}", node.major);
    }
}

#[test]
fn what_is_not_declared_is_refused_and_nobody_is_asked() {
    for node in nodes() {
        let echo = Arc::new(Echo::default());
        let kept = house("return context.capability('ai.generate', {});");
        let prepared = kept.prepared(&node);
        let Some(ran) = run(&prepared.answered_by(echo.clone()), "{}") else { return };
        assert_fault(&node, &ran, FaultKind::PermissionDenied, "ai.generate");
        let body = "try { await context.capability('ai.generate', {}); } catch (error) { return [error.code, error instanceof Error]; }";
        let ran = run(&house(body).prepared(&node).answered_by(echo.clone()), "{}").unwrap();
        assert_eq!(output(&node, &ran), json!(["ERR_ACCESS_DENIED", true]), "node {}", node.major);
        assert_eq!(echo.calls.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn budgets_end_where_the_format_says() {
    let body = "const seen = [];\n\
        const ask = async (args) => { try { seen.push((await context.capability('market.price', args)).status); } catch (error) { seen.push(error.code); } };\n\
        if (input.n === 2) { await ask({ a: 'x'.repeat(262144) }); await ask({ a: 'x'.repeat(8 << 20) }); let deep = 1; for (let i = 0; i < 33; i++) deep = [deep]; await ask(deep);\n\
          const cycle = {}; cycle.cycle = cycle; try { await context.capability('market.price', cycle); } catch (error) { seen.push(error.name); } return seen; }\n\
        for (let i = 0; i < 30; i++) await ask({ i });\n\
        return seen;";
    for node in nodes() {
        let echo = Arc::new(Echo::default());
        let kept = house(body);
        let prepared = kept.prepared(&node).answered_by(echo.clone());
        let Some(ran) = run(&prepared, "{}") else { return };
        let expected: Vec<&str> =
            (0..30).map(|at| if at < 25 { "LIVE" } else { "CAPABILITY_LIMIT" }).collect();
        assert_eq!(output(&node, &ran), json!(expected), "node {}", node.major);
        assert_eq!(echo.calls.load(Ordering::Relaxed), 25);
        let ran = run(&prepared, "{\"n\": 2}").unwrap();
        let expected = json!(["INPUT_TOO_LARGE", "INPUT_TOO_LARGE", "INPUT_TOO_LARGE", "TypeError"]);
        assert_eq!(output(&node, &ran), expected, "node {}", node.major);
    }
}

/// Answers nobody before four have asked.
#[derive(Debug, Default)]
struct Gate {
    asked: Mutex<usize>,
    changed: Condvar,
}

impl Broker for Gate {
    fn call(&self, _call: &CapabilityCall) -> Result<Value, String> {
        let mut asked = self.asked.lock().unwrap();
        *asked += 1;
        self.changed.notify_all();
        while *asked < 4 {
            asked = self.changed.wait(asked).unwrap();
        }
        Ok(json!({"status": "LIVE"}))
    }
}

#[test]
fn four_wait_for_an_answer_at_once_and_no_fifth() {
    // All five are asked for before any is answered, and nobody answers before four are there.
    let body = "const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => context.capability('web.search')));\n\
        return all.map((one) => one.reason?.code ?? one.value.status).sort();";
    for node in nodes() {
        let kept = house(body);
        let gate = Arc::new(Gate::default());
        let prepared = kept.prepared(&node).answered_by(gate.clone());
        let Some(ran) = run(&prepared, "{}") else { return };
        let seen = output(&node, &ran);
        // Of five, the fifth is refused, unless the four were answered before it was heard.
        let live = seen.as_array().unwrap().iter().filter(|one| **one == "LIVE").count();
        assert!(live == 5 || seen == json!(["CAPABILITY_LIMIT", "LIVE", "LIVE", "LIVE", "LIVE"]), "{seen}");
        assert_eq!(*gate.asked.lock().unwrap(), live, "node {}", node.major);
    }
}

#[test]
fn a_broker_that_fails_is_told_without_secrets() {
    let body = "const { status, code, message } = await context.capability('web.search', { fail: true }); return [status, code, message];";
    for node in nodes() {
        let kept = house(body);
        let prepared = kept.prepared(&node).answered_by(Arc::new(Echo::default()));
        let Some(ran) = run(&prepared, "{}") else { return };
        let expected = json!(["ERROR", "BROKER_ERROR", "no luck with [REDACTED] at <project>/a"]);
        assert_eq!(output(&node, &ran), expected, "node {}", node.major);
    }
}
