// memplan as a JavaScript module; the types are in memplan.d.ts, an example in api.html and docs/javascript.md.
export { default, planners, plan, compare, check, Replay } from "./engine.js";
