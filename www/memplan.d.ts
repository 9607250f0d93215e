/**
 * memplan as a JavaScript module: planners of neural-network memory, every decision, and pictures of it.
 *
 * Call the default export once and wait for it; everything else is synchronous. Long runs belong in a worker, where the
 * module works alike. All numbers are plain numbers: sizes, offsets and addresses are bytes, times are steps from
 * 0 (step i runs the i-th node), ranges exclude their end.
 *
 * Every function throws a {@link MemplanError} when it gives nothing.
 */

/** Where a program lies, if not beside this module, or its bytes. */
type Program = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Fetches and starts the engine.
 *
 * `module_or_path` is `engine_bg.wasm`, `readers` is `reader_bg.wasm`, which reads the files of other tools; with
 * `readers: false` it is not fetched, and {@link Graph} is a graph, a plan or a buffer list of memplan's own formats.
 * `words` is the folder of `en.json` and `zh.json`, with a slash at its end: the words of sentences.
 */
export default function init(programs?: {
  module_or_path?: Program;
  readers?: Program | false;
  words?: string | URL;
}): Promise<unknown>;

/** Data sheets of all planners, in the order of `memplan list`. */
export function planners(): PlannerSheet[];

/**
 * Plans a graph.
 *
 * @param id a planner's id, or `"imported"` for the plan that the file itself holds
 * @param options values in place of the planner's defaults; see {@link PlannerSheet.options}
 * @throws code `fault`, `planner`, `not-applicable`, `refused`, `infeasible`, `undecided`, `option`, `scope`, `no-plan`, `misread` or `argument`
 */
export function plan(graph: Graph, id: string, options?: PlannerOptions | null, settings?: Settings | null): Plan;

/**
 * The figures of several planners on one graph, a row each, in the order asked for. A planner that gives no plan is a row
 * with an `error`, not an exception.
 *
 * @param planners ids, some with options; left out: the file's own plan, if it has one, and all planners that apply
 * @throws code `fault`, `scope` or `argument`
 */
export function compare(
  graph: Graph,
  planners?: (string | { planner: string; options?: PlannerOptions | null })[] | null,
  settings?: Settings | null,
): ComparisonRow[];

/**
 * What differs between the plans of two graphs, buffer lists or plans, as `diff/1` (docs/diff.md).
 *
 * @param options planner of both sides, what counts, and a limit; left out: the plans of the files, or the planner that the page would choose
 * @throws code `fault`, `planner`, `option`, `no-plan`, `misread`, `scope` or `argument`
 */
export function diff(
  old: Graph | Plan,
  new_: Graph | Plan,
  options?: DiffOptions | null,
  settings?: Settings | null,
): Diff;

/**
 * The cheapest changes by which a graph fits a budget, or why there are none, as `fit/1` (docs/fit.md).
 *
 * @param budget memories, the fast one first, and what may be changed
 * @throws code `fault`, `misread`, `scope` or `argument`
 */
export function fit(graph: Graph, budget: FitBudget, settings?: Settings | null): Fit;

/** Bytes, as a number or as text such as `"64KiB"`. */
export type Bytes = number | string;

/** A family of changes. */
export type Lever = "planner" | "order" | "inplace" | "views" | "bank" | "spill" | "recompute" | "stripes";

/** What {@link fit} has to meet. */
export interface FitBudget {
  /** The fast memory first; `cost` is what a byte read or written there costs, 1 if left out. */
  memories: { name: string; size: Bytes; cost?: number | null }[];
  /** Bytes that kernels need beside the tensors; left out: not known. */
  scratch?: Bytes | null;
  /** The same by operator, alive while it runs. */
  operators?: Record<string, Bytes> | null;
  /** Bytes that stay between runs; left out: not known. */
  persistent?: Bytes | null;
  /** What may be changed; left out: what costs nothing. */
  allow?: Lever[] | "all" | null;
  /** Most that may be paid: `macs` as a number or as `"5%"`. */
  limits?: { macs?: number | string | null; bytes?: Bytes | null } | null;
  /** Which price counts first; left out: `macs`. */
  prefer?: "macs" | "bytes" | null;
  /** Seconds of search, 5 if left out. */
  seconds?: number | null;
  /** Whether the price at every budget is wanted too. */
  curve?: boolean | null;
}

/** A `fit/1` object: sizes in bytes. */
export interface Fit {
  format: "fit/1";
  graph: string;
  hash: string;
  budget: {
    memories: { name: string; size: number; cost: number }[];
    scratch: number | null;
    by_operator: [string, number][];
    persistent: number | null;
    available: number;
  };
  allow: Lever[];
  limits: { macs: number | null; percent: number | null; bytes: number | null };
  prefer: "macs" | "bytes";
  result: "fits" | "impossible" | "unknown";
  optimal: boolean;
  required: { before: number; after: number };
  price: FitPrice;
  moves: FitMove[];
  levers: { lever: Lever; peak: number | null; price: FitPrice; reason: FitReason | null }[];
  certificate: FitCertificate | null;
  /** `[budget, MACs, bytes]` */
  curve: [number, number, number][];
  /**
   * `stripes`: no stripes alone are cheaper, of an answer that is not proved cheapest; `curve`: the curve goes down to the least;
   * `small`: slower memories too small for what was moved there; `seconds`: null where no clock was there.
   */
  search: { states: number; exhausted: boolean; stripes: boolean; curve: boolean; small: string[]; seconds: number | null };
  /** Operators held whole, of an assumed window (`fit.held-window`), or kept in turn (`fit.held-turn`), by reason. */
  held: { key: string; ops: string[] }[];
}

/** What changes cost. */
export interface FitPrice {
  macs: number;
  macs_relative: number | null;
  bytes_moved: number;
  weight_bytes: number;
}

/** A change. */
export interface FitMove {
  lever: Lever;
  /** The first and the last operator that it changes. */
  ops: string[];
  stripes: number;
  tensors: string[];
  peak: { before: number; after: number };
  price: FitPrice;
  why: FitReason;
}

/** The key of a sentence with its arguments. */
export interface FitReason {
  key: string;
  args: [string, string][];
}

/** Why no change helps. */
export interface FitCertificate {
  levers: Lever[];
  kind: "load" | "operator" | "orders" | "stripes" | "memories";
  bound: number;
  /** Of kind `memories`, bytes of the storages that slower memories can take at most. */
  elsewhere: number;
  op: string;
  storages: { name: string; bytes: number; role: "read" | "made" | "resting" }[];
  refusals: { lever: Lever; why: FitReason }[];
  ideals: number | null;
  reached: number[];
  edges: { first: string; last: string; peak: number }[];
}

/** How {@link diff} compares. */
export interface DiffOptions {
  /** Id of the planner of both sides, or `imported`. */
  planner?: string | null;
  /** Options of the planner. */
  options?: PlannerOptions | null;
  /** Leave out weights. */
  withoutWeights?: boolean | null;
  /** Largest rise of the peak that passes: `"3%"` or `"64KiB"`. */
  failAbove?: string | null;
}

/** A `diff/1` object: sizes in bytes, ranges half-open. */
export interface Diff {
  format: "diff/1";
  planner: string;
  models: DiffModel[];
  limit: string | null;
  failed: boolean;
}

/** The differences of one model. */
export interface DiffModel {
  name: string;
  old: DiffSide | null;
  new: DiffSide | null;
  change_bytes: number;
  change_relative: number | null;
  blame: "graph" | "plan" | "both" | "none";
  unrelated: boolean;
  /** Buffers matched for certain, likely, and by their place only. */
  matched: [number, number, number];
  not_in_place: DiffInPlace[];
  in_place: DiffInPlace[];
  rows: DiffRow[];
  added: string[];
  removed: string[];
  moved: string[];
  /** `[user, earlier user]` */
  reuses_lost: [string, string][];
  /** `[step, bytes]` before, at the operator that is now at the peak. */
  same_place: [number, number] | null;
  /** Matched steps `[old, new]`. */
  steps: [number, number][];
}

/** Figures of one side. */
export interface DiffSide {
  file: string;
  peak: number;
  bound: number;
  steps: number;
  step: number;
  left_out: number;
  /** `[step, bytes from here on]` */
  load: [number, number][];
}

/** Storage that only one side overwrites. */
export interface DiffInPlace {
  name: string;
  bytes: number;
  operators: number;
  steps: [number, number];
  why: "forbidden" | "read_later" | "outside" | "sizes" | "planner";
  step: number | null;
  by: string | null;
}

/** A buffer that changed or is alive at a peak. */
export interface DiffRow {
  group: "entered" | "left" | "size" | "lifetime" | "elsewhere" | "same";
  old: DiffBuffer | null;
  new: DiffBuffer | null;
  rule: "name" | "structure" | "name_only" | "sequence" | "operand" | null;
  confidence: "certain" | "likely" | "guess" | null;
  bytes: number;
  retyped: boolean;
}

/** A buffer of one side. */
export interface DiffBuffer {
  name: string;
  bytes: number;
  live: [number, number];
  pool: number | null;
  offset: number | null;
}

/**
 * Every rule that a plan breaks; an empty list for a valid one.
 *
 * @param plan a {@link Plan}, or any file that holds buffers with addresses
 * @throws code `fault`, `no-plan`, `misread`, `scope` or `argument`
 */
export function check(plan: Graph | Plan, settings?: Settings | null): Violation[];

/**
 * An instance to practise on, from a seed: the same seed gives the same one everywhere, now and later. It is shown only if
 * it has the property that makes it worth the time (docs/exercises.md).
 *
 * @throws code `planner` or `argument`; `refused` where the planner is not for the kind, or no instance has the property
 */
export function exercise(wanted: ExerciseWish): Exercise;
/**
 * The board on which a search found that a planner wastes most; with `tries: 0` the board given, as the planner packs it.
 *
 * @throws code `planner` or `argument`; `infeasible` where the planner gives no plan
 */
export function exercise(wanted: BoardWish): WorstBoard;

/** A planner's run, to be stepped through forwards and backwards. */
export class Replay {
  /**
   * Plans a graph and keeps every decision.
   * @throws as {@link plan}
   */
  constructor(graph: Graph, id: string, options?: PlannerOptions | null, settings?: Settings | null);
  /** Number of frames at level `decisions`: frame 0 has nothing placed, the last has everything placed. */
  readonly frames: number;
  readonly plan: Plan;
  readonly metrics: Metrics;
  /**
   * One moment. The last frame of a finer or coarser level is {@link Frame.last} of any of its frames.
   * @throws code `frame` when there is no frame `k`
   */
  frame(k: number, level?: Level | null): Frame;
  /**
   * One moment as the text of an SVG picture: time to the right, addresses upwards.
   * @throws code `frame` when there is no frame `k`, or the picture's size or theme is not taken
   */
  svg(k: number, picture?: Picture | null): string;
  /** Gives the memory of the run back; any use afterwards but another `free` throws code `argument`. */
  free(): void;
}

/** What is thrown: an `Error` with these fields. The message is for people, in the language of {@link Settings.lang}. */
export interface MemplanError extends Error {
  code: ErrorCode;
  /** Place of the (first) mistake: in the graph (`tensors[12].shape[1]`), or in the arguments (`options.tie`); may be empty. */
  path: string;
  /** Every fault of a graph that cannot be read; empty for all other codes. */
  faults: { path: string; message: string }[];
}

export type ErrorCode =
  /** The graph cannot be read. */
  | "fault"
  /** There is no such planner. */
  | "planner"
  /** The planner cannot use this graph. */
  | "not-applicable"
  /** The planner's own rules forbid a plan. */
  | "refused"
  /** No plan fits the capacity asked for, as a search has proved. */
  | "infeasible"
  /** The budget of a search ended before it knew whether a plan fits the capacity asked for. */
  | "undecided"
  /** The planner has no such option, or it does not take the value. */
  | "option"
  /** There is no such setting, it does not take the value, or it gives no sizes. */
  | "scope"
  /** There is no such frame, level or picture. */
  | "frame"
  /** The file holds no plan. */
  | "no-plan"
  /** The file may be misread: its own plan contradicts what was read, and nothing is proved. */
  | "misread"
  /** An argument is of the wrong type. */
  | "argument";

/**
 * A file in any format that memplan reads (docs/formats.md), gzip or not: its text, its bytes, or the object of a JSON file,
 * such as `memory-graph/1` (docs/memory-graph.md).
 */
export type Graph = string | Uint8Array | ArrayBuffer | { readonly [key: string]: unknown };

/** Values of a planner's options by key; numbers and booleans stand for their text. */
export type PlannerOptions = { readonly [key: string]: string | number | boolean | null | undefined };

/** What of a graph is planned, and how what its file leaves open is read. Unknown keys are refused. */
export interface Settings {
  /** Plan inputs of the graph, too. Default true. */
  inputs?: boolean | null;
  /** Plan outputs, too. Default true. */
  outputs?: boolean | null;
  /** Plan weights, too. Default false. */
  weights?: boolean | null;
  /** Whether views share the storage of their root or are copies. Default `share`. */
  views?: "share" | "copy" | null;
  /** Alignment in bytes of every buffer: a power of two up to 2^32. Default 1. */
  align?: number | null;
  /** Values of symbols in shapes; the others keep the hints of the file. */
  symbols?: { readonly [name: string]: number } | null;
  /** Read the end column of a CSV as the first step after a buffer's life, whatever its name. Default false. */
  exclusiveEnd?: boolean | null;
  /** What the arguments of a graph are whose file does not tell inputs from weights. Default `by-name`. */
  parameters?: "by-name" | "inputs" | "weights" | null;
  /** What becomes of ONNX nodes that compute from weights alone: weights, or steps. Default `fold`. */
  constants?: "fold" | "keep" | null;
  /** Which of several models in one file. Default: the first. */
  model?: string | null;
  /** Shapes or sizes that the file leaves open, by tensor: `"1, 64, 56, 56"`, `"float16 1, 64"` or `"1204 B"`. */
  shapes?: { readonly [tensor: string]: string } | null;
  /** Language of errors, frames, pictures and violations. Default `en`. */
  lang?: "en" | "zh" | null;
}

/** How finely frames are counted: every place looked at, one a placement, or only new pools, growths and the end. */
export type Level = "all" | "decisions" | "outcomes";

export interface Picture {
  /** Pixels, 64 to 16384. Default 1000. */
  width?: number | null;
  /** Pixels, 64 to 16384. Default 640. */
  height?: number | null;
  /** Default `light`. */
  theme?: "light" | "dark" | null;
  /** Default: the language of the run. */
  lang?: "en" | "zh" | null;
  /** What `k` counts. Default `decisions`. */
  level?: Level | null;
}

export interface PlannerSheet {
  format: "planner/1";
  id: string;
  /** The system it comes from, and its name there. */
  system: string;
  name: string;
  source: { repository: string; version: string; file: string };
  /** Whether it takes any buffers or needs the nodes of a graph. */
  needs: "intervals" | "graph";
  /** Alignment in bytes that it imposes whatever is asked. */
  align: number;
  /** Cost in buffers n and live buffers l. */
  complexity: string;
  /** Whether a run ends after passes that its options fix, or when a budget is used up or a proof found. */
  effort: "pass" | "search";
  options: OptionSheet[];
}

export interface OptionSheet {
  key: string;
  /** The original system's name for it. */
  original: string;
  default: string;
  /** The values taken: one of a list, a whole number in a range, or any text. */
  allowed: string[] | { min: number; max: number } | "text";
}

/** `memory-plan/1` (docs/memory-plan.md): what `memplan plan` writes. */
export interface Plan {
  format: string;
  /** Name of what was planned. */
  graph: string;
  planner: string;
  /** Every option with the value used. */
  options: { [key: string]: string };
  /** Number of steps. */
  steps: number;
  /** Names of the nodes in the order in which they run, where the planner looked for a better one. */
  order?: string[];
  /** Whether pools are storages that go back to an allocator after their last buffer. */
  returned?: boolean;
  pools: { id: number; size: number; name: string; device: string }[];
  /** What the planner placed. */
  buffers: PlannedBuffer[];
  /** What it was asked for and left out. */
  unplanned: { name: string; size: number; start: number; end: number; reason: string }[];
  /** Overlaps that the original system makes too. */
  quirks?: { kind: string; a: string; b: string }[];
  metrics: Metrics;
}

export interface PlannedBuffer {
  name: string;
  /** Bytes, unpadded. */
  size: number;
  /** First step of life. */
  start: number;
  /** First step after it. */
  end: number;
  /** Id of a pool. */
  pool: number;
  /** Bytes from the base of the pool. */
  offset: number;
  /** Bytes; left out for 1. */
  align?: number;
  kind?: "input" | "output" | "weight" | "intermediate";
  /** The buffer whose storage it took over in place. */
  shares?: string;
  /** Steps `[from, to)` of its life in which none of its bytes, or only `[low, high)` of them, are in use. */
  gaps?: ([number, number] | [number, number, number, number])[];
}

/** Figures of a plan, sizes in bytes. */
export interface Metrics {
  /** Sum over pools of the highest end address. */
  peak: number;
  /** Largest load of everything asked for. */
  lower_bound: number;
  /** Largest load of what was placed. */
  placed_lower_bound: number;
  /** Need over the lower bound of what was placed; null when that is 0. The need is `held`, or else `peak`. */
  ratio: number | null;
  /** Need minus that bound. */
  waste: number;
  /** Sum of the placed sizes. */
  unshared: number;
  buffers: number;
  placed: number;
  pools: number;
  /** Buffers placed on bytes that an earlier one used. */
  reuses: number;
  /** Bytes below which a search proved that there is no plan. */
  proved_bound?: number;
  /** Whether a search proved that no plan has a lower peak; left out where none tried. */
  optimal?: boolean;
  /** Most bytes of storages held at once, if they go back to an allocator; `peak` is then the sum of all storages. */
  held?: number;
}

export interface ComparisonRow {
  planner: string;
  /** Every option with the value used; those given where there is no plan. */
  options: { [key: string]: string };
  /** null where there is no plan. */
  metrics: Metrics | null;
  /** Whether there is a plan and it breaks no rule. */
  valid: boolean;
  /** Why there is no plan; the path is that of the entry, such as `planners[1].options.tie`. */
  error?: { code: ErrorCode; path: string; message: string; faults: { path: string; message: string }[] };
}

export interface Violation {
  kind:
    | "overlap"
    | "misaligned"
    | "outside-pool"
    | "no-pool"
    | "missing"
    | "not-where-fixed"
    | "bad-takeover"
    | "shared-pool"
    | "over-capacity";
  message: string;
  /** Names of the buffers it is about. */
  buffers: string[];
  /** The plan itself names it as an overlap that its original system makes too: no mistake of the plan. */
  quirk: boolean;
}

/** `memory-frame/1` (docs/memory-frame.md): one moment of a run, sizes and addresses in bytes. */
export interface Frame {
  format: string;
  graph: string;
  planner: string;
  level: Level;
  /** Number of this frame and of the last one at its level. */
  frame: number;
  last: number;
  /** The buffer of this decision; null in frame 0. */
  focus: { name: string; size: number; start: number; end: number } | null;
  /** Whether it has its place by now, and how it came to it. */
  settled: boolean;
  outcome: string | null;
  peak: number;
  peak_before: number;
  /** Addresses may still move. */
  provisional: boolean;
  pools: { id: number; name: string; device: string; size: number }[];
  /** Everything placed. */
  buffers: { name: string; pool: number; offset: number }[];
  /** Number of buffers not placed yet. */
  waiting: number;
  /** Buffers released at the start of this decision. */
  freed: string[];
  candidates: Candidate[];
  /** A free legal place, although the arena grew. */
  missed: { pool: number; offset: number } | null;
  /** Allocation trees, parents before children. */
  tree: TreeNode[];
  /** The explanation in words. */
  why: {
    headline: string;
    candidates: string[];
    notes: string[];
    rule: string | null;
    effect: string | null;
    source: string | null;
  };
}

/** Which instance is wanted. */
export interface ExerciseWish {
  kind: "predict" | "pack" | "order" | "debug" | "tetris" | "number" | "write";
  /** A planner's id. */
  planner: string;
  /** A whole number from 0. */
  seed: number;
  /** 2 if left out. */
  difficulty?: 1 | 2 | 3 | null;
  /** Language of questions and answers; `"en"` if left out. */
  lang?: "en" | "zh" | null;
}

/** Which board is looked for. */
export interface BoardWish {
  kind: "break";
  /** A planner's id. */
  planner: string;
  /** A whole number from 0. */
  seed: number;
  /** Boards that are looked at, up to 1 000 000; 20 000 if left out. */
  tries?: number | null;
  /** Where the search begins, such as `"A.112.0.3_B.16.0.6"`: name, KiB, first step and end of each buffer. */
  board?: string | null;
  /** Language of errors; `"en"` if left out. */
  lang?: "en" | "zh" | null;
}

/** A board on which a planner wastes much. */
export interface WorstBoard {
  kind: "break";
  planner: string;
  seed: number;
  board: string;
  /** Bytes. */
  peak: number;
  /** The lower bound, in bytes. */
  bound: number;
  /** `peak / bound`. */
  ratio: number;
}

/** An instance with its questions and answers. */
export interface Exercise {
  kind: ExerciseWish["kind"];
  planner: string;
  seed: number;
  difficulty: number;
  /** How many instances were made until one had the property. */
  tries: number;
  /** The buffers or operators, a `memory-graph/1` object. */
  document: object;
  /** The plan with a fault, of the kind `debug`. */
  plan?: Plan;
  questions: { ask: string; answer: string }[];
  facts: ExerciseFacts;
}

/** What is known of an instance, by its kind; sizes and offsets in bytes. */
export interface ExerciseFacts {
  /** `predict` and `write`: where the planner puts each buffer; `pack` and `tetris`: a plan that reaches the bound. */
  places?: { name: string; pool: number; offset: number; grew?: number }[];
  /** `predict`: growths while something was free below the top, and decisions that pass over a lower hole. */
  growths_with_room?: number;
  passed_over?: number;
  /** `pack`, `tetris` and `write`: the lower bound, and what first fit (not of `write`) and the planner reach. */
  bound?: number;
  first_fit?: number;
  planner?: number;
  /** `order`: highest load of the order as written, and the smallest one. */
  written?: number;
  lowest?: number;
  /** `order`: operators in an order that has it; `tetris`: buffers in the planner's order. */
  order?: string[];
  /** `debug`: the fault that was planted, and the buffers that take part. */
  fault?: "overlap" | "misaligned" | "above-peak" | "freed-early";
  buffers?: string[];
  /** `number`: figures of the instance as links name them, with their values in bytes. */
  figures?: { figure: string; value: number }[];
}

/** A place looked at. */
export interface Candidate {
  /** Order of inspection from 1; null for what the planner did not look at. */
  number: number | null;
  pool: number;
  offset: number;
  /** Bytes there; null for the unbounded top of an arena. */
  room: number | null;
  verdict: string;
  /** Names of what is in the way, a list for each child or block. */
  blockers: string[][];
  chosen: boolean;
}

/** A node of an allocation tree. */
export interface TreeNode {
  id: number;
  /** null for the root of a pool. */
  parent: number | null;
  pool: number;
  kind: "temporal" | "spatial" | "allocation" | "empty";
  offset: number;
  bytes: number;
  buffer: string | null;
}
