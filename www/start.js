// Starts the page. Its files lie in a folder that is named after what they hold: a version.
const version = new URL(".", import.meta.url).pathname.split("/").at(-2);

// As long as a page uses a version, `service.js` keeps its files. The lock is given back when the page goes.
navigator.locks?.request(`memplan ${new URL(".", document.baseURI)} ${version}`, { mode: "shared" }, () => new Promise(() => {}));

try {
  const program = await import("./app.js");
  await program.default();
} catch (error) {
  console.error(error);
  document.getElementById("no-program")?.classList.remove("late");
}
