import { usePort } from "../net.js";
import { startWorker } from "./worker_start.js";

const { port1, port2 } = new MessageChannel();
const worker = startWorker();
const hearers = { loaded: () => {}, refused: () => {}, started: () => {}, stopped: () => {} };
let over = false; // the worker does nothing any more

usePort(port1); // what the page asks before the program is there waits in the port
worker.then(hear, fail);

function hear(started) {
  started.addEventListener("message", ({ data }) => {
    for (const [name, value] of Object.entries(data)) name === "stopped" ? stop(value) : hearers[name]?.(value);
  });
  started.addEventListener("error", () => stop("load"));
  started.postMessage({ port: port2 }, [port2]);
}

function fail(error) {
  console.error(error);
  stop("load");
}

/** Calls `on.loaded(bytes)` while the program comes, `on.refused(sentence)` if it cannot begin so, `on.started()`, and
 * `on.stopped(reason)` once, when nothing can go on. */
export const listen = (on) => Object.assign(hearers, on);

/** Has the program begin, as soon as it is there. */
export async function start(link, name) {
  const message = { start: { link, name, languages: navigator.languages.join(",") } };
  (await worker.catch(() => null))?.postMessage(message);
}

function stop(reason) {
  if (over) return;
  over = true;
  worker.then((started) => started.terminate(), () => {});
  hearers.stopped(reason);
}
