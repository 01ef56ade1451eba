import { el, put, theirs } from "../dom.js";
import { dialog } from "../match/dialog.js";
import { t } from "../words.js";
import { face } from "./faces.js";
import { firmness, maker, person, state } from "./marks.js";
import { cardHistory } from "./trades.js";

/** Everything that is known here of a card, in a dialog; `actions.details(id)` fetches it. `copies`: the own copies of
 * its type; `around`: the ids of the cards beside it, in the order of the page. */
export async function showCard(id, actions, { copies = [], around = [] } = {}) {
  const body = el("div");
  const node = dialog("cardpage.card", body);
  put(body, await content(id, actions, { copies, around }, turn));
  async function turn(next) {
    const found = next.copies ? next : { ...next, copies };
    put(body, await content(found.id, actions, { copies: found.copies, around }, turn));
    body.querySelector(`[data-to="${found.by ?? "copy"}"]`)?.focus();
  }
  node.classList.add("album");
  document.body.append(node);
  node.addEventListener("close", () => node.remove());
  node.showModal();
}

async function content(id, actions, { copies, around }, turn) {
  const { card, trades, note, printed } = await actions.details(id);
  const failed = (work) => work.catch(actions.failed);
  const row = (label, ...value) => [el("dt", {}, label), el("dd", {}, ...value)];
  const at = around.findIndex((stack) => stack.includes(id));
  const beside = (step, by, words) => {
    const next = around[at + step];
    return at >= 0 && around.length > 1 && el("button", { "data-to": by, disabled: !next, onclick: () => failed(turn({ id: next[0], copies: next, by })) }, words);
  };
  const trusts = (mark) => actions.trust(card.creator.fingerprint, mark).then(() => failed(turn({ id, by: "trust" })));
  const other = { trusted: ["unmarked", "cardpage.trust.take"], unmarked: ["trusted", "cardpage.trust.give"], distrusted: ["unmarked", "cardpage.trust.take"] }[card.creator.mark];
  const words = { "cardpage.trust.take": () => t("cardpage.trust.take"), "cardpage.trust.give": () => t("cardpage.trust.give") };
  return [
    el("p", { class: "row wrap" }, beside(-1, "before", t("cardpage.card.before")), beside(1, "after", t("cardpage.card.after"))),
    el("div", { class: "large" },
      el("div", {}, face(card)),
      el("div", {},
        el("h3", { dir: "auto" }, card.name),
        note && el("p", { class: "muted" }, note),
        card.text && el("p", { dir: "auto" }, card.text),
        el("dl", {},
          card.values.map(([key, value]) => row(theirs(key), theirs(String(value)))),
          row(t("cardpage.card.edition"), theirs(card.edition)),
          row(t("cardpage.card.number"), printed ? t("cardpage.card.number_of", { number: card.serial, count: printed }) : `${card.serial}`),
          copies.length > 1 && row(t("cardpage.card.copies"), choose(copies, id, (one) => failed(turn({ id: one, by: "copy" })), actions)),
          row(t("cardpage.card.creator"), person(card.creator), card.creator.mark === "unmarked" && !card.creator.you && el("span", { class: "muted" }, " ", t("cardpage.card.unmarked"))),
          row(t("cardpage.card.owner"), card.owner ? person(card.owner) : t("cardpage.nobody")),
          row(t("cardpage.card.state"), state(card), " ", el("span", { class: "muted" }, STATE[firmness(card)]())),
          row(t("cardpage.card.type"), t(card.frozen ? "cardpage.card.frozen" : "cardpage.card.revision", { revision: card.revision })),
          row(t("cardpage.card.id"), el("code", {}, card.id))),
        el("p", { class: "row wrap" },
          !card.creator.you && el("button", { "data-to": "trust", onclick: () => trusts(other[0]) }, words[other[1]]()),
          card.owner?.you && el("button", { onclick: (event) => leave(event, actions, "decks") }, t("cardpage.card.to_deck")),
          card.owner?.you && el("button", { onclick: (event) => leave(event, actions, "trade") }, t("cardpage.card.to_trade"))))),
    el("h3", {}, t("cardpage.card.history")),
    cardHistory(card, trades),
    el("p", { class: "muted" }, t("cardpage.known")),
  ];
}

const STATE = {
  settled: () => t("cardpage.state.settled.about"),
  held: () => t("cardpage.state.held.about"),
  reserved: () => t("cardpage.state.reserved.about"),
  burnt: () => t("cardpage.state.burnt.about"),
  never: () => t("cardpage.state.never.about"),
};

function leave(event, actions, view) {
  event.target.closest("dialog").close();
  actions.open(view);
}

/** The copies of a type, to choose one from. */
const choose = (copies, id, turn) =>
  el("span", { class: "row wrap" }, copies.map((one, at) =>
    el("button", { "data-to": one === id ? "copy" : null, "aria-current": one === id ? "true" : null, onclick: () => turn(one) }, t("cardpage.card.copy", { number: at + 1 }))));

/** A card to press, which opens it or, with `press`, does that. `copies`: the ids of all copies that it stands for;
 * `around`: what lies beside it, as lists of copies; `numbered`: with its serial number. */
export function cardButton(card, { copies = [card.id], around = [], numbered = false, press, pressed, actions }) {
  const button = el("button", {
    type: "button", // in a form it sends nothing
    class: "card",
    "data-card": card.id,
    "aria-pressed": press ? String(Boolean(pressed)) : null,
    onclick: () => (press ? press(card) : showCard(card.id, actions, { copies, around }).catch(actions.failed)),
  });
  return put(button,
    face(card),
    el("span", { class: "caption" }, el("span", { dir: "auto" }, card.name), numbered && el("span", { class: "count" }, ` #${card.serial}`), copies.length > 1 && el("span", { class: "count" }, ` ×${copies.length}`)),
    card.creator && maker(card.creator),
    firmness(card) !== "never" && state(card)); // the set says that once, above its cards
}
