
// Unpacks the other frames and shows them. Each picture is a list of lines, by their numbers.
const by = (id) => document.getElementById(id);

async function unpack(id) {
  const packed = Uint8Array.from(atob(by(id).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const { at: first, lines, frames } = await unpack("frames");
const slider = by("slider");
let at = first;

function show(next) {
  at = Math.max(0, Math.min(frames.length - 1, next));
  const { k, name, why, wide, narrow } = frames[at];
  by("wide").innerHTML = wide.map((line) => lines[line]).join("\n");
  by("narrow").innerHTML = narrow.map((line) => lines[line]).join("\n");
  by("why").innerHTML = why;
  by("frame").textContent = k;
  by("frame").dataset.frame = k;
  by("now").setAttribute("x", at);
  by("rest").setAttribute("x", at + 1);
  slider.value = at;
  slider.setAttribute("aria-valuetext", name ? `${k}: ${name}` : `${k}`);
  try {
    history.replaceState(null, "", `#f${k}`);
  } catch {
    // A frame inside another page has no address of its own.
  }
}

// The address may name a frame: the last one in the file that is not after it.
function visit() {
  const wanted = Number(/^#f(\d+)$/.exec(location.hash)?.[1] ?? Number.NaN);
  if (!Number.isNaN(wanted)) show(frames.findLastIndex(({ k }) => k <= wanted));
}

function grow() {
  const later = frames.findIndex(({ grew }, number) => grew && number > at);
  show(later < 0 ? frames.findIndex(({ grew }) => grew) : later);
}

slider.addEventListener("input", () => show(Number(slider.value)));
by("back").addEventListener("click", () => show(at - 1));
by("on").addEventListener("click", () => show(at + 1));
by("growth").addEventListener("click", grow);
addEventListener("hashchange", visit);
addEventListener("keydown", (event) => {
  if (event.target === slider || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowLeft") show(at - 1);
  if (event.key === "ArrowRight") show(at + 1);
});
slider.hidden = frames.length < 2;
by("moves").hidden = frames.length < 2;
visit();
