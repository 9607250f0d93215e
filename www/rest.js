// Brings the second part of the page's program: what a first visit does not need to show its plan. `cargo xtask build` makes the
// parts (xtask/src/parts.rs).
//
// Each function of this part has a place in the table of the first one. Until the part is here, its place holds a function of this
// file that fetches it while the page waits. That happens to a visitor who is quicker than the network.
const address = globalThis.memplanInside?.address("app_rest.wasm") ?? new URL("app_rest.wasm", import.meta.url).href;

// How long to wait before the part is asked for again, in milliseconds: each time twice as long.
const PAUSE = 1000;

// That the page has no program. The program itself takes the words out of the page.
const missing = document.getElementById("no-program");

// The exports of the first part.
let first;
let isHere = false;

export const placeholder = new Proxy({}, {
  get: (_, place) => (...given) => {
    if (!isHere) joinNow();
    return first.t0.get(Number(place))(...given);
  },
});

// Called before the program starts. A visitor who sees the plan as a picture waits for no more than the first part.
export async function begin(instance) {
  first = instance.exports;
  if (document.getElementById("first-picture")) joinLater(PAUSE);
  else await join();
}

// The part writes its functions into their places.
async function join() {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  // A host may call the file by another type.
  const isNamed = answer.headers.get("Content-Type") === "application/wasm";
  await (isNamed ? WebAssembly.instantiateStreaming(answer, { first }) : WebAssembly.instantiate(await answer.arrayBuffer(), { first }));
  isHere = true;
}

function joinLater(pause) {
  join().catch(() => setTimeout(() => isHere || joinLater(2 * pause), pause));
}

// No call can wait for another kind of request.
function joinNow() {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", address, false);
    request.overrideMimeType("text/plain; charset=x-user-defined");
    request.send();
    if (request.status !== 200) throw new Error(`${address}: ${request.status}`);
    const text = request.responseText;
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    new WebAssembly.Instance(new WebAssembly.Module(bytes), { first });
    isHere = true;
  } catch (error) {
    // The program is left in the middle of a call, and nothing brings it back.
    document.getElementById("first-picture")?.remove();
    missing?.classList.remove("late");
    document.body.replaceChildren(...(missing ? [missing] : []));
    throw error;
  }
}
