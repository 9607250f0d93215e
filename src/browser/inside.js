// A page that is one HTML file (www/one.html) has its files inside; and the page makes such files of its own.
const inside = globalThis.memplanInside;

export function isInside() {
  return Boolean(inside);
}

// Where the file leads that the page is; empty for a page of a site.
export function linkInside() {
  return inside?.link ?? "";
}

// The address of a file beside the page, such as an example; none of one that is not inside.
export function nearby(path) {
  return inside ? inside.address(path) : `./${path}`;
}

// Where a file of the page lies that is not one of its programs: beside the page.
const isBeside = (path) => path.startsWith("graphs/") || path === "licenses.html";

// This script lies four folders below the programs.
function addressOf(path) {
  if (inside) return inside.address(path);
  return isBeside(path) ? new URL(path, document.baseURI) : new URL(`../../../../${path}`, import.meta.url);
}

async function read(path) {
  const answer = await fetch(addressOf(path));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.blob();
}

// Packs files as www/one.html unpacks them: gzip in base64.
async function pack(files) {
  const list = new Blob([JSON.stringify(files.map(([path, file]) => [path, file.size]))]);
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, list.size, true);
  const whole = new Blob([length.buffer, list, ...files.map(([, file]) => file)]);
  const stream = whole.stream().pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const pieces = [];
  // Three bytes are four letters: pieces of whole threes follow each other without a gap.
  for (let at = 0; at < packed.length; at += 0x6000) pieces.push(btoa(String.fromCharCode(...packed.subarray(at, at + 0x6000))));
  return pieces.join("");
}

// Fills the template of a page. A page that is a text is packed already.
async function fill({ template, title, page, inner }) {
  const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const parts = {
    title: title.replace(/[&<>"]/g, (letter) => escapes[letter]),
    page: typeof page === "string" ? page : await pack(page),
    document: await pack(inner),
  };
  return new Blob([template.replace(/@(title|page|document)@/g, (_, name) => parts[name])], { type: "text/html" });
}

// Packing a page takes long, so this script does it in a worker.
if (!globalThis.document) {
  addEventListener("message", ({ data }) => fill(data).then(postMessage, (error) => postMessage({ error: `${error}` })), { once: true });
}

async function fillElsewhere(parts) {
  const worker = new Worker(import.meta.url, { type: "module" });
  try {
    return await new Promise((done, failed) => {
      worker.onmessage = ({ data }) => (data instanceof Blob ? done(data) : failed(new Error(data.error)));
      worker.onerror = failed;
      worker.postMessage(parts);
    });
  } finally {
    worker.terminate();
  }
}

// The files of this page; the readers of other tools' files are needed by none that a page writes,
// and planners of users are run by pages alone.
async function filesOfPage() {
  const paths = JSON.parse(await (await read("inside.json")).text()).filter((path) => !/^(reader|writer)/.test(path));
  return Promise.all(paths.map(async (path) => [path, await read(path)]));
}

// One HTML file with this page and a document, which lies at `path` and is opened by `link`.
export async function makePage(title, link, path, contents) {
  const [template, page] = await Promise.all([read("one.html").then((file) => file.text()), inside?.page ?? filesOfPage()]);
  const inner = [["link", new Blob([link])], [path, new Blob([contents])]];
  // A page that is one file has nothing but the document to pack. On a disk, its workers have no modules.
  return (inside ? fill : fillElsewhere)({ template, title, page, inner });
}
