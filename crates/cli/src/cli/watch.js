// Part of the page that `memplan view --watch` serves: leads the page to its file again once the file has changed. The number of
// the version is part of the file's address, so that a changed file is a new link, with the planner and the options it had.
const part = /files\/(\d+)\/(\d+)\//;

async function look() {
  const shown = part.exec(location.hash);
  if (!shown || document.hidden) return;
  const answer = await fetch("./versions.json").catch(() => null);
  if (!answer?.ok) return;
  const version = (await answer.json())[shown[1]];
  if (version > shown[2]) {
    location.hash = location.hash.replace(part, `files/${shown[1]}/${version}/`);
  }
}

setInterval(look, 1000);
