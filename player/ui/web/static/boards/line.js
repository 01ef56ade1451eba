import { el, put, svg, theirs } from "../dom.js";
import { moveKey, reducedMotion } from "../match/motion.js";
import { namesOf, pieceName } from "../match/names.js";
import { t } from "../words.js";
import { layout } from "./layout.js";
import { tile } from "./pieces.js";

const TARGET = 44; // pixels: the least that a finger hits
const NEXT = [0, 1]; // a tile that is not known yet lies along
let box = { width: 700, height: 360 }; // of the drawing, as last seen
let drawn = ""; // what was drawn last: tiles glide once
let lying = new Map(); // by tile: where it was drawn, as a style
const GLIDE = { duration: 150, easing: "ease-out" }; // milliseconds

const nameOf = (tile) => String([...tile].sort()); // whichever way it lies
const at = ({ x, y, turn }, scale) => `translate(${x} ${y}) rotate(${turn}) scale(${scale})`;
const styled = ({ x, y, turn }, scale) => `translate(${x}px, ${y}px) rotate(${turn}deg) scale(${scale})`;

/** The offers that lay a tile at each end: left, right, up, down. A place that is not said is the left end, where both are alike. */
const fitting = ({ offers, asked }) =>
  [0, 1, 2, 3].map((end) =>
    offers.filter(({ kind, piece, place }) => kind === "play" && (place ?? 0) === end && (asked ?? piece) === piece));

/** What is laid next at an end, as far as it is known: none but doubles lie across. */
function nextAt(found, hand) {
  const faces = found.map(({ piece }) => hand.find(({ index }) => index === piece)?.faces ?? NEXT);
  return faces.length && faces.every(([one, other]) => one === other) ? faces[0] : NEXT;
}

/** A dashed place; a button if it is clear which tile would go there. */
function dashed(place, scale, found, choose) {
  const dashes = svg("rect", { class: "dashes", x: -0.94, y: -0.44, width: 1.88, height: 0.88, rx: 0.13 });
  if (found.length > 1) return svg("g", { transform: at(place, scale) }, dashes);
  const [width, height] = [2, 1].map((halves) => Math.max(halves, TARGET / scale));
  const target = svg("rect", { class: "target", x: -width / 2, y: -height / 2, width, height });
  const onclick = () => choose(found[0]);
  const onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onclick();
  };
  const button = { role: "button", tabindex: "0", "aria-label": found[0].label, onclick, onkeydown };
  return svg("g", { class: "free", transform: at(place, scale), ...button }, target, dashes);
}

/** All tiles as they are numbered: those of the line, then the arms up and down. */
const laidTiles = ({ tiles, arms }) => [...tiles, ...(arms ?? []).flat()];

function sentence(board) {
  const { tiles, ends, newest, spinner, arms } = board;
  if (!tiles.length) return t("page.line.empty");
  const said = (some) => some.map(pieceName).join(" ");
  const line = { tiles: said(tiles), left: ends[0], right: ends[1], newest: pieceName(laidTiles(board)[newest ?? 0]) };
  if (!arms) return t("page.line", line);
  const [up, down] = arms.map((arm) => said(arm) || t("page.line.arm.empty"));
  return t("page.line.cross", { ...line, spinner: pieceName(tiles[spinner]), up, down, top: ends[2], bottom: ends[3] });
}

function alone({ width, height }, [left, right]) {
  const place = { x: width / 2, y: height / 2, turn: left === right ? 90 : 0 };
  return { scale: TARGET, places: [], ends: [place, place] };
}

function drawing(board, view, { choose, ...actions }) {
  const { tiles, leader, newest } = board;
  const all = laidTiles(board);
  const free = fitting(actions);
  const next = free.map((found) => nextAt(found, view.hand));
  const { scale, places, ends } = tiles.length ? layout(tiles, leader, box.width, box.height, next, board) : alone(box, next[0]);
  lying = new Map(places.map((place, index) => [nameOf(all[index]), styled(place, scale)]));
  const look = (index) => index === newest && "newest";
  const laid = (place, index) => svg("g", { class: look(index), transform: at(place, scale), "data-move": moveKey({ faces: all[index] }) }, tile(all[index]));
  return [
    svg("g", { role: "img", "aria-label": sentence(board) }, svg("rect", { class: "target", ...box }), places.map(laid)),
    ends.map((place, end) => free[end].length > 0 && dashed(place, scale, free[end], choose)),
  ];
}

/** Tiles that lay elsewhere before, in the same line, glide to where they lie now. */
function glide(picture, tiles, before) {
  [...picture.querySelectorAll("[role=img] > g")].forEach((laid, index) => {
    const [from, to] = [before, lying].map((places) => places.get(nameOf(tiles[index])));
    if (from && from !== to) laid.animate([{ transform: from }, { transform: to }], GLIDE);
  });
}

/** What stands below: who plays with whom, what it is played to, and what the line alone does not say. */
function about(board, view) {
  const { stock, count, teams, reserve } = board;
  const [one, other] = teams.map((seats) => theirs(namesOf(view, seats)));
  const facts = [
    one && [one, ` ${t("page.line.against")} `, other],
    t("page.line.target", board),
    stock !== null && t(reserve ? "page.line.reserve" : "page.line.stock", { count: stock, reserve }),
    count !== null && board.tiles.length > 0 && t("page.line.count", { count }),
  ].filter(Boolean);
  return el("p", {}, facts.map((fact, at) => [at > 0 && " · ", fact]));
}

/** The line of a game of dominoes. `actions.asked`: the tile that is to go to one of two ends, if one is asked about. */
export function draw(board, view, actions) {
  const tiles = laidTiles(board);
  const key = `${view.match} ${board.hand} ${tiles.length}`;
  const fresh = drawn !== key;
  const before = drawn.startsWith(`${view.match} ${board.hand} `) ? lying : new Map();
  drawn = key;
  const picture = svg("svg", { class: "picture", role: "group" });
  const fill = () => {
    picture.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    put(picture, drawing(board, view, actions));
  };
  new ResizeObserver(([{ contentRect: { width, height } }]) => {
    if (!width || !height || (width === box.width && height === box.height)) return;
    box = { width, height };
    fill();
  }).observe(picture);
  fill();
  if (fresh && !reducedMotion.matches) glide(picture, tiles, before);
  return el("div", { class: "line" }, picture, about(board, view));
}
