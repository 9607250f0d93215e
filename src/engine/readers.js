// Fetches the program that reads other tools' files. It lies beside the engine, this script four folders below.
const beside = new URL("../../../../reader.js", import.meta.url);
let failures = 0;

export async function fetchReaders() {
  try {
    // Some browsers remember that a module was not to be had: the next attempt has an address of its own.
    const program = await import(failures ? `${beside}?${failures}` : beside);
    await program.default();
    return program.read;
  } catch (error) {
    failures += 1;
    throw error;
  }
}

// Both arrays are views of the caller's memory: `read` copies them into its own.
export function callReader(read, file, choices) {
  return read(file, choices);
}
