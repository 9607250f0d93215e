// Starts the page. Its files lie in a folder that is named after what they hold: a version.
const version = new URL(".", import.meta.url).pathname.split("/").at(-2);

// As long as a page uses a version, `service.js` keeps its files. The lock is given back when the page goes.
navigator.locks?.request(`memplan ${new URL(".", document.baseURI)} ${version}`, { mode: "shared" }, () => new Promise(() => {}));

try {
  const program = await import("./app.js");
  await program.default();
} catch (error) {
  console.error(error);
  const said = document.getElementById("no-program");
  // Each lesson has a page that needs no program.
  const lesson = /[#&]learn=(\d{1,2})(&|$)/.exec(location.hash)?.[1].padStart(2, "0");
  if (lesson) said?.querySelectorAll("a").forEach((link) => (link.href = link.href.replace("index.html", `${lesson}.html`)));
  said?.classList.remove("late");
}
