import { el, put } from "../dom.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";

const ENOUGH = 10; // own cards of which one makes a deck

/** What rules are called in a list. */
export const rulesTitle = ({ name, title, own }) => (own ? t("cardpage.deck.rules.own", { title }) : gameName(name));

/** A form for a new deck; `act(wish)` makes it. */
export function making(act) {
  const name = el("input", { id: "deck-new", required: true, maxlength: 24, autocomplete: "off" });
  const rules = el("select", { id: "deck-new-rules" });
  const of = el("select", { id: "deck-new-of" },
    el("option", { value: "own" }, t("cardpage.deck.of.own")),
    el("option", { value: "rules" }, t("cardpage.deck.of.rules")));
  const make = (event) => {
    event.preventDefault();
    act({ do: "new", name: name.value.trim(), rules: rules.value, owned: of.value === "own" }).then((made) => {
      if (!made) return name.focus(); // the name stays, to be changed
      name.value = "";
      node.open = false;
    });
  };
  const field = (label, input) => el("p", { class: "row wrap" }, el("label", { for: input.id }, label), input);
  const node = el("details", { class: "panel" }, el("summary", {}, t("cardpage.deck.new")),
    el("form", { onsubmit: make },
      field(t("cardpage.deck.name"), name),
      field(t("cardpage.deck.rules"), rules),
      field(t("cardpage.deck.of"), of),
      el("button", { class: "primary" }, t("cardpage.deck.make"))));
  let drawn = "", few = null;
  return {
    node,
    /** `any`: there is a deck; `cards`: the number of own cards. */
    draw(known, any, cards) {
      if (cards < ENOUGH !== few) of.value = cards < ENOUGH ? "rules" : "own";
      few = cards < ENOUGH;
      if (!any) node.open = true;
      const names = known.map((one) => one.name);
      if (names.join() === drawn) return;
      drawn = names.join();
      put(rules, known.map((one) => el("option", { value: one.name }, rulesTitle(one))));
    },
  };
}
