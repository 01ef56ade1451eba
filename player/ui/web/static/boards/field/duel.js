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

const round = (step) => WHEEL.concat(WHEEL[0]).map((_, at) => [at > 0 && " › ", sign(WHEEL[(at * step) % 5])]);
const ring = (key, step) => el("span", {}, t(key), " ", round(step));

/** Which element is strong against which, by their signs. */
export const wheel = () => el("p", { class: "wheel", role: "img", "aria-label": t("page.wheel") }, ring("page.wheel.strong", 1), ring("page.wheel.edge", 3));
