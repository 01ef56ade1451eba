import { el, svg } from "../dom.js";
import { moveKey } from "../match/motion.js";
import { namesOf, pieceName } from "../match/names.js";
import { t } from "../words.js";
import { pieceFace } from "./pieces.js";

const STREETS = {
  preflop: "page.felt.preflop",
  flop: "page.felt.flop",
  turn: "page.felt.turn",
  river: "page.felt.river",
  deal: "page.felt.deal",
  exchange: "page.felt.exchange",
  draw: "page.felt.draw",
};
const ALL = 5; // cards that are turned up in the end

/** The cards in the middle, and where the others will lie. */
function cardsOf({ cards, winning }) {
  const best = new Set(winning.flatMap((hand) => hand.cards));
  const names = cards.map(({ faces }) => pieceName(faces)).join(", ");
  const card = (_, at) =>
    at in cards
      ? el("span", { "data-move": moveKey(cards[at]), "data-best": best.has(cards[at].index) }, pieceFace(cards[at].faces))
      : el("span", { class: "empty" });
  const label = names ? t("page.felt.cards", { cards: names }) : t("page.felt.cards.none");
  return el("div", { class: "turned", role: "img", "aria-label": label }, Array.from({ length: ALL }, card));
}

const chip = () =>
  svg("svg", { class: "chip", viewBox: "-10 -10 20 20", "aria-hidden": "true" },
    svg("circle", { r: 9 }), svg("circle", { class: "edge", r: 7.4, pathLength: 48 }));

/** The names of the hands that have won, with their players; for a screen reader their cards too. */
function winningOf({ cards, winning }, view) {
  const seen = new Map([...cards, ...view.seats.flatMap(({ game }) => game.shown)].map(({ index, faces }) => [index, pieceName(faces)]));
  const made = ({ seat, name, cards: five }) => [
    el("span", {}, t("page.felt.winning", { who: namesOf(view, [seat]), hand: name })),
    el("span", { class: "sr" }, ` (${five.map((card) => seen.get(card)).join(", ")})`)];
  return winning.map((hand) => el("p", { class: "winning" }, made(hand)));
}

/** The main pot and side pots, with who can win them. */
const potsOf = ({ pots }, view) =>
  el("ul", { class: "pots" }, pots.map(({ chips, seats }, number) =>
    el("li", {},
      number ? t("page.felt.side", { number, chips }) : t("page.felt.main", { chips }), " ", el("bdi", {}, namesOf(view, seats)))));

function stakes({ hand, hands, blinds, ante, least_bet: bet, rises }) {
  const [small, big] = blinds;
  return [
    hand > 0 && t("page.felt.hand", { hand, hands }),
    big ? t("page.felt.blinds", { small, big }) : t("page.felt.bet", { bet }),
    ante > 0 && t("page.felt.ante", { ante }),
    rises > 0 && t("page.felt.rises", { hand: rises }),
  ].filter(Boolean).join(" · ");
}

/** What lies in the middle at poker; stacks and bets are at the seats. */
export const draw = (board, view) =>
  el("div", { class: "felt" },
    board.blinds.length > 0 && cardsOf(board),
    board.winning.length > 0 && winningOf(board, view),
    el("p", { class: "pot" },
      chip(), board.pot > 0 && t("page.felt.pot", { chips: board.pot }),
      board.street in STREETS && el("span", { class: "street" }, t(STREETS[board.street]))),
    board.pots.length > 1 && potsOf(board, view),
    el("p", {}, stakes(board)));
