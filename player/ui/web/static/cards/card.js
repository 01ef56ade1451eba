import { el, put, theirs } from "../dom.js";
import { dialog } from "../match/dialog.js";
import { t } from "../words.js";
import { face } from "./faces.js";
import { person, state } from "./marks.js";
import { tradeRow } from "./trades.js";

/** Everything that is known here of a card, in a dialog; `actions.details(id)` fetches it. */
export async function showCard(id, actions) {
  const { card, trades, note } = await actions.details(id);
  const row = (label, ...value) => [el("dt", {}, label), el("dd", {}, ...value)];
  const node = dialog(
    "cardpage.card",
    el("div", { class: "large" },
      face(card),
      el("div", {},
        el("h3", { dir: "auto" }, card.name),
        note && el("p", { class: "muted" }, note),
        card.text && el("p", { dir: "auto" }, card.text),
        el("dl", {},
          card.values.map(([key, value]) => row(theirs(key), theirs(String(value)))),
          row(t("cardpage.card.edition"), theirs(card.edition)),
          row(t("cardpage.card.number"), `${card.serial}`),
          row(t("cardpage.card.creator"), person(card.creator), card.creator.mark === "unmarked" && !card.creator.you && el("span", { class: "muted" }, " ", t("cardpage.card.unmarked"))),
          row(t("cardpage.card.owner"), card.owner ? person(card.owner) : t("cardpage.nobody")),
          row(t("cardpage.card.state"), state(card.state)),
          row(t("cardpage.card.type"), t(card.frozen ? "cardpage.card.frozen" : "cardpage.card.revision", { revision: card.revision })),
          row(t("cardpage.card.id"), el("code", {}, card.id))))),
    el("h3", {}, t("cardpage.card.history")),
    el("ol", { class: "history" }, trades.map(tradeRow)),
    el("p", { class: "muted" }, t("cardpage.known")),
  );
  node.classList.add("album");
  document.body.append(node);
  node.addEventListener("close", () => node.remove());
  node.showModal();
}

/** A card to press, which opens it or, with `press`, does that; `count`: of how many copies it is the first. */
export function cardButton(card, { count = 1, press, pressed, actions }) {
  const button = el("button", {
    type: "button", // in a form it sends nothing
    class: "card",
    "data-card": card.id,
    "aria-pressed": press ? String(Boolean(pressed)) : null,
    onclick: () => (press ? press(card) : showCard(card.id, actions).catch(actions.failed)),
  });
  return put(button,
    face(card),
    el("span", { class: "caption" }, el("span", { dir: "auto" }, card.name), count > 1 && el("span", { class: "count" }, ` ×${count}`)),
    state(card.state));
}
