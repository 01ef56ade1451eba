import { el } from "../../dom.js";
import { t } from "../../words.js";
import { sign } from "./card.js";

// Element duel as its rule file has it: each element is strong against the next, and has an advantage over the third after it.
const WHEEL = ["wood", "fire", "earth", "metal", "water"];
const EDGES = { 1: 2, 3: 1.5 }; // what a strength counts against an element so many places on
const HALVES = { 0: "", 0.5: "½" };

const number = (value) => `${Math.floor(value) || ""}${HALVES[value % 1]}` || "0";
const edge = (mine, other) => EDGES[(WHEEL.indexOf(other) - WHEEL.indexOf(mine) + 5) % 5];
const term = (name, strength, factor) => `${name} ${strength}${factor === 1 ? "" : ` × ${number(factor)}`}`;

/** What a card in front and the one behind it come to against an enemy: "Mountain 5 × 2 + Volcano 6 × 1½ = 19". */
export function sumOf(front, behind, enemy) {
  const [mine, second, other] = [front, behind, enemy].map(({ values }) => Object.fromEntries(values));
  const double = edge(mine.element, other.element) === 2 ? 2 : 1;
  const helps = second.strength > mine.strength ? (edge(second.element, other.element) ?? 0) : 0;
  const terms = [term(front.faces[0], mine.strength, double), ...(helps ? [term(behind.faces[0], second.strength, helps)] : [])];
  return `${terms.join(" + ")} = ${number(mine.strength * double + second.strength * helps)}`;
}

const NAMES = { wood: "page.element.wood", fire: "page.element.fire", earth: "page.element.earth", metal: "page.element.metal", water: "page.element.water" };
const nameOf = (element) => t(NAMES[element]);

/** Why the number of a card in front is doubled; nothing where it is not. */
export function whyOf(front, enemy) {
  const [mine, other] = [front, enemy].map(({ values }) => Object.fromEntries(values).element);
  return edge(mine, other) === 2 ? t("page.duel.double", { mine: nameOf(mine), other: nameOf(other) }) : "";
}

/** The element that a card is strong against, as a sign and in words; marked while such a card of an enemy lies open in its row. */
export function strength(piece, { game, board, you }) {
  const element = game === "element-duel" && piece.values && Object.fromEntries(piece.values).element;
  if (!WHEEL.includes(element)) return null;
  const weak = WHEEL[(WHEEL.indexOf(element) + 1) % 5];
  const rows = board.regions.filter(({ kind, seat }) => kind === "row" && seat !== you);
  const enemy = rows.flatMap(({ pieces }) => pieces).some(({ values }) => values && Object.fromEntries(values).element === weak);
  return el("span", { class: "beats", "data-strong": enemy && "" }, sign(weak), " ", t("page.duel.beats", { what: nameOf(weak) }), enemy && " × 2");
}

const round = (step) => WHEEL.concat(WHEEL[0]).map((_, at) => WHEEL[(at * step) % 5]).map((one, at) => [at > 0 && " › ", el("span", { class: "element" }, sign(one), el("span", {}, nameOf(one)))]);
const ring = (key, step) => el("span", {}, t(key), " ", round(step));

/** Which element is strong against which, by their signs. */
export const wheel = () => el("p", { class: "wheel", role: "img", "aria-label": t("page.wheel") }, ring("page.wheel.strong", 1), ring("page.wheel.edge", 3));
