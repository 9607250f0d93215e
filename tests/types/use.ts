// Every function of the module as a TypeScript program uses it: compiled with --strict, never run.

import init, {
  check,
  compare,
  diff,
  type Exercise,
  exercise,
  fit,
  type Frame,
  type Graph,
  type MemplanError,
  type Metrics,
  type Plan,
  plan,
  type PlannerSheet,
  planners,
  Replay,
  type Settings,
  type Violation,
} from "../../www/memplan.js";

await init();
await init({ module_or_path: new URL("./engine_bg.wasm", "https://example.org/"), readers: new Uint8Array(8) });
await init({ words: "https://example.org/locales/" });
await init({ readers: false });

const sheets: PlannerSheet[] = planners();
for (const { id, options } of sheets) {
  const defaults = Object.fromEntries(options.map((option) => [option.key, option.default]));
  const allowed = options[0].allowed;
  const range: number = Array.isArray(allowed) || allowed === "text" ? 0 : allowed.max - allowed.min;
  console.log(id, defaults, range);
}

const graphs: Graph[] = ["id,lower,upper,size\n", new Uint8Array(8), new ArrayBuffer(8), { format: "memory-graph/1" }];
const settings: Settings = { inputs: false, views: "copy", align: 64, symbols: { s0: 8 }, shapes: { t: "4 B" }, lang: "zh" };
const planned: Plan = plan(graphs[0], "first-fit", { tie: "size", k: 4, branch_safe: true }, settings);
plan(graphs[0], "naive");
plan(graphs[0], "naive", null, null);
const ends: number[] = planned.buffers.map((buffer) => buffer.offset + buffer.size);
const peak: number = planned.metrics.peak;
const bounds: [number, number] = [planned.metrics.lower_bound, planned.metrics.placed_lower_bound];
const sums: number[] = [planned.metrics.waste, planned.metrics.unshared, planned.metrics.ratio ?? 0];
const order: string[] | undefined = planned.order;
const idle: number[][] | undefined = planned.buffers[0].gaps;
const proved: [number | undefined, boolean | undefined] = [planned.metrics.proved_bound, planned.metrics.optimal];

for (const row of compare(graphs[1], ["naive", { planner: "beam", options: { k: 8 } }], { lang: "en" })) {
  const figures: Metrics | null = row.metrics;
  const why: string | undefined = row.error?.message;
  console.log(row.valid, figures?.ratio?.toFixed(2), why);
}
compare(graphs[1]);
const difference = diff(graphs[0], graphs[1], { planner: "first-fit", failAbove: "3%" });
const entered: string[] = difference.models[0].rows.flatMap((row) => row.group === "entered" && row.new ? [row.new.name] : []);
entered.join();
// @ts-expect-error: a limit is text
diff(graphs[0], graphs[1], { failAbove: 3 });

const fitted = fit(graphs[0], { memories: [{ name: "SRAM", size: "64KiB" }, { name: "PSRAM", size: 8388608, cost: 10 }], allow: ["order", "spill"], limits: { macs: "5%" } });
const paid: [number, string | undefined] = [fitted.price.macs, fitted.certificate?.storages[0].name];
fit(graphs[0], { memories: [], allow: "all", prefer: "bytes", seconds: 1, curve: true }, { lang: "zh" }).moves.map((move) => move.why.key).join();
// @ts-expect-error: there is no such lever
fit(graphs[0], { memories: [], allow: ["magic"] });

const made: Exercise = exercise({ kind: "pack", planner: "first-fit", seed: 7 });
const [question] = exercise({ kind: "debug", planner: "best-fit", seed: 7, difficulty: 3, lang: "zh" }).questions;
const known: [string, string, number | undefined] = [question.ask, question.answer, made.facts.bound];
const figure: [string, number] | undefined = exercise({ kind: "number", planner: "first-fit", seed: 7 }).facts.figures?.map(({ figure, value }): [string, number] => [figure, value])[0];
const wasted: [string, number] = [exercise({ kind: "break", planner: "first-fit", seed: 7, tries: 100 }).board, exercise({ kind: "break", planner: "first-fit", seed: 7 }).ratio];
// @ts-expect-error: a board has no difficulty
exercise({ kind: "break", planner: "first-fit", seed: 7, difficulty: 1 });

const violations: Violation[] = check(planned);
check("tensor_name,size,offset,start_time,end_time\n");
const ofThePlan: Violation[] = violations.filter((violation) => violation.kind === "overlap" && !violation.quirk);

const replay = new Replay(graphs[2], "inductor-tree", {}, { weights: true });
for (let k = 0; k < replay.frames; k += 1) {
  const frame: Frame = replay.frame(k);
  const words: string = frame.why.headline + (frame.focus?.name ?? "");
  console.log(words, replay.frame(k, "all").last);
}
const picture: string = replay.svg(0, { width: 800, height: 600, theme: "dark", lang: "zh", level: "outcomes" });
const same: boolean = replay.plan.metrics.peak === replay.metrics.peak;
replay.free();

try {
  plan({}, "first-fit");
} catch (thrown) {
  const error = thrown as MemplanError;
  const code: string = error.code;
  const paths: string[] = error.faults.map((fault) => fault.path);
  console.log(code, paths, error.path, error.message);
}
console.log(ends, peak, order, ofThePlan, picture, same);

// @ts-expect-error a planner is named by its id
plan("", 7);
// @ts-expect-error a graph is no number
plan(7, "naive");
// @ts-expect-error there is no such setting
plan("", "naive", {}, { alignment: 64 });
// @ts-expect-error views are shared or copied
plan("", "naive", {}, { views: "both" });
// @ts-expect-error options are texts, numbers and booleans
plan("", "naive", { tie: ["size"] });
// @ts-expect-error there is no such level
replay.frame(0, "some");
// @ts-expect-error frames are counted, not set
replay.frames = 3;
// @ts-expect-error there is no such theme
replay.svg(0, { theme: "blue" });
// @ts-expect-error a row may have no figures
compare("")[0].metrics.peak;
// @ts-expect-error numbers are plain numbers
const big: bigint = planned.metrics.peak;
