import { t } from "../words.js";

const WAYS = {
  stones: () => t("page.ask.stones"),
  pawns: () => t("page.ask.pawns"),
};

/** Numbers that can be chosen: "1, 2 or 3", "1 to 7". */
function numbersOf({ least, most }) {
  if (most === least) return String(most);
  if (most - least > 2) return t("page.ask.range", { least, most });
  const all = Array.from({ length: most - least + 1 }, (_, at) => least + at);
  return t("page.ask.or", { some: all.slice(0, -1).join(", "), last: all.at(-1) });
}

function heaps({ rows }, offers) {
  if (rows.length > 1 || !offers[0]?.amount) return t("page.ask.rows");
  return t("page.ask.heap", { numbers: numbersOf(offers[0].amount) });
}

function line(kinds) {
  if (kinds.has("play")) return t("page.ask.tile");
  return kinds.has("draw") ? t("page.ask.draw") : kinds.has("pass") && t("page.ask.pass");
}

function felt(kinds, offers) {
  if (kinds.has("exchange")) return t("page.ask.exchange");
  if (kinds.has("show")) return t(kinds.has("muck") ? "page.ask.muck" : "page.ask.show");
  if (kinds.has("check")) return t("page.ask.check");
  return kinds.has("call") && t("page.ask.call", { chips: offers.find(({ kind }) => kind === "call").cost });
}

/** What is to be done on the own turn, in a few words. */
export function askOf({ board, offers, hand }) {
  const kinds = new Set(offers.map(({ kind }) => kind));
  const own = new Set(hand.map(({ index }) => index));
  const asked = {
    grid: () => WAYS[board.men]?.(),
    heaps: () => heaps(board, offers),
    line: () => line(kinds),
    felt: () => felt(kinds, offers),
    generic: () => offers.some(({ piece }) => own.has(piece)) && t("page.ask.card"),
  }[board?.is]?.();
  return asked ? t("page.turn.ask", { what: asked }) : t("page.turn.own");
}
