import { isField } from "../boards/field/field.js";
import { el, put, svg } from "../dom.js";
import { identicon } from "../identicon.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";
import { GONE } from "./ends.js";
import { changed, set, write } from "./keep.js";
import { namesOf } from "./names.js";

const SHIELD = "M8 1 14 3v4c0 4-3 7-6 8-3-1-6-4-6-8V3z";
const SIGNS = { clean: "M5 8l2 2 4-4", fault: "M8 5v4M8 11v1", behind: "M6 8h4", left: "M6 8h4" };

const faultsOf = ({ faults, view }) => [...faults, ...view.trust.faults];

/** What may be said of the entries so far: that somebody is gone is no alarm. Nothing is clean while some are still to be read. */
export function judged(snapshot) {
  const found = faultsOf(snapshot);
  if (found.some(({ code }) => !GONE.includes(code))) return "fault";
  if (found.length) return "left";
  if (snapshot.behind || snapshot.away || (snapshot.verdict && !snapshot.verdict.clean)) return "behind";
  return "clean";
}

const SAYS = { clean: "page.badge.clean", fault: "page.badge.fault", behind: "page.badge.behind" };

function textOf(snapshot, state) {
  const { view } = snapshot;
  const count = view.trust.checked;
  if (state !== "left") return t(SAYS[state], { count });
  const gone = [...new Set(faultsOf(snapshot).map(({ seat }) => seat))];
  return gone.includes(view.you) ? t("page.badge.left", { count }) : t("page.badge.gone", { count, who: namesOf(view, gone) });
}

/** The badge and its dialog. `jump(entry)` shows an entry in the log. */
export function badge(actions, jump) {
  const text = el("span");
  const sign = svg("path", { class: "sign" });
  const icon = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { class: "shield", d: SHIELD }), sign);
  const body = inside(actions, (entry) => {
    box.close();
    jump(entry);
  });
  const box = dialog("page.badge", ...body.nodes);
  box.classList.add("checks");
  const button = el("button", { class: "badge", "aria-haspopup": "dialog", onclick: () => box.showModal() }, icon, text);
  return {
    node: el("div", {}, button, box),
    draw(snapshot) {
      const state = judged(snapshot);
      set(button, "data-state", state);
      set(sign, "d", SIGNS[state]);
      write(text, textOf(snapshot, state));
      body.draw(snapshot, text.textContent);
    },
  };
}

/** What stands in the dialog: parts that are drawn anew when they change, and controls that stay. */
function inside(actions, jump) {
  const verdict = el("p", { class: "verdict" });
  const judged = el("div", {});
  const faults = el("div", {});
  const aloud = words();
  const people = el("div", {});
  const trust = el("div", {});
  const local = el("p", {}, t("page.badge.local"));
  const company = el("div", {}, aloud.node,
    el("h3", {}, t("page.badge.people")), people,
    el("h3", {}, t("page.badge.trust")), trust);
  const files = logs(actions);
  const drawFaults = changed((found) => put(faults, found.map((fault) => faultText(fault, jump))));
  const drawPeople = changed((list) => put(people, list.map(person)));
  const inLines = (node) => changed((lines) => put(node, lines.map((line) => el("p", {}, line))));
  const [drawTrust, drawJudged] = [trust, judged].map(inLines);
  return {
    nodes: [
      verdict, el("p", {}, t("page.badge.what")), judged, faults, local, company,
      el("h3", {}, t("page.badge.log")), ...files.nodes,
    ],
    draw(snapshot, said) {
      const { view } = snapshot;
      write(verdict, said);
      local.hidden = !snapshot.bots;
      company.hidden = snapshot.bots; // bots of one's own read nothing aloud, and cheat nobody
      drawFaults(snapshot.faults);
      aloud.draw(view);
      drawPeople(snapshot.people);
      drawTrust([snapshot.dealing, ...snapshot.trust, ...rulesOf(view)]);
      drawJudged(snapshot.verdict?.lines ?? []);
      files.draw(view.trust);
    },
  };
}

/** What a board by rules says of them: whose they are, and by which digest they are known. */
const rulesOf = ({ board }) => (isField(board) ? board.regions.filter(({ kind }) => kind === "text").map(({ name, text }) => `${name}: ${text}`) : []);

const faultText = ({ entry, code, text, section }, jump) =>
  el("div", { class: "fault" },
    el("p", {}, el("strong", {}, text)),
    el("p", { class: "muted" }, t("page.fault.where", { entry, code, section })),
    el("button", { onclick: () => jump(entry) }, t("page.fault.jump", { entry })));

const person = ({ known, fingerprint }) => el("p", { class: "person row" }, fingerprint && identicon(fingerprint), el("span", {}, known));

/** The words that people read to each other. The tick is the person's, and void when the words are others. */
function words() {
  const list = el("p", { class: "roster" });
  const tick = el("input", { type: "checkbox" });
  const node = el("div", {},
    el("h3", {}, t("page.roster")), list, el("p", {}, t("page.roster.read")), el("p", { class: "muted" }, t("page.roster.key")), el("label", { class: "row" }, tick, t("page.roster.same")));
  const place = ({ match, trust }) => `compared ${match} ${trust.roster}`;
  let shown = null;
  tick.addEventListener("change", () => sessionStorage.setItem(place(shown), tick.checked ? "yes" : ""));
  const draw = changed((roster, view) => {
    node.hidden = roster === null;
    put(list, (roster ?? "").split("-").map((word) => el("span", {}, word)));
    tick.checked = sessionStorage.getItem(place(view)) === "yes";
  });
  return { node, draw: (view) => draw((shown = view).trust.roster, view) };
}

/** Saving the log, and comparing it with somebody else's. */
function logs(actions) {
  const saved = el("p", { class: "muted" });
  const answer = el("div", { role: "status" });
  const tell = (lines) => put(answer, lines.map((line) => el("p", {}, line)));
  const failing = (act) => async (event) => {
    try {
      await act(event);
    } catch (error) {
      tell([error.message]);
    }
  };
  const compare = failing(async ({ target }) => {
    const [file] = target.files;
    target.value = "";
    if (file) tell((await actions.compare(file)).lines);
  });
  const row = el("div", { class: "row wrap" },
    el("button", { onclick: failing(() => actions.log()) }, t("page.log.save")),
    el("label", { class: "file" }, t("page.log.compare"), el("input", { type: "file", onchange: compare })));
  return { nodes: [row, saved, answer], draw: (trust) => write(saved, trust.saved ? t("page.log.saved", { path: trust.saved }) : "") };
}
