// The page without a network: `service.js`, beside the page, keeps its files.

// The version: the name of the folder that this script lies in, however deep.
const version = /\/(build-[^/]+)\//.exec(import.meta.url)?.[1];

// How long a page stays open before it asks for a new version by itself, in milliseconds. Opening it asks, too.
const AGAIN = 3_600_000;

let asked = 0;

// Calls `told` when another version is at hand. A browser that keeps nothing has nothing to tell.
export function keepOffline(told) {
  // A page that is one HTML file has everything inside.
  if (globalThis.memplanInside) return;
  const service = navigator.serviceWorker;
  if (!service || asked) return;
  asked = performance.now();
  service.addEventListener("message", ({ data }) => {
    if (data?.memplan === "version" && data.version !== version) told();
  });
  service.startMessages();
  // Nothing that the page itself waits for comes later because of this.
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 1000));
  idle(async () => {
    const address = new URL("./service.js", document.baseURI);
    const registration = await service.register(address, { updateViaCache: "none" }).catch(() => null);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden || performance.now() - asked < AGAIN) return;
      asked = performance.now();
      registration?.update().catch(() => null);
    });
  });
}
