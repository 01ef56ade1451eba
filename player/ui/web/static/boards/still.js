import { el, svg } from "../dom.js";
import { cellName, man } from "./grid.js";
import { layout } from "./layout.js";
import { tile } from "./pieces.js";

const LINE = { width: 420, height: 100 }; // units of the drawing of a line

/** Open arms without a tile take no room: there is nothing to lay. */
function line({ tiles, leader, spinner, arms }) {
  const laid = (arms ?? []).flat();
  const { scale, places } = layout(tiles, leader, LINE.width, LINE.height, undefined, laid.length ? { spinner, arms } : {});
  const draw = ({ x, y, turn }, at) => svg("g", { transform: `translate(${x} ${y}) rotate(${turn}) scale(${scale})` }, tile([...tiles, ...laid][at]));
  return svg("svg", { viewBox: `0 0 ${LINE.width} ${LINE.height}` }, places.map(draw));
}

/** The cells from the top, with their names, or with the columns' numbers below them. */
function grid({ width, height, cells, men, line: won }) {
  const pawns = men === "pawns";
  const spot = (at) => {
    const shade = pawns && ((at % width) + Math.floor(at / width)) % 2 === 0 ? " dark" : "";
    return el("span", { class: `spot${won.includes(at) ? " marked" : ""}${shade}` },
      cells[at] !== null && man(men, cells[at]), pawns && el("span", { class: "number" }, cellName(at, width)));
  };
  const columns = Array.from({ length: width }, (_, column) => column);
  const rows = Array.from({ length: height }, (_, row) => height - 1 - row);
  const numbers = !pawns && columns.map((column) => el("span", { class: "number" }, String(column + 1)));
  const node = el("div", { class: `field ${men}` }, rows.map((row) => columns.map((column) => spot(row * width + column))), numbers);
  node.style.setProperty("--columns", width);
  return node;
}

const things = (count, look) => Array.from({ length: count }, () => el("span", { class: look }));

const heaps = ({ rows, full }) =>
  el("div", { class: "piles" }, rows.map((left, row) =>
    el("div", { class: "things" }, things(left, "thing"), things(full[row] - left, "thing gone"))));

const BOARDS = { line, grid, heaps };

/** A board as a picture of an example, with nothing to press; null for a board that has none. What it shows is told beside it. */
export const still = (board) =>
  Object.hasOwn(BOARDS, board?.is ?? "") ? el("div", { class: `still ${board.is}`, "aria-hidden": "true" }, BOARDS[board.is](board)) : null;
