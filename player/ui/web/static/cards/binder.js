import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";
import { filesPanel } from "./files.js";
import { firmness, person, stateWord } from "./marks.js";
import { starterPanel } from "./starter.js";
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
  const word = choice("cards-element", refill);
  const firm = choice("cards-state", refill);
  const how = el("p", { class: "muted", id: "cards-find-how" });
  const labelled = (label, input) => el("p", {}, el("label", { for: input.id }, label), input);
  const tools = el("div", { class: "panel narrow" },
    labelled(t("cardpage.binder.find"), field),
    labelled(t("cardpage.binder.sort"), sort),
    el("label", { class: "row" }, downwards, el("span", {}, t("cardpage.binder.down"))),
    labelled(t("cardpage.binder.edition_is"), edition),
    labelled(t("cardpage.binder.creator_is"), maker),
    labelled(t("cardpage.binder.value_is"), word),
    labelled(t("cardpage.card.state"), firm),
    how);
  const lost = el("section", { class: "panel lost", hidden: true });
  const files = filesPanel(actions);
  const starter = starterPanel(actions, refill);
  const empty = el("p", {},
    el("button", { class: "primary", onclick: () => actions.open("shops") }, t("cardpage.shops")), " ",
    el("button", { onclick: () => actions.open("trade") }, t("cardpage.trades")));
  let binder = null, wanted = null; // a creator whose cards are to be shown alone
  const fill = () => {
    const turned = (stack) => ({ ...stack, cards: stack.cards.filter((card) => !starter.isSealed(card)) });
    const stacks = binder.editions.flatMap((page) => page.stacks.map((stack) => ({ ...turned(stack), page }))).filter(({ cards }) => cards.length > 0);
    // packs that are closed yet
    tools.hidden = found.hidden = stacks.length === 0;
    const shown = stacks.filter((stack) =>
      (!edition.value || stack.page.name === edition.value) &&
      (!maker.value || stack.page.creator.fingerprint === maker.value) &&
      (!word.value || stack.cards[0].values.some(([, value]) => value === word.value)) &&
      (!firm.value || stack.cards.some(({ state }) => state === firm.value)) &&
      matches(stack.cards[0], field.value));
    found.textContent = t("cardpage.binder.found", { count: shown.length });
    const sorted = ordered(shown, sort.value, downwards.checked);
    put(list, sort.value || downwards.checked ? shown.length > 0 && el("section", { class: "panel" }, grid(sorted, actions)) : pages(binder, shown, actions));
  };
  return {
    node: el("section", { "aria-label": t("cardpage.binder") }, counts, starter.node, empty, lost, tools, found, list, files.node),
    leave: starter.leave,
    /** Shows only the cards of a creator. */
    search: (fingerprint) => {
      field.value = edition.value = word.value = firm.value = "";
      wanted = fingerprint;
    },
    async draw({ starter: first }) {
      binder = await actions.binder();
      starter.draw(first, binder.cards);
      const { cards, settled, reserved, burnt, editions } = binder;
      const gone = binder.lost ?? [];
      lost.hidden = gone.length === 0;
      put(lost, el("h2", {}, t("cardpage.binder.lost")), el("p", {}, t("cardpage.binder.lost.about"), " ", el("button", { onclick: () => actions.open("alarms") }, t("cardpage.alarms"))),
        el("ul", { class: "cards" }, gone.map((card) => el("li", {}, cardButton(card, { numbered: true, actions })))));
      files.draw(cards);
      counts.textContent = cards ? t("cardpage.binder.counts", { cards, settled, reserved, burnt }) : t("cardpage.binder.empty");
      empty.hidden = cards > 0;
      options(sort, [["", t("cardpage.binder.sort.set")], ["#name", t("cardpage.binder.sort.name")], ["#number", t("cardpage.card.number")], ["#state", t("cardpage.card.state")], ["#copies", t("cardpage.binder.sort.copies")],
        ...names(editions).map((name) => [name, name])]);
      options(edition, [["", t("cardpage.binder.all")], ...new Set(editions.map(({ name }) => name))].map((one) => (typeof one === "string" ? [one, one] : one)));
      const makers = new Map(editions.map(({ creator }) => [creator.fingerprint, creator.you ? t("cardpage.oneself") : creator.namesake ? `${creator.name} (${creator.short})` : creator.name || creator.short]));
      options(maker, [["", t("cardpage.binder.all")], ...makers]);
      const words = new Set(editions.flatMap(({ stacks }) => stacks.flatMap(({ cards: [first] }) => first.values.map(([, value]) => value).filter((value) => typeof value === "string"))));
      options(word, [["", t("cardpage.binder.all")], ...(words.size <= MOST_WORDS ? [...words].sort().map((word) => [word, word]) : [])]);
      const states = new Set(editions.flatMap(({ stacks }) => stacks.flatMap(({ cards: all }) => all.map(({ state }) => state))));
      options(firm, [["", t("cardpage.binder.all")], ...[...states].map((name) => [name, stateWord(name)])]);
      if (wanted !== null) maker.value = wanted;
      wanted = null;
      for (const one of [edition, maker, word, firm]) one.parentNode.hidden = one.options.length < 3; // nothing to choose from
      how.textContent = t("cardpage.binder.how", { example: example(editions) });
      fill();
    },
  };
}

const MOST_WORDS = 12; // words of cards that a list to choose from has
const choice = (id, onchange) => el("select", { id, onchange });

/** Puts these values with their labels into a list, and keeps the chosen one if it is still there. */
function options(list, pairs) {
  const now = JSON.stringify(pairs);
  if (list.dataset.of === now) return;
  const chosen = list.value;
  list.dataset.of = now;
  put(list, pairs.map(([value, label]) => el("option", { value, selected: value === chosen }, label)));
}

const idsOf = (stack) => stack.cards.map(({ id }) => id);

const grid = (stacks, actions) => {
  const around = stacks.map(idsOf);
  return el("ul", { class: "cards" }, stacks.map((stack, at) => el("li", {}, cardButton(stack.cards[0], { copies: around[at], around, actions }))));
};

/** One panel for each set. */
const pages = ({ editions }, shown, actions) =>
  editions.map((page) => {
    const stacks = shown.filter((stack) => stack.page === page);
    return stacks.length > 0 && el("section", { class: "panel" },
      el("h2", {}, theirs(page.name)),
      el("p", { class: "muted" }, person(page.creator), " ", t("cardpage.binder.edition", { have: page.stacks.length, of: page.there_are }),
        page.stacks.some(({ cards }) => cards.some((card) => firmness(card) === "never")) && [" · ", stateWord("never")]),
      grid(stacks, actions),
      page.missing.length > 0 && el("details", {}, el("summary", {}, t("cardpage.binder.missing", { count: page.missing.length })),
        el("p", {}, page.missing.map((name, at) => [at > 0 && ", ", theirs(name)]))));
  });
