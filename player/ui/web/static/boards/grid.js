import { el, put, svg, theirs } from "../dom.js";
import { t } from "../words.js";
import { keeping, roam } from "./roam.js";

const LETTERS = "abcdefghi";
const PAWN = "M-.28.38H.28L.12.06A.2.2 0 1 0-.12.06Z";
const SIDES = ["first", "second"]; // by seat
let seen = { match: "", cells: [], newest: null, popped: null }; // what was drawn last: of what is drawn next, the newest is marked
let tab = 0; // which button tab reaches

/** The letter of a cell's column and the number of its row, as players name it. */
export const cellName = (at, width) => LETTERS[at % width] + (Math.floor(at / width) + 1);

/** What a man is known by while it moves. */
const moveOf = (seat, at, width) => ({ "data-move": `man:${seat}:${at}`, "data-fall": seen.popped === at % width && "1" });

/** One man of a seat, for other drawings. */
export const man = (men, seat) =>
  svg("svg", { class: `man ${SIDES[seat]}`, viewBox: "-.5 -.5 1 1", "aria-hidden": "true" },
    men === "stones" ? [svg("circle", { r: 0.44 }), svg("circle", { class: "inner", r: 0.27 })] : svg("path", { d: PAWN }));

/** The column in which all stones have fallen by one since the last drawing, as the lowest was taken out. */
function poppedOf(before, cells, width) {
  const stack = (all, column) => all.filter((seat, at) => at % width === column && seat !== null).join();
  for (let column = 0; column < width; column++) {
    const [was, is] = [before, cells].map((all) => stack(all, column));
    if (was !== is && was.split(",").slice(1).join() === is && was) return column;
  }
  return null;
}

/** The cell where a man has come since the last drawing; none where more has changed, as in a replay that jumps. */
function newestOf(board, { match }) {
  const { cells } = board;
  if (seen.match === match && String(seen.cells) === String(cells)) return seen.newest;
  const { width } = board;
  const came = cells.flatMap((seat, at) => (seat !== null && seat !== seen.cells[at] ? [at] : []));
  seen = { match, cells, newest: seen.match === match && came.length === 1 ? came[0] : null, popped: seen.match === match ? poppedOf(seen.cells, cells, width) : null };
  return seen.newest;
}

/** What a cell looks like. */
function look({ cells, line }, newest, at) {
  const marked = line.length ? line.includes(at) : at === newest;
  return `spot${marked ? " marked" : ""}`;
}

const nameOf = (view, seat) => (seat === null ? t("page.grid.free") : view.seats[seat].name);

/** Stones: a button for each column, and one for each stone of the bottom row that can be taken out. */
function columns(board, view, { offers, choose, refused, hint }) {
  const { width, height, cells, men } = board;
  const newest = newestOf(board, view);
  const draw = (cell) => el("span", { class: look(board, newest, cell) }, cells[cell] !== null && el("span", moveOf(cells[cell], cell, width), man(men, cells[cell])));
  const column = (_, at) => {
    const offer = offers.find(({ place }) => place === at);
    const pop = offers.find(({ piece, place }) => piece === at && place === null);
    const places = Array.from({ length: height }, (_, row) => row * width + at);
    const holds = places.filter((cell) => cells[cell] !== null).map((cell) => nameOf(view, cells[cell]));
    const label = holds.length ? t("page.grid.column", { column: at + 1, holds: holds.join(", ") }) : t("page.grid.column.free", { column: at + 1 });
    const attrs = { class: "column", "data-hint": hint?.place === at && "to", "aria-label": label, "aria-disabled": String(!offer), onclick: () => (offer ? choose(offer) : offers.length > 0 && refused?.("page.unfit.column", { column: at + 1 })) };
    const foot = [draw(places[0]), el("span", { class: "number" }, String(at + 1))];
    const above = places.slice(1).reverse().map(draw);
    if (!pop) return [el("button", attrs, above, foot)];
    return [el("button", attrs, above), el("button", { class: "bottom", "data-hint": hint?.piece === at && hint.place === null && "from", "aria-label": pop.label, onclick: () => choose(pop) }, foot)];
  };
  const stacks = Array.from({ length: width }, column);
  const top = stacks.map(([button]) => button);
  const rows = stacks.some(({ length }) => length > 1) ? [top, stacks.map((stack) => stack.at(-1))] : [top];
  return { rows, nodes: stacks.map((stack) => (stack.length > 1 ? el("div", {}, stack) : stack[0])) };
}

/** Pawns: a button for each cell, the own side below. `picked`: the cell of the one that is to move. */
function squares(board, view, { offers, choose, hint }, picked, pick) {
  const { width, height, cells, men } = board;
  const newest = newestOf(board, view);
  const square = (at) => {
    const name = cellName(at, width);
    const going = offers.filter(({ piece }) => piece === at);
    const coming = offers.find(({ piece, place }) => piece === picked && place === at);
    const onclick = coming ? () => choose(coming) : going.length > 0 && (() => pick(at === picked ? null : at));
    const label = coming?.label ?? t("page.grid.cell", { cell: name, holds: nameOf(view, cells[at]) });
    const shade = (at + (width % 2 ? 0 : Math.floor(at / width))) % 2 ? "" : " dark";
    const attrs = { class: look(board, newest, at) + shade, "aria-label": label, "aria-disabled": String(!onclick), onclick };
    const state = { "aria-pressed": going.length > 0 && String(at === picked), "data-goal": Boolean(coming), "data-hint": hint?.piece === at ? "from" : hint?.place === at && "to", "data-goes": going.length > 0 };
    return el("button", { ...attrs, ...state }, cells[at] !== null && el("span", moveOf(cells[at], at), man(men, cells[at])), el("span", { class: "number" }, name));
  };
  const rows = Array.from({ length: height }, (_, row) => Array.from({ length: width }, (_, column) => row * width + column));
  const turned = view.you === 1 ? rows.map((row) => row.reverse()) : rows.reverse();
  const buttons = turned.map((row) => row.map(square));
  return { rows: buttons, nodes: buttons };
}

/** Whose men are which. */
const sides = ({ men }, { seats }) =>
  el("p", { class: "sides" }, seats.map(({ seat, name }) => el("span", {}, man(men, seat), " ", theirs(name))));

/** A board of cells. A column is chosen at once; a pawn first, then its goal, unless it has but one. */
export function draw(board, view, actions) {
  const node = el("div", { class: "grid" });
  const label = t(board.men === "stones" ? "page.grid.stones" : "page.grid.pawns");
  const fill = (picked) => {
    const { rows, nodes } = (board.men === "stones" ? columns : squares)(board, view, actions, picked, pick);
    const field = el("div", { class: `field ${board.men}`, role: "group", "aria-label": label }, nodes);
    for (const [name, value] of [["--columns", board.width], ["--rows", board.height]]) field.style.setProperty(name, value);
    field.addEventListener("keydown", ({ key }) => key === "Escape" && picked !== null && pick(null));
    roam(field, rows, tab, (at) => (tab = at));
    put(node, field, sides(board, view));
  };
  const pick = (at) => {
    const goals = actions.offers.filter(({ piece }) => piece === at);
    if (goals.length === 1) actions.choose(goals[0]);
    else keeping(node, "grid", () => fill(at));
  };
  keeping(node, "grid", () => fill(null));
  return node;
}
