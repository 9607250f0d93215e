// memplan as a JavaScript module; the types are in memplan.d.ts, an example in api.html and docs/javascript.md.
import start, { Replay as Run, freed, learn, useReaders } from "./engine.js";
export { planners, plan, compare, diff, fit, check, exercise } from "./engine.js";

// The readers of other tools' files are a program of their own.
async function fetchReaders(module_or_path) {
  const program = await import("./reader.js");
  await program.default({ module_or_path });
  return program.read;
}

// The words of sentences are files, one for each language. Bundlers find files by addresses that are written out.
const WORDS = {
  en: new URL("./locales/en.json", import.meta.url),
  zh: new URL("./locales/zh.json", import.meta.url),
};

async function fetchWords(lang, folder) {
  const response = await fetch(folder ? new URL(`${lang}.json`, folder) : WORDS[lang]);
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  return response.text();
}

export default async function init({ readers, words, ...engine } = {}) {
  const folder = words && new URL(words, import.meta.url);
  const [started, en, zh, read] = await Promise.all([
    start(engine),
    fetchWords("en", folder),
    fetchWords("zh", folder),
    readers !== false && fetchReaders(readers),
  ]);
  learn("en", en);
  learn("zh", zh);
  if (read) useReaders(read);
  return started;
}

// A run lives in the memory of the module: once that is given back, every use says so with a code.
export class Replay extends Run {
  #lang;
  #freed = false;

  constructor(graph, id, options, settings) {
    super(graph, id, options, settings);
    this.#lang = settings?.lang;
  }

  #check() {
    if (this.#freed) throw freed(this.#lang);
  }

  get frames() {
    this.#check();
    return super.frames;
  }

  get plan() {
    this.#check();
    return super.plan;
  }

  get metrics() {
    this.#check();
    return super.metrics;
  }

  frame(k, level) {
    this.#check();
    return super.frame(k, level);
  }

  svg(k, picture) {
    this.#check();
    return super.svg(k, picture);
  }

  free() {
    if (!this.#freed) {
      this.#freed = true;
      super.free();
    }
  }
}
// Not every browser has `using`.
if (Symbol.dispose) Replay.prototype[Symbol.dispose] = Replay.prototype.free;
