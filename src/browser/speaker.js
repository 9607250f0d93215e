// The speaker's window of a presented plan, which follows over a channel of this origin that nobody else knows.
let channel;
let last = "";

// Opens the window at an address and calls `told` with what it says; false if the browser does not allow that.
export function openSpeaker(address, told) {
  // A page that is one HTML file has no second one beside it.
  if (globalThis.memplanInside) return false;
  closeSpeaker();
  const name = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  channel = new BroadcastChannel(`memplan speaker ${name}`);
  // A window that has just opened, or was loaded again, asks for what it shows.
  channel.onmessage = ({ data }) => {
    if (data === "hello" && last) channel.postMessage(last);
    told(`${data}`);
  };
  return Boolean(open(`${address}#${name}`, "_blank", "popup,width=960,height=680"));
}

// Sends the window what it shows.
export function speak(text) {
  last = text;
  channel?.postMessage(text);
}

// Nothing is presented any more: the window closes.
export function closeSpeaker() {
  channel?.postMessage("");
  channel?.close();
  channel = undefined;
  last = "";
}
