// Fetches the program that reads other tools' files. It lies beside the engine, this script three folders below; a page that
// is one HTML file may have it inside (www/one.html).
const inside = globalThis.memplanInside;
const beside = inside ? inside.address("reader.js") : new URL("../../../reader.js", import.meta.url);
let failures = 0;
let memory;

// A program that was compiled of other sources than the engine cannot be asked: what they say to each other differs.
export async function fetchReaders(build) {
  try {
    // Some browsers remember that a module was not to be had: the next attempt has an address of its own.
    const program = await import(failures ? `${beside}?${failures}` : beside);
    ({ memory } = await program.default(inside && { module_or_path: inside.address("reader_bg.wasm") }));
    if (program.build() !== build) throw new Error("reader.js is of another version");
    return program.read;
  } catch (error) {
    failures += 1;
    throw error;
  }
}

// Bytes that the program takes; 0 before it is fetched.
export function bytesOfReaders() {
  return memory ? memory.buffer.byteLength : 0;
}

export function isInside() {
  return Boolean(inside);
}

// Both arrays are views of the caller's memory: `read` copies them into its own.
export function callReader(read, file, answers) {
  return read(file, answers);
}
