import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";
import { person } from "./marks.js";
import { example, matches, names, ordered } from "./search.js";

/** The own cards, one for all copies of a type: searched by words and values, sorted, and narrowed down to one set or
 * one creator. */
export function binderView(actions) {
  const list = el("div");
  const counts = el("p", { role: "status" });
  const found = el("p", { role: "status", class: "muted" });
  const refill = () => binder && fill();
  const field = el("input", { id: "cards-find", type: "search", autocomplete: "off", "aria-describedby": "cards-find-how", oninput: refill });
  const sort = choice("cards-sort", refill);
  const downwards = el("input", { id: "cards-down", type: "checkbox", onchange: refill });
  const edition = choice("cards-edition", refill);
  const maker = choice("cards-maker", refill);
  const how = el("p", { class: "muted", id: "cards-find-how" });
  const labelled = (label, input) => el("p", {}, el("label", { for: input.id }, label), input);
  const tools = el("div", { class: "panel narrow" },
    labelled(t("cardpage.binder.find"), field),
    labelled(t("cardpage.binder.sort"), sort),
    el("label", { class: "row" }, downwards, el("span", {}, t("cardpage.binder.down"))),
    labelled(t("cardpage.binder.edition_is"), edition),
    labelled(t("cardpage.binder.creator_is"), maker),
    how);
  const empty = el("p", {},
    el("button", { class: "primary", onclick: () => actions.open("shops") }, t("cardpage.shops")), " ",
    el("button", { onclick: () => actions.open("trade") }, t("cardpage.trades")));
  let binder = null, wanted = null; // a creator whose cards are to be shown alone
  const fill = () => {
    const stacks = binder.editions.flatMap((page) => page.stacks.map((stack) => ({ ...stack, page })));
    const shown = stacks.filter((stack) =>
      (!edition.value || stack.page.name === edition.value) &&
      (!maker.value || stack.page.creator.fingerprint === maker.value) &&
      matches(stack.cards[0], field.value));
    found.textContent = t("cardpage.binder.found", { count: shown.length });
    const sorted = ordered(shown, sort.value, downwards.checked);
    put(list, sort.value || downwards.checked ? shown.length > 0 && el("section", { class: "panel" }, grid(sorted, actions)) : pages(binder, shown, actions));
  };
  return {
    node: el("section", { "aria-label": t("cardpage.binder") }, counts, empty, tools, found, list),
    /** Shows only the cards of a creator. */
    search: (fingerprint) => {
      field.value = edition.value = "";
      wanted = fingerprint;
    },
    async draw() {
      binder = await actions.binder();
      const { cards, settled, reserved, burnt, editions } = binder;
      counts.textContent = cards ? t("cardpage.binder.counts", { cards, settled, reserved, burnt }) : t("cardpage.binder.empty");
      tools.hidden = found.hidden = cards === 0;
      empty.hidden = cards > 0;
      options(sort, [["", t("cardpage.binder.sort.set")], ["#name", t("cardpage.binder.sort.name")], ["#number", t("cardpage.card.number")], ["#state", t("cardpage.card.state")], ["#copies", t("cardpage.binder.sort.copies")],
        ...names(editions).map((name) => [name, name])]);
      options(edition, [["", t("cardpage.binder.all")], ...new Set(editions.map(({ name }) => name))].map((one) => (typeof one === "string" ? [one, one] : one)));
      const makers = new Map(editions.map(({ creator }) => [creator.fingerprint, creator.you ? t("cardpage.oneself") : creator.name || creator.short]));
      options(maker, [["", t("cardpage.binder.all")], ...makers]);
      if (wanted !== null) maker.value = wanted;
      wanted = null;
      for (const one of [edition, maker]) one.parentNode.hidden = one.options.length < 3; // nothing to choose from
      how.textContent = t("cardpage.binder.how", { example: example(editions) });
      fill();
    },
  };
}

const choice = (id, onchange) => el("select", { id, onchange });

/** Puts these values with their labels into a list, and keeps the chosen one if it is still there. */
function options(list, pairs) {
  const now = JSON.stringify(pairs);
  if (list.dataset.of === now) return;
  const chosen = list.value;
  list.dataset.of = now;
  put(list, pairs.map(([value, label]) => el("option", { value, selected: value === chosen }, label)));
}

const grid = (stacks, actions) =>
  el("ul", { class: "cards" }, stacks.map((stack) => el("li", {}, cardButton(stack.cards[0], { count: stack.cards.length, actions }))));

/** One panel for each set. */
const pages = ({ editions }, shown, actions) =>
  editions.map((page) => {
    const stacks = shown.filter((stack) => stack.page === page);
    return stacks.length > 0 && el("section", { class: "panel" },
      el("h2", {}, theirs(page.name)),
      el("p", { class: "muted" }, person(page.creator), " ", t("cardpage.binder.edition", { have: page.stacks.length, of: page.there_are })),
      grid(stacks, actions));
  });
