// The speaker's window: it shows what the presented page tells it, and steps that page.
const at = (id) => document.getElementById(id);
const channel = new BroadcastChannel(`memplan speaker ${location.hash.slice(1)}`);
const say = (word) => channel.postMessage(word);
let since = Date.now();

function show({ lang, words, spoken }) {
  document.documentElement.lang = lang;
  document.title = `${words.title} · ${spoken.title}`;
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = words[element.dataset.word];
  for (const element of document.querySelectorAll("[data-name]")) {
    element.ariaLabel = element.title = words[element.dataset.name];
  }
  at("since").title = words.restart;
  at("title").textContent = spoken.title;
  at("at").textContent = `${spoken.at} / ${spoken.of}`;
  at("shows").textContent = spoken.shows;
  at("answer").textContent = spoken.answer;
  at("answer-part").hidden = !spoken.answer;
  at("revealed").textContent = spoken.is_revealed ? words.revealed : "";
  const paragraph = (text) => Object.assign(document.createElement("p"), { textContent: text });
  at("notes").replaceChildren(...spoken.notes.map(paragraph));
  at("next").textContent = spoken.next;
  at("next-part").hidden = !spoken.next;
  at("alone").hidden = true;
  at("view").hidden = false;
}

function tick() {
  const seconds = Math.floor((Date.now() - since) / 1000);
  at("since").textContent = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
  at("now").textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

// An empty message: nothing is presented any more.
channel.onmessage = ({ data }) => (data ? show(JSON.parse(data)) : close());
for (const button of document.querySelectorAll("[data-say]")) {
  button.addEventListener("click", () => say(button.dataset.say));
}
at("since").addEventListener("click", () => {
  since = Date.now();
  tick();
});
const KEYS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "previous", PageUp: "previous", b: "blank" };
addEventListener("keydown", ({ key, ctrlKey, altKey, metaKey }) => {
  if (KEYS[key] && !ctrlKey && !altKey && !metaKey) say(KEYS[key]);
});
addEventListener("pagehide", () => say("bye"));
setInterval(tick, 1000);
tick();
say("hello");
