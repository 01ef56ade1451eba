import { el, svg } from "../dom.js";
import { changes } from "./changes.js";

const [SHORTEST, LONGEST] = [150, 400]; // milliseconds from the first to the last moment of a motion
const SPEED = 0.25; // milliseconds more for each pixel
const [APART, SPREAD] = [25, 100]; // milliseconds between two pieces that are dealt, and of all together
const MOST = 24; // pieces that move at once: all others are there at once
const PACK = 40; // pixels: the width of a pack
const NEAR = 6; // pixels that nobody calls a motion
const GLIDE = "cubic-bezier(.2, .7, .3, 1)";
const FALL = "cubic-bezier(.5, 0, .9, .7)";
const ROOMS = ".hand, .arena > *, .seats, .own"; // what leaves them is cut off there
const OWNED = "figure:has(> figcaption .of-seat)"; // what lies before one seat
/** Matches if the person wants no motion. */
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** The key of a piece that is seen: the same in a hand, on a board and at a seat. A tile is known by its numbers. */
export const moveKey = ({ index, faces }) =>
  faces && (typeof faces[0] === "number" ? `t:${[...faces].sort((one, other) => one - other)}` : `p:${index}`);

/** The key of a piece that is not seen: its place and nothing else. */
export const hiddenKey = (...place) => `?${place.join(":")}`;
const isHidden = (key) => key.startsWith("?");

const isStill = () => reducedMotion.matches || document.hidden;
const running = new Set(); // of this page: what moves now, or has only just stopped
const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2];
const shift = (from, to) => middle(from).map((place, at) => place - middle(to)[at]);
const far = (from, to) => Math.hypot(...shift(from, to));
const inside = (one, { left, top, right, bottom }) => one.left >= left - 1 && one.top >= top - 1 && one.right <= right + 1 && one.bottom <= bottom + 1;
const lasting = (from, to) => Math.min(LONGEST - SPREAD, Math.max(SHORTEST, SHORTEST + SPEED * far(from, to)));
const pictureOf = (node) => (node.matches("svg, g") ? node : node.querySelector("svg.piece, svg.man"));

/** Runs a motion. Only transform and opacity change, so that nothing is laid out for it. */
function run(node, frames, options, end = () => {}) {
  const motion = node.animate(frames, { easing: GLIDE, fill: "backwards", ...options });
  const one = { node, motion, end };
  running.add(one);
  motion.onfinish = motion.oncancel = () => stop(one);
  return one;
}

/** Ends a motion: it is as if it had been at its goal all the time. */
function stop(one) {
  if (!running.delete(one)) return;
  one.motion.cancel();
  one.end();
}

/** The seat, as a text, before which something lies; null for everybody's. */
const seatOf = (owned) => owned?.querySelector(".of-seat").dataset.seat ?? null;

/**
 * Where all pieces are seen now, by key, and which piles have which pieces below the top. All places are read here, before
 * anything is changed: a place that is read after a change has the page laid out again.
 */
function look(root) {
  const rects = new Map();
  const rectOf = (node) => {
    if (node && !rects.has(node)) rects.set(node, node.getBoundingClientRect());
    return node && rects.get(node);
  };
  const flying = new Map([...running].filter(({ key }) => key).map((one) => [one.key, one.node]));
  const places = new Map();
  for (const node of root.querySelectorAll("[data-move]")) {
    const key = node.dataset.move;
    const picture = pictureOf(node);
    const at = (flying.get(key) ?? picture ?? node).getBoundingClientRect();
    if (!at.width) continue;
    places.set(key, { key, node, at, picture, room: rectOf(node.closest(ROOMS)), whole: rectOf(picture?.ownerSVGElement), top: rectOf(node.closest(".column, .field"))?.top });
  }
  const piles = [...root.querySelectorAll("[data-holds]")].map((node) => ({ at: node.getBoundingClientRect(), keys: node.dataset.holds.split(" ") }));
  const decks = [...root.querySelectorAll("[data-deck]")].map((node) => ({ party: seatOf(node.closest(OWNED)), at: node.getBoundingClientRect() }));
  const chip = root.querySelector(".pot .chip");
  const seats = [...root.querySelectorAll(".seat")].map((node) => [node.dataset.seat, rectOf(node.querySelector(".backs") ?? node.querySelector(".face"))]);
  return { places, piles, decks, seats: new Map(seats), middle: deckIn(root.querySelector(".arena")), chip: chip && { picture: chip, at: rectOf(chip) } };
}

/** Where a pack lies that nobody draws: in the middle of the board. */
function deckIn(board) {
  if (!board) return null;
  const { left, top, width, height } = board.getBoundingClientRect();
  return new DOMRect(left + (width - PACK) / 2, top + height / 3, PACK, 1.4 * PACK);
}

/** What flies is drawn here: above everything, never in the way of a click, and outside of the match, which is not laid out for it. */
const layer = el("div", { class: "motion", "aria-hidden": "true", inert: true });

/** A picture of a piece as it is, without what can be pressed. */
function copy({ picture, at, whole }) {
  if (!picture) return el("i", { class: "turned-down" });
  const made = picture.cloneNode(true);
  if (!picture.matches("g")) return made;
  return svg("svg", { viewBox: `${at.left - whole.left} ${at.top - whole.top} ${at.width} ${at.height}` }, made);
}

/** A piece that flies above the page, at its goal. */
function ghost({ at, drawn, look: name = "" }) {
  const node = el("div", { class: `ghost ${name}` }, drawn);
  const sizes = { left: at.left, top: at.top, width: at.width, height: at.height };
  for (const [side, value] of Object.entries(sizes)) node.style.setProperty(side, `${value}px`);
  layer.append(node);
  return node;
}

const lies = ({ width, height }) => width > height;

/** The frames of a flight between two places; a tile that lies otherwise turns by a quarter. */
function flight(from, to) {
  const [x, y] = shift(from, to);
  const turned = Math.abs(from.width - from.height) > 2 && Math.abs(to.width - to.height) > 2 && lies(from) !== lies(to);
  const size = Math.sqrt((from.width * from.height) / (to.width * to.height)) || 1;
  return [{ transform: `translate(${x}px, ${y}px) scale(${size})${turned ? " rotate(90deg)" : ""}` }, { transform: "none" }];
}

/** A piece moves to where it has been drawn: in its room, or above all from one room to another. */
function move(from, now, { delay = 0, turns = false } = {}) {
  const { room } = now;
  const duration = lasting(from, now.at);
  if (!turns && !now.node.matches("g") && room && inside(from, room) && inside(now.at, room)) {
    const [x, y] = shift(from, now.at);
    const frames = [{ translate: `${x}px ${y}px`, scale: String(from.width / now.at.width || 1) }, { translate: "0 0", scale: "1" }];
    return run(now.node, frames, { duration, delay });
  }
  const drawn = copy(now);
  const flying = ghost({ at: now.at, drawn, look: now.node.closest(".stones") ? "stones" : "" });
  if (turns) turn(flying, drawn, { duration, delay });
  run(now.node, [{ opacity: 0 }, { opacity: 0 }], { duration, delay });
  const one = run(flying, flight(from, now.at), { duration, delay }, () => flying.remove());
  one.key = now.key;
  return one;
}

/** A piece is turned over: its back for the first half, its face for the second. */
function turn(node, drawn, { duration, delay }) {
  const back = el("i", { class: "turned-down" });
  node.append(back);
  const edge = { transform: "perspective(40rem) rotateY(-90deg)" };
  run(drawn, [{ ...edge, offset: 0 }, { ...edge, offset: 0.5 }, { transform: "perspective(40rem)", offset: 1 }], { duration, delay, easing: "linear" });
  const away = { transform: "perspective(40rem) rotateY(90deg)" };
  run(back, [{ transform: "perspective(40rem)", offset: 0 }, { ...away, offset: 0.5 }, { ...away, offset: 1 }], { duration, delay, easing: "linear" }, () => back.remove());
}

/** A piece that lay with its back up, and has been turned over where it lies. */
function turnInPlace(now, delay) {
  const drawn = copy(now);
  const turning = ghost({ at: now.at, drawn });
  const duration = LONGEST - SPREAD;
  turn(turning, drawn, { duration, delay });
  run(now.node, [{ opacity: 0 }, { opacity: 0 }], { duration, delay });
  run(turning, [{ opacity: 1 }, { opacity: 1 }], { duration, delay }, () => turning.remove()).key = now.key;
}

/** A stone falls from the top of its column, or by a place when one below it was taken out. */
function fall(now, steps) {
  const high = steps ? steps * now.at.height : now.at.bottom - now.top;
  const duration = Math.min(LONGEST, Math.max(SHORTEST, 18 * Math.sqrt(high)));
  run(now.node, [{ translate: `0 ${-high}px` }, { translate: "0 0" }], { duration, easing: FALL });
}

/** What is no longer there goes: to a place, or away where it lay. */
function leave(was, to) {
  const drawn = was.node.matches(".thing") ? el("span", { class: "thing" }) : copy(was);
  const node = ghost({ at: was.at, drawn, look: was.node.closest(".stones") ? "stones" : "" });
  const frames = to
    ? [{ transform: "none", opacity: 1 }, { transform: `translate(${shift(to, was.at).map((one) => `${one}px`)}) scale(.6)`, opacity: 0.2 }]
    : [{ transform: "none", opacity: 1 }, { transform: was.node.matches(".thing") ? "translateY(-60%)" : "scale(.85)", opacity: 0 }];
  run(node, frames, { duration: to ? lasting(was.at, to) : LONGEST - SPREAD }, () => node.remove());
}

/** The last piece of a pile stays below the one that flies to it. */
function stay(was) {
  const node = ghost({ at: was.at, drawn: copy(was), look: "below" });
  run(node, [{ opacity: 1 }, { opacity: 1 }], { duration: LONGEST }, () => node.remove());
}

/** Where a piece comes from that was not seen before. */
function sourceOf(before, change, now, you) {
  const own = now.node.closest(".hand, .seat");
  const giver = change.gave.find((seat) => seat !== you) ?? change.gave[0];
  if (!own && !change.chips && giver !== undefined) return before.seats.get(String(giver)) ?? null;
  const seat = own && Number(own.closest(".seat")?.dataset.seat ?? you);
  const party = own ? String(seat) : seatOf(now.node.closest(OWNED));
  const deck = before.decks.find((one) => party !== null && one.party === party) ?? before.decks.find((one) => one.party === null);
  return deck?.at ?? before.middle;
}

function goalOf(after, change, was) {
  const pile = after.piles.find(({ keys }) => keys.includes(was.key));
  if (pile) return pile.at;
  if (change.chips) return after.middle;
  return change.won.length === 1 ? after.seats.get(String(change.won[0])) ?? null : null;
}

/** Men of a seat on a board of cells: one that has gone and one that has come are the same. */
function cameFrom(gone, now) {
  const side = now.key.split(":").slice(0, 2).join(":");
  const found = gone.filter(({ key }) => key.startsWith(`${side}:`));
  return found.length === 1 ? found[0] : null;
}

/** Says how what is on the page now moves from where it was: a list of calls. `change`: what has changed in the match. */
function planned(before, after, change, you) {
  const todo = [];
  const plan = (act, ...args) => todo.length < MOST && todo.push(() => act(...args));
  const gone = [...before.places.values()].filter(({ key }) => !after.places.has(key));
  const backs = [...before.places.values()].filter(({ key }) => isHidden(key));
  const lain = new Set(); // what has gone, and is seen to come elsewhere
  const covers = []; // what comes to lie on something
  let dealt = 0;
  const come = (now) => {
    const delay = Math.min(SPREAD, APART * dealt++);
    const seen = !isHidden(now.key);
    if (seen && (now.node.closest(".shown") || backs.some(({ at }) => far(at, now.at) < now.at.width / 2))) return plan(turnInPlace, now, delay);
    const pile = before.piles.find(({ keys }) => keys.includes(now.key));
    const from = pile?.at ?? sourceOf(before, change, now, you);
    covers.push(now);
    return from?.width && plan(move, from, now, { delay, turns: seen && !pile && Boolean(now.node.querySelector(".card")) });
  };
  const comeMan = (now) => {
    const from = cameFrom(gone, now);
    if (!from) return now.node.closest(".stones") && plan(fall, now, 0);
    lain.add(from);
    covers.push(now);
    return plan(move, from.at, now);
  };
  const keep = (was, now) => {
    const steps = change.laid && Number(now.node.dataset.fall ?? 0);
    if (steps) return plan(fall, now, steps);
    const glides = now.node.matches("g") && was.node.matches("g"); // the line does that
    if (isHidden(now.key) || glides || now.node.matches(".thing") || far(was.at, now.at) <= NEAR) return null;
    covers.push(now);
    return plan(move, was.at, now);
  };
  for (const now of after.places.values()) {
    const was = before.places.get(now.key);
    if (was) keep(was, now);
    else if (now.key.startsWith("man:")) comeMan(now);
    else if (!now.node.matches(".thing")) come(now);
  }
  for (const was of gone) {
    if (isHidden(was.key) || lain.has(was)) continue;
    if (covers.some(({ at }) => far(at, was.at) < was.at.width / 3)) plan(stay, was);
    else plan(leave, was, goalOf(after, change, was));
  }
  return [...todo, ...chips(before, after, change)];
}

/** Chips go from a seat to the pot, and from the pot to whoever wins them. */
function chips(before, after, { paid, won, chips: played }) {
  const pot = after.chip ?? before.chip;
  if (!played || !pot) return [];
  const fly = (from, to, order) => {
    const node = ghost({ at: to, drawn: copy(pot), look: "coin" });
    run(node, flight(from, to), { duration: lasting(from, to), delay: Math.min(SPREAD, APART * order) }, () => node.remove());
  };
  const { width, height } = pot.at;
  const at = (seat) => {
    const [x, y] = middle(after.seats.get(String(seat)) ?? pot.at);
    return new DOMRect(x - width / 2, y - height / 2, width, height);
  };
  return [
    ...paid.map((seat, order) => () => fly(at(seat), pot.at, order)),
    ...won.map((seat, order) => () => fly(pot.at, at(seat), order)),
  ];
}

const isMoving = ({ laid, got, gave, paid, won }) => laid || [got, gave, paid, won].some(({ length }) => length);
const same = (one, other) => one.length === other.length && one.every((node, at) => node === other[at]);

/**
 * Draws, and lets what has changed its place move there. `before` and `after` are views of one match; without one of
 * them, while the page is hidden, and for whoever wants no motion, all is there at once. What is drawn anew while it
 * moves goes on from where it is.
 */
export function moving(root, before, after, draw) {
  if (isStill() || !before || before.match !== after.match || before.you !== after.you) {
    [...running].forEach(stop);
    return draw();
  }
  const pieces = () => [...root.querySelectorAll("[data-move]")];
  const were = pieces();
  const was = look(root);
  draw();
  const change = changes(before, after);
  if (!isMoving(change) && same(were, pieces())) return;
  const seen = new Set(were);
  for (const one of [...running]) if (one.key || seen.has(one.node)) stop(one);
  const is = look(root);
  const todo = planned(was, is, change, after.you);
  if (todo.length && !layer.isConnected) document.body.append(layer);
  todo.forEach((act) => act());
}
