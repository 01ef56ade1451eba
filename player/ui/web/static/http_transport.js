import { Refused } from "./refused.js";
import { t } from "./words.js";

const FIRST_PAUSE = 250; // milliseconds before the stream is asked for again; doubled each time
const LONGEST_PAUSE = 2000;
const SILENCE = 20000; // milliseconds after which a stream is dead: the program says something every five seconds
const KEPT = "fairdeal token";

// requests that change nothing, and have their fields in the query; `READS` in http/message_routes.py is the same set
const READS = new Set([
  "deeds", "log", "invitation", "replay", "frame", "binder", "creators", "alarms", "card", "face", "decks", "deck",
]);
const CODES = { 400: "wrong", 404: "nothing", 409: "stale", 413: "too_large", 422: "refused", 503: "busy" };
const SCREEN_CHANGES = new Set(["home", "open"]); // after these the program refuses requests of the screen before
const LONGEST_WAIT = 1000; // milliseconds that such a request waits for the answers to others
const FILE = /^(image|application\/octet-stream)/; // types of answers that are no JSON

let token = sessionStorage.getItem(KEPT);
let away = false; // whether the program has been lost, or has ended, and somebody else may listen where it did
let ended = false;
const underway = new Set(); // what is asked and not answered yet
let secret = null; // by which the program proves that it is still ours; it is kept in no storage

/** Asks the program: `fields` go as JSON, a file goes as it is, with the fields in the address. Returns the value of the
 * answer, null if it is empty, or `{name, blob}` for a file. Rejects with `Refused`, or with a TypeError if there is no answer. */
async function request(name, fields, file) {
  if (SCREEN_CHANGES.has(name)) await Promise.race([Promise.allSettled(underway), new Promise((later) => setTimeout(later, LONGEST_WAIT))]);
  const response = await checked(await answered(...asked(name, fields, file)));
  if (response.status === 204) return null;
  if (!FILE.test(response.headers.get("Content-Type"))) return response.json();
  const [, saved] = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  return { name: saved ?? name, blob: await response.blob() };
}

function asked(name, fields, file) {
  if (!READS.has(name) && !file) return [name, JSON.stringify(fields)];
  const query = new URLSearchParams(fields).toString();
  return [query ? `${name}?${query}` : name, file ?? undefined];
}

async function answered(path, body) {
  if (away && path !== "session") throw new Refused("", { error: t(ended ? "page.program.ended" : "page.program.lost") });
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
  const sent = body === undefined ? {} : { method: "POST", body };
  return fetch(`/api/${path}`, { ...sent, ...more, headers: { ...headers, ...more.headers } });
}

async function checked(response) {
  if (!response.ok) throw new Refused(codeOf(response.status), await response.json().catch(() => ({})));
  return response;
}

/** Why it is refused: "stranger" by a program that does not let this page in, "" where it has failed. */
const codeOf = (status) => CODES[status] ?? (status < 500 ? "stranger" : "");

/** Begins: with the ticket of a link, or with the token of this tab. A tab that has a token needs no ticket, so a link
 * from elsewhere with a wrong one does not shut the person out. */
async function enter(ticket) {
  const session = await request("session", ticket ? { ticket } : {}).catch((error) => {
    if (!ticket || token === null) throw error;
    return request("session", {});
  });
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
  const { answer, proof } = await request("session", { nonce });
  if (proof !== (await proofOf("program", nonce, answer))) return false;
  const session = await request("session", { nonce, answer, proof: await proofOf("page", nonce, answer) });
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

/** Reads the stream for as long as the program is there, and comes back to it. */
async function subscribe(hear, state) {
  let last = null;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const abort = new AbortController();
    let found = "lost";
    try {
      if (away && !(await comeBack())) throw new Refused("stranger", {});
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
      if (error instanceof Refused && !["", "busy"].includes(error.code)) found = "stranger";
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

/** Messages by HTTP, to the program that has served the page. */
export const httpTransport = { enter, request, subscribe, pictures: "/static/elements/" };
