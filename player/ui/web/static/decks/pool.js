import { face } from "../cards/faces.js";
import { state } from "../cards/marks.js";
import { el, put } from "../dom.js";
import { t } from "../words.js";

/** The cards that could go into a deck, narrowed down as one types; a press puts one in: `add(id)`. */
export function pool(add) {
  const list = el("ul", { class: "cards" });
  const found = el("p", { role: "status", class: "muted" });
  const field = el("input", { id: "deck-find", type: "search", autocomplete: "off", oninput: () => narrow() });
  let shown = [], drawn = "";
  const narrow = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const one of shown) one.node.hidden = !words.every((word) => one.text.includes(word));
    found.textContent = t("cardpage.deck.found", { count: shown.filter(({ node }) => !node.hidden).length });
  };
  const first = (event) => {
    event.preventDefault();
    shown.find(({ node, next }) => !node.hidden && next() !== null)?.press();
  };
  return {
    node: el("div", {},
      el("form", { class: "find", onsubmit: first }, el("label", { for: field.id }, t("cardpage.deck.find")), field),
      found, list),
    draw(deck, rules, binder) {
      const kinds = deck.owned ? own(binder) : (rules.find(({ name }) => name === deck.rules)?.cards ?? []).map((card) => ({ card, ids: [card.id], many: true }));
      const now = JSON.stringify(kinds);
      if (now !== drawn) {
        shown = kinds.map((kind) => entry(kind, add));
        put(list, shown.map(({ node }) => node));
        drawn = now;
      }
      const counts = new Map(deck.cards.map(({ id, count }) => [id, count]));
      for (const one of shown) one.count(counts);
      narrow();
    },
  };
}

/** One's own cards by kind, the firmest copy first; what is burnt can be put nowhere. */
const own = ({ editions }) =>
  editions.flatMap(({ stacks }) => stacks.map(({ cards }) => cards.filter(({ state }) => state !== "burnt")))
    .filter((cards) => cards.length > 0).map((cards) => ({ card: cards[0], ids: cards.map(({ id }) => id), many: false }));

/** A kind of card to press; its node stays while counts change, and with it picture and focus. */
function entry({ card, ids, many }, add) {
  const has = el("span", { class: "count" });
  let free = ids[0];
  const press = () => free !== null && add(free);
  const button = el("button", { class: "card", "data-card": card.id, onclick: press },
    face({ ...card, state: card.state ?? "" }),
    el("span", { class: "caption" }, el("span", { class: "sr" }, t("cardpage.deck.put"), " "), el("span", { dir: "auto" }, card.name)),
    has, card.state && state(card.state));
  return {
    node: el("li", {}, button),
    text: `${card.name} ${card.values.flat().join(" ")}`.toLowerCase(),
    next: () => free,
    press,
    count(counts) {
      const count = ids.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
      free = many ? ids[0] : (ids.find((id) => !counts.has(id)) ?? null);
      has.textContent = count && many ? t("cardpage.deck.has", { count }) : count ? t("cardpage.deck.has_of", { count, of: ids.length }) : "";
      button.classList.toggle("in", count > 0);
      button.setAttribute("aria-disabled", String(free === null));
    },
  };
}
