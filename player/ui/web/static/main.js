// the storages come first, because all others use them
import * as storages from "./storages.js";
import { el, put } from "./dom.js";
import { paintFrom } from "./boards/field/art.js";
import { address } from "./cards/faces.js";
import { drawLobby } from "./lobby/screen.js";
import { sure } from "./match/dialog.js";
import { drawMatch } from "./match/screen.js";
import { enter, pictures, request, save, subscribe } from "./net.js";
import { Refused } from "./refused.js";
import { drawReplay } from "./replay/screen.js";
import { applySettings } from "./settings.js";
import { learn, t } from "./words.js";

const SCREENS = { match: drawMatch, lobby: drawLobby };
const LOST = {
  lost: () => t("page.program.lost"),
  ended: () => t("page.program.ended"),
  stranger: () => t("page.program.stranger"),
};
const TICKET = /^#t=(.+)$/;
const WAY = /^#\/[a-z]+$/; // `home/address.js` reads it
const root = document.getElementById("root");
const banner = document.getElementById("program");
const shown = { name: null, match: null, draw: null, handlers: {}, snapshot: null, replay: false };
let backlog = []; // deeds, talk and notices of this match, for a screen that comes later

const serial = () => shown.snapshot?.serial ?? -1; // -1: the screen is an old run's, and what is chosen there is refused
const actions = {
  choose: (offer, ...numbers) => act("do", { serial: serial(), offer: offer.id ?? offer, numbers }),
  sit: () => act("sit", { serial: serial() }),
  say: (text) => act("say", { text }),
  mute: (seat, on) => act("mute", { seat, on }),
  report: (seat) => save("report", { seat }),
  leave: () => act("leave", { yes: true }),
  again: (yes) => act("again", { yes }),
  hint: (why) => act("hint", { why }),
  command: (line) => act("command", { line, serial: serial() }),
  compare: (file) => request("compare", {}, file),
  log: () => save("log"),
  invitation: (fields) => request("invitation", fields),
  rules: (of) => request("rules", of),
  lobby: (wish) => act("lobby", wish),
  replay: showReplay,
};
export const replays = {
  load: (known = 0) => request("replay", { marks: known }),
  frame: (entry, seat) => request("frame", { entry, seat: `${seat}` }),
  save: () => save("log"),
  rules: () => request("rules"),
};

async function act(name, fields) {
  try {
    return await request(name, fields);
  } catch (error) {
    if (error instanceof Refused && error.answer.snapshot) show(error.answer.snapshot);
    throw error;
  }
}

const screenOf = ({ view, stage }) => (view ? "match" : Object.hasOwn(SCREENS, stage) ? stage : "lobby");

const asked = { number: 0, over: null };

/** Asks in a dialog what the program asks. The dialog closes when the program asks no more: another page has answered. */
async function ask({ number = 0, text } = {}) {
  if (number === asked.number) return;
  asked.over?.abort();
  const over = new AbortController();
  Object.assign(asked, { number, over });
  if (!number) return;
  const yes = await sure("page.question", "", "page.yes", text, {}, "primary", over.signal);
  if (!over.signal.aborted) await act("answer", { number, yes });
}

function show(snapshot) {
  if (shown.snapshot && snapshot.serial < shown.snapshot.serial) return;
  ask(snapshot.question ?? {}).catch(reportError);
  const name = screenOf(snapshot);
  const match = snapshot.view?.match ?? null;
  const anew = name !== shown.name || match !== shown.match;
  if (anew) {
    put(root);
    Object.assign(shown, { name, match, draw: SCREENS[name] });
  }
  shown.snapshot = snapshot;
  if (shown.replay && !anew) return;
  shown.replay = false;
  actions.bar?.draw(snapshot, () => {});
  shown.handlers = shown.draw(root, snapshot, actions) ?? shown.handlers;
  if (anew) backlog.forEach(([event, data]) => shown.handlers[event]?.(data));
  ready(snapshot.view?.turns.map(({ since }) => since).join(" "));
}

/** Shows the match that is over from its beginning, in its place; another match ends that. */
async function showReplay() {
  const box = el("div");
  const back = () => (Object.assign(shown, { name: null, replay: false }), show(shown.snapshot));
  await drawReplay(box, replays);
  shown.replay = true;
  put(root, el("p", { class: "row return" }, el("button", { class: "primary", onclick: back }, t("page.replay.return"))), box);
}

function hear(event, data) {
  try {
    if (event === "snapshot") show(data);
    else if (event === "missed") catchUp(data).catch(reportError);
    else tell(event, data);
  } catch (error) {
    reportError(error); // a screen that fails is no reason to lose the stream
  }
}

function tell(event, data) {
  backlog.push([event, data]);
  shown.handlers[event]?.(data);
}

/** Asks for the deeds that the stream leaves out: what comes next is drawn meanwhile, and the log puts them in order. */
async function catchUp({ from, to }) {
  if (from === 0) {
    backlog = []; // another match, or another run of the program: all is drawn anew with the next snapshot
    Object.assign(shown, { name: null, handlers: {}, snapshot: null });
  }
  const asked = backlog;
  const deeds = await request("deeds", { from, to });
  if (backlog !== asked) return;
  const known = new Set(backlog.map(([, data]) => `${data.entry} ${data.text}`));
  deeds.filter((deed) => !known.has(`${deed.entry} ${deed.text}`)).forEach((deed) => tell("deed", deed));
}

function state(name) {
  banner.hidden = name === "open";
  put(banner, LOST[name]?.());
  if (shown.snapshot && (name === "lost" || name === "stranger")) doubt(shown.snapshot);
}

/** What is shown may be old: nothing is called clean, and nothing can be chosen, until the program says something. */
function doubt(snapshot) {
  const view = snapshot.view && { ...snapshot.view, offers: [], sit: null };
  shown.draw(root, { ...snapshot, view, away: true, behind: true, connection: "", again: false }, actions);
}

/** Something is drawn: of a match, the entries since which it is the turn of those who are to act. */
const ready = (turns = "") => document.documentElement.setAttribute("data-ready", turns);

let more = () => {};

/** More screens, by the stage of a snapshot; `prepare(actions, root)` is called before anything is drawn. */
export function extend(screens, prepare) {
  Object.assign(SCREENS, screens);
  more = prepare;
}

async function begin() {
  const [, ticket] = TICKET.exec(location.hash) ?? [];
  if (!WAY.test(location.hash)) history.replaceState(null, "", location.pathname);
  const { mode, language, labels, settings = {} } = await enter(ticket);
  document.documentElement.lang = language;
  applySettings(settings, mode === "app"); // other pages do not tell the program what they change
  learn(labels);
  more(actions, root);
  paintFrom(pictures(), address);
  if (mode === "replay") {
    await drawReplay(root, replays);
    ready();
  } else {
    await subscribe(hear, state);
  }
}

addEventListener("hashchange", () => {
  if (actions.bar && !TICKET.test(location.hash)) actions.bar.moved();
  else location.reload(); // a new link in an old tab
});
begin().catch((error) => {
  put(root, el("p", { role: "alert", class: "panel" }, error.message));
  ready();
});
