import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { cardButton } from "./card.js";
import { face } from "./faces.js";
import { person } from "./marks.js";
import { opening } from "./opening.js";

/** Shops: those of earlier visits, one by its link, what it sells, and the packs that are bought there. */
export function shopsView(actions) {
  const field = el("input", { id: "shop-link", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const look = (link) => actions.shop({ do: "look", link });
  const form = el("form", { class: "panel", onsubmit: (event) => (event.preventDefault(), look(field.value.trim())) },
    el("p", {}, t("cardpage.shops.about")),
    el("label", { for: field.id }, t("cardpage.shops.link")),
    el("p", { class: "row" }, field, el("button", { class: "primary" }, t("cardpage.shops.look"))));
  const away = el("p", { class: "panel" }, t("cardpage.shops.tab"));
  const owed = el("section", { class: "panel alarm", hidden: true });
  const known = el("section", { class: "panel" });
  const counter = shop(actions);
  let listed = "";
  return {
    node: el("section", { class: "shops", "aria-label": t("cardpage.shops") }, away, owed, counter.node, form, known),
    async draw({ shop: window, known: state, calls }) {
      await counter.draw(window);
      away.hidden = calls;
      form.hidden = known.hidden = Boolean(window) || !calls;
      const now = JSON.stringify([state, window?.link, window?.running]);
      if (now === listed) return;
      listed = now;
      const { shops, unanswered } = await actions.shops();
      owed.hidden = !unanswered.length || Boolean(window?.running);
      put(owed, el("h2", {}, t("cardpage.shops.owed")), el("p", {}, t("cardpage.shops.owed.about")),
        el("ul", {}, unanswered.map((one) => debt(one, look))));
      put(known, el("h2", {}, t("cardpage.shops.known")),
        shops.length ? el("ul", {}, shops.map((one) => visited(one, look, actions))) : el("p", { class: "muted" }, t("cardpage.shops.none")));
    },
  };
}

/** A purchase that its shop has not answered, and the way to ask for the answer. */
const debt = ({ creator, link, pays }, look) =>
  el("li", { class: "row wrap" },
    person(creator),
    pays.length > 0 && el("span", {}, t("cardpage.shops.owed.pays"), " ", pays.map((card, at) => [at > 0 && ", ", theirs(card.name)])),
    link ? el("button", { class: "primary", onclick: () => look(link) }, t("cardpage.shops.owed.ask")) : el("span", { class: "muted" }, t("cardpage.shops.owed.no_link")));

const visited = ({ key, link, address, creator }, look, actions) => {
  const name = creator?.name || address;
  return el("li", { class: "row wrap" },
    creator ? person(creator) : el("bdi", {}, address),
    el("button", { "aria-label": t("cardpage.shops.look.at", { name }), onclick: () => look(link) }, t("cardpage.shops.look")),
    el("button", { class: "quiet", "aria-label": t("cardpage.shops.forget.at", { name }), onclick: () => actions.shop({ do: "forget", key }) }, t("cardpage.shops.forget")));
};

/** The open shop: how far the visit is, what went wrong, what is on sale, and the cards that have come. */
function shop(actions) {
  const title = el("h2");
  const status = el("p", { role: "status" });
  const progress = el("progress", { "aria-label": t("cardpage.shops.progress") });
  const notes = el("div", { role: "alert" });
  const opened = el("div");
  const runs = el("div");
  const leave = el("button", { class: "quiet", onclick: () => actions.shop({ do: "leave" }) }, t("cardpage.shops.leave"));
  const again = el("button", { onclick: () => actions.shop({ do: "look", link: at }) }, t("cardpage.shops.again"));
  let at = "", drawn = "", unpacked = "", warned = "", titled = "";
  const node = el("section", { class: "panel", hidden: true }, title, status, progress, notes, opened, runs, el("p", { class: "row wrap" }, again, leave));
  return {
    node,
    async draw(window) {
      node.hidden = !window;
      if (!window) return;
      const { link, creator, running, buying, done, steps } = window;
      at = link;
      const named = JSON.stringify([link, creator]);
      if (named !== titled) put(title, creator ? [t("cardpage.shops.of"), " ", person(creator)] : t("cardpage.shops.calling"));
      titled = named;
      status.textContent = window.status ?? "";
      Object.assign(progress, { max: steps, value: Math.min(done, steps), hidden: !running });
      const wrong = JSON.stringify(window.notes);
      if (wrong !== warned) put(notes, window.notes.map((note) => el("p", { class: "bad" }, note)));
      warned = wrong;
      leave.hidden = buying;
      again.hidden = running;
      const pack = JSON.stringify(window.opened.map(({ id }) => id));
      if (pack !== unpacked) put(opened, window.opened.length > 0 && opening(window.opened, actions, { packs: packsOf(window), owned: ownedOf(await actions.binder()) }));
      unpacked = pack;
      const now = JSON.stringify([link, window.runs]);
      if (now === drawn) return;
      drawn = now;
      const mine = window.runs.some(({ price }) => price > 0) ? cardsOf(creator, await actions.binder()) : [];
      put(runs, window.runs.map((run) => sale(run, mine, actions)));
    },
  };
}

/** The sizes of the packs that are shown: in one heap while records of some cards are missing. */
const packsOf = ({ packs, opened }) => (packs.reduce((sum, size) => sum + size, 0) === opened.length ? packs : [opened.length]);

/** How many copies of each type the person has, by the id of the type. */
const ownedOf = ({ editions }) => new Map(editions.flatMap(({ stacks }) => stacks.map(({ type, cards }) => [type, cards.length])));

/** The own cards of a creator with which one can pay. */
const cardsOf = (creator, { editions }) =>
  editions.filter((page) => page.creator.fingerprint === creator.fingerprint)
    .flatMap(({ stacks }) => stacks.flatMap(({ cards }) => cards)).filter(({ state }) => state === "held" || state === "settled");

/** A run on sale: how many packs, the cards that are paid with, and a button that buys. */
function sale({ run, edition, number, unsold, most, packs, size, price, cards, contents }, mine, actions) {
  const id = `packs-${run}`;
  const paid = new Set();
  const count = el("input", { id, type: "number", min: 1, max: most, value: 1, required: true, oninput: () => check() });
  const buy = el("button", { class: "primary" }, t("cardpage.shops.buy"));
  const due = el("p", { role: "status" });
  const list = el("ul", { class: "cards" });
  const toggle = ({ id: card }) => {
    if (!paid.delete(card)) paid.add(card);
    for (const button of list.querySelectorAll("[data-card]")) button.setAttribute("aria-pressed", String(paid.has(button.dataset.card)));
    check();
  };
  const check = () => {
    const needed = price * Number(count.value);
    due.textContent = t("cardpage.shops.pay.chosen", { count: paid.size, of: needed });
    buy.disabled = paid.size !== needed;
  };
  const submit = (event) => {
    event.preventDefault();
    actions.shop({ do: "buy", run, packs: Number(count.value), pay: [...paid].join(" ") });
  };
  if (price > 0) {
    put(list, mine.length ? mine.map((card) => el("li", {}, cardButton(card, { press: toggle, numbered: true, actions }))) : el("li", { class: "muted" }, t("cardpage.shops.pay.none")));
    check();
  }
  return el("form", { class: "sale", "data-run": run, onsubmit: submit },
    el("span", { class: "wrapper", "aria-hidden": "true" }, el("b", {}, theirs(edition))),
    el("h3", {}, theirs(edition)),
    el("p", {}, t("cardpage.shops.run", { number, unsold, packs, size })),
    el("p", {}, price > 0 ? t("cardpage.shops.price", { count: price }) : t("cardpage.shops.free")),
    el("p", { class: "row wrap" }, el("label", { for: id }, t("cardpage.shops.packs")), count),
    contents.length > 0 && el("details", {}, el("summary", {}, t("cardpage.shops.contents", { count: contents.length })),
      el("p", { class: "muted" }, t("cardpage.shops.odds", { count: cards, size })),
      el("ul", { class: "cards" }, contents.map((one) => el("li", {}, face({ ...one, state: "" }),
        el("span", { class: "caption" }, theirs(one.name)), el("span", { class: "state" }, t("cardpage.shops.copies", { count: one.count, of: cards })))))),
    price > 0 && el("details", { open: true }, el("summary", {}, t("cardpage.shops.pay")), due, list),
    buy);
}
