import { el, put, theirs } from "../dom.js";
import { ways } from "../lobby/invite.js";
import { sure } from "../match/dialog.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";
import { grouped, person } from "./marks.js";
import { proposal } from "./proposal.js";
import { matches } from "./search.js";
import { talk } from "./talk.js";
import { names, tradeRow } from "./trades.js";

/** The trade window: how two meet, what each lays on the table, and what is about to be signed. */
export function tradeView(actions) {
  const meeting = meet(actions);
  const table = tray(actions);
  const say = (text) => actions.trade({ do: "say", text });
  const said = talk(say);
  const wishes = wishing(actions, say);
  const status = el("p", { role: "status" });
  const asked = el("div");
  const got = el("div");
  const compared = el("details", { class: "panel" });
  const unfinished = pending(actions);
  const exit = el("button", { class: "quiet", onclick: () => leave(actions) }, t("cardpage.trade.exit"));
  const again = el("button", { class: "primary", onclick: () => actions.trade({ do: "meet" }) }, t("cardpage.meet.again"));
  const through = el("p", { class: "muted" });
  const partner = el("p");
  let shown = "", received = "", named = "";
  return {
    node: el("section", { "aria-label": t("cardpage.trade") }, status, meeting.node, through, partner, compared, asked, got, table.node, wishes.node, said.node, again, exit, unfinished.node),
    async draw({ trade, known, calls }) {
      const met = Boolean(trade?.partner);
      status.textContent = trade?.status ?? "";
      meeting.draw(trade, calls);
      exit.hidden = !trade;
      again.hidden = !trade?.can.includes("meet");
      through.textContent = trade?.through;
      for (const node of [table.node, wishes.node, said.node, partner, compared]) node.hidden = !met;
      const own = await unfinished.draw(`${known} ${Boolean(trade)}`);
      const who = JSON.stringify([trade?.partner, trade?.name]);
      if (who !== named) {
        compared.open = false;
        put(partner, met && [t("cardpage.trade.partner"), " ", ...called(trade)]);
        put(compared, met && comparison(own, trade.partner));
      }
      named = who;
      const now = JSON.stringify([trade?.proposal, trade?.asked, trade?.can]);
      if (now !== shown) put(asked, trade?.proposal && proposal(trade, actions));
      shown = now;
      const cards = JSON.stringify(trade?.got ?? []);
      if (cards !== received) put(got, trade?.got.length > 0 && receipt(trade.got, actions));
      received = cards;
      said.draw(trade?.said ?? []);
      if (!met) return;
      await table.draw(trade, known);
      await wishes.draw(trade, known);
    },
  };
}

/** The partner: by name alone if nothing is known of them, else with all that is. */
function called({ partner, name }) {
  if (!partner.name && name && !partner.alarms && partner.mark === "unmarked") return [theirs(name), " ", el("span", { class: "muted" }, t("cardpage.trade.stranger"))];
  return [person(partner), name && name !== partner.name && ["; ", el("bdi", {}, t("cardpage.trade.called", { name }))]];
}

/** What one would like: any card, asked for in words, or one that is known here to be the partner's, by a press. */
function wishing(actions, say) {
  const field = el("input", { id: "trade-wish", autocomplete: "off", list: "trade-kinds", maxlength: 80 });
  const kinds = el("datalist", { id: "trade-kinds" });
  const list = el("ul", { class: "cards" });
  const ask = (event) => {
    event.preventDefault();
    if (field.value.trim()) say(t("cardpage.trade.like", { card: field.value.trim() }));
    field.value = "";
  };
  const known = el("div", {}, el("p", { class: "muted" }, t("cardpage.trade.theirs")), list);
  let drawn = "";
  return {
    node: el("section", { class: "panel" }, el("h2", {}, t("cardpage.trade.wish")),
      el("form", { class: "row wrap", onsubmit: ask }, el("label", { for: field.id }, t("cardpage.trade.wish.which")), field, kinds, el("button", {}, t("cardpage.trade.wish.ask"))), known),
    async draw({ wants, gets, can }, state) {
      const now = JSON.stringify([state, wants, gets, can]);
      if (now === drawn) return;
      drawn = now;
      const [{ cards }, { editions }] = await Promise.all([actions.theirs(), actions.binder()]);
      const all = editions.flatMap(({ stacks, missing }) => [...stacks.map(({ cards: [one] }) => one.name), ...missing]);
      put(kinds, [...new Set(all)].sort().map((value) => el("option", { value })));
      const press = can.includes("lay") && (({ id }) => actions.trade({ do: "want", id }));
      const asked = new Set(wants.map(({ id }) => id));
      const free = cards.filter(({ id }) => !gets.some((one) => one.id === id));
      known.hidden = !free.length;
      put(list, free.map((card) => el("li", {}, cardButton(card, { press, pressed: asked.has(card.id), numbered: true, actions }))));
    },
  };
}

/** The cards that the trade has brought. */
const receipt = (cards, actions) =>
  el("section", { class: "panel got" }, el("h2", {}, t("cardpage.trade.got")),
    el("ul", { class: "cards" }, cards.map((card) => el("li", {}, cardButton(card, { numbered: true, actions })))));

/** How the two make sure that nobody stands between them. */
const comparison = (own, partner) => [
  el("summary", {}, t("cardpage.trade.compare")),
  el("p", {}, t("cardpage.trade.compare.how")),
  el("dl", {},
    el("dt", {}, t("cardpage.trade.compare.own")), el("dd", {}, el("code", {}, grouped(own))),
    el("dt", {}, t("cardpage.trade.compare.theirs")), el("dd", {}, el("code", {}, grouped(partner.fingerprint)))),
];

/** Trades that only this person has signed: their cards are reserved until the other one answers. Below them, the newest finished ones. */
function pending(actions) {
  const waiting = el("section", { class: "panel", hidden: true });
  const past = el("details", { class: "panel past", hidden: true });
  const node = el("div", {}, waiting, past);
  let drawn = null, own = Promise.resolve("");
  const row = ({ partner, gives, gets }) =>
    el("li", {}, person(partner), ": ", t("cardpage.trade.pending.gives"), " ", names(gives), ", ", t("cardpage.trade.pending.gets"), " ", names(gets));
  const fill = (found) => {
    past.hidden = !found.past.length;
    put(past, el("summary", {}, t("cardpage.trade.past", { count: found.past.length })), el("ul", {}, found.past.map(tradeRow)));
    waiting.hidden = !found.trades.length;
    put(waiting, el("h2", {}, t("cardpage.trade.pending")), el("p", {}, t("cardpage.trade.pending.about")), el("ul", {}, found.trades.map(row)));
    return found.own;
  };
  return {
    node,
    /** `state` changes whenever the list may have; returns the own fingerprint. */
    draw(state) {
      if (state !== drawn) own = actions.unfinished().then(fill);
      drawn = state;
      return own;
    },
  };
}

const leave = async (actions) =>
  (await sure("cardpage.trade.exit", "cardpage.trade.exit.sure", "cardpage.trade.exit")) && actions.trade({ do: "exit" });

/** Two ways to meet: a link of one's own, or somebody else's. A tab has neither. */
function meet(actions) {
  const field = el("input", { id: "trade-link", autocomplete: "off", spellcheck: "false" });
  const own = el("div", { class: "invite" });
  const call = (event) => {
    event.preventDefault();
    actions.trade({ do: "call", link: field.value.trim() });
  };
  const begin = el("div", {},
    el("p", {}, t("cardpage.trade.about")),
    el("button", { class: "primary", onclick: () => actions.trade({ do: "listen" }) }, t("cardpage.trade.listen")),
    el("form", { onsubmit: call, class: "row wrap" },
      el("label", { for: field.id }, t("cardpage.trade.link")), field,
      el("button", {}, t("cardpage.trade.call"))));
  const away = el("p", {}, t("cardpage.trade.tab"));
  let link = null;
  return {
    node: el("div", { class: "panel" }, begin, away, own),
    draw(trade, calls) {
      this.node.hidden = Boolean(trade?.partner || trade?.through);
      begin.hidden = Boolean(trade) || !calls;
      away.hidden = Boolean(trade) || calls;
      if ((trade?.link ?? null) === link) return;
      link = trade?.link ?? null;
      const invite = ({ qr, note }) => put(own, el("p", {}, t("cardpage.trade.give_link")), ways(link, qr, el("p", { class: "muted" }, note)));
      if (link) actions.invitation().then(invite, actions.failed);
      else put(own);
    },
  };
}

/** Own cards in a row of types; the copy to give is chosen by its number. */
function stacked(cards, press, actions) {
  const kinds = new Map();
  for (const card of cards) kinds.set(card.type, [...(kinds.get(card.type) ?? []), card]);
  return [...kinds.values()].map((copies) => {
    const [card] = copies;
    const which = el("select", { "aria-label": t("cardpage.trade.copy", { name: card.name }) }, copies.map(({ id, serial }) => el("option", { value: id }, `#${serial}`)));
    const lay = () => press(copies.find(({ id }) => id === which.value));
    return { card, node: el("li", {}, cardButton(card, { press: lay, numbered: copies.length === 1, actions }), copies.length > 1 && el("p", { class: "row" }, which, el("span", { class: "muted" }, t("cardpage.trade.copies", { count: copies.length })))) };
  });
}

/** What both have laid down, and one's own cards to choose from. */
function tray(actions) {
  const columns = { gives: el("ul", { class: "cards" }), gets: el("ul", { class: "cards" }), own: el("ul", { class: "cards" }), wanted: el("ul", { class: "cards" }) };
  const propose = el("button", { class: "primary", onclick: () => actions.trade({ do: "propose" }) }, t("cardpage.trade.propose"));
  let drawn = "", given = [];
  const toggle = ({ id }) => actions.trade({ do: given.includes(id) ? "back" : "lay", id });
  const fill = (list, cards, press) => {
    const one = (card) => el("li", {}, cardButton(card, { press, pressed: press && given.includes(card.id), numbered: true, actions }));
    put(list, cards.length ? cards.map(one) : el("li", { class: "muted" }, t("cardpage.nothing")));
  };
  const part = (key, ...content) => el("section", { class: "panel" }, el("h2", {}, t(key)), ...content);
  const field = el("input", { id: "trade-find", type: "search", autocomplete: "off", oninput: () => narrow() });
  let stacks = [];
  const narrow = () => stacks.forEach(({ node, card }) => (node.hidden = !matches(card, field.value)));
  const own = part("cardpage.trade.own", el("p", {}, el("label", { for: field.id }, t("cardpage.binder.find")), " ", field), columns.own);
  const wish = part("cardpage.trade.wanted", columns.wanted);
  return {
    node: el("div", {}, wish,
      el("div", { class: "trays" }, part("cardpage.trade.gives", columns.gives), part("cardpage.trade.gets", columns.gets)),
      propose, own),
    async draw({ gives, gets, wanted, can }, known) {
      const now = JSON.stringify([gives, gets, wanted, can, known]);
      if (now === drawn) return;
      drawn = now;
      given = gives.map(({ id }) => id);
      const focused = document.activeElement?.dataset?.card;
      const may = can.includes("lay");
      const { editions } = await actions.binder();
      const mine = editions.flatMap(({ stacks }) => stacks.flatMap(({ cards }) => cards)).filter(({ state }) => state !== "burnt");
      fill(columns.gives, gives, may && toggle);
      fill(columns.gets, gets);
      const asked = wanted.filter(({ id, owner }) => owner?.you && !given.includes(id));
      wish.hidden = !asked.length;
      fill(columns.wanted, asked, may && toggle);
      stacks = stacked(mine.filter(({ id }) => !given.includes(id)), toggle, actions);
      put(columns.own, stacks.length ? stacks.map(({ node }) => node) : el("li", { class: "muted" }, t("cardpage.nothing")));
      narrow();
      own.hidden = !may;
      propose.hidden = !can.includes("propose");
      if (focused) this.node.querySelector(`[data-card="${focused}"]`)?.focus();
    },
  };
}
