import { svg } from "./dom.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz234567"; // of a fingerprint, five bits each
const USED = 16; // letters: those that people see of anybody's fingerprint
const ROWS = 7;
const COLUMNS = 4; // the left half with the middle; the right half mirrors it

/** A picture of a fingerprint, whole or short, always the same for the same key. It helps to recognise somebody, and
 * proves nothing: keys with alike pictures can be searched for. */
export function identicon(fingerprint) {
  const letters = [...fingerprint.toLowerCase()].map((letter) => LETTERS.indexOf(letter)).filter((value) => value >= 0);
  const bits = letters.slice(0, USED).flatMap((value) => [16, 8, 4, 2, 1].map((bit) => Number((value & bit) > 0)));
  const number = (from, count) => bits.slice(from, from + count).reduce((sum, bit) => 2 * sum + bit, 0);
  const cells = COLUMNS * ROWS;
  const hue = (from) => Math.round((360 * number(from, 12)) / 4096);
  const paints = [`hsl(${hue(2 * cells)} 65% 34%)`, `hsl(${hue(2 * cells + 12)} 60% 55%)`];
  const shapes = [];
  for (let at = 0; at < cells; at += 1) {
    const kind = number(2 * at, 2);
    if (kind === 0) continue;
    const [x, y] = [at % COLUMNS, Math.floor(at / COLUMNS)];
    for (const column of new Set([x, 2 * COLUMNS - 2 - x])) shapes.push(shape(column, y, kind, paints));
  }
  return svg("svg", { class: "identicon", viewBox: "-0.5 -0.5 8 8", "aria-hidden": "true" },
    svg("rect", { class: "ground", x: -0.5, y: -0.5, width: 8, height: 8, rx: 1 }), shapes);
}

const shape = (x, y, kind, [deep, light]) =>
  kind === 3
    ? svg("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.45, fill: light })
    : svg("rect", { x, y, width: 1, height: 1, fill: kind === 1 ? deep : light });
