import init, { planners, plan, compare, check, exercise, Replay } from "./memplan.js";

const at = (id) => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
let graph, replay;

function choose() {
  const id = at("planner").value;
  replay?.free();
  replay = undefined;
  at("problem").textContent = "";
  try {
    const planned = plan(graph, id);
    const violations = check(planned).filter((violation) => !violation.quirk);
    at("problem").textContent = violations.map((violation) => violation.message).join(" ");
    at("plan").textContent = JSON.stringify(planned, null, 1);
    replay = new Replay(graph, id);
    at("slider").max = at("slider").value = replay.frames - 1;
    draw();
  } catch (error) {
    // `code` says what kind of mistake it is, `path` where it lies, `message` both in words.
    at("problem").textContent = `${error.code}: ${error.message}`;
    at("plan").textContent = at("number").textContent = at("why").textContent = at("picture").textContent = "";
  }
}

function draw() {
  if (!replay) return;
  const k = Number(at("slider").value);
  at("number").textContent = `${k} of ${replay.frames - 1}`;
  at("why").textContent = replay.frame(k).why.headline;
  at("picture").innerHTML = replay.svg(k, { theme: dark ? "dark" : "light" });
}

function practise() {
  try {
    // The same seed gives the same instance everywhere.
    const made = exercise({ kind: "pack", planner: at("planner").value, seed: 7, difficulty: 1 });
    at("exercise").textContent = made.questions[0].ask;
  } catch (error) {
    at("exercise").textContent = `${error.code}: ${error.message}`;
  }
}

function table() {
  const line = ({ planner, metrics, valid, error }) => {
    const ratio = metrics?.ratio?.toFixed(3) ?? "–";
    const cells = error ? [planner, error.message] : [planner, metrics.peak, ratio, metrics.reuses, valid];
    const row = document.createElement("tr");
    row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  };
  at("rows").replaceChildren(...compare(graph).map(line));
}

async function open() {
  // Bytes of any format that memplan reads; text and plain objects will do as well.
  graph = await (await fetch(`./graphs/${at("graph").value}.json`)).arrayBuffer();
  choose();
  table();
}

await init();
const examples = await (await fetch("./graphs/index.json")).json();
at("graph").append(...examples.map(({ name }) => new Option(name)));
at("planner").append(...planners().map(({ id }) => new Option(id)));
at("graph").onchange = open;
at("planner").onchange = () => {
  choose();
  practise();
};
at("slider").oninput = draw;
await open();
practise();
document.documentElement.dataset.ready = "";
