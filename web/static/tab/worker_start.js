const UNBUILT = "worker.js"; // where the parts of the page lie as they are, without digests
const FETCHED = { redirect: "error", credentials: "omit", mode: "same-origin", referrerPolicy: "no-referrer" };

/**
 * Starts the worker. In a folder for browsers the document names the digest of its script. A worker cannot be started with
 * a digest: its script is fetched with one, which the browser checks, and started from memory. There it has no address of its
 * own, so its name is the address of the page.
 *
 * Nothing is started in a page that another page shows within itself: that one could lay something over the buttons, and not
 * each server forbids it (`frame-ancestors`).
 */
export async function startWorker() {
  if (window.top !== window) throw Object.assign(new Error("within another page"), { reason: "framed" });
  if (typeof WebAssembly !== "object" || !Promise.withResolvers) throw tooOld();
  const { worker, integrity } = document.body.dataset;
  if (!worker) return moduleWorker(trusted(UNBUILT), "");
  const answer = await fetch(worker, { ...FETCHED, integrity }).catch((error) => error);
  if (!answer.ok) throw Object.assign(new Error(`${worker}: ${answer.status ?? answer}`), { place: worker });
  const script = new Blob([await answer.arrayBuffer()], { type: "text/javascript" });
  return moduleWorker(trusted(URL.createObjectURL(script)), new URL(".", document.baseURI).href);
}

/** A worker that is a module. A browser that knows no such workers does not ask for the type, and says nothing. */
function moduleWorker(address, name) {
  let asked = false;
  const type = () => ((asked = true), "module");
  const worker = new Worker(address, { name, get type() { return type(); } });
  if (asked) return worker;
  worker.terminate();
  throw tooOld();
}

const tooOld = () => Object.assign(new Error("no WebAssembly, or no workers that are modules"), { reason: "old" });

/** The address of the worker's script, which a page with Trusted Types takes from a policy only. */
function trusted(address) {
  if (!globalThis.trustedTypes) return address;
  const only = (asked) => {
    if (asked !== address) throw new TypeError(asked);
    return asked;
  };
  return trustedTypes.createPolicy("fairdeal-worker", { createScriptURL: only }).createScriptURL(address);
}
