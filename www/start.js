// Starts the page. Its files lie in a folder that is named after what they hold: a version.
const version = new URL(".", import.meta.url).pathname.split("/").at(-2);

// As long as a page uses a version, `service.js` keeps its files. The lock is given back when the page goes.
navigator.locks?.request(`memplan ${new URL(".", document.baseURI)} ${version}`, { mode: "shared" }, () => new Promise(() => {}));

const spoken = /[#&]lang=(\w+)/.exec(location.hash)?.[1] ?? navigator.language;

// How long everything else waits for the picture of the plan, in milliseconds.
const PATIENCE = 500;

// Who comes for the first time sees the plan before the program is here, which takes the picture away once it has drawn the plan.
let picture;
if (location.hash === "" && location.search === "" && !hasBeenHere()) {
  const width = matchMedia("(min-width: 1200px)").matches ? "wide" : matchMedia("(min-width: 768px)").matches ? "middle" : "narrow";
  const light = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const language = spoken.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
  const src = new URL(`first/${width}-${light}-${language}.svg`, import.meta.url).href;
  picture = Object.assign(new Image(), { id: "first-picture", alt: "", fetchPriority: "high", src });
  document.documentElement.dataset.theme = light;
  // The program clears the body.
  document.documentElement.append(picture);
  // Files that are asked for after it do not share the line with it.
  await Promise.race([new Promise((done) => (picture.onload = picture.onerror = done)), new Promise((done) => setTimeout(done, PATIENCE))]);
}

// The picture does not wait for how the page will look; the program does.
const looks = ["page.css", "learn.css", "sheet.css"].map((name) => {
  const href = new URL(name, import.meta.url).href;
  const look = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  document.head.append(look);
  return new Promise((done) => (look.onload = look.onerror = done));
});

// Parts of the program, on a first visit and on others: `cargo xtask build` names them, where it splits the program.
const FIRST = [];
const WHOLE = [];
for (const name of picture ? FIRST : WHOLE) preload(new URL(name, import.meta.url));

// Files that the program needs next are on their way beside it: the words, and on a visit without a link the example with its plan.
preload(new URL(`locales/${spoken.toLowerCase().startsWith("zh") ? "zh" : "en"}.json`, import.meta.url));
if (/^(#lang=\w+)?$/.test(location.hash)) {
  preload(new URL("graphs/teaching.json", document.baseURI));
  preload(new URL("first.bin", import.meta.url));
}

function preload({ href }) {
  document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", crossOrigin: "anonymous", href }));
}

function hasBeenHere() {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith("memplan."));
  } catch {
    return false;
  }
}

try {
  const program = await import("./app.js");
  await Promise.all(looks);
  await program.default();
} catch (error) {
  console.error(error);
  picture?.remove();
  const said = document.getElementById("no-program");
  // Each lesson has a page that needs no program.
  const lesson = /[#&]learn=(\d{1,2})(&|$)/.exec(location.hash)?.[1].padStart(2, "0");
  if (lesson) said?.querySelectorAll("a").forEach((link) => (link.href = link.href.replace("index.html", `${lesson}.html`)));
  said?.classList.remove("late");
}
