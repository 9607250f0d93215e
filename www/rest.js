// Brings the second part of the page's program: what a first visit does not need to show its plan. `cargo xtask build` makes the
// parts (xtask/src/parts.rs).
//
// Each function of this part has a place in the table of the first one. Until the part is here, its place holds a function of this
// file that fetches it while the page waits. That happens to a visitor who is quicker than the network.
const address = globalThis.memplanInside?.address("app_rest.wasm") ?? new URL("app_rest.wasm", import.meta.url).href;

// How long to wait before the part is asked for again, in milliseconds.
const PAUSE = 2000;

// The exports of the first part.
let first;
let isHere = false;

export const placeholder = new Proxy({}, {
  get: (_, place) => (...given) => {
    if (!isHere) join(new WebAssembly.Module(fetched()));
    return first.t0.get(Number(place))(...given);
  },
});

// Called before the program starts. Whoever sees its plan as a picture meanwhile waits for no more than the first part.
export async function begin(instance) {
  first = instance.exports;
  const joined = compiled().then(join);
  if (document.getElementById("first-picture")) joined.catch(again);
  else await joined;
}

function join(module) {
  if (isHere) return;
  // It writes its functions into their places.
  new WebAssembly.Instance(module, { first });
  isHere = true;
}

async function compiled() {
  const bytes = async () => WebAssembly.compile(await (await fetch(address)).arrayBuffer());
  // A host may call the file by another type.
  return WebAssembly.compileStreaming(fetch(address)).catch(bytes);
}

function again() {
  setTimeout(() => compiled().then(join).catch(again), PAUSE);
}

// The part at once: the only request that a call can wait for.
function fetched() {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${address} could not be fetched (${request.status}).`);
  const text = request.responseText;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
