import { cardFace, cardName } from "../boards/field/card.js";
import { detailed } from "../boards/field/details.js";
import { strength } from "../boards/field/duel.js";
import { el, put } from "../dom.js";
import { t } from "../words.js";
import { float } from "./float.js";
import { keep, set, write } from "./keep.js";
import { hiddenKey, moveKey, moving, reducedMotion } from "./motion.js";
import { namesOf } from "./names.js";
import { draggable, sorting } from "./sorting.js";

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };
const ENDS = ["page.fits.left", "page.fits.right"];
const ROW = 7; // pieces beside one another on a narrow screen
const SHAKE = [0, -5, 5, -4, 4, 0].map((x) => ({ transform: `translateX(${x}px)` }));

/** Says that a piece cannot be played, and why as far as the page knows it. */
function refuse({ view, unfit, hand }, list, index) {
  if (view.you === null || !view.board) return;
  if (!reducedMotion.matches) list.querySelector(`[data-key="${index}"]`)?.animate(SHAKE, 250);
  const piece = hand.find((one) => one.index === index);
  if (piece) unfit(unfitText(view, cardName(piece)));
}

/** Why a piece cannot be played now. */
function unfitText(view, what) {
  const acting = view.turns.map(({ seat }) => seat);
  if (!acting.includes(view.you)) return acting.length ? t("page.unfit.turn", { who: namesOf(view, acting) }) : t("page.unfit.now", { what });
  return [t("page.unfit.now", { what }), view.unfit].filter(Boolean).join(". ");
}

/** The own hand: a row of buttons for arrow keys. `choose(offer, …)` plays a piece. In an exchange a press picks a piece, and
 * before the own turn it marks one by `ahead` (of `premove`). `onChange()` is called after the picked pieces or the question
 * about the end of the line have changed; `unfit(text)` shows why a piece cannot be played; `own` is the node of the own seat. */
export function hand(choose, onChange, ahead, unfit, own) {
  const list = el("div", { class: "hand", role: "group", id: "hand", tabindex: "-1", "aria-label": t("page.hand") });
  const box = float("which", own);
  const which = box.node;
  set(which, "role", "group");
  set(which, "aria-label", t("page.which"));
  const node = el("div", { class: "holding" }, list);
  const dragged = () => list.querySelector("[data-dragged]"); // under a pointer nothing slides away
  const order = sorting(() => moving(list, dragged() ? null : state.view, state.view, () => draw(state, list, which, state.view, press)));
  const state = { view: null, order, unfit, box, offers: [], exchange: null, picked: new Set(), places: [], line: false, hand: [], asked: null, waits: null, onChange, ahead, deal: "", most: 1 };
  detailed(list, (index) => state.hand.find((piece) => piece.index === index));
  list.addEventListener("keydown", (event) => (event.shiftKey ? shift(list, event, order.move) : walk(list, event)));
  draggable(list, order.move);
  which.addEventListener("keydown", (event) => event.key === "Escape" && back(state, list, which));
  const press = (index) => {
    if (state.exchange) return toggle(state, list, index);
    const fitting = state.offers.filter((offer) => offer.piece === index);
    if (!fitting.length && !ahead.piece(index)) refuse(state, list, index);
    if (fitting.length === 1) choose(fitting[0]);
    if (fitting.length > 1) ask(state, which, index, choose);
  };
  return {
    node, which,
    sort: order.node,
    asked: () => state.asked,
    picked: () => [...state.picked].sort((one, other) => one - other),
    /** Plays the piece that has the focus, or that was asked about, at one end of the line. */
    end(place) {
      const index = state.asked ?? Number(list.querySelector(":focus")?.dataset.key ?? NaN);
      const offer = state.offers.find((one) => one.piece === index && one.place === place);
      if (offer) choose(offer);
    },
    /** Marks the piece whose choice waits to be confirmed. */
    waits(piece) {
      state.waits = piece;
      for (const button of list.children) button.toggleAttribute("data-waits", Number(button.dataset.key) === piece);
    },
    /** Brings the look of each piece up to date. */
    update: () => [...list.children].forEach((button) => update(state, button, { index: Number(button.dataset.key) })),
    draw: (view) => draw(state, list, which, view, press),
  };
}

function draw(state, list, which, view, press) {
  const exchange = view.offers.find((offer) => offer.places) ?? null;
  const places = view.hand.map((piece) => piece.index);
  if (!exchange || String(places) !== String(state.places)) state.picked.clear();
  Object.assign(state, { view, offers: view.offers, exchange, places, line: view.board?.is === "line", hand: view.hand });
  if (state.asked !== null && !view.offers.some((offer) => offer.piece === state.asked)) forget(state, which);
  const make = (piece) => newPiece(piece, () => press(piece.index));
  const deal = `${view.match} ${view.board?.hand ?? 0}`;
  state.most = Math.max(deal === state.deal ? state.most : 1, view.hand.length); // pieces keep their size while some are played
  state.deal = deal;
  list.style.setProperty("--count", state.most);
  list.style.setProperty("--half", Math.ceil(state.most / 2)); // in two rows on a narrow screen
  list.toggleAttribute("data-rows", state.most > ROW);
  keep(list, state.order.of(view), (piece) => piece.index, make, (button, piece) => {
    drawFace(button, piece);
    set(button, "data-move", moveKey(piece) ?? hiddenKey("hand", places.indexOf(piece.index)));
    update(state, button, piece);
    const beats = strength(piece, view);
    const before = button.querySelector(".beats");
    if (beats && !before?.isEqualNode(beats)) before ? before.replaceWith(beats) : button.append(beats);
  });
  const buttons = [...list.children];
  if (!buttons.some((button) => button.tabIndex === 0) && buttons.length) buttons[0].tabIndex = 0;
}

const newPiece = (piece, press) => el("button", { class: "held", tabindex: "-1", "data-card": piece.index, onclick: press });

/** Draws what is on a piece, if that is not what was drawn: one that was just dealt is seen a little later. */
function drawFace(button, piece) {
  const look = JSON.stringify([piece.faces, piece.values, piece.marks]);
  if (button.look === look) return;
  button.look = look;
  put(button, cardFace({ ...piece, down: false }), el("span", { class: "sr" }, cardName(piece)), el("span", { class: "fits" }));
}

/** Shows what can be done with a piece: by its look, and in words for a screen reader. */
function update(state, button, piece) {
  const fitting = state.offers.filter((offer) => offer.piece === piece.index);
  const marked = state.ahead.marked()?.piece === piece.index;
  const playable = fitting.length > 0 || state.exchange !== null || state.ahead.may();
  set(button, "aria-disabled", String(!playable));
  button.toggleAttribute("data-fits", fitting.length > 0);
  button.toggleAttribute("data-waits", state.waits === piece.index);
  const picked = state.picked.has(state.places.indexOf(piece.index));
  button.toggleAttribute("data-ahead", marked);
  if (state.exchange || state.ahead.may()) set(button, "aria-pressed", String(picked || marked));
  else button.removeAttribute("aria-pressed");
  write(button.querySelector(".fits"), picked ? t("page.fits.away") : marked ? t("page.ahead.marked") : fits(fitting, state));
}

/** Where a piece fits; nothing where all pieces do. */
function fits(fitting, { line, hand, offers, view }) {
  const all = hand.every(({ index }) => offers.some(({ piece }) => piece === index));
  if (!fitting.length || (all && !(line && view.board.tiles.length))) return "";
  if (!line) return t("page.fits");
  if (fitting.length > 1) return t("page.fits.both");
  const [{ place, points }] = fitting;
  return t(ENDS[place] ?? "page.fits") + (points ? ` +${points}` : "");
}

/** Moves the focus to the next piece. Tab leaves the hand from any piece. */
function walk(list, event) {
  if (!(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey) return;
  const buttons = [...list.children];
  const to = buttons.indexOf(document.activeElement) + STEPS[event.key];
  const next = buttons[Math.max(0, Math.min(buttons.length - 1, to))];
  if (!next) return;
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
  event.preventDefault();
}

/** Moves the piece with the focus along the hand. */
function shift(list, event, move) {
  if (!(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey) return;
  const buttons = [...list.children];
  const from = buttons.indexOf(document.activeElement);
  if (from < 0) return;
  move(Number(buttons[from].dataset.key), Math.max(0, Math.min(buttons.length - 1, from + STEPS[event.key])));
  event.preventDefault();
}

function toggle(state, list, index) {
  const place = state.places.indexOf(index);
  if (!state.picked.delete(place) && state.picked.size < state.exchange.places.most) state.picked.add(place);
  for (const button of list.children) update(state, button, { index: Number(button.dataset.key) });
  state.onChange();
}

/** Asks at which end a piece goes that fits both. */
function ask(state, which, index, choose) {
  state.asked = index;
  const fitting = state.offers.filter((offer) => offer.piece === index);
  const button = (offer) => el("button", { class: "primary", onclick: () => choose(offer) }, offer.label);
  put(which, el("span", {}, t("page.which")), fitting.map(button));
  state.box.show();
  which.querySelector("button").focus();
  state.onChange();
}

function forget(state, which) {
  state.asked = null;
  if (which.contains(document.activeElement)) document.getElementById("hand").focus();
  which.hidden = true;
}

/** Closes the question about the end, and moves the focus back to its piece. */
function back(state, list, which) {
  list.querySelector(`[data-key="${state.asked}"]`)?.focus();
  forget(state, which);
  state.onChange();
}
