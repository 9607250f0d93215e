import init, { useReaders, BenchFile, benchPlanners, benchPlan, benchSize, benchSeek, benchScene, benchImport, benchLarge } from "./engine.js";

const at = (id) => document.getElementById(id);
const breathe = () => new Promise((done) => setTimeout(done));
const row = (table, tag, cells, kind = "") => {
  const line = Object.assign(document.createElement("tr"), { className: kind });
  for (const text of cells) line.append(Object.assign(document.createElement(tag), { textContent: text }));
  at(table).append(line);
};
const ms = (time) => (time === undefined ? "–" : time.toFixed(time < 10 ? 2 : 0));

const readers = import("./reader.js").then(async (program) => {
  await program.default();
  return program.read;
});
const ready = Promise.all([init(), readers]).then(([, read]) => useReaders(read));
let files = [];
// Counts the runs of files: the one before ends when another begins, and so does what the page measures by itself.
let turn = 0;

async function timeFiles() {
  const own = ++turn;
  at("again").disabled = !files.length;
  at("files").replaceChildren();
  at("files-state").textContent = "Running…";
  row("files", "th", ["file", "planner", "buffers", "ms", "first run", "nodes", "peak", "of the bound"]);
  await ready;
  const named = at("named").value.split(",").map((name) => name.trim()).filter(Boolean);
  let total = 0;
  for (const file of files) {
    let read;
    try {
      read = new BenchFile(new Uint8Array(await file.arrayBuffer()));
    } catch (why) {
      row("files", "td", [file.name, String(why)]);
      continue;
    }
    for (const planner of named.length ? named : read.planners()) {
      await breathe();
      if (own !== turn) return read.free();
      try {
        const { buffers, millis, first, nodes, peak, bound } = read.time(planner, Number(at("span").value));
        total += millis;
        const ratio = peak === undefined ? "–" : (peak / Math.max(bound, 1)).toFixed(4);
        row("files", "td", [file.name, planner, buffers, millis.toFixed(2), first.toFixed(2), nodes, peak ?? "–", ratio]);
      } catch (why) {
        row("files", "td", [file.name, planner, String(why)]);
      }
    }
    read.free();
  }
  row("files", "td", ["together", "", "", total.toFixed(2), "", "", "", ""], "sum");
  at("files-state").textContent = "Done.";
}

function take(list) {
  files = [...list];
  if (files.length) timeFiles();
}

at("choose").addEventListener("change", () => take(at("choose").files));
at("again").addEventListener("click", timeFiles);
for (const type of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.toggle("over", type === "dragover");
    if (type === "drop") take(event.dataTransfer.files);
  });
}

// A few graphs, each once, and nothing large: shows that all of it works.
const quick = new URLSearchParams(location.search).has("quick");

async function timeOwn() {
  const stopped = async () => (await breathe(), turn > 0);
  const planners = benchPlanners();
  row("plan", "th", ["graph", ...planners]);
  const graphs = await (await fetch("./graphs/index.json")).json();
  for (const { name } of quick ? graphs.slice(0, 3) : graphs) {
    const bytes = new Uint8Array(await (await fetch(`./graphs/${name}.json`)).arrayBuffer());
    const cells = [name];
    for (const id of planners) {
      if (await stopped()) return false;
      cells.push(ms(benchPlan(bytes, id, quick ? 1 : 5)));
    }
    row("plan", "td", cells);
  }
  const sizes = quick ? [100, 1000] : [1000, 10000, 100000];
  row("size", "th", ["planner", ...sizes.map((size) => size.toLocaleString("en").replace(",", " ")), "growth exponent"]);
  for (const id of planners) {
    const times = [];
    for (const count of sizes) {
      if (await stopped()) return false;
      // A planner that already needs long would need a hundred times as long at the next size.
      times.push(times.some((time) => time === undefined || time > 1500) ? undefined : benchSize(count, id));
    }
    const known = times.filter((time) => time !== undefined);
    const exponent = known.length < 2 ? "–" : Math.log10(known.at(-1) / known.at(-2)).toFixed(2);
    row("size", "td", [id, ...times.map(ms), exponent]);
  }
  row("seek", "th", ["buffers", "p95"]);
  for (const count of [1000, 10000]) {
    if (await stopped()) return false;
    row("seek", "td", [count, ms(benchSeek(count, 200))]);
  }
  row("scene", "th", ["buffers", "picture", "hover", "random frame"]);
  for (const [count, alive] of [[10000, 20], [50000, 50]]) {
    if (await stopped()) return false;
    row("scene", "td", [count, ...benchScene(count, alive, 20).map(ms)]);
  }
  row("import", "th", ["model", "MB/s"]);
  for (const [name, weight, symbolic] of [["nodes only", 0, false], ["nodes only, symbolic batch", 0, true], ["with weights", 147456, false]]) {
    if (await stopped()) return false;
    row("import", "td", [name, ms(benchImport(quick ? 2e6 : 2e7, weight, symbolic))]);
  }
  if (await stopped()) return false;
  const large = "gpt_48layer_accumulate_adamw";
  const answer = await fetch(`./bench/${large}.json.gz`);
  row("large", "th", ["graph", "read", "live ranges and plan", "picture"]);
  row("large", "td", [large, ...benchLarge(new Uint8Array(await answer.arrayBuffer())).map(ms)]);
  return true;
}

await ready;
for (const id of benchPlanners()) at("known").append(Object.assign(document.createElement("option"), { value: id }));
at("state").textContent = (await timeOwn()) ? "Done." : "Stopped for the files: reload the page to run this.";
