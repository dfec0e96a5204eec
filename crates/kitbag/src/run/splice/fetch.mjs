// `fetch` as tools of a Splice package have it (Splice 1, "Network guard"): every hop of a redirect is looked at, and what is
// not declared has a name. What it lets through, the sandbox looks at once more, by the addresses that names lead to.

const { URL, Request, Headers, Error, TypeError, Object } = globalThis;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HOPS_AT_MOST = 5;
/** What is for the first origin only. */
const OWN = ["authorization", "cookie", "proxy-authorization"];
/** How an address of IPv4 is written once it is read. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

function denied(message) {
  return Object.assign(new Error(message), { code: "ERR_ACCESS_DENIED" });
}

function matches(host, pattern) {
  if (pattern === "*" || pattern === host) return true;
  return pattern.startsWith("*.") && host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1;
}

/** Why `url` must not be reached, if so. */
function refusal(url, declared) {
  if (url.protocol !== "http:" && url.protocol !== "https:") return `the protocol ${url.protocol} is not HTTP`;
  if (url.username || url.password) return "an address must not hold a user and a password";
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (!declared.some((pattern) => matches(host, pattern))) {
    return `network access to "${host}" is denied. Declare it in permissions.network`;
  }
  const isAddress = IPV4.test(host) || host.includes(":");
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  if ((isAddress || isLocal) && !declared.includes(host)) {
    return `network access to "${host}" is denied: it is not a public address, or one that permissions.network does not name itself`;
  }
  return undefined;
}

export function guarded(native, declared) {
  return async function fetch(resource, options) {
    const request = new Request(resource, options);
    const { redirect, signal } = request;
    const headers = new Headers(request.headers);
    let url = new URL(request.url);
    let { method } = request;
    // Kept whole, because it may have to be sent again.
    let body = request.body === null ? undefined : await request.arrayBuffer();
    for (let hops = 0; ; hops += 1) {
      const because = refusal(url, declared);
      if (because) throw denied(hops === 0 ? because : `Redirect blocked: ${because}`);
      const response = await native(url.href, { method, headers, body, signal, redirect: "manual" });
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null || redirect === "manual") {
        if (hops > 0) Object.defineProperty(response, "redirected", { value: true });
        return response;
      }
      if (redirect === "error") throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
      if (hops === HOPS_AT_MOST) throw new TypeError(`fetch failed: more than ${HOPS_AT_MOST} redirects`);
      await response.body?.cancel();
      const next = new URL(location, url);
      const { status } = response;
      if ((status === 303 && method !== "HEAD") || (status < 303 && method === "POST")) {
        method = "GET";
        body = undefined;
        for (const name of ["content-type", "content-length", "content-encoding", "content-language"]) headers.delete(name);
      }
      if (next.origin !== url.origin) for (const name of OWN) headers.delete(name);
      url = next;
    }
  };
}
