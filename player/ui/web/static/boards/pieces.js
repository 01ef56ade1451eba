import { svg } from "../dom.js";

// Which of nine places of a square have a pip, by number, on a tile that lies.
const PIPS = ["", "4", "08", "048", "0268", "02468", "012678", "0124678", "01235678", "012345678"];
const APART = 0.27; // half tiles between pips
/** The four suits by their letters: a class with its colour, and a shape about its middle. */
export const SUITS = {
  c: ["clubs", "M0-.5a.23.23 0 0 1 .19.36.23.23 0 1 1-.12.39L.15.5H-.15L-.07.25a.23.23 0 1 1-.12-.39A.23.23 0 0 1 0-.5Z"],
  d: ["diamonds", "M0-.52Q.14-.2.4 0 .14.2 0 .52-.14.2-.4 0-.14-.2 0-.52Z"],
  h: ["hearts", "M0 .48C-.12.26-.48.1-.48-.19c0-.33.39-.38.48-.08.09-.3.48-.25.48.08C.48.1.12.26 0 .48Z"],
  s: ["spades", "M0-.5c.12.24.46.38.46.64 0 .28-.33.3-.42.1L.13.5H-.13L-.04.24c-.09.2-.42.18-.42-.1 0-.26.34-.4.46-.64Z"],
};
// A colour has a shape too: not everybody tells red from green.
const COLOURS = {
  red: "M0-.55.55 0 0 .55-.55 0Z",
  yellow: "M-.5-.5H.5V.5H-.5Z",
  green: "M0-.55.55.45H-.55Z",
  blue: "M0-.5A.5.5 0 0 1 0 .5.5.5 0 0 1 0-.5Z",
};
const LETTERS = 8; // of a name, beside one another

const text = (attrs, ...content) => svg("text", { "text-anchor": "middle", ...attrs }, ...content);

function half(number, x) {
  if (!(number in PIPS)) return text({ x, y: 0.17, "font-size": 0.5 }, String(number));
  const pip = (at) => svg("circle", { cx: x + ((at % 3) - 1) * APART, cy: (Math.floor(at / 3) - 1) * APART, r: 0.105 });
  return [...PIPS[number]].map(pip);
}

/** A domino tile that lies, two wide and one high about its middle: for other drawings. */
export const tile = ([left, right]) =>
  svg("g", { class: "tile" },
    svg("rect", { class: "body", x: -0.96, y: -0.46, width: 1.92, height: 0.92, rx: 0.13 }),
    svg("path", { class: "middle", d: "M0-.32V.32" }), half(left, -0.48), half(right, 0.48));

/** A card of a common pack. */
export function suited(rank, [name, path]) {
  const ten = rank === "T";
  const suit = (x, y, scale) => svg("path", { d: path, transform: `translate(${x} ${y}) scale(${scale})` });
  const narrow = ten && { textLength: 1.75, lengthAdjust: "spacingAndGlyphs" };
  const index = text({ x: 1.15, y: 2.05, "font-size": 2.1, ...narrow }, ten ? "10" : rank);
  return svg("g", { class: name }, index, suit(1.15, 3.1, 1.35), suit(3.15, 4.85, 2.9));
}

/** A name on a card, in lines. */
export function named(name) {
  const rows = [""];
  for (const word of name.split(" ")) {
    const last = rows.pop();
    rows.push(...(last && last.length + word.length >= LETTERS ? [last, word] : [`${last} ${word}`.trim()]));
  }
  const size = Math.min(1.5, 6.2 / Math.max(...rows.map((row) => row.length)), 5.6 / rows.length);
  const y = (at) => 3.5 + size * (0.35 + 1.15 * (at - (rows.length - 1) / 2));
  return text({ class: "name", "font-size": size }, rows.map((row, at) => svg("tspan", { x: 2.5, y: y(at) }, row)));
}

/** A number on a coloured card: large in the middle, and in the corners with the colour's shape, as a fan shows it. */
function coloured(colour, number) {
  const shape = (x, y) => svg("path", { d: COLOURS[colour], transform: `translate(${x} ${y}) scale(.75)` });
  const corner = (turn) => svg("g", turn && { transform: "rotate(180 2.5 3.5)" }, text({ x: 1.02, y: 1.62, "font-size": String(number).length > 1 ? 0.95 : 1.2 }, number), shape(4, 1.2));
  return svg("g", { class: `colour ${colour}` },
    svg("rect", { class: "ground", x: 0.3, y: 0.3, width: 4.4, height: 6.4, rx: 0.35 }),
    svg("ellipse", { cx: 2.5, cy: 3.5, rx: 1.62, ry: 2.15, transform: "rotate(24 2.5 3.5)" }),
    text({ class: "large", x: 2.5, y: 4.42, "font-size": String(number).length > 1 ? 2.1 : 2.6 }, number), corner(false), corner(true));
}

function face(faces) {
  if (!faces) return svg("path", { class: "back", d: "M.7.7H4.3V6.3H.7Z" });
  const [rank, suit] = faces;
  if (faces.length === 2 && rank in COLOURS) return coloured(rank, suit);
  return faces.length === 2 && suit in SUITS ? suited(rank, SUITS[suit]) : named(faces.join(" "));
}

/**
 * One piece, by its faces: two numbers are a domino tile, which stands; rank and suit, or colour and number, a card; all else a card with a name;
 * `null` is the back of a card; `drawn` is what stands on a card otherwise. It has no name for a screen reader: who shows it says what it is.
 */
export function pieceFace(faces, drawn) {
  const made = (name, viewBox, ...content) => svg("svg", { class: `piece ${name}`, viewBox, "aria-hidden": "true" }, ...content);
  if (!drawn && typeof faces?.[0] === "number") return made("standing", "-.5 -1 1 2", svg("g", { transform: "rotate(90)" }, tile(faces)));
  return made("card", "0 0 5 7", svg("rect", { class: "body", x: 0.06, y: 0.06, width: 4.88, height: 6.88, rx: 0.5 }), drawn ?? face(faces));
}
