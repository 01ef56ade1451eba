import { isField } from "../boards/field/field.js";
import { el, put } from "../dom.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";

const HAND = ["line", "felt", "generic"]; // boards of games with a hand
const HELP = [
  ["← →", "page.key.walk", HAND],
  ["Enter", "page.key.play", HAND],
  ["L R", "page.key.end", ["line"]],
  ["P", "page.key.pass", ["line", "generic"]],
  ["D", "page.key.draw", ["line", "generic"]],
  ["F", "page.key.fold", ["felt"]],
  ["C", "page.key.call", ["felt"]],
  ["R", "page.key.raise", ["felt"]],
  ["A", "page.key.all_in", ["felt"]],
  ["S M", "page.key.show", ["felt"]],
  ["1 – 9", "page.key.column", ["grid"]],
  ["↓ Enter", "page.key.pop", ["grid"], ({ offers }) => offers.some(({ kind }) => kind === "pop")],
  ["1 – 5 0", "page.key.slot", ["field"]],
  ["Space", "page.key.flip", ["field"]],
  ["H", "page.key.hand", [...HAND, "grid", "heaps", "field"]],
  ["/", "page.key.command"],
  ["?", "page.key.help"],
];

const kindOf = ({ board }) => (board && isField(board) ? "field" : board?.is);

/** The list of keys that do something in this game, for a dialog; who watches has only those that need no seat. */
export function help() {
  const list = el("dl", { class: "keys" });
  const title = el("h3", { tabindex: "-1" }, t("page.help"));
  const node = el("section", {}, title, el("p", {}, t("page.help.off")), list);
  const rows = (view) => HELP.filter(([, , boards, fits]) => !boards || (view.you !== null && boards.includes(kindOf(view)) && (!fits || fits(view))));
  return {
    node,
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
