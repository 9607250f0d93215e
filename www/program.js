// Brings the page's program in parts: first the functions that a first visit needs to show its plan, then all functions.
// `cargo xtask build` makes the parts (xtask/src/parts.rs).
//
// The first functions and all functions work on one state: memory, tables, globals. Each missing function that the first ones may
// call has a place in a table. The place holds a function of this file that fetches all functions while the page waits. That happens
// to a visitor who is quicker than the network.
const address = (name) => globalThis.memplanInside?.address(name) ?? new URL(name, import.meta.url).href;
const whole = address("app_bg.wasm");

// Only who sees the plan as a picture begins with less than all.
const isSplit = document.getElementById("first-picture") !== null;

// How long to wait before all functions are asked for again, in milliseconds: each time twice as long.
const PAUSE = 1000;

// That the page has no program. The program itself takes the words out of the page.
const missing = document.getElementById("no-program");

let isWhole = !isSplit;
// What the program imports, its state included.
let imports;
// Makes the page call other functions than those that it began with.
let use;

// The address of the functions that the page begins with.
export const begin = () => (isSplit ? address("app_first.wasm") : whole);

// Called before these functions are there.
export async function share(imported) {
  imports = imported;
  imports.state = (await WebAssembly.instantiate(await load(address("app_state.wasm")))).exports;
  imports.placeholder = new Proxy({}, {
    get: (_, place) => (...given) => {
      if (!isWhole) joinNow();
      return imports.state.t0.get(Number(place))(...given);
    },
  });
}

// Called when these functions are there.
export function follow(taken) {
  use = taken;
  if (isSplit) joinLater(PAUSE);
}

async function load(from) {
  const answer = await fetch(from);
  if (!answer.ok) throw new Error(`${from}: ${answer.status}`);
  // A host may call the file by another type.
  const isNamed = answer.headers.get("Content-Type") === "application/wasm";
  return isNamed ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

// The functions write themselves into their places when they become an instance.
function join(instance) {
  isWhole = true;
  use(instance.exports);
}

function joinLater(pause) {
  load(whole)
    .then((module) => isWhole || WebAssembly.instantiate(module, imports).then(join))
    .catch(() => setTimeout(() => isWhole || joinLater(2 * pause), pause));
}

// No call can wait for another kind of request.
function joinNow() {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", whole, false);
    request.overrideMimeType("text/plain; charset=x-user-defined");
    request.send();
    if (request.status !== 200) throw new Error(`${whole}: ${request.status}`);
    const text = request.responseText;
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    join(new WebAssembly.Instance(new WebAssembly.Module(bytes), imports));
  } catch (error) {
    // The program is left in the middle of a call, and nothing brings it back.
    document.getElementById("first-picture")?.remove();
    missing?.classList.remove("late");
    document.body.replaceChildren(...(missing ? [missing] : []));
    throw error;
  }
}
