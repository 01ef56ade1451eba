import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";

const WRONG = {
  unknown: () => t("cardpage.deck.wrong.unknown"),
  unowned: () => t("cardpage.deck.wrong.unowned"),
  burnt: () => t("cardpage.deck.wrong.burnt"),
  reserved: () => t("cardpage.deck.wrong.reserved"),
  twice: () => t("cardpage.deck.wrong.twice"),
  unproven: () => t("cardpage.deck.wrong.unproven"),
  long: () => t("cardpage.deck.wrong.long"),
  unshown: () => t("cardpage.deck.wrong.unshown"),
};

/** The cards that are in a deck, equal ones in one row; a press takes one out: `take(id)`. */
export function rows(take) {
  const list = el("ul", { class: "deck" });
  return {
    node: list,
    draw(cards) {
      const at = [...list.children].indexOf(document.activeElement?.closest(".deck > li"));
      const stacks = stacked(cards);
      put(list, stacks.length ? stacks.map((stack) => el("li", {}, row(stack, take))) : el("li", { class: "muted" }, t("cardpage.nothing")));
      if (at >= 0) (list.children[Math.min(at, stacks.length - 1)]?.firstChild ?? document.getElementById("deck-find")).focus?.();
    },
  };
}

function row({ card, ids, count }, take) {
  const values = card.values.map(([, value]) => value).join(" ");
  return el("button", { "data-card": ids[0], onclick: () => take(ids.at(-1)) },
    el("span", { class: "sr" }, t("cardpage.deck.take"), " "),
    theirs(card.name), " ", el("span", { class: "muted" }, theirs(values)), count > 1 && ` ×${count}`,
    card.wrong && el("span", { class: "bad" }, " ⚠ ", WRONG[card.wrong]()),
    el("span", { class: "sign", "aria-hidden": "true" }, "−"));
}

function stacked(cards) {
  const found = new Map();
  for (const card of cards) {
    const key = JSON.stringify([card.name, card.values, card.image, card.wrong]);
    const stack = found.get(key) ?? found.set(key, { card, ids: [], count: 0 }).get(key);
    stack.ids.push(card.id);
    stack.count += card.count;
  }
  return [...found.values()];
}
