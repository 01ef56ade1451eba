import { el } from "../dom.js";
import { prefer, preference } from "../preferences.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";
import { write } from "./keep.js";

const GAP = 10; // pixels between a part and what is said of it
// What is said of each part, in this order.
const STEPS = [
  ["turn", "page.tour.turn", "page.tour.turn.about"],
  ["play", "page.tour.play", "page.tour.play.about"],
  ["badge", "page.badge", "page.tour.badge.about"],
  ["rules", "page.rules", "page.tour.rules.about"],
];

/** Puts `box` below a part, or above it where there is no room. */
function beside(box, part) {
  part.scrollIntoView({ block: "nearest" });
  const [at, own] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
  const below = at.bottom + GAP;
  const top = below + own.height < innerHeight ? below : at.top - own.height - GAP;
  box.style.left = `${Math.max(GAP, Math.min(at.left + (at.width - own.width) / 2, innerWidth - own.width - GAP))}px`;
  box.style.top = `${Math.max(GAP, Math.min(top, innerHeight - own.height - GAP))}px`;
}

/**
 * A short tour of the match: `parts` are nodes by the names of the steps; one that is not on the screen is left out.
 * `ended()` when it is over. `offer` asks once, in the first match, whether one wants it; nothing is in the way of a choice.
 */
export function tour(parts, ended) {
  const heading = el("h3", {});
  const text = el("p", {});
  const count = el("span", { class: "muted" });
  const back = el("button", { onclick: () => go(-1) }, t("page.tour.back"));
  const next = el("button", { class: "primary", onclick: () => go(1) });
  const node = dialog("page.tour", el("div", { "aria-live": "polite" }, heading, text), el("div", { class: "row wrap" }, count, back, next));
  node.classList.add("tour");
  const offer = el("section", { class: "welcome", hidden: true, "aria-label": t("page.tour") },
    el("p", {}, t("page.tour.offer")),
    el("div", { class: "row" },
      el("button", { class: "primary", onclick: () => start() }, t("page.tour.start")),
      el("button", { onclick: () => (seen(), ended()) }, t("page.tour.skip"))));
  const state = { steps: [], at: 0, shown: false };
  const place = () => node.open && beside(node, parts[state.steps[state.at][0]]);

  function seen() {
    prefer("tour", "seen");
    offer.hidden = true;
  }

  function point() {
    const [name, title, about] = state.steps[state.at];
    for (const [one, part] of Object.entries(parts)) part.toggleAttribute("data-pointed", one === name);
    write(heading, t(title));
    write(text, t(about));
    write(count, t("page.tour.count", { number: state.at + 1, count: state.steps.length }));
    write(next, t(state.at + 1 < state.steps.length ? "page.tour.next" : "page.tour.done"));
    back.disabled = state.at === 0;
    place();
    next.focus();
  }

  function go(step) {
    state.at += step;
    if (state.at >= state.steps.length) node.close();
    else point();
  }

  function start() {
    seen();
    state.steps = STEPS.filter(([name]) => parts[name].checkVisibility());
    state.at = 0;
    node.showModal();
    point();
  }

  node.addEventListener("keydown", ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (step && state.steps[state.at + step]) go(step);
  });
  node.addEventListener("close", () => {
    for (const part of Object.values(parts)) part.removeAttribute("data-pointed");
    ended();
  });
  new ResizeObserver(place).observe(document.documentElement);
  return {
    node, offer, start,
    /** The person has moved without it. */
    moved: () => offer.hidden || seen(),
    draw({ view, stage }) {
      const first = preference("tour") === "new" && view.you !== null;
      if (first && stage === "match") state.shown = true;
      else if (first && state.shown) seen(); // one match is enough to get to know it
      offer.hidden = !first || stage !== "match";
    },
  };
}
