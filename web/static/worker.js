/* The worker: the program, which answers the page's messages over a port.
 *
 * The page posts `{port}` first, and `{start: {link, name, languages}}` when the person wants to begin. The worker posts
 * `{loaded}` (bytes so far), `{ready: true}`, `{refused: SENTENCE}` for a start that cannot be, `{started: true}`, and
 * `{stopped: REASON}`: after that it does nothing any more.
 */
import { startPython } from "./python.js";
import { openStorage } from "./storage.js";

const MAKE = `
import fairdeal_storage
from web.tab.program import TabProgram
lambda post, stopped: TabProgram(fairdeal_storage, post, stopped)
`;
const pages = new Promise((found) => addEventListener("message", ({ data }) => data.port && found(data.port)));
const stopped = (reason) => postMessage({ stopped: reason });

/** Stops by an error, which only the console of a developer shows. */
function fail(reason, error) {
  console.error(error);
  stopped(reason);
}

globalThis.fetch = counted(globalThis.fetch);
const program = prepare();
program.catch((error) => fail(error.reason ?? "load", error));
addEventListener("message", ({ data }) => data.start && begin(data.start));
addEventListener("unhandledrejection", ({ reason }) => fail("program", reason));

async function prepare() {
  const python = await startPython(["program.zip"]);
  python.setStdout({ batched: () => {} }); // what the program prints is for people at a terminal
  python.registerJsModule("fairdeal_storage", await openStorage(python));
  const port = await pages;
  const made = python.runPython(MAKE)((text, data) => port.postMessage(filled(JSON.parse(text), data)), stopped);
  port.addEventListener("message", ({ data: { file, ...message } }) => {
    const text = JSON.stringify(message);
    if (file) made.receive(text, new Uint8Array(file));
    else made.receive(text);
  });
  port.start();
  postMessage({ ready: true });
  return made;
}

function filled(message, data) {
  if (data) message.file.data = data;
  return message;
}

async function begin({ link, name, languages }) {
  const made = await program.catch(() => null);
  const refused = made?.begin(link, name, languages);
  if (made) postMessage(refused ? { refused } : { started: true });
}

/** A `fetch` that posts how many bytes have come. */
function counted(fetch) {
  let loaded = 0;
  return async (...asked) => {
    const answer = await fetch(...asked);
    if (!answer.ok || !answer.body) return answer;
    const count = new TransformStream({
      transform(part, out) {
        loaded += part.length;
        postMessage({ loaded });
        out.enqueue(part);
      },
    });
    return new Response(answer.body.pipeThrough(count), { headers: answer.headers });
  };
}
