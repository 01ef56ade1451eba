/* Files of the page, each with the digest that it must have: the browser refuses any other bytes.
 *
 * `web/site.py` sets PINS (name: [place, integrity]) and FOLDERS (name: place). The document pins the script with this module,
 * this module pins the worker, and the module in the worker pins the rest. A worker cannot be started with a digest, so
 * its script is fetched with one and started from memory. There it has no address of its own: its name is that of the page.
 */
/* global PINS, FOLDERS */

const BASE = globalThis.document ? new URL(".", document.baseURI).href : self.name;
const FETCHED = { redirect: "error", credentials: "omit", mode: "same-origin", referrerPolicy: "no-referrer" };

export async function openFile(name, fetch = globalThis.fetch) {
  if (!Object.hasOwn(PINS, name)) throw new Error(`${name}: no file of the page`);
  const [place, integrity] = PINS[name];
  const answer = await fetch(new URL(place, BASE), { ...FETCHED, integrity });
  if (!answer.ok || !name.endsWith(".wasm")) return answer;
  // some servers do not know the kind, without which a browser compiles nothing
  return new Response(answer.body, { headers: { "Content-Type": "application/wasm" } });
}

/** The address of a folder of pictures. */
export const folderAddress = (name) => new URL(`${FOLDERS[name]}/`, BASE).href;

/** Starts the worker with the program. */
export async function startWorker() {
  const answer = await openFile("worker.js");
  if (!answer.ok) throw new Error(`worker.js: ${answer.status}`);
  const address = URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type: "text/javascript" }));
  const worker = new Worker(trusted(address), { type: "module", name: BASE });
  worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

/** The address of a script whose digest has been checked, for browsers that ask for such a word. */
function trusted(address) {
  if (!globalThis.trustedTypes) return address;
  return trustedTypes.createPolicy("fairdeal-worker", { createScriptURL: (url) => url }).createScriptURL(address);
}
