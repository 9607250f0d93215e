// Keeps the files of the page, so that it works without a network after the first visit.
//
// A version is a folder that is named after what it holds, and one cache. A new version is kept as a whole or not at all.
// The page itself is fetched from the network as long as there is one: it names the folder that it needs. Files of that folder
// never change, so that whoever has them has the right ones. Nothing is reloaded from here; pages of another version are told.

// Written by `cargo xtask finish`: the version, and each file with the digest of its bytes.
const VERSION = "";
const FILES = [];

// How long the network may take to send the page before the kept one is shown, in milliseconds.
const PATIENCE = 4000;

const scope = self.registration.scope;
const own = `memplan ${scope} `;
const name = own + VERSION;
const paths = new Set(FILES.map(([path]) => path));

// FNV-1a in 32 bits: tells files of other versions, and halves of files, from the right ones.
function digest(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

// One file after the other, and none before those that the page asks for.
async function keep() {
  const cache = await caches.open(name);
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  for (const [path, expected] of FILES) {
    const url = new URL(path, scope).href;
    if (kept.has(url)) continue;
    // What lies in the folder of a version never changes; other files may, and are asked for again.
    const answer = await fetch(url, { cache: path.startsWith(VERSION) ? "default" : "no-cache", priority: "low" });
    const bytes = new Uint8Array(await answer.clone().arrayBuffer());
    // Some hosts add to the page what is theirs, so it is recognised by the folder that it names.
    const fits = path ? digest(bytes) === expected : new TextDecoder().decode(bytes).includes(VERSION);
    if (!answer.ok || !fits) throw new Error(`${url} is not of version ${VERSION}`);
    await cache.put(url, answer);
  }
}

// Removes what no page uses any more. Every page holds a lock with the name of its cache.
async function tidy() {
  const used = (await navigator.locks.query()).held.map((lock) => lock.name);
  for (const other of await caches.keys()) {
    if (other.startsWith(own) && other !== name && !used.includes(other)) await caches.delete(other);
  }
}

async function tell() {
  for (const client of await self.clients.matchAll({ type: "window", includeUncontrolled: true })) {
    if (client.url.startsWith(scope)) client.postMessage({ memplan: "version", version: VERSION });
  }
}

// The page from the network, else the one that is kept.
async function page(request) {
  let waiting;
  const late = new Promise((_, reject) => (waiting = setTimeout(reject, PATIENCE)));
  try {
    const answer = await Promise.race([fetch(request.url, { cache: "no-cache", redirect: "manual" }), late]);
    if (answer.ok || answer.type === "opaqueredirect") return answer;
  } catch {
    // No network, or one that is as good as none.
  } finally {
    clearTimeout(waiting);
  }
  return (await (await caches.open(name)).match(scope)) ?? fetch(request);
}

// A file of a version from whichever cache has it, another file of the page as this version has it.
async function file(request, path) {
  const cache = paths.has(path) ? await caches.open(name) : caches;
  return (await cache.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(keep().then(() => self.skipWaiting())));

self.addEventListener("activate", (event) => event.waitUntil(tidy().then(() => self.clients.claim()).then(tell)));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const [url] = request.url.split(/[?#]/);
  if (request.method !== "GET" || !url.startsWith(scope)) return;
  const path = url.slice(scope.length);
  // The speaker's window is a file of the version.
  if (request.mode === "navigate" && !path.startsWith("build-")) {
    if (path === "" || path === "index.html") event.respondWith(page(request));
  } else if (paths.has(path) || path.startsWith("build-")) {
    event.respondWith(file(request, path));
  }
});
