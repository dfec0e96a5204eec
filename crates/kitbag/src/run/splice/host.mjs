// The program that is started for a tool of a Splice package: it is told what to call, makes the world of Splice 1 around it,
// calls it, and says what came of it. Runs on Node.js 18 and later.
//
// It is no boundary: the sandbox around it is. It sees to it that a tool finds what the format promises, and that what is
// refused has the format's name. What a tool may have changed by the time it answers is taken hold of before it is loaded.

import { readSync, writeSync } from "node:fs";
import * as modules from "node:module";
import { isAbsolute, resolve as absolute } from "node:path";
import { pathToFileURL } from "node:url";
import { denial, hooks, isBlocked, initialize } from "./hooks.mjs";
import { guarded } from "./fetch.mjs";

const { stringify, parse } = JSON;
const { from, byteLength, concat } = Buffer;
const { defineProperty, freeze, keys, getOwnPropertyDescriptor } = Object;
const { Promise, Map, Error, String } = globalThis;
const require = modules.createRequire(import.meta.url);
const exit = process.reallyExit.bind(process);
const input = getOwnPropertyDescriptor(process, "stdin").get.bind(process);

/** Writes the first bytes, also where the stream takes only some at a time. */
function write(stream, bytes, length = bytes.length) {
  for (let at = 0; at < length; ) {
    try {
      at += writeSync(stream, bytes, at, length - at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** The first line of standard input. Nothing more comes before the tool asks for something. */
function order() {
  const chunk = Buffer.allocUnsafe(65536);
  const chunks = [];
  for (;;) {
    const count = readSync(0, chunk, 0, chunk.length, null);
    if (count === 0) exit(1);
    chunks.push(from(chunk.subarray(0, count)));
    if (chunk[count - 1] === 10) return parse(concat(chunks).toString("utf8"));
  }
}

const call = order();

/** Says something that begins with the word, on a line of its own, whatever the tool has printed before. */
function say(kind, text) {
  write(1, from(`\n${call.word} ${kind} ${text}\n`));
}

let logged = 0;

/** A log: written as far as anybody reads it. */
function log(bytes) {
  const room = 2 * call.logBytes - logged;
  if (room <= 0) return;
  const length = Math.min(bytes.length, room);
  logged += length;
  write(2, bytes, length);
}

/** Whether an error says that something was done which is not declared. */
function isDenied(error) {
  const code = error?.code;
  if (code === "ERR_ACCESS_DENIED" || error?.cause?.code === "ERR_ACCESS_DENIED") return true;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS" || code === "EXDEV") return typeof error.path === "string";
  // What is not declared does not exist for a tool.
  return code === "ENOENT" && [error.path, error.dest].some((path) => typeof path === "string" && !isDeclared(path));
}

function isDeclared(path) {
  const whole = isAbsolute(path) ? path : absolute("/package", path);
  return ["/package", ...call.files].some((folder) => whole === folder || whole.startsWith(`${folder}/`));
}

/** The tool has failed with `error`. */
function fail(error, otherwise) {
  let code = otherwise;
  let message;
  try {
    if (isDenied(error)) code = "PERMISSION_DENIED";
    message = typeof error?.message === "string" ? error.message : String(error);
    // Node.js says of what it refuses that it did, and keeps to itself what that was.
    const { resource } = error ?? {};
    if (code === "PERMISSION_DENIED" && typeof resource === "string" && resource && !message.includes(resource)) {
      message += `: ${resource}`;
    }
  } catch {
    message = "the tool threw something that cannot be told";
  }
  say("failed", stringify({ code, message: message.slice(0, 65536) }));
  exit(0);
}

/** What a tool reaches the host's capabilities with. */
const waiting = new Map();
let calls = 0;
let stream;

function listen() {
  if (stream) return;
  stream = input();
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) answered(parse(line));
  });
}

function answered({ id, result, error }) {
  const call = waiting.get(id);
  if (!call) return;
  waiting.delete(id);
  // A tool that waits for nothing more ends.
  if (waiting.size === 0) stream.unref();
  if (!error) return call.resolve(result);
  const code = error.code === "PERMISSION_DENIED" ? "ERR_ACCESS_DENIED" : error.code;
  call.reject(Object.assign(new Error(error.message), { code }));
}

async function capability(name, args = {}) {
  const text = stringify(args);
  if (text === undefined) throw new TypeError("the arguments of a capability are no JSON");
  const id = ++calls;
  listen();
  stream.ref();
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    // What is longer than it may be is refused, and need not be sent as a whole.
    say("capability", stringify({ id, name: String(name), args: text.slice(0, 1 << 20) }));
  });
}

/** Gives `target` a member that nobody changes. */
function fix(target, name, value) {
  defineProperty(target, name, { value, writable: false, configurable: false, enumerable: true });
}

/** A stream of the process that is made when it is first looked at. */
function stand(name, make) {
  let made;
  defineProperty(process, name, { configurable: true, enumerable: true, get: () => (made ??= make()) });
}

const format = (...values) => from(`${require("node:util").format(...values)}\n`);
const logs = () => {
  const { Writable } = require("node:stream");
  return new Writable({
    decodeStrings: true,
    write(chunk, _encoding, done) {
      log(chunk);
      done();
    },
  });
};
stand("stdout", logs);
stand("stderr", logs);
stand("stdin", () => require("node:stream").Readable.from([]));

for (const name of keys(process.env)) delete process.env[name];
for (const name of keys(call.environment)) process.env[name] = call.environment[name];

if (process.getBuiltinModule) {
  const builtin = process.getBuiltinModule.bind(process);
  fix(process, "getBuiltinModule", function getBuiltinModule(id) {
    if (isBlocked(String(id))) throw denial(id);
    return builtin(id);
  });
}
fix(globalThis, "fetch", guarded(globalThis.fetch, call.context.permissions.network));
for (const name of ["WebSocket", "EventSource"]) fix(globalThis, name, undefined);

const about = { types: call.types, faults: call.faults, guesses: call.guesses };
if (modules.registerHooks) {
  initialize({ ...about, guesses: false });
  modules.registerHooks(hooks);
} else {
  // These versions have no permissions that would name what starts a process, or they leave out threads.
  const old = { ...about, processes: "blocked" };
  initialize(old);
  const load = modules.default._load;
  modules.default._load = function (request, ...others) {
    if (isBlocked(request)) throw denial(request);
    return Reflect.apply(load, this, [request, ...others]);
  };
  if (!process.permission) fix(process, "binding", () => { throw denial("process.binding"); });
  modules.register?.("./hooks.mjs", { parentURL: import.meta.url, data: old });
}

const context = freeze({
  ...call.context,
  log: (...values) => log(format(...values)),
  capability,
});

let tool;
try {
  tool = (await import(pathToFileURL(call.entry))).default;
} catch (error) {
  fail(error, "TOOL_LOAD_FAILED");
}
if (typeof tool !== "function") fail(new Error("the module has no default export that is a function"), "TOOL_LOAD_FAILED");
let output;
try {
  const value = await tool(call.input, context);
  // What is no JSON by itself, such as a function, is no value either.
  output = stringify(value) ?? "null";
} catch (error) {
  fail(error, "TOOL_ERROR");
}
const length = byteLength(output);
if (length > call.outputBytes) say("too-long", String(length));
else say("output", output);
exit(0);
