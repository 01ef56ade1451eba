import { el, theirs } from "../dom.js";
import { t } from "../words.js";
import { person } from "./marks.js";

const STANDINGS = {
  settled: () => t("cardpage.trade.settled"),
  stands: () => t("cardpage.trade.stands"),
  void: () => t("cardpage.trade.void"),
};

/** A trade in a line: who gave what to whom, and what it counts for. */
export const tradeRow = (trade) =>
  el("li", { class: trade.standing },
    el("span", {}, person(trade.one), ": ", names(trade.gives), " ⇄ ", person(trade.other), ": ", names(trade.takes)),
    " ", el("span", { class: `state ${trade.standing}` }, STANDINGS[trade.standing]()),
    trade.waived && el("span", { class: "bad" }, ` ${t("cardpage.trade.waived")}`));

/** The hands that a card went through, in their order: from whom to whom, and what was given for it. */
export const cardHistory = (card, trades) =>
  trades.length ? el("ol", { class: "history" }, trades.map((trade) => step(card, trade))) : el("p", { class: "muted" }, t("cardpage.card.history.none"));

function step(card, trade) {
  const given = trade.gives.some(({ id }) => id === card.id);
  const [from, to, back] = given ? [trade.one, trade.other, trade.takes] : [trade.other, trade.one, trade.gives];
  const bought = from.fingerprint === card.creator.fingerprint;
  return el("li", { class: trade.standing },
    t(bought ? "cardpage.card.history.creator" : "cardpage.card.history.from"), " ", person(from), " → ", person(to),
    back.length > 0 && ["; ", t("cardpage.card.history.for"), " ", names(back)],
    " ", el("span", { class: `state ${trade.standing}` }, STANDINGS[trade.standing]()),
    trade.waived && el("span", { class: "bad" }, ` ${t("cardpage.trade.waived")}`));
}

/** The names of cards in a row. */
export const names = (cards) =>
  cards.length ? cards.map((card, at) => [at > 0 && ", ", theirs(card.name)]) : t("cardpage.nothing");
