// The league: every figure of the table is a plan, which is checked here, in the browser of the reader.
import init, { plan, compare, check } from "./memplan.js";

const at = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.hash.slice(1));
const lang = (asked.get("lang") ?? navigator.language).toLowerCase().startsWith("zh") ? "zh" : "en";
const dark = matchMedia("(prefers-color-scheme: dark)");
const wanted = ["light", "dark"].find((theme) => theme === asked.get("theme"));
const paint = () => (document.documentElement.dataset.theme = wanted ?? (dark.matches ? "dark" : "light"));
paint();
dark.addEventListener("change", paint);
// What links carry on beside the language.
const look = wanted ? `&theme=${wanted}` : "";
document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
addEventListener("hashchange", () => location.reload());

const breathe = () => new Promise((done) => setTimeout(done));
const fetched = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
};

let words = {};
const say = (name, args = {}) => (words[`league.${name}`] ?? name).replace(/\{(\w+)\}/g, (_, slot) => args[slot] ?? "");
const make = (tag, props = {}, ...parts) => {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...parts);
  return element;
};

// Bytes as everywhere in memplan: the unit that suits them, and nothing rounded below 10 KiB.
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const exact = (bytes) => `${grouped(bytes)}\u202fB`;
function readable(bytes) {
  if (bytes < 10240 && bytes % 1024) return exact(bytes);
  let power = 0;
  while (power < 4 && bytes >= 1024 ** (power + 1)) power += 1;
  const value = bytes / 1024 ** power;
  return `${Number(value.toFixed(value < 10 ? 2 : 1))}\u202f${UNITS[power]}`;
}
const both = (bytes) => (bytes < 1024 ? exact(bytes) : `${exact(bytes)} (${readable(bytes)})`);
const milliseconds = (ms) => (ms < 10 ? ms.toFixed(2) : grouped(Math.round(ms)));

const ratio = (value) => value.toFixed(value < 1.0995 ? 3 : 2);
// What would read 1.000 is the bytes between peak and bound.
function distance(peak, bound) {
  if (peak === bound) return "1";
  const text = ratio(peak / bound);
  return text === "1.000" ? `${peak > bound ? "+" : "−"}${readable(Math.abs(peak - bound))}` : text;
}

let planners = [];
let instances = [];
let chosen;
let checking = false;
// What the checks found, by instance and planner.
const found = new Map();
const keyOf = (instance, name) => `${instance.entry.id} ${name}`;
const titleOf = ({ entry }) => `${words[`league.set-${entry.group}`] ?? entry.group} ${entry.name}`;

// What is proved of an instance: its bound, or what the search of a planner has proved.
function floorOf({ measured, rows }) {
  const proofs = [...rows.values()].filter((row) => row.proved > measured.bound);
  return proofs.reduce((best, row) => (row.proved > best.bytes ? { bytes: row.proved, by: row.planner } : best), { bytes: measured.bound });
}
const wholeOf = ({ measured, rows }) => [...rows.values()].filter((row) => !row.broken && row.placed === measured.buffers);
const bestOf = (instance) => Math.min(...wholeOf(instance).map((row) => row.peak));
const isSettled = (instance) => bestOf(instance) <= floorOf(instance).bytes;

function markOf(instance, row) {
  if (row.broken) return "broken";
  if (row.placed < instance.measured.buffers) return "part";
  if (row.peak <= floorOf(instance).bytes) return "proved";
  return row.peak === bestOf(instance) ? "best" : "";
}

// Order of the table: by the geometric mean; who lacks a plan or leaves a buffer out comes last, without a rank.
function standing() {
  const names = new Set([...planners, ...instances.flatMap(({ rows }) => [...rows.keys()])]);
  const rows = [...names].map((name) => {
    const whole = instances.filter((instance) => wholeOf(instance).some((row) => row.planner === name));
    const logs = whole.map(({ measured, rows }) => Math.log(rows.get(name).peak / measured.bound));
    const mean = logs.length ? Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length) : undefined;
    return { name, mean, isWhole: logs.length === instances.length };
  });
  return rows.sort((a, b) => b.isWhole - a.isWhole || (a.mean ?? Infinity) - (b.mean ?? Infinity));
}

function figureOf(instance, row) {
  if (row.broken) return say("not-valid");
  const { buffers, bound } = instance.measured;
  return row.placed < buffers ? say("placed", { k: row.placed, n: buffers }) : distance(row.peak, bound);
}

function cell(instance, name) {
  const row = instance.rows.get(name);
  const box = make("td", { className: "cell" });
  if (!row) {
    box.append(make("span", { className: "muted", textContent: "–", title: say("no-plan") }));
    return box;
  }
  const mark = markOf(instance, row);
  const figure = figureOf(instance, row);
  const button = make("button", { type: "button", tabIndex: -1 });
  const state = mark && mark !== "broken" ? `, ${say(mark)}` : "";
  button.ariaLabel = say("cell", { planner: name, instance: titleOf(instance), figure }) + state;
  button.dataset.instance = instance.entry.id;
  button.dataset.planner = name;
  button.ariaPressed = String(chosen?.instance === instance && chosen.name === name);
  if (mark === "proved") button.append(make("span", { className: "mark proved", textContent: "✓" }));
  if (mark === "best") button.append(make("span", { className: "mark best" }));
  button.append(make("span", { textContent: figure }));
  const above = row.peak / instance.measured.bound - 1;
  if (mark !== "part" && mark !== "broken" && above > 0.015) {
    const bar = make("i");
    bar.style.width = `${Math.min(70, above * 60).toFixed(0)}%`;
    box.append(bar);
  }
  if (mark) box.classList.add(mark);
  const outcome = found.get(keyOf(instance, name));
  if (outcome) box.classList.add(outcome.good ? "valid" : "wrong");
  box.append(button);
  return box;
}

function draw() {
  const focused = document.activeElement?.dataset;
  const groups = [];
  for (const { entry } of instances) {
    if (groups.at(-1)?.name === entry.group) groups.at(-1).size += 1;
    else groups.push({ name: entry.group, size: 1 });
  }
  const heads = make("tr", {}, make("td"), make("td"), make("td"));
  for (const { name, size } of groups) {
    heads.append(make("th", { scope: "colgroup", colSpan: size, textContent: words[`league.set-${name}`] ?? name }));
  }
  const columns = make(
    "tr",
    {},
    make("th", { scope: "col", textContent: say("rank") }),
    make("th", { scope: "col", className: "planner", textContent: say("planner") }),
    make("th", { scope: "col", className: "mean", textContent: say("mean"), title: say("mean-is") }),
    ...instances.map(({ entry }) => make("th", { scope: "col", className: "name", textContent: entry.name })),
  );
  const table = at("table");
  table.tHead.replaceChildren(heads, columns);
  const rows = standing().map(({ name, mean, isWhole }, place) => {
    const rank = make("td", { className: "rank", textContent: isWhole ? place + 1 : "–" });
    if (!isWhole) rank.title = say("no-rank");
    const about = words[`planner.${name}.about`] ?? "";
    return make(
      "tr",
      {},
      rank,
      make("th", { scope: "row", title: about }, make("code", { textContent: name })),
      make("td", { className: "mean", textContent: mean === undefined ? "–" : ratio(mean) }),
      ...instances.map((instance) => cell(instance, name)),
    );
  });
  table.tBodies[0].replaceChildren(...rows);
  const buttons = [...table.querySelectorAll("button")];
  const is = (button, data) => button.dataset.instance === data?.instance && button.dataset.planner === data?.planner;
  const current = chosen && { instance: chosen.instance.entry.id, planner: chosen.name };
  const stop = buttons.find((button) => is(button, current)) ?? buttons[0];
  if (stop) stop.tabIndex = 0;
  if (focused?.instance) buttons.find((button) => is(button, focused))?.focus();
}

function drawInstances() {
  const heads = ["instance", "buffers", "alive", "bound", "smallest", "source", "license"];
  at("instances").tHead.replaceChildren(make("tr", {}, ...heads.map((head) => make("th", { scope: "col", textContent: say(head) }))));
  const line = (instance) => {
    const { entry, measured } = instance;
    const source = entry.link ? make("a", { href: entry.link, textContent: entry.source, rel: "noreferrer" }) : entry.source;
    const best = bestOf(instance);
    const words = best <= floorOf(instance).bytes ? say("proved") : say("best");
    return make(
      "tr",
      {},
      make("th", { scope: "row", textContent: titleOf(instance) }),
      ...[grouped(measured.buffers), grouped(measured.alive), exact(measured.bound)].map((text) => make("td", { textContent: text })),
      make("td", { textContent: `${exact(best)}, ${words}` }),
      make("td", {}, source),
      make("td", { textContent: entry.license }),
    );
  };
  at("instances").tBodies[0].replaceChildren(...instances.map(line));
  const open = instances.filter((instance) => !isSettled(instance)).map(titleOf);
  const [n, k] = [instances.length, instances.length - open.length];
  at("settled").textContent = open.length ? say("settled", { k, n, names: open.join(", ") }) : say("all-settled", { n });
  at("lead").textContent = say("lead", { planners: standing().length, instances: n });
}

// The buffers of a file: those of a list, or those of a plan with their offsets; none without a place.
function contents(bytes) {
  try {
    const planned = plan(bytes, "imported", null, { lang });
    const left = planned.unplanned.map((buffer) => ({ ...buffer, offset: null }));
    return { buffers: [...planned.buffers, ...left], isPlan: true };
  } catch (error) {
    if (error.code !== "no-plan") throw error;
    return { buffers: plan(bytes, "naive", null, { lang }).buffers.map(({ offset, ...buffer }) => buffer), isPlan: false };
  }
}

// FNV-1a in 64 bits over the lives and sizes of all buffers: which instance a file is, whatever its names and its order.
const kindOf = ({ start, end, size }) => `${start},${end},${size}`;
function digest(buffers) {
  let hash = 0xcbf29ce484222325n;
  for (const line of buffers.map(kindOf).sort()) {
    for (const byte of new TextEncoder().encode(`${line}\n`)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}

// The buffers of an instance of this site, or of a file that was chosen; none where there is none.
async function buffersOf(instance) {
  if (!instance.buffers && !instance.entry.link) {
    const bytes = await (await fetched(`./league/instances/${instance.entry.file}`)).arrayBuffer();
    const { buffers } = contents(bytes);
    if (digest(buffers) !== instance.measured.digest) throw new Error(instance.entry.file);
    instance.buffers = buffers;
  }
  return instance.buffers;
}

async function offsetsOf(instance, name) {
  const own = instance.rows.get(name).offsets;
  if (own) return own;
  if (!instance.plans) {
    const bytes = new Uint8Array(await (await fetched(`./league/plans/${instance.entry.id}.json.gz`)).arrayBuffer());
    // Some hosts unpack the file themselves.
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const text = new Blob([bytes]).stream();
    instance.plans = await new Response(isPacked ? text.pipeThrough(new DecompressionStream("gzip")) : text).json();
  }
  const { unit, offsets } = instance.plans;
  return offsets[name].map((offset) => (offset === null ? null : offset * unit));
}

// Offsets in the order of the buffers, checked as a plan of one arena: nothing but lives, sizes and alignments counts.
function judge(buffers, offsets) {
  const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
  const placed = buffers.map((buffer, index) => ({ ...buffer, offset: offsets[index] })).filter(({ offset }) => offset !== null);
  if (!placed.length) return { peak: 0, placed: 0, violations: [] };
  const line = ({ name, start, end, size, align, offset }) => [quoted(name), start, end, size, align ?? 1, offset].join(",");
  const text = `id,lower,upper,size,alignment,offset\n${placed.map(line).join("\n")}\n`;
  const [{ metrics, valid }] = compare(text, ["imported"], { lang });
  return { peak: metrics.peak, bound: metrics.lower_bound, placed: placed.length, violations: valid ? [] : check(text, { lang }) };
}

// Checks one plan; nothing where its instance is not here.
async function verify(instance, name) {
  const buffers = await buffersOf(instance);
  if (!buffers) return undefined;
  const offsets = await offsetsOf(instance, name);
  const start = performance.now();
  const judged = judge(buffers, offsets);
  const ms = performance.now() - start;
  const row = instance.rows.get(name);
  const isWhole = judged.placed === instance.measured.buffers;
  const isSame = judged.peak === row.peak && judged.placed === row.placed && (!isWhole || judged.bound === instance.measured.bound);
  const outcome = { ...judged, ms, isSame, good: isSame && !judged.violations.length };
  found.set(keyOf(instance, name), outcome);
  return outcome;
}

function outcomeWords(instance, { peak, bound, placed, violations, ms, isSame }) {
  const { buffers } = instance.measured;
  if (violations.length) return [say("broken", { n: violations.length, first: violations[0].message })];
  if (!isSame) return [say("differs", { peak: exact(peak), bound: exact(bound ?? 0), k: placed })];
  return [
    say("valid", { k: placed, n: buffers, peak: exact(peak) }),
    say("valid-took", { ms: milliseconds(ms), bound: exact(instance.measured.bound) }),
  ];
}

function proofOf(instance, row) {
  const floor = floorOf(instance);
  switch (markOf(instance, row)) {
    case "part":
      return say("is-part");
    case "broken":
      return say("not-valid");
    case "proved":
      return row.peak <= instance.measured.bound ? say("by-bound") : say("by-search", { planner: floor.by });
    case "best":
      return say("is-best");
    default:
      return say("is-behind", { peak: both(bestOf(instance)) });
  }
}

function facts(instance, row) {
  const { measured } = instance;
  const { date, machine, load, cpu } = measured.ran;
  const lines = [
    ["peak", both(row.peak)],
    ["bound", both(measured.bound)],
    ["open", row.placed === measured.buffers ? both(row.peak - measured.bound) : undefined],
    ["proof", proofOf(instance, row)],
    ["buffers", say("buffers-are", { n: grouped(measured.buffers), alive: grouped(measured.alive) })],
    ["time", row.ms === undefined ? undefined : say(cpu ? "time-cpu" : "time-wall", { ms: milliseconds(row.ms) })],
    ["", row.ms === undefined ? undefined : say(load === undefined ? "ran" : "ran-load", { date, machine, load })],
  ];
  const list = make("dl");
  for (const [name, text] of lines.filter(([, text]) => text !== undefined)) {
    list.append(make("dt", { textContent: name && say(name) }), make("dd", { textContent: text }));
  }
  return list;
}

// The way to the app, which plans the instance again: from this site, or from its address after a question there.
function linkOf({ entry }, name) {
  const address = entry.link ? entry.address : `league/instances/${entry.file}`;
  return address && `./index.html#doc=url:${encodeURIComponent(address)}&plan=${encodeURIComponent(name)}&lang=${lang}${look}`;
}

// Plan and outcome of the chosen cell; `parts` are the words of the outcome.
function drawPlan(kind, parts) {
  const { instance, name } = chosen;
  const row = instance.rows.get(name);
  at("plan-title").textContent = `${titleOf(instance)}: ${name}`;
  at("chosen").hidden = false;
  at("outcome").className = kind;
  at("outcome").replaceChildren(...parts.map((text) => make("p", { textContent: text })));
  const about = words[`planner.${name}.about`];
  const more = [];
  if (planners.includes(name)) {
    const link = linkOf(instance, name);
    if (link) more.push(make("p", {}, make("a", { id: "open-plan", href: link, textContent: say("open-plan") })));
    const command = `memplan plan ${instance.entry.file} --planner ${name} -o plan.json`;
    more.push(make("p", { className: "muted", textContent: say("command") }), make("code", { textContent: command }));
  }
  if (instance.entry.link) {
    const source = make("a", { href: instance.entry.link, rel: "noreferrer", textContent: say("to-source", { instance: titleOf(instance) }) });
    more.unshift(make("p", {}, source));
  }
  at("plan").replaceChildren(
    ...(about ? [make("p", { className: "muted", textContent: about })] : []),
    facts(instance, row),
    ...more,
  );
}

async function choose(instance, name) {
  const own = (chosen = { instance, name });
  draw();
  drawPlan("", [say("fetching")]);
  try {
    const outcome = await verify(instance, name);
    if (own !== chosen) return;
    if (outcome) drawPlan(outcome.good ? "good" : "bad", outcomeWords(instance, outcome));
    else drawPlan("", [say("missing", { instance: titleOf(instance), file: instance.entry.file })]);
    draw();
    // Where the panel stands below the table, it would not be seen.
    if (at("to-table").checkVisibility()) at("chosen").scrollIntoView();
  } catch (error) {
    if (own === chosen) drawPlan("bad", [say("unfetched", { why: error.message })]);
  }
}

function report(kind, ...parts) {
  at("checked").className = kind;
  at("checked").replaceChildren(...parts.flatMap((text, place) => (place ? [make("br"), text] : [text])));
}

async function checkAll() {
  if (checking) return;
  checking = at("check-all").disabled = true;
  const all = instances.flatMap((instance) => [...instance.rows.keys()].map((name) => ({ instance, name })));
  const here = all.filter(({ instance }) => instance.buffers || !instance.entry.link);
  const wrong = [];
  let ms = 0;
  try {
    for (const [place, { instance, name }] of here.entries()) {
      if (place % 10 === 0) {
        report("", say("checking", { k: place + 1, n: here.length }));
        await breathe();
      }
      const outcome = await verify(instance, name);
      ms += outcome.ms;
      if (!outcome.good) wrong.push(`${titleOf(instance)}, ${name}`);
    }
    const left = all.filter(({ instance }) => !instance.buffers && instance.entry.link);
    const names = [...new Set(left.map(({ instance }) => titleOf(instance)))].join(", ");
    report(
      wrong.length ? "bad" : "good",
      say("checked", { k: here.length - wrong.length, n: here.length }),
      say("checked-took", { ms: milliseconds(ms) }),
      ...(wrong.length ? [say("checked-wrong", { n: wrong.length, names: wrong.join("; ") })] : []),
      ...(left.length ? [say("checked-left", { n: left.length, names })] : []),
    );
  } catch (error) {
    report("bad", say("unfetched", { why: error.message }));
  }
  checking = at("check-all").disabled = false;
  draw();
}

// The offsets of a plan in the order of an instance; nothing if it has a buffer that the instance lacks.
function fitted(buffers, planned) {
  const given = new Map(planned.map((buffer) => [kindOf(buffer), []]));
  for (const buffer of planned) given.get(kindOf(buffer)).push(buffer);
  const offsets = buffers.map((buffer) => given.get(kindOf(buffer))?.shift()?.offset ?? null);
  return [...given.values()].every((rest) => !rest.length) ? offsets : undefined;
}

// The instance of a plan with the offsets in the order of its buffers.
async function placeOf(planned) {
  const own = digest(planned);
  const whole = instances.find(({ measured }) => measured.digest === own);
  // A plan of all buffers brings the instance along.
  if (whole) {
    const buffers = (await buffersOf(whole)) ?? planned.map((buffer) => ({ ...buffer, align: 1 }));
    return { instance: whole, buffers, offsets: fitted(buffers, planned) };
  }
  for (const instance of instances) {
    const buffers = await buffersOf(instance);
    const offsets = buffers && fitted(buffers, planned);
    // Few buffers may be those of several instances.
    if (offsets && 2 * planned.length >= buffers.length) return { instance, buffers, offsets };
  }
  return undefined;
}

async function take(file) {
  const named = { file: file.name };
  let read;
  try {
    read = contents(new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    return ["bad", say("unread", { ...named, why: error.message })];
  }
  if (!read.isPlan) {
    const instance = instances.find(({ measured }) => measured.digest === digest(read.buffers));
    if (!instance) return ["bad", say("unknown", named)];
    instance.buffers = read.buffers;
    return ["good", say("is-instance", { ...named, instance: titleOf(instance), n: instance.rows.size })];
  }
  const place = await placeOf(read.buffers);
  if (!place) return ["bad", say("unknown", named)];
  const { instance, buffers, offsets } = place;
  const { peak, placed, violations } = judge(buffers, offsets);
  const name = at("row-name").value.trim() || file.name.replace(/(\.csv|\.json)?(\.gz)?$/i, "");
  // A planner of the league keeps its row.
  const row = planners.includes(name) ? `${name} *` : name;
  instance.rows.set(row, { planner: row, peak, placed, broken: violations.length > 0, offsets });
  found.delete(keyOf(instance, row));
  const args = { ...named, instance: titleOf(instance), k: placed, n: violations.length || instance.measured.buffers };
  if (violations.length) return ["bad", say("added-broken", { ...args, first: violations[0].message })];
  if (placed < instance.measured.buffers) return ["good", say("added-part", args)];
  return ["good", say("added", { ...args, peak: exact(peak), bound: exact(instance.measured.bound) })];
}

async function takeAll(files) {
  for (const file of files) {
    const [className, textContent] = await take(file);
    at("added").append(make("li", { className, textContent }));
  }
  draw();
  drawInstances();
}

// One stop of the Tab key; arrows lead from figure to figure.
function move(event) {
  const here = event.target.closest?.("td.cell button");
  if (!here) return;
  const cells = [...here.closest("tr").cells];
  const column = cells.indexOf(here.closest("td"));
  const rows = [...at("table").tBodies[0].rows];
  const row = rows.indexOf(here.closest("tr"));
  const buttonAt = (row, column) => rows[row]?.cells[column]?.querySelector("button");
  const along = (row, column, down, right) => {
    for (let [r, c] = [row + down, column + right]; rows[r]?.cells[c]; r += down, c += right) if (buttonAt(r, c)) return buttonAt(r, c);
    return undefined;
  };
  const next = {
    ArrowUp: () => along(row, column, -1, 0),
    ArrowDown: () => along(row, column, 1, 0),
    ArrowLeft: () => along(row, column, 0, -1),
    ArrowRight: () => along(row, column, 0, 1),
    Home: () => along(row, 2, 0, 1),
    End: () => along(row, cells.length, 0, -1),
  }[event.key]?.();
  if (!next) return;
  event.preventDefault();
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function listen() {
  at("table").addEventListener("keydown", move);
  at("table").addEventListener("click", (event) => {
    const button = event.target.closest("td.cell button");
    if (!button) return;
    const instance = instances.find(({ entry }) => entry.id === button.dataset.instance);
    choose(instance, button.dataset.planner);
  });
  at("check-all").addEventListener("click", checkAll);
  at("to-table").addEventListener("click", () => at("table").querySelector("button[tabindex='0']").focus());
  at("files").addEventListener("change", async () => {
    await takeAll([...at("files").files]);
    at("files").value = "";
  });
  for (const type of ["dragover", "drop"]) {
    document.addEventListener(type, (event) => {
      event.preventDefault();
      if (type === "drop") takeAll([...event.dataTransfer.files]);
    });
  }
}

try {
  const [texts, entries, figures] = await Promise.all(
    [`./locales/${lang}.json`, "./league/entries.json", "./league/figures.json"].map(async (path) => (await fetched(path)).json()),
  );
  words = texts;
  planners = entries.planners;
  const entryOf = new Map(entries.instances.map((entry) => [entry.id, entry]));
  instances = figures.instances.map((measured) => ({
    entry: entryOf.get(measured.id),
    measured,
    rows: new Map(measured.rows.map((row) => [row.planner, row])),
  }));
  document.title = `memplan: ${say("title")}`;
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = say(element.dataset.word);
  for (const element of document.querySelectorAll("[data-name]")) element.ariaLabel = say(element.dataset.name);
  at("home").href = `./index.html#lang=${lang}${look}`;
  const other = lang === "zh" ? { name: "en", tag: "en", textContent: "English" } : { name: "zh", tag: "zh-CN", textContent: "中文" };
  Object.assign(at("language"), { href: `#lang=${other.name}${look}`, lang: other.tag, textContent: other.textContent });
  drawInstances();
  draw();
  at("page").hidden = false;
  await init();
  listen();
  document.documentElement.dataset.ready = "";
} catch (error) {
  const text = words["league.broken-page"] ? say("broken-page", { why: error.message }) : error.message;
  Object.assign(at("broken"), { hidden: false, textContent: text });
}
