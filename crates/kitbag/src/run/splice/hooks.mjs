// Which modules a tool of a Splice package gets, in this thread or, on older versions of Node.js, from the one that loads.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Modules that open sockets, look into the process or load others (Splice 1, "Network guard"), and what they are built on. */
const BLOCKED = new Set([
  "net", "http", "https", "http2", "tls", "dgram", "dns", "dns/promises", "inspector", "inspector/promises", "module",
  "_http_agent", "_http_client", "_http_common", "_http_incoming", "_http_outgoing", "_http_server", "_tls_common", "_tls_wrap",
]);
/** Modules that start processes and threads, where Node.js has no permissions that refuse it. */
const PROCESSES = new Set(["child_process", "cluster", "worker_threads", "repl", "wasi"]);

const PACKAGE = "file:///package/";
const TYPED = /\.[mc]?ts$/;
/** A line that only an ES module has. */
const MODULE = /^\s*(?:import\s*[\w*{"'$]|export\s*[\w*{]|export\s+default)/m;

let about = {};

export function initialize(given) {
  about = given;
}

export function isBlocked(specifier) {
  const name = specifier.startsWith("node:") ? specifier.slice(5) : specifier;
  return BLOCKED.has(name) || (about.processes === "blocked" && PROCESSES.has(name));
}

export function denial(specifier) {
  const error = new Error(`Access to the module "${specifier}" is denied: no Splice package gets it`);
  error.code = "ERR_ACCESS_DENIED";
  return error;
}

export function resolve(specifier, context, next) {
  if (isBlocked(specifier)) throw denial(specifier);
  return next(specifier, context);
}

export function load(url, context, next) {
  const plain = url.split(/[?#]/, 1)[0];
  if (!plain.startsWith(PACKAGE)) return next(url, context);
  const path = fileURLToPath(plain);
  const fault = about.faults?.[path];
  if (fault !== undefined) {
    const error = new SyntaxError(fault);
    error.code = "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
    throw error;
  }
  if (about.types && TYPED.test(path)) {
    const source = readFileSync(about.types + path.slice("/package".length), "utf8");
    return { format: path.endsWith(".cts") ? "commonjs" : "module", source, shortCircuit: true };
  }
  if (about.guesses && path.endsWith(".js")) {
    const source = readFileSync(path, "utf8");
    if (MODULE.test(source)) return { format: "module", source, shortCircuit: true };
  }
  return next(url, context);
}

export const hooks = { resolve, load };
