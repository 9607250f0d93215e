// Tabs of the page that are open: each holds a lock with its name, which the browser takes back when the tab is gone.
const lock = (tab) => `memplan tab ${tab}`;
const ENTRY = "memplan.tab";

// How long the lock of a tab that is just closing may take, in milliseconds.
const PATIENCE = 500;

// A name for this tab, and the name that it had before it was loaded again.
export function openTab() {
  const tab = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  navigator.locks?.request(lock(tab), () => new Promise(() => {})).catch(() => null);
  let before = "";
  try {
    before = sessionStorage.getItem(ENTRY) ?? "";
    sessionStorage.setItem(ENTRY, tab);
  } catch {
    // A browser that keeps nothing has no drafts of before either.
  }
  return [tab, before];
}

// Those of some tabs that are still open. Where there are no locks none is known to be.
export async function stillOpen(tabs) {
  const { locks } = navigator;
  if (!locks) return [];
  const isOpen = (tab) =>
    locks.request(lock(tab), { signal: AbortSignal.timeout(PATIENCE) }, () => false).catch(() => true);
  const open = await Promise.all(tabs.map(isOpen));
  return tabs.filter((_, at) => open[at]);
}
