/* The worker: the program, which answers the page's messages over a port.
 *
 * The page posts `{port, holder, languages}` first, and `{start: {link, name, languages}}` when the person wants to begin. The worker posts
 * `{loaded}` (bytes so far), `{busy: true}` if another tab plays (the page posts `{take: true}` to play here), `{ready: true}`, `{refused: SENTENCE}` for a start that cannot be, `{started: true}`, and
 * `{stopped: REASON}`, perhaps with the `place` of the file that could not be taken: after that it does nothing any more.
 * `{forgets: true}`: the browser lets the page store nothing.
 */
import { startPython } from "./python.js";
import { openStorage } from "./storage.js";

const MAKE = `
import os
os.environ["XDG_STATE_HOME"] = "/data/.state" # the mark of the cards' signatures is stored, too
import fairdeal_storage
from web.tab.program import TabProgram
lambda post, stopped: TabProgram(fairdeal_storage, post, stopped)
`;
const KEEP = `
import fairdeal_storage
from web.tab.keep import TabProfile
lambda languages: TabProfile(fairdeal_storage, languages)
`;
const pages = new Promise((found) => addEventListener("message", ({ data }) => data.port && found(data)));
const wanted = new Promise((found) => addEventListener("message", ({ data }) => data.take && found()));
const stopped = (reason, place) => postMessage({ stopped: reason, place });

/** Stops by an error, which only the console of a developer shows. */
function fail(reason, error) {
  console.error(error);
  stopped(reason, error?.place);
}

globalThis.fetch = counted(globalThis.fetch);
const program = prepare();
program.catch((error) => fail(error.reason ?? "load", error));
addEventListener("message", ({ data }) => data.start && begin(data.start));
addEventListener("message", ({ data }) => data.keep && keep(data.keep));
addEventListener("unhandledrejection", ({ reason }) => fail("program", reason));

async function prepare() {
  const python = await startPython(["program.zip"]);
  python.setStdout({ batched: () => {} }); // what the program prints is for people at a terminal
  const { port, holder, languages } = await pages;
  const ask = () => (postMessage({ busy: true }), wanted);
  const forgets = () => postMessage({ forgets: true });
  const storage = await openStorage(python, { holder, ask, forgets, stopped: (reason) => stopped(reason) });
  python.registerJsModule("fairdeal_storage", storage);
  profile = () => python.runPython(KEEP)(languages);
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

let profile; // makes the profile of this browser, once the storage is there
let begun = false;

/** Answers a question about the profile. Nobody carries it away while the program plays with it. */
async function keep({ id, name, kind, file, passphrase, unused }) {
  await program.catch(() => null);
  if (begun || !profile) return;
  const own = profile();
  const calls = {
    about: () => JSON.parse(own.about()),
    export: () => own.export(kind, passphrase),
    bring: () => own.bring(file, passphrase, unused),
  };
  try {
    postMessage({ kept: { id, value: await calls[name]() } });
  } catch (error) {
    fail("storage", error);
  }
}

async function begin({ link, name, languages }) {
  const made = await program.catch(() => null);
  if (begun) return; // two programs would not know of each other's signatures
  const refused = made && (profile().refusal() || made.begin(link, name, languages));
  begun ||= Boolean(made) && !refused;
  if (made) postMessage(refused ? { refused } : { started: true });
}

/** A `fetch` that posts how many bytes have come. A copy is counted: of the answer itself a browser keeps what it has
 * compiled, for the next visit. */
function counted(fetch) {
  let loaded = 0;
  const write = (part) => postMessage({ loaded: (loaded += part.length) });
  return async (...asked) => {
    const answer = await fetch(...asked);
    // whoever reads the answer finds out why it breaks off
    if (answer.ok) answer.clone().body?.pipeTo(new WritableStream({ write })).catch(() => null);
    return answer;
  };
}
