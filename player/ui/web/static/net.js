import { t } from "./words.js";

const FIRST_PAUSE = 250; // milliseconds before the stream is asked for again; doubled each time
const LONGEST_PAUSE = 2000;
const SILENCE = 20000; // milliseconds after which a stream is dead: the program says something every five seconds
const KEPT = "fairdeal token";

let token = sessionStorage.getItem(KEPT);
let away = false; // whether the program has been lost, or has ended, and somebody else may listen where it did
let ended = false;
const underway = new Set(); // what is asked and not answered yet
let secret = null; // by which the program proves that it is still ours; it is kept in no storage

/** What the program refuses: the message is its sentence. */
export class Refused extends Error {
  constructor(status, answer) {
    super(answer.error ?? String(status));
    this.status = status;
    this.answer = answer;
  }
}

async function request(path, body) {
  if (away && path !== "session") throw new Refused(0, { error: t(ended ? "page.program.ended" : "page.program.lost") });
  const answer = send(path, body);
  underway.add(answer);
  try {
    return await answer;
  } finally {
    underway.delete(answer);
  }
}

function send(path, body, more = {}) {
  const headers = token === null || away ? {} : { Authorization: `Bearer ${token}` };
  const sent = body === undefined ? {} : { method: "POST", body: body instanceof Blob ? body : JSON.stringify(body) };
  return fetch(`/api/${path}`, { ...sent, ...more, headers: { ...headers, ...more.headers } });
}

async function checked(response) {
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  return response;
}

/** Asks the program, by POST if there is a body (a file goes as it is): the JSON of the answer, null if it is empty.
 * Rejects with `Refused`, or with a TypeError if there is no answer. */
export async function ask(path, body) {
  const response = await checked(await request(path, body));
  return response.status === 204 ? null : response.json();
}

/** A picture from the program. */
export const picture = async (path) => (await checked(await request(path))).blob();

/** Saves what the program answers as a file. */
export async function save(path) {
  const response = await checked(await request(path));
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name ?? path;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Begins: with the ticket of a link, or with the token of this tab. */
export async function enter(ticket) {
  const session = await ask("session", ticket ? { ticket } : {});
  secret = session.secret;
  keep(session.token ?? token);
  return session;
}

function keep(made) {
  token = made;
  sessionStorage.setItem(KEPT, token);
}

/** Finds the program again, or a new run of it, at whose port anybody may listen by now: so it proves that it knows the
 * secret before anything is sent there, and then we do, for a new token. False: it is another program. */
async function comeBack() {
  const nonce = crypto.randomUUID();
  const { answer, proof } = await ask("session", { nonce });
  if (proof !== (await proofOf("program", nonce, answer))) return false;
  const session = await ask("session", { nonce, answer, proof: await proofOf("page", nonce, answer) });
  secret = session.secret;
  keep(session.token);
  return true;
}

async function proofOf(whose, nonce, answer) {
  const bytes = (text) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey("raw", bytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, bytes(`${whose} ${location.host} ${nonce} ${answer}`));
  return [...new Uint8Array(signed)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads the stream for as long as the program is there: `hear(event, data)` for each event, in order, and
 * `state(name)` when the stream is `open`, `lost`, `ended`, or another program answers (`stranger`). */
export async function listen(hear, state) {
  let last = null;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const abort = new AbortController();
    let found = "lost";
    try {
      if (away && !(await comeBack())) throw new Refused(403, {});
      away = false;
      const more = { signal: abort.signal, headers: last === null ? {} : { "Last-Event-ID": last } };
      const response = await checked(await send("events", undefined, more));
      state("open");
      for await (const { id, event, data } of events(response.body, abort)) {
        pause = FIRST_PAUSE;
        last = id ?? last;
        if (event === "ended") return await goodbye(state);
        hear(event, JSON.parse(data));
      }
    } catch (error) {
      if (error instanceof Refused && error.status < 500) found = "stranger";
    }
    away = true;
    state(found);
    await new Promise((later) => setTimeout(later, pause));
  }
}

/** The program has ended, and waits until we hang up: nothing more is asked, and what has been is answered first. */
async function goodbye(state) {
  away = ended = true;
  state("ended");
  await Promise.allSettled(underway);
}

async function* events(body, abort) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let timer, text = "";
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), SILENCE);
  };
  try {
    for (wait(); ; wait()) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (text + value).split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const lines = part.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2));
        const { id, event, data } = Object.fromEntries(lines);
        if (event) yield { id, event, data };
      }
    }
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}
