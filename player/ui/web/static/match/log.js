import { el, theirs } from "../dom.js";
import { t } from "../words.js";
import { keep, set, write } from "./keep.js";
import { namesOf } from "./names.js";

const MOST = 400; // lines that are kept on the screen
const OLD = 2000; // milliseconds in which a new page gets the past entries, which a screen reader must not read out

function panel(name, title, ...content) {
  return el("section", { class: `panel ${name}`, "aria-labelledby": `${name}-title` }, el("h2", { id: `${name}-title` }, t(title)), ...content);
}

const lines = (title) => el("div", { class: "lines", role: "log", tabindex: "0", "aria-label": t(title), onscroll: scrolled });

/** A box around lines that has its size from elsewhere: only then is a new line laid out alone, and not the whole page. */
const pane = (box) => el("div", { class: "pane" }, box);

const up = new WeakSet(); // lists in which somebody has scrolled up
const due = new WeakSet(); // those that go to their end with the next frame: not for each line, which would lay all out

/** Adds a line at the end, and stays there unless somebody has scrolled up. */
function add(box, line, before = null) {
  box.insertBefore(line, before);
  if (box.children.length > MOST) box.firstChild.remove();
  if (due.has(box) || up.has(box)) return;
  due.add(box);
  requestAnimationFrame(() => {
    due.delete(box);
    box.scrollTop = box.scrollHeight;
  });
}

/** The line before which one of this entry belongs: the end, but for what was missed. */
function after(box, entry) {
  let next = null;
  for (let line = box.lastChild; line && Number(line.dataset.entry) > entry; line = line.previousSibling) next = line;
  return next;
}

function scrolled({ target: box }) {
  const low = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  if (low || due.has(box)) up.delete(box);
  else up.add(box);
}

/** The log of the match, line by line. Each line has the number of its entry. */
export function log() {
  const box = lines("page.log");
  box.setAttribute("aria-live", "off");
  setTimeout(() => box.removeAttribute("aria-live"), OLD);
  const shown = new Set(); // the deeds in the log
  return {
    node: panel("log", "page.log", pane(box)),
    box,
    deed({ entry, kind, text, minor = false }) {
      if (minor) return;
      const name = `${entry} ${kind} ${text}`;
      if (shown.has(name)) return;
      shown.add(name);
      const last = box.lastChild;
      if (kind === "move" && last?.dataset.text === text && Number(last.dataset.entry) < entry) {
        last.dataset.times = Number(last.dataset.times ?? 1) + 1;
        last.dataset.entry = entry;
        write(last, `${text} ×${last.dataset.times}`);
        return;
      }
      add(box, el("p", { "data-entry": entry, "data-kind": kind, "data-text": text, title: t("page.entry", { entry }) }, text), after(box, entry));
    },
    notice: ({ entry, text, style }) => add(box, el("p", { "data-entry": entry, "data-style": style }, text), after(box, entry)),
    /** Shows the line of an entry, or the last one before it. */
    jump(entry) {
      const line = [...box.querySelectorAll("[data-kind]")].filter((one) => Number(one.dataset.entry) <= entry).at(-1);
      if (!line) return;
      line.tabIndex = -1;
      line.scrollIntoView({ block: "center" });
      line.focus();
    },
  };
}

/** Table talk: the remarks, a field for a new one, and buttons that mute seats. `onMute()` is called after a seat was muted or unmuted. */
export function talk(actions, onMute) {
  const box = lines("page.talk");
  let muted = new Set(); // seats, as the program says
  const field = el("input", { id: "say", name: "say", maxlength: "500", autocomplete: "off" });
  const wrong = el("p", { class: "wrong", role: "alert" });
  const say = async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return;
    try {
      await actions.say(field.value);
      field.value = "";
      write(wrong, "");
    } catch (error) {
      write(wrong, error.message);
    }
  };
  const form = el("form", { class: "row", onsubmit: say },
    el("label", { for: "say", class: "sr" }, t("page.say")), field, el("button", {}, t("page.say")));
  const deaf = el("p", { class: "muted", hidden: true }, t("page.talk.watching"));
  const people = el("div", { class: "row wrap" });
  const mute = el("details", {}, el("summary", {}, t("page.mute")), people);
  let names = [];
  const toggle = async (seat) => {
    try {
      await actions.mute(seat, !muted.has(seat));
      write(wrong, "");
    } catch (error) {
      write(wrong, error.message);
    }
  };
  const hide = (seats) => {
    if (seats.length === muted.size && seats.every((seat) => muted.has(seat))) return;
    muted = new Set(seats);
    for (const line of box.children) line.hidden = muted.has(Number(line.dataset.seat));
    onMute();
  };
  const node = panel("talk", "page.talk", pane(box), form, deaf, wrong, mute);
  return {
    node,
    mutes: (seat) => muted.has(seat),
    said({ seat, text }) {
      const line = el("p", { "data-seat": seat, hidden: muted.has(seat) },
        el("strong", { class: "by" }, theirs(names[seat] ?? "?")), ": ", theirs(text));
      add(box, line);
    },
    /** `over`: nothing more is said here; what was said stays. */
    draw(view, silent = [], over = false) {
      hide(silent);
      names = view.seats.map(({ name }) => name);
      node.hidden = over && !box.firstChild;
      form.hidden = mute.hidden = view.you === null || over;
      deaf.hidden = view.you !== null;
      const make = ({ seat, name }) => el("button", { onclick: () => toggle(seat) }, theirs(name));
      const others = view.seats.filter(({ seat }) => seat !== view.you);
      keep(people, others, ({ seat }) => seat, make,
        (node, { seat }) => set(node, "aria-pressed", String(muted.has(seat))));
    },
  };
}

/** The seats that have one score: a list for each column. */
const together = ({ board, seats }) => (board?.teams?.length ? board.teams : seats.map(({ seat }) => [seat]));

/** Points after every hand: a row for each, as far as this page has seen them. */
export function sheet() {
  const body = el("tbody");
  const head = el("tr");
  const rows = new Map();
  const box = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "sheet-title" },
    el("table", {}, el("thead", {}, head), body));
  const node = panel("sheet", "page.sheet", box);
  return {
    node,
    /** A deed that ends a hand has everybody's score; whether this one does. */
    deed: ({ entry, scores }) => Boolean(scores && rows.set(entry, scores)),
    draw(view) {
      const columns = together(view);
      const title = (seats) => el("th", { scope: "col" }, seats.length ? theirs(namesOf(view, seats)) : t("page.sheet.hand"));
      keep(head, [[], ...columns], String, title);
      const shown = [...rows].sort(([one], [other]) => one - other).map(([entry, scores], at) => ({ entry, scores, at: at + 1 }));
      shown.push({ entry: "now", at: t("page.sheet.now"), scores: view.seats.map(({ game }) => game.score) });
      const more = shown.length > body.children.length;
      keep(body, shown, ({ entry }) => entry, () => el("tr"), (row, { at, scores }) => {
        const text = [at, ...scores].join();
        if (row.dataset.text === text) return;
        row.dataset.text = text;
        row.replaceChildren(el("th", { scope: "row" }, String(at)), ...columns.map(([seat]) => el("td", {}, String(scores[seat]))));
      });
      if (more) box.scrollTop = box.scrollHeight;
    },
  };
}
