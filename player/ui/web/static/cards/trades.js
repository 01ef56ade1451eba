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

/** The names of cards in a row. */
export const names = (cards) =>
  cards.length ? cards.map((card, at) => [at > 0 && ", ", theirs(card.name)]) : t("cardpage.nothing");
