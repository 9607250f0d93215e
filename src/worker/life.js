// The life of a worker. A lock is given back when its holder dies, however it dies: a worker that the browser ends says
// nothing. Where a page comes over plain http there are no locks, and only errors are heard.

// A file that lies where the programs do: this script lies four folders below.
export function beside(file) {
  return new URL(`../../../../${file}`, import.meta.url).href;
}

// Takes a lock for as long as this worker lives, and gives its name.
export function hold(told) {
  const { locks } = navigator;
  if (!locks) return;
  const name = `memplan worker ${crypto.randomUUID()}`;
  locks.request(name, () => (told(name), new Promise(() => {})));
}

// Tells once nobody holds a lock any more, unless it is stopped before.
export function onceFree(name, told) {
  const stop = new AbortController();
  navigator.locks.request(name, { signal: stop.signal }, told).catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
  return stop;
}
