import { el, put } from "../dom.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";

const turned = new Set(); // ids of cards that lie face up already, also when the page comes back to them

/** Packs that have just been bought: their cards lie face down, and are turned one by one, or all at once. `packs`: the
 * numbers of cards in them; `owned`: how many copies of each type the person has now, by the type's id; `onTurn(id)` is
 * called for each card that is turned. */
export function opening(cards, actions, { packs = [cards.length], owned = new Map(), onTurn = () => {} } = {}) {
  const here = new Map();
  for (const { type } of cards) here.set(type, (here.get(type) ?? 0) + 1);
  const fresh = ({ type }) => owned.has(type) && owned.get(type) <= here.get(type);
  const all = el("button", { onclick: () => places.forEach(({ turn }, at) => turn(at === 0)) }, t("cardpage.pack.all"));
  const places = cards.map((card) => {
    const place = el("li");
    const turn = (focus) => {
      turned.add(card.id);
      onTurn(card.id);
      put(place, cardButton(card, { numbered: true, actions }), fresh(card) && el("span", { class: "good" }, t("cardpage.pack.new")));
      if (focus) place.firstChild.focus();
      all.hidden = cards.every(({ id }) => turned.has(id));
    };
    const back = () => el("button", { class: "card", onclick: () => turn(true) },
      el("span", { class: "face back" }), el("span", { class: "caption sr" }, t("cardpage.pack.turn")));
    return { place: put(place, back()), turn, card };
  });
  for (const { card, turn } of places) if (turned.has(card.id)) turn(false);
  let from = 0;
  const heap = (size, at) => {
    const some = places.slice(from, (from += size));
    return [packs.length > 1 && el("h3", {}, t("cardpage.pack.number", { number: at + 1 })), el("ul", { class: "cards" }, some.map(({ place }) => place))];
  };
  return el("section", { class: "panel pack" }, el("h2", {}, t("cardpage.pack")), packs.map(heap), all);
}
