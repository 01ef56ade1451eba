import { cardName } from "../boards/field/card.js";
import { el } from "../dom.js";
import { prefer, preference } from "../preferences.js";
import { t } from "../words.js";
import { float } from "./float.js";
import { write } from "./keep.js";

const PLAY = "play"; // the kind of offer with which a tile is laid

/**
 * The next choice, marked before one's turn: a piece of the hand, or a column. It is sent when the program offers exactly
 * this choice, by `send(offer)`. If it does not, the choice is dropped with a note. `onChange()` is called after each change.
 */
export function premove(own, send, onChange) {
  const text = el("p", { role: "status" });
  const remove = el("button", { onclick: () => drop() }, t("page.ahead.remove"));
  const box = float("ahead", own, text, remove);
  const state = { mark: null, game: "", kinds: new Set(), view: null, may: false, said: false };

  function show(words, removable) {
    write(text, words);
    remove.hidden = !removable;
    box.show();
    state.said = !removable;
  }

  function heard(event) {
    if (!box.node.isConnected) return document.removeEventListener("keydown", heard);
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    drop();
  }

  function drop(words = "") {
    state.mark = null;
    document.removeEventListener("keydown", heard);
    onChange();
    if (words) show(words, false);
    else box.hide();
  }

  /** Marks this, or takes the mark away if it is there. */
  function toggle(mark) {
    if (JSON.stringify(state.mark) === JSON.stringify(mark)) return drop();
    state.mark = mark;
    document.addEventListener("keydown", heard);
    onChange();
    show(t("page.ahead.next", mark), true);
  }

  function settle(view) {
    const { mark } = state;
    const found = view.offers.filter((offer) => fits(mark, offer));
    if (found.length === 1) {
      drop();
      send(found[0]);
    } else drop(t(found.length ? "page.ahead.several" : "page.ahead.none", mark));
  }

  return {
    node: box.node,
    /** Marks a piece of the hand, if one can be named ahead in this game; whether that is so. */
    piece(index) {
      const piece = state.may && state.view.hand.find((one) => one.index === index);
      const kind = piece && kindOf(state);
      if (!kind) return false;
      toggle({ game: state.game, kind, piece: index, place: null, ends: state.view.board.is === "line", face: faceOf(piece), what: cardName(piece) });
      return true;
    },
    /** Whether a column can be marked now. */
    mayColumn: () => state.may && state.view.board.men === "stones",
    /** Marks a column, where stones fall; whether that could be done. */
    column(place) {
      if (!this.mayColumn() || !(place >= 0 && place < state.view.board.width)) return false;
      toggle({ game: state.game, kind: null, piece: null, place, ends: false, face: "", what: t("page.ahead.column", { column: place + 1 }) });
      return true;
    },
    /** Whether a piece of the hand can be marked now, and which one is. */
    may: () => state.may && kindOf(state) !== null,
    marked: () => state.mark,
    draw(snapshot, own) {
      const { view } = snapshot;
      const game = gameOf(view);
      if (game !== state.game) state.kinds.clear();
      Object.assign(state, { view, game, may: mayMark(snapshot) });
      for (const { kind, piece, place } of view.offers) if (place === null && view.hand.some(({ index }) => index === piece)) state.kinds.add(kind);
      if (state.mark && (snapshot.away || !stands(state.mark, state))) drop(t("page.ahead.changed", state.mark));
      else if (state.mark && own) settle(view);
      else if (state.mark && (view.deal || snapshot.stage !== "match")) drop();
      else if (state.said && !own) drop();
    },
  };
}

/** The kind of choice that a marked piece means; nothing where that is not plain. With rules of a file it is the only one seen so far. */
function kindOf({ view, kinds }) {
  if (view.board.is === "line") return PLAY;
  return view.board.is === "generic" && kinds.size === 1 ? [...kinds][0] : null;
}

/** Whether this offer is the choice that was marked. One with an amount or with places needs more to be said. */
function fits({ kind, piece, place, ends }, offer) {
  if (offer.amount || offer.places) return false;
  if (piece !== null) return offer.kind === kind && offer.piece === piece && (ends || offer.place === null);
  return offer.piece === null && offer.place === place;
}

/** Whether others are to act, and nothing is dealt or shown meanwhile. */
function mayMark({ view, away, stage }) {
  const waits = view.turns.length > 0 && !view.turns.some(({ seat }) => seat === view.you);
  return preference("ahead") === "on" && stage === "match" && !away && view.you !== null && view.board !== null && !view.deal && !view.offers.length && waits;
}

/** The deal: in the next one the same number is another piece. */
const gameOf = ({ match, board }) => `${match} ${board?.hand ?? 0}`;

const faceOf = ({ faces, values }) => JSON.stringify([faces, values ?? null]);

/** Whether what was marked is still the same piece of the same deal. */
const stands = (mark, { game, view }) =>
  mark.game === game && (mark.piece === null || view.hand.some((one) => one.index === mark.piece && faceOf(one) === mark.face));

/** A row of the menu: whether choices can be marked ahead. */
export function aheadSetting() {
  const change = ({ target }) => prefer("ahead", target.checked ? "on" : "off");
  return el("label", { class: "row" }, el("input", { type: "checkbox", checked: preference("ahead") === "on", onchange: change }), t("page.ahead"));
}
