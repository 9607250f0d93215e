// Detects the end of a worker. The browser releases the lock of a worker that ends, even if it ends without a message.
// A page over plain http has no locks and notices errors only.

// Returns the address of a file in the folder of the programs, which is three folders above this script. A page that is one
// HTML file has them inside (www/one.html).
export function beside(file) {
  const inside = globalThis.memplanInside;
  return inside ? (inside.address(file) ?? "blob:none") : new URL(`../../../${file}`, import.meta.url).href;
}

// Starts the worker of this name.
export function startWorker(name) {
  return globalThis.memplanInside?.worker(name) ?? new Worker(beside("worker.js"), { type: "module", name });
}

// Takes a lock that is released when this worker ends, and calls `held` with its name.
export function hold(held) {
  const { locks } = navigator;
  if (!locks) return;
  const name = `memplan worker ${crypto.randomUUID()}`;
  // A frame that may keep nothing has no locks either.
  locks.request(name, () => (held(name), new Promise(() => {}))).catch(() => null);
}

// Calls `freed` when the lock is released, unless it is aborted before.
export function onceFree(name, freed) {
  const stop = new AbortController();
  navigator.locks.request(name, { signal: stop.signal }, freed).catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
  return stop;
}
