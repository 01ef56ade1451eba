import { pieceFace } from "../boards/pieces.js";
import { el, put, svg, theirs } from "../dom.js";
import { identicon } from "../identicon.js";
import { t } from "../words.js";
import { changed, keep, set, write } from "./keep.js";
import { hiddenKey, moveKey } from "./motion.js";
import { pieceName } from "./names.js";

const STATUS = {
  left: "page.seat.left",
  out: "page.seat.out",
  folded: "page.seat.folded",
  "sits out": "page.seat.away",
  "all in": "page.seat.all_in",
};
const MOST_BACKS = 7; // that are drawn for what somebody holds
const LATE = 10; // seconds from which on a clock asks to be seen
const PLENTY = 600; // seconds of which nobody needs to know: a clock is seen below that
const MINUTE = 60; // the same where all act at once, and no clock is anybody's turn
const SCARCE = 120; // seconds from which on it matters that a turn can be extended
const circle = (name) => svg("circle", { class: name, cx: 24, cy: 24, r: 21, pathLength: 100 });

/** Where the seats around a board lie, in order of play: a column and a row of the grid, by seat. The board has two. */
export function around(count, aside) {
  const side = aside ? Math.min(2, Math.floor((count - 2) / 2)) : 0;
  const top = count - 2 * side;
  const row = (at) => (side === 1 ? "2 / 4" : 2 + at);
  return Array.from({ length: count }, (_, at) => {
    if (at < side) return [1, row(side - 1 - at)];
    return at < side + top ? [2 + at - side, 1] : [2 + top, row(at - side - top)];
  });
}

/** Whether nobody waits for anybody: all act as soon as they can. */
export const isAtOnce = (view) => view.simultaneous;

/** The seats but the own one, in order of play from it on. */
export const others = (view) =>
  view.you === null ? view.seats : [...view.seats.slice(view.you + 1), ...view.seats.slice(0, view.you)];

/** One seat, empty until it is drawn. `open(seat)` shows the person's card: then all of the seat is a button for that. */
export function newSeat(tag, open = null) {
  const node = el(tag, { class: "seat" });
  let number = null;
  const button = open && el("button", { class: "to-person", "aria-haspopup": "dialog", onclick: () => open(number) });
  const draw = changed((shown) => {
    const held = document.activeElement === button;
    number = shown.seat.seat;
    if (button) put(button, el("span", { class: "sr" }, nameOf(shown)));
    put(node, button, content(shown, Boolean(button)));
    if (held) button.focus();
  });
  return { node, draw: (seat, view, muted) => draw(facts(seat, view, muted)) };
}

const nameOf = ({ seat, own }) => [theirs(seat.name), own && el("span", { class: "muted" }, ` ${t("page.seat.own")}`)];

/** What stands on a seat. */
function facts(seat, view, muted) {
  const { game } = seat;
  const chips = view.board?.is === "felt";
  return {
    seat, muted,
    turn: !isAtOnce(view) && view.turns.some((turn) => turn.seat === seat.seat),
    own: seat.seat === view.you,
    score: t(chips ? "page.seat.chips" : "page.seat.points", { count: game.score }),
    best: (view.board?.winning ?? []).find((hand) => hand.seat === seat.seat)?.cards ?? [],
    held: seat.seat === view.you || game.shown.length ? 0 : game.held,
    won: view.winners.includes(seat.seat),
    partner: (view.board?.teams ?? []).some((team) => team.includes(view.you) && team.includes(seat.seat)) && seat.seat !== view.you,
  };
}

function content(shown, named) {
  const { seat, muted, turn, score, best, held, won, partner } = shown;
  const { game } = seat;
  const tag = (has, name, text) => (has ? el("span", { class: `tag ${name}` }, text) : null);
  return [
    el("span", { class: "face", "aria-hidden": "true" }, ring(), identicon(seat.fingerprint)),
    el("div", { class: "who" }, el("p", { class: "name", "aria-hidden": named && "true" }, nameOf(shown))),
    el("p", { class: "facts" },
      el("strong", {}, score),
      tag(turn, "turn", t("page.seat.turn")), el("span", { class: "clock" }),
      tag(partner, "partner", t("page.seat.partner")),
      tag(game.dealer, "dealer", t("page.seat.dealer")),
      tag(game.bet, "bet", t("page.seat.bet", { count: game.bet })),
      tag(game.status, "status", t(STATUS[game.status] ?? "")),
      tag(won, "won", t("page.seat.won")),
      held > 0 && backs(held, seat.seat),
      tag(seat.trip !== null, "trip muted", t("page.seat.trip", { count: seat.trip })),
      tag(seat.connected === false, "lost", t("page.seat.lost"))),
    game.shown.length > 0 && el("p", { class: "shown" }, game.shown.map((piece) => shownPiece(piece, best.includes(piece.index)))),
    seat.said && !muted && el("p", { class: "said" }, theirs(seat.said)),
  ];
}

const backs = (count, seat) =>
  el("span", { class: "backs" },
    Array.from({ length: Math.min(count, MOST_BACKS) }, (_, at) => el("i", { "aria-hidden": "true", "data-move": hiddenKey("seat", seat, at) })),
    el("span", { class: "muted" }, t("page.seat.held", { count })));

const shownPiece = (piece, best) => el("span", { "data-move": moveKey(piece), "data-best": best }, pieceFace(piece.faces), el("span", { class: "sr" }, pieceName(piece.faces)));

/** Everybody but oneself, around the board. `mutes(seat)`: whether one does not want to hear them; `open` as of `newSeat`. */
export function seatList(mutes, open = null) {
  const list = el("ol", { class: "seats", "aria-label": t("page.seats") });
  const made = new Map();
  const make = ({ seat }) => {
    made.set(seat, newSeat("li", open));
    return made.get(seat).node;
  };
  return {
    node: list,
    seat: (number) => made.get(number)?.node,
    draw(view) {
      const shown = others(view);
      const places = around(shown.length, view.board?.is !== "line" && shown.length > 3);
      keep(list, shown, ({ seat }) => seat, make, (node, seat) => {
        const [column, row] = places[shown.indexOf(seat)];
        node.style.setProperty("--column", column);
        node.style.setProperty("--row", row);
        mark(node, seat, view);
        made.get(seat.seat).draw(seat, view, mutes(seat.seat));
      });
      return places;
    },
  };
}

/** What the look of a seat says beside its words. */
export function mark(node, seat, view) {
  set(node, "data-seat", String(seat.seat));
  node.toggleAttribute("data-turn", !isAtOnce(view) && view.turns.some((turn) => turn.seat === seat.seat));
  node.toggleAttribute("data-idle", ["left", "out", "folded"].includes(seat.game.status));
}

/** A ring that empties, around whoever is to act. */
const ring = () => svg("svg", { class: "ring", viewBox: "0 0 48 48", "aria-hidden": "true" }, circle("track"), circle("left"));

/** Milliseconds as people read a clock: 59 s, 1:05, 2 h 5. */
function clockText(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 60) return t("page.clock.seconds", { seconds });
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return t("page.clock.hours", { hours: Math.floor(seconds / 3600), minutes: Math.floor((seconds % 3600) / 60) });
}

/** Shows on a seat how much is left of its turn, which was sent `passed` milliseconds ago. `atOnce`: see `isAtOnce`. */
export function tick(seat, turn, passed, own, atOnce) {
  const text = seat.querySelector(".clock");
  if (!turn || turn.ends === null) return write(text, "");
  const left = turn.ends - turn.waited - passed;
  const circle = seat.querySelector(".left");
  const gone = 100 - Math.min(100, Math.max(0, (100 * left) / turn.ends));
  set(circle, "stroke-dashoffset", gone.toFixed(1));
  const time = clockText(left);
  const more = own && turn.extensions && left < SCARCE * 1000 ? t("page.clock.more", { count: turn.extensions }) : "";
  write(text, left > (atOnce ? MINUTE : PLENTY) * 1000 ? "" : (turn.sure ? time : t("page.clock.most", { time })) + more);
  seat.toggleAttribute("data-late", left < LATE * 1000);
}
