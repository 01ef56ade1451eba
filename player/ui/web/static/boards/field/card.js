import { el, svg } from "../../dom.js";
import { pieceName } from "../../match/names.js";
import { t } from "../../words.js";
import { named, pieceFace, SUITS, suited } from "../pieces.js";
import { cardPicture } from "./art.js";

const RANKS = { 10: "T", 11: "J", 12: "Q", 13: "K", 14: "A", ace: "A", jack: "J", queen: "Q", king: "K" };
const NUMBERS = ["2", "3", "4", "5", "6", "7", "8", "9"];
// Words that many rules have, as shapes: the word itself is on the card too.
const SHAPES = {
  fire: ["hearts", "M0-.55C.1-.2.4-.1.4.2A.4.4 0 0 1-.4.2C-.4 0-.2-.05-.15-.25-.05-.1 0-.3 0-.55Z"],
  water: ["diamonds", "M0-.55C.2-.2.38 0 .38.18A.38.38 0 0 1-.38.18C-.38 0-.2-.2 0-.55Z"],
  wood: ["clubs", "M0-.55.4.1H.15V.5H-.15V.1H-.4Z"],
  earth: ["earth", "M-.55.45-.15-.4.1.05.25-.15.55.45Z"],
  metal: ["metal", "M-.25-.45H.25L.5 0 .25.45H-.25L-.5 0Z"],
};
for (const suit of Object.values(SUITS)) SHAPES[suit[0]] = suit;
const FOOT = 12; // letters below a name

/** The shape of a word and its colour, if it has one. */
export const shapeOf = (word) => typeof word === "string" && Object.hasOwn(SHAPES, word) && SHAPES[word];
/** The sign of a word, if it has one, as a drawing of its own. */
export const sign = (word) => svg("svg", { class: `sign ${shapeOf(word)[0]}`, viewBox: "-.7 -.7 1.4 1.4", "aria-hidden": "true" }, svg("path", { d: shapeOf(word)[1] }));
const text = (attrs, content) => svg("text", { "text-anchor": "middle", ...attrs }, String(content));
const short = (words) => (words.length > FOOT ? `${words.slice(0, FOOT - 1)}…` : words);

/** A card of a common pack, if that is what its values say. */
export function common(values) {
  const [suit, rank] = [shapeOf(values.suit), String(values.rank)];
  const sign = Object.hasOwn(RANKS, rank) ? RANKS[rank] : NUMBERS.includes(rank) && rank;
  return Object.values(SUITS).includes(suit) && sign && suited(sign, suit);
}

const ART = { x: 0.15, y: 0.21, width: 4.7, height: 6.58 };
const BADGE = 0.95; // radius of what lies over the upper corners of a picture, and hides the number that is drawn there

/** A card by rules: the name in the middle, a number and a shape above it, further values below it. A picture is shown whole,
 * with number, shape and name on it. */
function ruleCard([name, ...values], all, owned) {
  const art = cardPicture(name, all, owned, ART);
  const number = values.find((value) => typeof value === "number");
  const shape = shapeOf(values.find(shapeOf));
  const badge = (cx) => svg("circle", { class: "disc", cx, cy: 1.1, r: BADGE });
  if (art) {
    return svg("g", { class: shape ? shape[0] : "plain" },
      art,
      number !== undefined && [badge(1.1), text({ x: 1.1, y: 1.58, "font-size": Math.min(1.5, 2.4 / String(number).length) }, number)],
      shape && [badge(3.9), svg("path", { d: shape[1], transform: "translate(3.9 1.1) scale(1.15)" })],
      svg("rect", { class: "disc", x: 0.3, y: 5.28, width: 4.4, height: 1.3, rx: 0.25 }),
      text({ class: "name", x: 2.5, y: 6.2, "font-size": Math.min(0.8, 6.2 / name.length) }, name));
  }
  return svg("g", { class: shape ? shape[0] : "plain" },
    number !== undefined && text({ x: 1.3, y: 1.75, "font-size": Math.min(1.7, 3.2 / String(number).length) }, number),
    shape && svg("path", { d: shape[1], transform: "translate(3.75 1.15) scale(1.5)" }),
    named(name),
    text({ class: "name foot", x: 2.5, y: 6.55, "font-size": 0.85 }, short(values.filter((value) => value !== number).join(" "))));
}

/** A card as rules describe it, any other piece as `pieceFace` does, with the marks that lie on it; null: a back. */
export function cardFace({ faces, values, marks, down, owned }) {
  const drawn = !faces || !values ? pieceFace(faces) : pieceFace(faces, common(Object.fromEntries(values)) || ruleCard(faces, Object.fromEntries(values), owned));
  if (faces && owned) drawn.append(...[trustSign(owned)].filter(Boolean));
  drawn.classList.toggle("ruled", Boolean(faces && values));
  if (marks?.some(([name]) => name === "turned")) drawn.classList.add("sideways");
  if (faces && down) drawn.classList.add("down");
  return marks?.length ? [drawn, el("span", { class: "tokens", "aria-hidden": "true" }, marks.map(([, value]) => el("b", {}, String(value))))] : drawn;
}

/** The person's trust mark of the creator, as a sign on the card; none without a mark. */
function trustSign({ trusted }) {
  const sign = typeof trusted === "boolean" && (trusted ? "M-.3 0-.08.24.32-.24" : "M0-.34V.08M0 .3V.32");
  return sign && svg("g", { class: trusted ? "trust yes" : "trust no", transform: "translate(4.3 5.2)" },
    svg("circle", { r: 0.52 }), svg("path", { d: sign }));
}

const TRUST = { true: "page.card.trusted", false: "page.card.distrusted" };

/** The creator of an owned card: the name if the person's records have one, or else the key; with the person's trust mark. */
export const creatorText = ({ creator, name, trusted }) =>
  [name || creator, typeof trusted === "boolean" && t(TRUST[trusted])].filter(Boolean).join(", ");

const madeBy = (owned) => (owned ? [`${t("page.card.creator")} ${creatorText(owned)}`] : []);

/** A card in words: what is on it, what lies on it, and who made it. */
export const cardName = ({ faces, marks, owned }) =>
  [pieceName(faces), ...(marks ?? []).map(([name, value]) => t("page.mark", { name, value })), ...madeBy(owned)].join(", ");
