import { usePort } from "../net.js";

const WORKER = "worker.js";
const { port1, port2 } = new MessageChannel();
const worker = new Worker(trusted(WORKER), { type: "module" });
const hearers = { loaded: () => {}, refused: () => {}, started: () => {}, stopped: () => {} };
let over = false; // the worker does nothing any more

usePort(port1); // what the page asks before the program is there waits in the port
worker.addEventListener("message", ({ data }) => {
  for (const [name, value] of Object.entries(data)) name === "stopped" ? stop(value) : hearers[name]?.(value);
});
worker.addEventListener("error", () => stop("load"));
worker.postMessage({ port: port2 }, [port2]);

/** Calls `on.loaded(bytes)` while the program comes, `on.refused(sentence)` if it cannot begin so, `on.started()`, and
 * `on.stopped(reason)` once, when nothing can go on. */
export const listen = (on) => Object.assign(hearers, on);

/** Has the program begin, as soon as it is there. */
export const start = (link, name) => worker.postMessage({ start: { link, name, languages: navigator.languages.join(",") } });

function stop(reason) {
  if (over) return;
  over = true;
  worker.terminate();
  hearers.stopped(reason);
}

/** The address of the worker's script, which a page with Trusted Types takes from a policy only. */
function trusted(address) {
  if (!globalThis.trustedTypes) return address;
  const only = (asked) => {
    if (asked !== WORKER) throw new TypeError(asked);
    return asked;
  };
  return trustedTypes.createPolicy("fairdeal-worker", { createScriptURL: only }).createScriptURL(address);
}
