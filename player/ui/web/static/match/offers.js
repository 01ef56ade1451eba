import { inPlace, isField } from "../boards/field/field.js";
import { wager } from "../boards/wager.js";
import { el, put } from "../dom.js";
import { prefer, preference } from "../preferences.js";
import { t } from "../words.js";
import { sure } from "./dialog.js";
import { keep, write } from "./keep.js";

export const PLACED = new Set(["grid", "heaps"]); // boards on which a place is chosen
// the key of each kind of offer
const KEYS = { pass: "P", draw: "D", fold: "F", check: "C", call: "C", bet: "R", raise: "R", show: "S", muck: "M" };
const MOMENT = 900; // milliseconds before the page passes for the person
// kinds of offers whose button stands out
const MAIN = new Set(["draw", "flip", "pass", "check", "call", "exchange", "show", "muck", "rebuy"]);

/** The offer of this view that is the same choice, whatever its number; undefined if there is none. */
export function sameOffer(view, { kind, action }) {
  const wanted = JSON.stringify([kind, action]);
  return view.offers.find((one) => JSON.stringify([one.kind, one.action]) === wanted);
}

/** Whether a choice puts in all chips that the own seat has. */
export function allIn(view, offer, numbers) {
  if (view.board?.is !== "felt" || view.you === null) return false;
  const { score, bet } = view.seats[view.you].game;
  return offer.amount ? numbers[0] - bet >= score : offer.cost > 0 && offer.cost >= score;
}

/** The offer, and its amount, that puts in all chips; null if there is none. */
export function allOf(view) {
  const ways = view.offers.map((offer) => [offer, ...(offer.amount ? [offer.amount.most] : [])]);
  return ways.find(([offer, ...numbers]) => allIn(view, offer, numbers)) ?? null;
}

/** Asks before the last chip goes in. Returns whether the person agrees; true for any other choice. */
export const agreed = async (view, offer, numbers) =>
  !allIn(view, offer, numbers) || sure("page.all_in", "page.all_in.sure", "page.all_in");

/** The offers beside board and hand, and the choices that can be made ahead. `picked()`: the places to exchange. `send(offer)`
 * sends a choice that was made ahead. */
export function offers(choose, picked, send) {
  const bar = el("div", { class: "offers", role: "group", "aria-label": t("page.offers") });
  const tick = el("input", { type: "checkbox" });
  const early = el("label", { class: "early", hidden: true }, tick, t("page.early"));
  const ahead = { tick, early, seen: "" };
  const passing = passes(send);
  const press = (offer) => (offer.places ? choose(offer, ...picked()) : choose(offer));
  return {
    node: el("div", { class: "acts" }, bar, passing.node, early),
    draw(view) {
      const shown = view.offers.filter((offer) => isBeside(view, offer));
      const make = (offer) => (offer.amount ? newWager(offer, choose) : newOffer(offer, view.offers));
      keep(bar, shown, offerKey, make, (node, offer) => {
        if (offer.amount) return;
        node.onclick = () => press(offer);
        write(node.firstChild, offer.places ? exchangeText(picked().length) : offer.label);
      });
      decide(ahead, view, send);
      passing.draw(view);
    },
    /** Presses the offer of this key. Returns whether there is one. */
    key(letter) {
      const node = [...bar.children].find((one) => KEYS[one.dataset.kind] === letter);
      if (node?.matches("button")) node.click();
      else node?.querySelector("input,button")?.focus();
      return Boolean(node);
    },
  };
}

/** Whether an offer belongs to no piece of the board or the hand. */
function isBeside(view, offer) {
  if (isField(view.board)) return !inPlace(view, offer);
  return offer.piece === null && (offer.place === null || !PLACED.has(view.board?.is));
}

/** Help where nothing is hidden: a good move, or what every move is worth; it goes with the turn that it was about. */
export function hints(actions, trying, again) {
  const told = el("div", { class: "told", role: "status" });
  const now = { turn: null, move: null };
  const ask = (why) => trying(async () => {
    const turn = now.turn;
    const tell = (lines) => turn === now.turn && put(told, lines.map((line) => el("p", {}, line)));
    node.setAttribute("aria-busy", "true");
    tell([t("page.hint.thinking")]);
    let [lines, move] = [[], null];
    try {
      ({ lines, move } = await actions.hint(why));
    } finally {
      tell(lines);
      if (turn === now.turn) now.move = move ?? null;
      again();
      node.removeAttribute("aria-busy");
    }
  });
  const node = el("div", { class: "hints" },
    el("button", { class: "quiet", onclick: () => ask(false) }, t("page.hint")),
    el("button", { class: "quiet", onclick: () => ask(true) }, t("page.hint.why")), told);
  return {
    node,
    /** The move of the hint that is shown, as it is marked on the board: from where, to where, how many. */
    marked({ offers }) {
      const said = JSON.stringify(now.move);
      const short = JSON.stringify(now.move?.slice(0, -1));
      const offer = now.move && offers.find(({ action, amount }) => JSON.stringify(action) === (amount ? short : said));
      return offer ? { piece: offer.piece, place: offer.place, count: offer.amount ? now.move.at(-1) : 1 } : null;
    },
    draw(view) {
      const turn = view.offers.length ? view.turns.find(({ seat }) => seat === view.you)?.since ?? null : null;
      if (turn !== now.turn) {
        put(told);
        now.move = null;
      }
      now.turn = turn;
      node.hidden = turn === null || view.trust.dealing !== "none" || view.seats.length !== 2;
    },
  };
}

/** An offer with an amount is another one when its range is: what was typed for the old one is void. */
const offerKey = ({ id, amount, action }) => JSON.stringify(amount ? [id, amount] : action);

function newWager(offer, choose) {
  const node = wager(offer, choose);
  node.dataset.kind = offer.kind;
  return node;
}

function newOffer(offer, all) {
  const key = offer.key?.at(-1)?.toUpperCase() ?? KEYS[offer.kind];
  const beaten = offer.kind === "show" && all.some(({ kind }) => kind === "muck"); // only then may one muck
  const look = { class: MAIN.has(offer.kind) && !beaten ? "primary" : "", "data-kind": offer.kind, "aria-keyshortcuts": key };
  return el("button", look, el("span", {}), key && el("kbd", { "aria-hidden": "true" }, key));
}

/** The label of an exchange of so many pieces. */
export const exchangeText = (count) => (count ? t("page.exchange", { count }) : t("page.exchange.none"));

/** Passes for the person when nothing else is on offer, if the person wants that: after a moment, so that it is seen. */
function passes(send) {
  const tick = el("input", { type: "checkbox", onchange: () => (prefer("pass", tick.checked ? "on" : "off"), begin()) });
  const node = el("label", { class: "early", hidden: true }, tick, t("page.pass.self"));
  const now = { offer: null, timer: 0 };
  const begin = () => {
    clearTimeout(now.timer);
    const { offer } = now;
    if (offer && tick.checked) now.timer = setTimeout(() => node.isConnected && now.offer === offer && send(offer), MOMENT);
  };
  return {
    node,
    draw({ board, offers }) {
      const [offer, ...more] = offers;
      const forced = board?.is === "line" && offer?.kind === "pass" && !more.length;
      const before = now.offer;
      now.offer = forced ? offer : null;
      node.hidden = !forced;
      if (forced && !before) {
        tick.checked = preference("pass") === "on";
        begin();
      } else now.offer = forced ? before : null;
    },
  };
}

/** Does "check or fold" on the own turn, unless cards or bets have changed since the person ticked it. */
function decide(ahead, view, send) {
  const own = view.you === null ? null : view.seats[view.you].game;
  const playing = view.board?.is === "felt" && own?.held > 0 && !own.status && view.board.street !== "none";
  const seen = JSON.stringify([view.board?.hand, view.board?.cards, view.hand, Math.max(...view.seats.map(({ game }) => game.bet))]);
  if (seen !== ahead.seen || !playing) ahead.tick.checked = false;
  ahead.seen = seen;
  const mine = view.turns.some((turn) => turn.seat === view.you);
  ahead.early.hidden = !playing || mine;
  if (!mine || !ahead.tick.checked || !view.offers.length) return;
  ahead.tick.checked = false;
  const offer = ["check", "fold"].map((kind) => view.offers.find((one) => one.kind === kind)).find(Boolean);
  if (offer) send(offer);
}
