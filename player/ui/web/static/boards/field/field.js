import { el, put, theirs } from "../../dom.js";
import { t } from "../../words.js";
import { hiddenKey, moveKey } from "../../match/motion.js";
import { pieceFace } from "../pieces.js";
import { keeping, roam } from "../roam.js";
import { cardFace, cardName } from "./card.js";
import { detailed } from "./details.js";
import { wheel } from "./duel.js";

const MOST_BACKS = 5; // that are drawn of cards nobody sees
const WIDE = 8; // cards of a row that lie beside one another at their full size
const THIN = 0.15; // of a card's size, of each further back of such a fan
const FAR = 0.65; // of a card's size, in rows behind the first
const MIDDLE = 1.35; // of a card's size, in the middle
const HALF = 0.5; // of a card's size, in rows beside those that face each other
const FAN = 0.3; // of a card's size, of each further card that is seen of a fan beside
const CAPTION = 1.4; // of a card's size beside, that the name of a region is wide
const LEAST = 4; // cards beside one another, for which there is always room
const now = { actions: null, asks: null, pieces: new Map(), focus: 0 };

/** Whether rules say how far from the middle each region lies. */
export const isField = (board) => board?.is === "generic" && board.regions.some(({ row }) => row !== null);

/** What is done with a card: what plays it, or, without one that is played, what it is done to. */
const about = ({ piece, place }) => piece ?? place;

/** Whether an offer is made at a card that lies on the table or is in the own hand. */
export function inPlace(view, offer) {
  const at = about(offer);
  return at !== null && [{ pieces: view.hand }, ...view.board.regions].some(({ pieces }) => pieces.some(({ index }) => index === at));
}

const offersAt = (index) => now.actions.offers.filter((offer) => about(offer) === index);

/** Does the one thing that is on offer with a card, or asks which of several. */
function press(piece) {
  const found = offersAt(piece.index);
  if (!found.length && piece.faces) now.actions.refused?.("page.unfit.now", { what: cardName(piece) });
  if (found.length === 1) now.actions.choose(found[0]);
  if (found.length < 2) return;
  const choose = (offer) => () => (put(now.asks), now.actions.choose(offer));
  put(now.asks, el("span", {}, t("page.which.do")), found.map((offer) => el("button", { onclick: choose(offer) }, offer.label)));
  now.asks.querySelector("button").focus();
}

function card(piece, many, place) {
  const found = offersAt(piece.index);
  const look = many ? "lies many" : "lies";
  if (!piece.faces && !found.length && !piece.marks?.length) return el("span", { class: look, "data-move": place }, pieceFace(null));
  now.pieces.set(piece.index, piece);
  const attrs = { class: look, "data-card": piece.index, "data-move": moveKey(piece) ?? place, "aria-disabled": String(!found.length), onclick: () => press(piece) };
  return el("button", attrs, cardFace(piece), el("span", { class: "sr" }, cardName(piece)));
}

/** The cards of a region: of a pile the top one, or all while one below it can be chosen. */
function cards({ name, seat, kind, pieces, count }) {
  const spread = kind !== "pile" || pieces.slice(0, -1).some(({ index }) => offersAt(index).length);
  const shown = spread ? pieces : pieces.slice(-1);
  const below = count + pieces.length - shown.length;
  const backs = shown.length && !spread ? 0 : Math.min(below, kind === "pile" ? 1 : MOST_BACKS);
  const place = (at) => hiddenKey(name, seat, at);
  const holds = pieces.slice(0, pieces.length - shown.length).map(moveKey).join(" ");
  return el("div", { class: `pieces ${kind === "hand" ? "fan" : ""}`, "data-deck": kind === "pile" && count > 0, "data-holds": holds },
    shown.map((one, at) => card(one, !spread && below > 0, place(at))),
    Array.from({ length: backs }, (_, at) => el("span", { class: kind === "pile" && below > 1 ? "lies many" : "lies", "data-move": place(shown.length + at) }, pieceFace(null))),
    !shown.length && !below && el("span", { class: "lies none" }));
}

function region(one) {
  const { name, kind, pieces, count } = one;
  const all = pieces.length + count;
  return el("figure", { class: `region ${kind}` },
    el("figcaption", {}, theirs(name), " ", el("span", { class: "number" }, String(all))), cards(one));
}

const counter = ({ name, count, text }) => el("span", { class: "tag" }, theirs(name), ": ", text === null ? String(count) : theirs(text));

/** Regions of one owner by their distance from the middle, the nearest first. */
function byRow(regions) {
  const rows = new Map();
  for (const one of regions) rows.set(one.row, [...(rows.get(one.row) ?? []), one]);
  return [...rows.entries()].sort(([one], [other]) => one - other).map(([, found]) => found);
}

/** What lies where, from the top of the table down; who sits opposite has the same from the other side. */
function strips(regions, view) {
  const own = view.you ?? 0;
  const lie = regions.filter(({ row }) => row !== null);
  const of = (seat) => byRow(lie.filter((one) => one.seat === seat));
  const opposite = view.seats.filter(({ seat }) => seat !== own).map(({ seat }) => [seat, of(seat).reverse().map((row) => row.toReversed())]);
  const middle = lie.filter(({ seat }) => seat === null).sort((one, other) => one.row - other.row);
  return { opposite, middle: middle.length ? [middle] : [], own: [own, of(own)] };
}

/** A hand of which nothing is seen: how many cards it has stands at the seat too. */
const isUnseen = (row) => row.every(({ kind, pieces }) => kind === "hand" && pieces.every(({ faces }) => !faces));

/** Whether everything that is seen lies in the middle: seats have piles and hands that are unseen alone. */
const isFlat = ({ opposite, middle, own }) =>
  middle.length > 0 && [...opposite, own].every(([, rows]) => rows.flat().every((one) => one.kind === "pile" || isUnseen([one])));

/** How many cards the widest of these rows has beside one another. */
const across = (rows) => Math.max(0, ...rows.map((row) => row.reduce((sum, { kind, pieces, count }) => sum + (kind === "pile" ? 1.4 : 0.8 + Math.min(pieces.length + count, WIDE)), 0)));

/** The same of piles and fans of backs, which are small and lie over one another. */
const slender = (rows) => rows.flat().reduce((sum, { kind, pieces, count }) => sum + FAR + 0.3 + (kind === "pile" ? 0 : THIN * Math.min(pieces.length + count, MOST_BACKS)), 0);

/** How many rows lie above one another, and how many cards beside one another: cards are as large as that allows, on a narrow screen without hands that are unseen. */
function sized(node, { opposite, middle, own: [, below] }, flat) {
  const weight = (rows) => (flat ? FAR * rows : Math.min(1, rows) + FAR * Math.max(0, rows - 1));
  const lined = (rows) => (flat && rows.length ? [rows.flat()] : rows); // beside one another
  const all = opposite.map(([, rows]) => rows);
  const own = lined(below);
  for (const [name, others] of [["all", all], ["seen", all.map((rows) => rows.filter((row) => !isUnseen(row)))]]) {
    const above = Math.max(0, ...others.map((rows) => lined(rows).length));
    const sum = others.reduce((all, rows) => all + (flat ? slender(rows) : across(rows)), 0);
    const wide = Math.max(LEAST, MIDDLE * across(middle), flat ? slender(own) : across(own), sum);
    const sizes = { strips: weight(above) + MIDDLE * middle.length + weight(own.length), rows: above + middle.length + own.length, wide };
    for (const [key, value] of Object.entries(sizes)) node.style.setProperty(`--${name}-${key}`, String(value));
  }
}

/** Sizes where two sides face each other with nothing between them: one row of each counts, the others lie beside it in
 * lines of two regions, or on a narrow screen behind it, and are half as large. */
function facing(node, [[, above]], below) {
  const sides = [above.toReversed(), below];
  const wide = ({ kind, pieces, count }) => (kind === "pile" ? 1 : Math.min(pieces.length + count, WIDE));
  const lies = (one) => (one.kind === "hand" ? 1 + FAN * (wide(one) - 1) : wide(one));
  const beside = ([near, ...far]) =>
    near.reduce((sum, one) => sum + wide(one), 0) + 2 * HALF * far.flat().reduce((most, one) => Math.max(most, lies(one) - CAPTION), 0);
  const lines = ([, ...far]) => Math.max(1, far.reduce((sum, row) => sum + Math.ceil(row.length / 2), 0));
  const seen = above.filter((row) => !isUnseen(row));
  const weight = (rows) => Math.min(1, rows.length) + HALF * Math.max(0, rows.length - 1);
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const sizes = {
    "near-strips": sum(sides.map((rows) => Math.max(1, HALF * lines(rows)))), "near-rows": sum(sides.map(lines)), "near-wide": Math.max(1, ...sides.map(beside)),
    "tight-strips": weight(seen) + weight(below),
  };
  node.classList.add("facing");
  for (const [key, value] of Object.entries(sizes)) node.style.setProperty(`--${key}`, String(value));
}

/** A table on which rules say where each region lies: others' above, the middle, one's own below. */
export function draw({ regions }, view, actions) {
  Object.assign(now, { actions, asks: el("div", { class: "asks", role: "group", "aria-label": t("page.which.do") }), pieces: new Map() });
  const node = el("div", { class: "generic zones" });
  const laid = strips(regions, view);
  const counters = (seat) => regions.filter((one) => one.kind === "counter" && one.seat === seat).map(counter);
  const rows = (found, nearest = 0) => found.map((lie, at) =>
    el("div", { class: `strip${at === nearest ? "" : " far"}${isUnseen(lie) ? " unseen" : ""}` }, lie.map(region)));
  const side = (look, [seat, found], nearest) =>
    el("figure", { class: look }, el("figcaption", {}, el("bdi", { class: "of-seat", "data-seat": String(seat) }, view.seats[seat].name), counters(seat)), el("div", { class: "strips" }, rows(found, nearest)));
  keeping(node, "zones", () => {
    put(node, el("div", { class: "opposite" }, laid.opposite.map((one) => side("party", one, one[1].length - 1))),
      el("div", { class: "centre" }, rows(laid.middle), laid.middle.length ? el("div", { class: "tags" }, counters(null)) : counters(null), view.game === "element-duel" && wheel()),
      (laid.own[1].length > 0 || counters(laid.own[0]).length > 0) && side("party below", laid.own), now.asks);
    const flat = isFlat(laid);
    node.classList.toggle("flat", flat);
    sized(node, laid, flat);
    if (!laid.middle.length && laid.opposite.length === 1 && laid.opposite[0][1].length && laid.own[1].length) facing(node, laid.opposite, laid.own[1]);
    const walked = [...node.querySelectorAll(".strip")].map((one) => [...one.querySelectorAll("button")]).filter((row) => row.length);
    roam(node, walked, now.focus, (at) => (now.focus = at));
  });
  return detailed(node, (index) => now.pieces.get(index));
}
