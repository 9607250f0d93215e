// The page's worker. Without its program it could not even say so, and the page would wait for ever.
import("./engine.js")
  .then((program) => program.default())
  .catch((error) => {
    console.error(error);
    postMessage([0, "missing"]);
  });
