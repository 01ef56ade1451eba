import { usePort } from "../net.js";
import { whyMissing } from "./missing.js";
import { startWorker } from "./worker_start.js";

const HOLDER = "fairdeal tab"; // in the session: this tab, also after it was loaded anew
const { port1, port2 } = new MessageChannel();
const worker = startWorker();
const hearers = { loaded: () => {}, refused: () => {}, busy: () => {}, forgets: () => {}, started: () => {}, stopped: () => {} };
const answers = new Map(); // what waits for an answer, by number
let asked = 0;
let over = false; // the worker does nothing any more

usePort(port1); // what the page asks before the program is there waits in the port
worker.then(hear, fail);
listen({ kept: ({ id, value }) => answers.get(id)(value) });

function hear(started) {
  started.addEventListener("message", ({ data }) => {
    if (data.stopped) fail({ reason: data.stopped, place: data.place });
    else for (const [name, value] of Object.entries(data)) hearers[name]?.(value);
  });
  started.addEventListener("error", ({ message }) => fail({ message }));
  started.postMessage({ port: port2, holder: ownHolder(), languages: navigator.languages.join(",") }, [port2]);
}

/** Stops for the reason of an error; without one the program could not be loaded. */
async function fail({ reason = "load", place, message }) {
  if (message) console.error(message);
  stop(reason === "load" ? await whyMissing(place) : reason);
}

async function post(message) {
  (await worker.catch(() => null))?.postMessage(message);
}

/** Calls `on.loaded(bytes)` while the program comes, `on.refused(sentence)` if it cannot begin so, `on.busy()` if
 * another tab plays (then nothing goes on before `take`), `on.forgets()` if the browser lets the page store nothing,
 * `on.started()`, and
 * `on.stopped(reason)` once, when nothing can go on. */
export function listen(on) {
  Object.assign(hearers, on);
}

/** Asks the profile of this browser (web/tab/keep.py): `about`, `export`, `bring`. */
export const ask = (name, given = {}) =>
  new Promise((resolve) => {
    answers.set(++asked, resolve);
    post({ keep: { id: asked, name, ...given } });
  });

/** Plays here, although another tab does: that one stops. */
export const take = () => post({ take: true });

/** Has the program begin, as soon as it is there. */
export const start = (link, name) => post({ start: { link, name, languages: navigator.languages.join(",") } });

function ownHolder() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const holder = sessionStorage.getItem(HOLDER) ?? made;
  sessionStorage.setItem(HOLDER, holder);
  return holder;
}

function stop(reason) {
  if (over) return;
  over = true;
  worker.then((started) => started.terminate(), () => {});
  hearers.stopped(reason);
}
