import { el, put } from "../dom.js";
import { preference } from "../preferences.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";

const isLine = ({ board }) => board?.is === "line";
const isFelt = ({ board }) => board?.is === "felt";
const hasHand = (view) => isLine(view) || isFelt(view) || view.hand.length > 0;
const hasPlaces = ({ board }) => ["grid", "heaps", "generic"].includes(board?.is);
const isWalked = (view, seen) => hasPlaces(view) && !seen.keyed;
const waits = (view, seen) => !seen.keyed && (preference("confirm") !== "off" || preference("ahead") === "on");
// Keys, what they do, and when: `seen` has the kinds of all offers so far in this match, and whether some had keys of their own.
const HELP = [
  ["← →", "page.key.walk", hasHand],
  ["Enter", "page.key.play", hasHand],
  ["Shift ← →", "page.key.sort", hasHand],
  ["L R", "page.key.end", isLine],
  ["P", "page.key.pass", (view, { kinds }) => isLine(view) || kinds.has("pass")],
  ["D", "page.key.draw", (view, { kinds }) => (isLine(view) ? view.board.stock !== null : kinds.has("draw"))],
  ["F", "page.key.fold", isFelt],
  ["C", "page.key.call", isFelt],
  ["R", "page.key.raise", isFelt],
  ["A", "page.key.all_in", isFelt],
  ["S M", "page.key.show", isFelt],
  ["1 – 9", "page.key.column", ({ board }) => board?.men === "stones"],
  ["↓ Enter", "page.key.pop", (view, { kinds }) => kinds.has("pop")],
  ["← → ↑ ↓", "page.key.board", isWalked],
  ["Enter", "page.key.choose", (view, seen) => isWalked(view, seen) && !hasHand(view)],
  ["1 – 5 0", "page.key.slot", (view, { keyed }) => keyed],
  ["Space", "page.key.flip", (view, { keyed }) => keyed],
  ["Esc", "page.key.back", waits],
  ["H", "page.key.hand", () => true],
];
const ALWAYS = [
  ["/", "page.key.command"],
  ["?", "page.key.help"],
];

/** The list of keys that do something in this game, for a dialog; who watches has only those that need no seat. */
export function help() {
  const list = el("dl", { class: "keys" });
  const title = el("h3", { tabindex: "-1" }, t("page.help"));
  const node = el("section", {}, title, el("p", {}, t("page.help.off")), list);
  const seen = { kinds: new Set(), keyed: false };
  const rows = (view) => [...(view.you === null ? [] : HELP.filter(([, , fits]) => fits(view, seen))), ...ALWAYS];
  return {
    node,
    /** Notes what is on offer: a game has the keys of what it offers. */
    note({ offers }) {
      for (const { kind } of offers) seen.kinds.add(kind);
      seen.keyed ||= offers.some(({ key }) => key);
    },
    draw(view) {
      put(list, rows(view).map(([key, what]) => [el("dt", {}, key.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, t(what))]));
    },
    focus: () => title.focus(),
  };
}

/** A command line that takes what the terminal takes. */
export function commandLine(actions) {
  const said = el("div", { class: "lines", role: "log", tabindex: "0", "aria-label": t("page.command.answers") });
  const field = el("input", { id: "command", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const past = [];
  let at = 0;
  const tell = (lines, name) => {
    said.append(...lines.map((line) => el("p", { class: name }, line)));
    said.scrollTop = said.scrollHeight;
  };
  const send = async (event) => {
    event.preventDefault();
    const line = field.value;
    field.value = "";
    at = past.push(line);
    tell([`> ${line}`], "muted");
    try {
      tell((await actions.command(line)).lines);
    } catch (error) {
      tell([error.message]);
    }
  };
  field.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    at = Math.max(0, Math.min(past.length, at + step));
    field.value = past[at] ?? "";
    event.preventDefault();
  });
  const form = el("form", { class: "row", onsubmit: send },
    el("label", { for: "command", class: "sr" }, t("page.command")), field, el("button", { class: "primary" }, t("page.command.do")));
  const node = dialog("page.command", el("p", { class: "muted" }, t("page.command.about")), said, form);
  return { node, open: () => (node.showModal(), field.focus()) };
}
