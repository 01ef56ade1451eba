import { svg } from "./dom.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz234567"; // of a fingerprint, five bits each
const USED = 16; // letters: those that people see of anybody's fingerprint
const ROWS = 5;
const COLUMNS = 3; // the left half with the middle; the right half mirrors it
const KIND = 3; // bits of a cell
const SHAPES = { 4: "deep", 5: "deep", 6: "light", 7: "circle" }; // by kind; others are empty

/** A picture of a fingerprint, whole or short, always the same for the same key. It helps to recognise somebody, and
 * proves nothing: keys with alike pictures can be searched for. */
export function identicon(fingerprint) {
  const letters = [...fingerprint.toLowerCase()].map((letter) => LETTERS.indexOf(letter)).filter((value) => value >= 0);
  const bits = letters.slice(0, USED).flatMap((value) => [16, 8, 4, 2, 1].map((bit) => Number((value & bit) > 0)));
  const number = (from, count) => bits.slice(from, from + count).reduce((sum, bit) => 2 * sum + bit, 0);
  const hues = COLUMNS * ROWS * KIND;
  const hue = (from) => Math.round((360 * number(from, 12)) / 4096);
  const paints = { deep: `hsl(${hue(hues)} 65% 34%)`, light: `hsl(${hue(hues + 12)} 60% 55%)` };
  const shapes = [];
  for (let at = 0; at < COLUMNS * ROWS; at += 1) {
    const kind = SHAPES[number(KIND * at, KIND)];
    const [x, y] = [at % COLUMNS, Math.floor(at / COLUMNS)];
    for (const column of new Set([x, 2 * COLUMNS - 2 - x])) if (kind) shapes.push(shape(column, y, kind, paints));
  }
  return svg("svg", { class: "identicon", viewBox: "-0.5 -0.5 6 6", "aria-hidden": "true" },
    svg("rect", { class: "ground", x: -0.5, y: -0.5, width: 6, height: 6, rx: 0.8 }), shapes);
}

const shape = (x, y, kind, { deep, light }) =>
  kind === "circle"
    ? svg("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.45, fill: light })
    : svg("rect", { x, y, width: 1, height: 1, fill: kind === "deep" ? deep : light });
