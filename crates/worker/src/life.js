// Detects the end of a worker. The browser releases the lock of a worker that ends, even if it ends without a message.
// A page over plain http has no locks and notices errors only.

// Returns the address of a file in the folder of the programs, which is three folders above this script.
export function beside(file) {
  return new URL(`../../../${file}`, import.meta.url).href;
}

// Takes a lock that is released when this worker ends, and calls `held` with its name.
export function hold(held) {
  const { locks } = navigator;
  if (!locks) return;
  const name = `memplan worker ${crypto.randomUUID()}`;
  locks.request(name, () => (held(name), new Promise(() => {})));
}

// Calls `freed` when the lock is released, unless it is aborted before.
export function onceFree(name, freed) {
  const stop = new AbortController();
  navigator.locks.request(name, { signal: stop.signal }, freed).catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
  return stop;
}
