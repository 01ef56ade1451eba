import { el, put } from "../dom.js";
import { t } from "../words.js";

const SPEEDS = [1, 2, 5, 20]; // entries a second
const QUIET = ["move"]; // marks that are too many to be drawn
const PLACES = 400; // along the rail, where a mark of a kind is drawn once
const FIELDS = "input:not([type=range]), textarea, [contenteditable]";

/** Where one is in a log, and how one gets elsewhere. `show(entry)` is told of every step. */
export function scrubber(show) {
  const now = { entry: 0, last: 0, marks: [], timer: null };
  const range = el("input", { type: "range", min: "0", value: "0", step: "1", "aria-label": t("page.replay.range"), oninput: () => go(Number(range.value)) });
  const ticks = el("div", { class: "ticks", "aria-hidden": "true" });
  const where = el("p", { class: "where" });
  const speed = el("select", { id: "speed", "aria-label": t("page.replay.speed"), onchange: () => now.timer && (stop(), play()) },
    SPEEDS.map((each) => el("option", { value: each, selected: each === 2 }, t("page.replay.times", { count: each }))));
  const playing = el("button", { class: "primary", onclick: () => (now.timer ? stop() : play()) }, t("page.replay.play"));

  function go(entry) {
    now.entry = Math.max(0, Math.min(now.last, entry));
    range.value = String(now.entry);
    const text = t("page.replay.position", { entry: now.entry, entries: now.last });
    put(where, text);
    range.setAttribute("aria-valuetext", text);
    return show(now.entry);
  }
  /** The next mark in this direction, or the end. */
  const jump = (way) => {
    const found = way > 0 ? now.marks.find((at) => at > now.entry) : now.marks.findLast((at) => at < now.entry);
    return go(found ?? (way > 0 ? now.last : 0));
  };
  function stop() {
    clearInterval(now.timer);
    now.timer = null;
    put(playing, t("page.replay.play"));
  }
  function play() {
    if (now.entry >= now.last) go(0);
    now.timer = setInterval(() => (now.entry < now.last && node.isConnected ? go(now.entry + 1) : stop()), 1000 / speed.value);
    put(playing, t("page.replay.pause"));
  }
  const button = (label, sign, act) => el("button", { "aria-label": label, title: label, onclick: act }, sign);
  const node = el("section", { class: "scrubber panel", "aria-label": t("page.replay.scrub") },
    el("div", { class: "rail" }, range, ticks),
    el("div", { class: "row ways" },
      button(t("page.replay.first"), "⇤", () => go(0)),
      button(t("page.replay.back.move"), "«", () => jump(-1)),
      button(t("page.replay.back"), "‹", () => go(now.entry - 1)),
      playing,
      button(t("page.replay.next"), "›", () => go(now.entry + 1)),
      button(t("page.replay.next.move"), "»", () => jump(1)),
      button(t("page.replay.last"), "⇥", () => go(now.last))),
    speed, where);

  const keys = {
    ArrowLeft: (event) => (event.shiftKey ? jump(-1) : go(now.entry - 1)),
    ArrowRight: (event) => (event.shiftKey ? jump(1) : go(now.entry + 1)),
    Home: () => go(0),
    End: () => go(now.last),
  };
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const { target } = event;
    if (!act || event.ctrlKey || event.altKey || event.metaKey || !node.isConnected) return;
    if (target.matches?.(FIELDS) || target.closest?.("select, [role=group]")) return;
    event.preventDefault();
    act(event);
  });
  return {
    node, go,
    entry: () => now.entry,
    playing: () => now.timer !== null,
    /** What there is to be scrubbed. */
    data({ read, marks }) {
      now.last = Math.max(0, read - 1);
      now.marks = [...new Set(marks.map(({ entry }) => entry))].sort((one, other) => one - other);
      range.max = String(now.last);
      const seen = marks.filter(({ kind }) => !QUIET.includes(kind));
      const apart = new Map(seen.map((mark) => [`${Math.round((mark.entry / now.last) * PLACES)} ${mark.kind}`, mark]));
      put(ticks, [...apart.values()].map((mark) => tick(mark, now.last)));
      put(where, t("page.replay.position", { entry: now.entry, entries: now.last }));
    },
  };
}

function tick({ entry, kind }, last) {
  const made = el("i", { "data-kind": kind });
  made.style.setProperty("--at", String(last ? entry / last : 0));
  return made;
}
