const ASKED = { method: "HEAD", cache: "no-store", credentials: "omit", mode: "same-origin", referrerPolicy: "no-referrer" };

/** Why a file of the page could not be taken: a reason to stop. `place` is its address, if it has a digest: then the browser does
 * not say whether the file was another one, or there was none. */
export async function whyMissing(place) {
  if (!navigator.onLine) return "offline";
  if (!place) return "load";
  try {
    return (await fetch(place, ASKED)).ok ? "changed" : "server";
  } catch {
    return "load"; // nobody answers
  }
}
