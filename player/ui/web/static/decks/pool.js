import { face } from "../cards/faces.js";
import { maker, state } from "../cards/marks.js";
import { matches, ordered } from "../cards/search.js";
import { el, put } from "../dom.js";
import { t } from "../words.js";

/** The cards that could go into a deck, narrowed down as one types; a press puts one in: `add(id)`. */
export function pool(add) {
  const list = el("ul", { class: "cards" });
  const found = el("p", { role: "status", class: "muted" });
  const field = el("input", { id: "deck-find", type: "search", autocomplete: "off", oninput: () => narrow() });
  let shown = [], drawn = "";
  const sort = el("select", { id: "deck-sort", onchange: () => put(list, inOrder()) });
  const inOrder = () => ordered(shown, sort.value, false).map(({ node }) => node);
  const narrow = () => {
    for (const one of shown) one.node.hidden = !matches(one.card, field.value);
    found.textContent = t("cardpage.deck.found", { count: shown.filter(({ node }) => !node.hidden).length });
  };
  const first = (event) => {
    event.preventDefault();
    ordered(shown, sort.value, false).find(({ node, next }) => !node.hidden && next() !== null)?.press();
  };
  return {
    node: el("div", {},
      el("form", { class: "find", onsubmit: first }, el("label", { for: field.id }, t("cardpage.deck.find")), field,
        el("label", { for: sort.id }, t("cardpage.binder.sort")), sort),
      found, list),
    draw(deck, rules, binder) {
      const kinds = deck.owned ? own(binder) : (rules.find(({ name }) => name === deck.rules)?.cards ?? []).map((card) => ({ card, ids: [card.id], many: true }));
      const now = JSON.stringify(kinds);
      if (now !== drawn) {
        shown = kinds.map((kind) => entry(kind, add));
        const names = new Set(kinds.flatMap(({ card }) => card.values.map(([name]) => name)));
        const chosen = sort.value;
        put(sort, el("option", { value: "#name" }, t("cardpage.binder.sort.name")), [...names].map((name) => el("option", { value: name, selected: name === chosen }, name)));
        put(list, inOrder());
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
    has, card.creator && maker(card.creator), card.state && state(card));
  return {
    node: el("li", {}, button),
    card,
    name: card.name,
    cards: [card],
    next: () => free,
    press,
    count(counts) {
      const count = ids.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
      free = many ? ids[0] : (ids.find((id) => !counts.has(id)) ?? null);
      has.textContent = count && many ? t("cardpage.deck.has", { count }) : ids.length > 1 || count ? t("cardpage.deck.has_of", { count, of: ids.length }) : "";
      button.classList.toggle("in", count > 0);
      button.setAttribute("aria-disabled", String(free === null));
    },
  };
}
