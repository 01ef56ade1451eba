import { el } from "../dom.js";
import { prefer, preference } from "../preferences.js";
import { t } from "../words.js";
import { set, write } from "./keep.js";

const WAYS = { dealt: "page.sort.dealt", suit: "page.sort.suit", number: "page.sort.number", own: "page.sort.own" };
const LEAST = 3; // pieces of a hand that can be sorted
const FAR = 10; // pixels from which on a press is a drag
const RANKS = "23456789TJQKA";
const WORDS = { 10: "T", jack: "J", queen: "Q", king: "K", ace: "A" };
const SUITS = { s: "s", h: "h", c: "c", d: "d", spades: "s", hearts: "h", clubs: "c", diamonds: "d" };
const ORDER = "shcd"; // black and red in turn

/** What a piece is sorted by: its suit, or a tile's higher end, and its number. */
function marks({ faces, values }) {
  if (typeof faces?.[0] === "number") return { suit: [Math.max(...faces)], number: faces[0] + faces[1] };
  const said = values?.length ? values.map(([, value]) => value) : (faces ?? []);
  const suit = said.find((value) => SUITS[value]) ?? said.find((value) => typeof value === "string" && rank(value) === null);
  const numbers = said.map(rank).filter((number) => number !== null);
  return { suit: SUITS[suit] ? [ORDER.indexOf(SUITS[suit])] : [ORDER.length, suit ?? ""], number: numbers[0] ?? Infinity };
}

/** The number that a value stands for, or null. */
function rank(value) {
  if (typeof value === "number") return value;
  const at = RANKS.indexOf(WORDS[value] ?? value);
  if (value.length && at >= 0) return at + 2;
  return /^\d+$/.test(value) ? Number(value) : null;
}

const compared = (one, other) => {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    if (one[at] !== other[at]) return (one[at] ?? "") < (other[at] ?? "") ? -1 : 1;
  }
  return 0;
};

const KEYS = {
  suit: ({ suit, number }) => [...suit, number],
  number: ({ suit, number }) => [number, ...suit],
};

/** A hand in an order: pieces that are alike in it stay as dealt. `own`: the numbers of pieces, for the person's own order. */
export function sorted(hand, way, own = []) {
  if (way === "own") {
    const place = ({ index }) => (own.includes(index) ? own.indexOf(index) : own.length);
    return [...hand].sort((one, other) => place(one) - place(other));
  }
  const key = KEYS[way];
  return key ? [...hand].sort((one, other) => compared(key(marks(one)), key(marks(other)))) : hand;
}

/** The order of the own hand, kept for each game; a person's own order lasts for the deal. `onChange()` is called after each change. */
export function sorting(onChange) {
  const label = el("span", { class: "way" });
  const say = el("span", { class: "sr" });
  const node = el("button", { class: "quiet sort", hidden: true, onclick: () => next() }, el("span", { "aria-hidden": "true" }, "⇅ "), say, label);
  const state = { view: null };
  const way = () => preference("sort", state.view.game);
  const place = () => `order ${state.view.match} ${state.view.board?.hand ?? 0}`;
  const own = () => JSON.parse(sessionStorage.getItem(place()) ?? "[]");
  const order = () => sorted(state.view.hand, way(), way() === "own" ? own() : []);
  function next() {
    const ways = Object.keys(WAYS).filter((one) => one !== "own" || own().length);
    choose(ways[(ways.indexOf(way()) + 1) % ways.length]);
  }
  function choose(name) {
    prefer("sort", name, state.view.game);
    onChange();
  }
  return {
    node,
    /** The hand of this view, as it is to be drawn. */
    of(view) {
      state.view = view;
      node.hidden = view.hand.length < LEAST;
      write(say, `${t("page.sort")}: `);
      write(label, t(WAYS[way()]));
      set(node, "data-way", way());
      return order();
    },
    /** Puts a piece at this place of the hand as it is drawn. */
    move(index, to) {
      const all = order().map((piece) => piece.index);
      const others = all.filter((one) => one !== index);
      if (others.length === all.length || to < 0 || to > others.length) return;
      others.splice(to, 0, index);
      sessionStorage.setItem(place(), JSON.stringify(others));
      choose("own");
    },
  };
}

const within = ({ left, right, top, bottom }, { clientX, clientY }) => clientX >= left && clientX < right && clientY >= top && clientY < bottom;

/** Pieces of `list` are dragged to other places: `move(index, to)`. A drag is no click. */
export function draggable(list, move) {
  let drag = null;
  list.addEventListener("pointerdown", ({ target, button, isPrimary, pointerId, clientX }) => {
    const piece = target.closest(".held");
    drag = piece && isPrimary && !button ? { piece, pointerId, from: clientX, moved: false } : null;
  });
  list.addEventListener("pointermove", (event) => {
    if (drag?.pointerId !== event.pointerId || !event.buttons) return;
    if (!drag.moved && Math.abs(event.clientX - drag.from) < FAR) return;
    if (!drag.moved) list.setPointerCapture(event.pointerId);
    drag.moved = true;
    drag.piece.toggleAttribute("data-dragged", true);
    const to = [...list.children].findIndex((one) => one !== drag.piece && within(one.getBoundingClientRect(), event));
    if (to >= 0) move(Number(drag.piece.dataset.key), to);
  });
  for (const name of ["pointerup", "pointercancel"]) list.addEventListener(name, () => drag?.piece.removeAttribute("data-dragged"));
  list.addEventListener("click", (event) => {
    if (!drag?.moved) return;
    drag = null;
    event.preventDefault();
    event.stopPropagation();
  }, true);
}
