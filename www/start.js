// Starts the page. Its files lie in a folder that is named after what they hold: a version.
const version = new URL(".", import.meta.url).pathname.split("/").at(-2);

// As long as a page uses a version, `service.js` keeps its files. The lock is given back when the page goes.
navigator.locks?.request(`memplan ${new URL(".", document.baseURI)} ${version}`, { mode: "shared" }, () => new Promise(() => {}));

// What the first picture needs is on its way beside the program, which asks for it later: the words, and on a visit without a link
// the example with its plan.
const spoken = /[#&]lang=(\w+)/.exec(location.hash)?.[1] ?? navigator.language;
const needed = [new URL(`locales/${spoken.toLowerCase().startsWith("zh") ? "zh" : "en"}.json`, import.meta.url)];
if (/^(#lang=\w+)?$/.test(location.hash)) needed.push(new URL("graphs/teaching.json", document.baseURI), new URL("first.bin", import.meta.url));
for (const { href } of needed) document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", crossOrigin: "anonymous", href }));

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
