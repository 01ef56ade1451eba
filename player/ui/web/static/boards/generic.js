import { el, put } from "../dom.js";
import { patch } from "../match/keep.js";
import { hiddenKey, moveKey } from "../match/motion.js";
import { pieceName } from "../match/names.js";
import { t } from "../words.js";
import { pieceFace } from "./pieces.js";

const MOST_BACKS = 5; // that are drawn for pieces nobody sees
const PARTED = " · "; // between the parts of a text, each of which stands for itself
const muted = (text) => el("p", { class: "muted" }, text);
const back = (look, key) => el("span", { class: look, "data-move": key }, pieceFace(null));

/** What the board was last drawn with, and the board: whoever is pressing a piece while others act keeps that piece. */
const now = { actions: null, table: null };

/** Does the one thing that is on offer with a piece, or asks which of several; no time for that if keys take them. */
function press(index) {
  const { offers, choose } = now.actions;
  const found = offers.filter((offer) => offer.piece === index);
  const button = (offer) => el("button", { onclick: () => choose(offer) }, offer.label);
  if (found.length === 1 || found[0]?.key) choose(found[0]);
  else if (found.length) put(now.table.querySelector(".asks"), found.map(button)).firstChild.focus();
}

/** One piece; a button if something can be done with it. */
function piece({ index, faces }, look = "lies") {
  const offer = faces && now.actions.offers.find((one) => one.piece === index);
  const attrs = { class: now.actions.sent === index ? `${look} sent` : look, onclick: offer && (() => press(index)) };
  const key = offer?.key?.[0];
  return el(offer ? "button" : "span", { ...attrs, "data-piece": offer && index, "data-move": moveKey({ index, faces }), "aria-keyshortcuts": key },
    pieceFace(faces), el("span", { class: "sr" }, pieceName(faces)), key && el("kbd", { "aria-hidden": "true" }, key));
}

/** Pieces beside one another; of a pile only the top. */
function pieces({ name, seat, kind, pieces, count }) {
  const pile = kind === "pile";
  const shown = pile ? pieces.slice(-1) : pieces;
  const below = count + pieces.length - shown.length;
  if (!shown.length && !below) return muted(t("page.region.empty"));
  const look = pile && below ? "lies many" : "lies";
  const drawn = pile && shown.length ? 0 : Math.min(below, pile ? 1 : MOST_BACKS);
  return [
    el("div", { class: kind === "hand" ? "pieces fan" : "pieces", "data-deck": pile && count > 0, "data-holds": pile && pieces.slice(0, -1).map(moveKey).join(" ") },
      shown.map((one) => piece(one, look)), Array.from({ length: drawn }, (_, at) => back(look, hiddenKey(name, seat, at)))),
    below > 0 && muted(t("page.region.unseen", { count: below })),
  ];
}

const OTHERS = {
  counter: ({ count, text }) => el("p", { class: "count", "data-count": text && count }, text ?? String(count)),
  text: ({ text }) => {
    const parts = text.split(PARTED);
    return parts.length > 1 ? el("ul", { class: "parted" }, parts.map((one) => el("li", {}, one))) : el("p", {}, text);
  },
};

/** A table by its regions: everybody's first, then one's own, then each other seat's under its name. */
export function draw({ regions }, view, actions) {
  now.actions = actions;
  const of = (owner) => {
    const region = (one) =>
      el("figure", { class: `region ${one.kind}` }, el("figcaption", {}, one.name), (OTHERS[one.kind] ?? pieces)(one));
    const found = regions.filter(({ seat }) => seat === owner);
    return found.length > 0 && el("div", { class: "regions" }, found.map(region));
  };
  const owned = (seats) => seats.map(({ seat, name }) => [seat, el("bdi", { class: "of-seat", "data-seat": String(seat) }, name), of(seat)]).filter(([, , found]) => found).map(
    ([seat, name, found]) => el("figure", { class: seat === view.you && "mine" }, el("figcaption", {}, name), found));
  const others = owned(view.seats.filter(({ seat }) => seat !== view.you));
  const drawn = el("div", { class: "generic", hidden: !regions.length, tabindex: regions.some(({ kind }) => kind === "text") && "0" },
    of(null), owned(view.seats.filter(({ seat }) => seat === view.you)), el("div", { class: "asks" }),
    others.length > 0 && el("div", { class: "others", role: "group", tabindex: "0", "aria-label": t("page.seats") }, others));
  now.table = now.table?.isConnected ? patch(now.table, drawn) : drawn;
  return now.table;
}
