import { preference } from "../preferences.js";

/**
 * Keeps the screen on while that is wanted and the person has chosen it. `want(wish)` says whether it is wanted now, `end()`
 * that it never is again. A browser gives the lock up itself when the page is hidden; without locks nothing happens.
 */
export function awake(browser = globalThis) {
  const { document, navigator } = browser;
  let wanted = false;
  let held = null; // the promise of a lock, or of null where it is refused
  const follow = async () => {
    const may = wanted && !document.hidden && preference("awake") === "on";
    if (may === Boolean(held)) return;
    const before = held;
    held = may ? (navigator.wakeLock?.request("screen").catch(() => null) ?? null) : null;
    (await before)?.release();
  };
  document.addEventListener("visibilitychange", follow);
  return {
    want: (wish) => ((wanted = wish), follow()),
    end: () => (document.removeEventListener("visibilitychange", follow), (wanted = false), follow()),
  };
}
