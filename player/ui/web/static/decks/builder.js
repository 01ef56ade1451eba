import { el, put, theirs } from "../dom.js";
import { sure } from "../match/dialog.js";
import { t } from "../words.js";
import { pool } from "./pool.js";
import { rulesTitle } from "./making.js";
import { rows } from "./rows.js";

const MOST_BARS = 20; // different values that are worth counting

/** One deck: what is in it, what could be, and what speaks against it, which is asked anew after every change. `play` plays it against bots, `invite` against people. */
export function builder(act, play, invite) {
  let deck = null;
  const does = (what, more) => act({ do: what, name: deck.name, ...more }, more?.to ?? deck.name);
  const said = el("div", { class: "verdict", role: "status" });
  const inside = rows((id) => does("take", { id }));
  const outside = pool((id) => does("put", { id }));
  const about = terms(does);
  const start = el("div", { class: "row wrap" });
  const why = el("div", {});
  const node = el("div", {},
    el("section", { class: "panel", "aria-label": t("cardpage.deck") }, about.node),
    el("div", { class: "trays" },
      el("section", { class: "panel inside", "aria-label": t("cardpage.deck.in") }, said, start, el("h3", {}, t("cardpage.deck.in")), inside.node, why),
      el("section", { class: "panel", "aria-label": t("cardpage.deck.from") }, el("h2", {}, t("cardpage.deck.from")), outside.node)));
  return {
    node,
    /** `plays`: it can be played from here; `invites`: at a table that is opened from here. */
    draw(shown, rules, binder, { plays, invites }) {
      deck = shown;
      const fits = (plays || invites) && deck.cards.length > 0 && deck.legal && rules.some(({ name, own }) => name === deck.rules && !own);
      put(said, el("h2", {}, theirs(deck.name)), verdict(deck));
      put(start, deck.owned && !deck.legal && el("button", { onclick: () => does("fill") }, t("cardpage.deck.fill")), fits && [
        plays && el("button", { class: "primary", onclick: () => play(deck.rules, deck.name) }, t("cardpage.deck.play")),
        invites && deck.owned && el("button", { onclick: () => invite(deck.rules, deck.name) }, t("cardpage.deck.invite"))]);
      put(why, fits && [
        plays && el("p", { class: "muted" }, t("cardpage.deck.play.copies")),
        invites && deck.owned && el("p", { class: "muted" }, t("cardpage.deck.invite.about"))]);
      about.draw(deck, rules);
      inside.draw(deck.cards);
      outside.draw(deck, rules, binder);
    },
  };
}

function verdict({ count, cards, objections, legal }) {
  const wrong = cards.filter((card) => card.wrong).length;
  return [
    el("p", {}, t("cardpage.deck.count", { count }), legal ? el("span", { class: "good" }, " ✓ ", t("cardpage.deck.legal")) : el("span", { class: "bad" }, " ✗ ", t("cardpage.deck.illegal"))),
    wrong > 0 && el("p", { class: "bad" }, t("cardpage.deck.wrong", { count: wrong })),
    cards.length > 0 && curve(cards),
    objections.length > 0 && el("ul", { class: "bad objections", tabindex: "0", "aria-label": t("cardpage.deck.objections") }, objections.map((text) => el("li", {}, theirs(text)))),
  ];
}

/** How many cards a deck has of each number and of each word on its cards. */
function curve(cards) {
  const counts = new Map();
  for (const { values, count } of cards) {
    for (const [key, value] of values) {
      const of = counts.get(key) ?? counts.set(key, new Map()).get(key);
      of.set(value, (of.get(value) ?? 0) + count);
    }
  }
  const order = ([a], [b]) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const rows = [...counts].filter(([, of]) => of.size <= MOST_BARS);
  return rows.length > 0 && el("details", {}, el("summary", {}, t("cardpage.deck.curve")),
    el("dl", {}, rows.map(([key, of]) => [el("dt", {}, theirs(key)), el("dd", {}, [...of].sort(order).map(([value, count], at) => [at > 0 && " · ", theirs(String(value)), ` ×${count}`]))])));
}

/** For which rules it is, what it is called, and an end to it. */
function terms(does) {
  const rules = el("select", { id: "deck-rules", onchange: () => does("rules", { rules: rules.value }) });
  const name = el("input", { id: "deck-name", required: true, maxlength: 24, autocomplete: "off" });
  const rename = (event) => {
    event.preventDefault();
    does("rename", { to: name.value.trim() });
  };
  const end = async () => (await sure("cardpage.deck.delete", "cardpage.deck.delete.sure", "cardpage.deck.delete")) && does("delete");
  let called = null;
  return {
    node: el("div", { class: "row wrap" },
      el("label", { for: rules.id }, t("cardpage.deck.rules")), rules,
      el("form", { class: "row wrap", onsubmit: rename },
        el("label", { for: name.id }, t("cardpage.deck.name")), name, el("button", {}, t("cardpage.deck.rename"))),
      el("button", { class: "danger", onclick: end }, t("cardpage.deck.delete"))),
    draw(deck, known) {
      const titles = new Map([[deck.rules, deck.rules], ...known.map((one) => [one.name, rulesTitle(one)])]);
      put(rules, [...titles].map(([one, title]) => el("option", { value: one, selected: one === deck.rules }, title)));
      if (called !== deck.name) name.value = called = deck.name;
    },
  };
}
