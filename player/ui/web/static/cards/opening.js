import { el, put } from "../dom.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";

/** A pack that has just been bought: its cards lie face down, and are turned one by one, or all at once. */
export function opening(cards, actions) {
  const places = cards.map((card) => {
    const place = el("li");
    const turn = (focus) => {
      put(place, cardButton(card, { actions }));
      if (focus) place.firstChild.focus();
    };
    return { place: put(place, el("button", { class: "card back", onclick: () => turn(true) }, el("span", { class: "sr" }, t("cardpage.pack.turn")))), turn };
  });
  const all = el("button", { onclick: () => places.forEach(({ turn }, at) => turn(at === 0)) }, t("cardpage.pack.all"));
  return el("section", { class: "panel pack" }, el("h2", {}, t("cardpage.pack")), el("ul", { class: "cards" }, places.map(({ place }) => place)), all);
}
