import { drawBoard } from "../boards/index.js";
import { cardFace, cardName } from "../boards/field/card.js";
import { el, put, theirs } from "../dom.js";
import { keep } from "../match/keep.js";
import { listen } from "../match/listen.js";
import { moving } from "../match/motion.js";
import { gameName } from "../match/names.js";
import { rules } from "../match/rules.js";
import { seatList } from "../match/seats.js";
import { t } from "../words.js";
import { drawFaults, drawnEntry } from "./entry.js";
import { drawnFairness } from "./fairness.js";
import { scrubber } from "./scrubber.js";
import { teaching } from "./teaching.js";

const MARKS = 150; // of the list that are drawn before and behind those about the present one
const WAIT = 50; // milliseconds before it is asked how far a long log has been read

/** Builds a replay in `root`. `source`: `load(known)` gives what the request `replay` does, without so many marks, `frame(entry, seat)` one frame,
 * `save()` saves the log, `rules()` gives what the request `rules` does. */
export async function drawReplay(root, source) {
  const data = await source.load();
  const state = { data, frame: null, seat: String(data.own ?? "none"), asked: 0 };
  const parts = partsOf(state, source);
  parts.seat.value = state.seat;
  const show = async (entry) => {
    const mine = ++state.asked;
    try {
      const frame = await source.frame(entry, state.seat);
      if (mine !== state.asked) return;
      const before = state.frame;
      state.frame = frame;
      const next = before?.entry.number + 1 === frame.entry.number; // who jumps sees no motion
      moving(parts.main, next ? before.view : null, frame.view, () => drawFrame(parts, state));
    } catch (error) {
      put(parts.wrong, error instanceof TypeError ? t("page.program.lost") : error.message);
    }
  };
  parts.scrub = scrubber(show);
  parts.seat.addEventListener("change", () => {
    state.seat = parts.seat.value;
    show(parts.scrub.entry());
  });
  const node = layout(parts);
  put(root, node);
  listen(node, { letters: () => true }, (key) => key === "?" && Boolean(parts.reading.open()));
  drawData(parts, state);
  const first = state.data.marks.find(({ kind }) => kind === "move")?.entry ?? 0;
  if (state.data.read) await parts.scrub.go(first);
  rest(parts, state, source, show).catch(() => put(parts.wrong, t("page.program.lost")));
}

/** What is left of a long log is read while one looks at its beginning. */
async function rest(parts, state, source, show) {
  while (!state.data.whole && parts.main.isConnected) {
    await new Promise((go) => setTimeout(go, WAIT));
    const { marks } = state.data;
    const more = await source.load(marks.length);
    state.data = { ...more, marks: [...marks, ...more.marks] };
    drawData(parts, state);
    if (state.data.whole && state.data.read) await show(parts.scrub.entry());
  }
}

function partsOf(state, source) {
  const seats = state.data.seats.map(({ name }, seat) => el("option", { value: seat }, name));
  return {
    title: el("h1", {}, t("page.replay.about")),
    status: el("p", { class: "status" }),
    wrong: el("p", { class: "wrong", role: "alert" }),
    verdict: el("div", {}),
    heads: el("section", { class: "panel heads", hidden: true, "aria-label": t("page.replay.heads") }),
    seat: el("select", { id: "whose" },
      el("option", { value: "none" }, t("page.replay.seat.none")), seats, el("option", { value: "all" }, t("page.replay.seat.all"))),
    seats: seatList(() => false),
    board: el("div", { class: "arena" }),
    hands: el("section", { class: "hands panel", "aria-label": t("page.replay.hands") }),
    entry: drawnEntry(),
    faults: el("div", {}),
    teach: teaching(),
    marks: el("ol", { class: "marks", tabindex: "0", "aria-label": t("page.replay.marks") }),
    about: el("dl", { class: "fields" }),
    save: el("button", { onclick: () => source.save() }, t("page.replay.save")),
    reading: rules(source.rules),
  };
}

function layout(parts) {
  parts.table = el("section", { class: "table", "aria-label": t("page.replay.table") }, parts.seats.node, el("div", { class: "match stage" }, parts.board));
  parts.read = el("button", { class: "quiet", "aria-haspopup": "dialog", onclick: () => parts.reading.open() }, t("page.rules"));
  const whose = el("div", { class: "row wrap whose" }, el("label", { for: "whose" }, t("page.replay.seat")), parts.seat);
  parts.main = el("main", {}, parts.faults, parts.table, parts.scrub.node, parts.hands, parts.entry.node, parts.teach.node);
  return el("div", { class: "replay" },
    el("header", { class: "top" }, el("div", { class: "titles" }, parts.title, parts.status, parts.wrong), whose, parts.read, parts.save),
    parts.main,
    el("aside", { "aria-label": t("page.replay.beside") },
      el("section", { class: "panel" }, parts.verdict), parts.heads,
      el("section", { class: "panel" }, el("h2", {}, t("page.replay.marks")), parts.marks),
      el("section", { class: "panel" }, el("h2", {}, t("page.replay.about")), parts.about),
      el("p", { class: "muted by-keys" }, t("page.replay.keys"))),
    parts.reading.node);
}

/** What is the same at every entry. */
function drawData(parts, { data }) {
  parts.scrub.data(data);
  put(parts.status, data.whole ? null : t("page.replay.reading", { read: data.read, entries: data.entries }));
  const { verdict } = data;
  put(parts.verdict, verdict?.lines.map((line) => el("p", { class: verdict.clean ? "good" : verdict.open ? "muted" : "bad" }, line)),
    verdict?.fairness && drawnFairness(verdict.fairness));
  put(parts.about, data.about.map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  drawMarks(parts, data.marks, parts.scrub.entry());
  const { compared } = data;
  parts.heads.hidden = !compared;
  if (compared) put(parts.heads, el("h2", {}, t("page.replay.heads")), compared.lines.map((line) => el("p", {}, line)), headsOf(compared));
  parts.read.hidden = !data.read;
  if (!data.read) for (const node of [parts.seat.parentNode, ...parts.main.children]) node.hidden = true;
}

/** Two heads that somebody signed for one number, side by side. */
const headsOf = ({ number, heads, names }) =>
  heads.length > 0 && el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("page.replay.heads") },
    el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, `# ${number}`), names.map((name) => el("th", { scope: "col" }, theirs(name))))),
      el("tbody", {}, ["hash", "signature"].map((field) =>
        el("tr", {}, el("th", { scope: "row" }, t(field === "hash" ? "page.replay.hash" : "page.replay.signature")), heads.map((head) => el("td", {}, el("code", {}, head[field]))))))));

/** What an entry changes. */
function drawFrame(parts, { data, frame, seat }) {
  const { view } = frame;
  put(parts.wrong);
  put(parts.title, gameName(view.game));
  const places = parts.seats.draw({ ...view, you: null });
  parts.table.style.setProperty("--columns", Math.max(1, ...places.map(([column]) => column)));
  parts.table.toggleAttribute("data-around", places.some(([, row]) => row > 1));
  parts.table.toggleAttribute("data-many", places.length > 3);
  put(parts.board, drawBoard(view, { offers: [], asked: null, choose() {} }));
  drawHands(parts.hands, frame, seat);
  drawFaults(parts.faults, frame.faults);
  parts.entry.draw(frame, data.seats, parts.scrub.playing());
  parts.teach.draw(frame);
  drawMarks(parts, data.marks, frame.entry.number);
}

/** The marks about where one is, of a long log not all of them; which one was passed last. */
function drawMarks({ marks: list, scrub }, marks, number) {
  const at = marks.findLastIndex(({ entry }) => entry <= number);
  const from = Math.max(0, Math.floor(at / MARKS) * MARKS - MARKS);
  const shown = marks.slice(from, from + 3 * MARKS).map((mark, index) => ({ ...mark, place: from + index }));
  keep(list, shown, ({ place }) => place, ({ entry, kind, text }) =>
    el("li", {}, el("button", { class: "quiet", "data-kind": kind, "data-entry": entry, onclick: () => scrub.go(entry) }, el("span", { class: "muted" }, `${entry} `), text)));
  const passed = list.children[at - from]?.firstChild;
  for (const mark of list.querySelectorAll("[aria-current]")) mark.removeAttribute("aria-current");
  passed?.setAttribute("aria-current", "step");
  list.scrollTop = passed ? passed.offsetTop - list.clientHeight / 2 : 0;
}

/** The hands that may be seen: one, all of them, or none. */
function drawHands(node, { view, hands, unopened }, seat) {
  const shown = hands ?? (seat === "none" ? [] : view.seats.map((_, at) => (at === view.you ? view.hand : [])));
  const some = shown.flatMap((hand, at) => (hand.length ? [[view.seats[at].name, hand]] : []));
  node.hidden = !some.length;
  put(node, some.map(([name, hand]) =>
    el("div", { class: "row wrap" }, el("strong", {}, theirs(name)), el("p", { class: "shown" }, hand.map(pieceOf)))),
    view.made && el("p", {}, view.made), unopened && el("p", { class: "muted" }, unopened));
}

const pieceOf = (piece) => el("span", {}, cardFace({ ...piece, down: false }), el("span", { class: "sr" }, cardName(piece)));
