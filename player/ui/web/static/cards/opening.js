import { pieceFace } from "../boards/pieces.js";
import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";

const turned = new Set(); // ids of cards that lie face up already, also when the page comes back to them
const torn = new Set(); // ids of cards whose wrapper is off
const firsts = new Map(); // by type: the id of the card that was turned first, if the person had none of the type

/** The back of a card, as in a match. */
function reverse() {
  const drawn = pieceFace(null);
  drawn.classList.remove("card"); // which is a button here
  return el("span", { class: "face reverse" }, drawn);
}

/** Packs that have just been bought: each is opened, and its cards lie face down, to be turned one by one; or all at once.
 * `packs`: the numbers of cards in them; `owned`: how many copies of each type the person has now, by the type's id;
 * `onTurn(id)` is called for each card that is turned. */
export function opening(cards, actions, { packs = [cards.length], owned = new Map(), onTurn = () => {} } = {}) {
  const here = new Map();
  for (const { type } of cards) here.set(type, (here.get(type) ?? 0) + 1);
  const fresh = ({ type }) => owned.has(type) && owned.get(type) <= here.get(type);
  const open = () => {
    for (const { tear } of sealed) tear();
    places.forEach(({ turn }, at) => turn(at === 0));
  };
  const all = el("button", { onclick: open }, t("cardpage.pack.all"));
  const places = cards.map((card) => {
    const place = el("li");
    const front = () => {
      const isNew = fresh(card) && firsts.get(card.type) === card.id;
      return [cardButton(card, { numbered: true, actions }), fresh(card) && el("span", { class: isNew ? "good" : "unseen" }, t("cardpage.pack.new"))];
    };
    const turn = (focus) => {
      turned.add(card.id);
      if (fresh(card) && !firsts.has(card.type)) firsts.set(card.type, card.id);
      onTurn(card.id);
      put(place, front());
      if (focus) place.firstChild.focus();
      all.hidden = cards.every(({ id }) => turned.has(id));
    };
    // what stands below a card has its room already, so that nothing moves when it is turned
    const [button, below] = front();
    const back = el("button", { class: "card", onclick: () => turn(true) },
      reverse(), el("span", { class: "sr" }, t("cardpage.pack.turn")),
      [...button.childNodes].slice(1).map((node) => (node.classList.add("unseen"), node)));
    below?.classList.replace("good", "unseen");
    return { place: put(place, back, below), turn, card };
  });
  for (const { card, turn } of places) if (turned.has(card.id)) turn(false);
  let from = 0;
  const sealed = packs.map((size, at) => {
    const some = places.slice(from, (from += size));
    const list = el("ul", { class: "cards" }, some.map(({ place }) => place));
    const tear = () => {
      for (const { card } of some) torn.add(card.id);
      show(true);
    };
    const number = packs.length > 1 && t("cardpage.pack.number", { number: at + 1 });
    const title = el("h3", {}, number);
    const wrapper = el("button", { class: "wrapper", onclick: () => (tear(), list.querySelector("button").focus()) },
      el("b", {}, some[0] && theirs(some[0].card.edition)), el("span", {}, t("cardpage.pack.open")), number && el("span", {}, number));
    const show = (open) => {
      wrapper.hidden = open;
      list.hidden = !open;
      title.hidden = !open || !number;
    };
    show(some.some(({ card }) => torn.has(card.id) || turned.has(card.id)));
    return { tear, node: el("div", { class: "one" }, title, wrapper, list) };
  });
  return el("section", { class: "panel pack" }, el("h2", {}, t(packs.length > 1 ? "cardpage.packs" : "cardpage.pack")), el("div", { class: "packs" }, sealed.map(({ node }) => node)), all);
}
