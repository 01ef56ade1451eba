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
  const { worker, integrity } = document.body.dataset;
  if (!worker) return new Worker(trusted(UNBUILT), { type: "module" });
  const answer = await fetch(worker, { ...FETCHED, integrity });
  if (!answer.ok) throw new Error(`${worker}: ${answer.status}`);
  const script = new Blob([await answer.arrayBuffer()], { type: "text/javascript" });
  return new Worker(trusted(URL.createObjectURL(script)), { type: "module", name: new URL(".", document.baseURI).href });
}

/** The address of the worker's script, which a page with Trusted Types takes from a policy only. */
function trusted(address) {
  if (!globalThis.trustedTypes) return address;
  const only = (asked) => {
    if (asked !== address) throw new TypeError(asked);
    return asked;
  };
  return trustedTypes.createPolicy("fairdeal-worker", { createScriptURL: only }).createScriptURL(address);
}
