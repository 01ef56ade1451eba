import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";
import { person } from "./marks.js";

/** The own cards by edition, one for all copies of a type; a word narrows them down. */
export function binderView(actions) {
  const list = el("div");
  const counts = el("p", { role: "status" });
  const field = el("input", { id: "cards-find", type: "search", autocomplete: "off", oninput: () => binder && fill() });
  let binder = null;
  const fill = () => put(list, binder.editions.map((edition) => page(edition, field.value.trim().toLowerCase(), actions)));
  return {
    node: el("section", { "aria-label": t("cardpage.binder") },
      counts,
      el("p", { class: "row wrap" }, el("label", { for: field.id }, t("cardpage.binder.find")), field),
      list),
    async draw() {
      binder = await actions.binder();
      const { cards, settled, reserved, burnt } = binder;
      counts.textContent = cards ? t("cardpage.binder.counts", { cards, settled, reserved, burnt }) : t("cardpage.binder.empty");
      field.parentNode.hidden = cards === 0;
      fill();
    },
  };
}

function page(edition, wanted, actions) {
  const fits = ({ name, cards }) => `${name} ${cards[0].text} ${cards[0].values.flat().join(" ")}`.toLowerCase().includes(wanted);
  const stacks = edition.stacks.filter(fits);
  return stacks.length > 0 && el("section", { class: "panel" },
    el("h2", {}, theirs(edition.name)),
    el("p", { class: "muted" }, person(edition.creator), " ", t("cardpage.binder.edition", { have: edition.stacks.length, of: edition.there_are })),
    el("ul", { class: "cards" }, stacks.map((stack) =>
      el("li", {}, cardButton(stack.cards[0], { count: stack.cards.length, actions })))));
}
