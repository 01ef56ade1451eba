import { el, put, theirs } from "../dom.js";
import { pieceName } from "../match/names.js";
import { t } from "../words.js";
import { pieceFace } from "./pieces.js";

const MOST_BACKS = 5; // that are drawn for pieces nobody sees
const muted = (text) => el("p", { class: "muted" }, text);
const back = (look) => el("span", { class: look }, pieceFace(null));

/** One piece; a button if something can be done with it. `press(index)`: what that does. */
function piece({ index, faces }, press, look = "lies") {
  const onclick = faces && press(index);
  return el(onclick ? "button" : "span", { class: look, onclick }, pieceFace(faces), el("span", { class: "sr" }, pieceName(faces)));
}

/** Pieces beside one another; of a pile only the top. */
function pieces({ kind, pieces, count }, press) {
  const pile = kind === "pile";
  const shown = pile ? pieces.slice(-1) : pieces;
  const below = count + pieces.length - shown.length;
  if (!shown.length && !below) return muted(t("page.region.empty"));
  const look = pile && below ? "lies many" : "lies";
  const drawn = pile && shown.length ? 0 : Math.min(below, pile ? 1 : MOST_BACKS);
  return [
    el("div", { class: kind === "hand" ? "pieces fan" : "pieces" },
      shown.map((one) => piece(one, press, look)), Array.from({ length: drawn }, () => back(look))),
    below > 0 && muted(t("page.region.unseen", { count: below })),
  ];
}

const OTHERS = {
  counter: ({ count }) => el("p", { class: "count" }, String(count)),
  text: ({ text }) => el("p", {}, text),
};

/** What pressing a piece does: the one thing that is on offer with it, or a question which of several. */
const presses = ({ offers, choose }, asks) => (index) => {
  const found = offers.filter((offer) => offer.piece === index);
  const button = (offer) => el("button", { onclick: () => choose(offer) }, offer.label);
  const act = () => (found.length === 1 ? choose(found[0]) : put(asks, found.map(button)).firstChild.focus());
  return found.length > 0 && act;
};

/** A table by its regions: everybody's first, then each seat's under its name. */
export function draw({ regions }, view, actions) {
  const asks = el("div", { class: "asks" });
  const press = presses(actions, asks);
  const of = (owner) => {
    const region = (one) =>
      el("figure", { class: "region" }, el("figcaption", {}, one.name), (OTHERS[one.kind] ?? pieces)(one, press));
    const found = regions.filter(({ seat }) => seat === owner);
    return found.length > 0 && el("div", { class: "regions" }, found.map(region));
  };
  const owned = view.seats.map(({ seat, name }) => [theirs(name), of(seat)]).filter(([, found]) => found);
  return el("div", { class: "generic", hidden: !regions.length },
    of(null), owned.map(([name, found]) => el("figure", {}, el("figcaption", {}, name), found)), asks);
}
