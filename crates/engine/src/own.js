// Fetches the program that runs planners of users. It lies beside the engine, this script three folders below; a page that is
// one HTML file does not have it inside.
const inside = globalThis.memplanInside;
const beside = inside ? inside.address("writer.js") : new URL("../../../writer.js", import.meta.url);
let failures = 0;
let writer;

// A program that was compiled of other sources than the engine cannot be asked: what they say to each other differs.
export async function fetchWriter(build) {
  if (writer) return;
  try {
    // Some browsers remember that a module was not to be had: the next attempt has an address of its own.
    const program = await import(failures ? `${beside}?${failures}` : beside);
    await program.default(inside && { module_or_path: inside.address("writer_bg.wasm") });
    if (program.build() !== build) throw new Error("writer.js is of another version");
    writer = program;
  } catch (error) {
    failures += 1;
    throw error;
  }
}

// The array is a view of the caller's memory: `answer` copies it into its own.
export function askWriter(ask) {
  return writer.answer(ask);
}
