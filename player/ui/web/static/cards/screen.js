import { decksView } from "../decks/screen.js";
import { openForm, takeDeck } from "../decks/wanted.js";
import { el, put, screenCache } from "../dom.js";
import { sure } from "../match/dialog.js";
import { request } from "../net.js";
import { t } from "../words.js";
import { alarmsView } from "./alarms.js";
import { binderView } from "./binder.js";
import { creatorsView } from "./creators.js";
import { shopsView } from "./shops.js";
import { tradeView } from "./trade.js";

const VIEWS = {
  binder: [() => t("cardpage.binder"), binderView],
  decks: [() => t("cardpage.decks"), decksView],
  shops: [() => t("cardpage.shops"), shopsView],
  trade: [() => t("cardpage.trades"), tradeView],
  creators: [() => t("cardpage.creators"), creatorsView],
  alarms: [() => t("cardpage.alarms"), alarmsView],
};
const LIVE = ["trade", "shops"]; // views that change with every snapshot

const running = () => [" ", el("span", { "aria-hidden": "true" }, "●"), el("span", { class: "sr" }, t("cardpage.running"))];

/** Says that this folder is an old copy, what to do, and offers to go on all the same. */
const oldCopy = (mend) =>
  el("section", { class: "panel alarm", hidden: true, "aria-label": t("cardpage.mend.title") },
    el("h2", {}, t("cardpage.mend.title")), el("p", {}, t("cardpage.mend.what")),
    el("button", { class: "danger", onclick: mend }, t("cardpage.mend")));

const screenIn = screenCache(album);

/** Draws the cards in `root`, or brings them up to date. */
export function drawCards(root, snapshot, app) {
  const screen = screenIn(root, app);
  screen.draw(snapshot);
  return screen;
}

/** A person's cards: tabs, and below them the chosen view. `app`: what the app can do besides; null where cards are all there is. */
export function album(app = null) {
  const wrong = el("p", { class: "wrong", role: "alert" });
  const badges = Object.fromEntries(Object.keys(VIEWS).map((name) => [name, el("span")]));
  const old = oldCopy(async () => {
    if (await sure("cardpage.mend", "cardpage.mend.sure", "cardpage.mend")) await attempt("mend");
  });
  const shown = { snapshot: null, view: null, drawn: null, known: -1 };
  const wanted = takeDeck();
  let binder = null; // asked for once for each state of the collection

  const attempt = async (name, fields) => {
    wrong.textContent = "";
    await request(name, fields).catch(actions.failed);
  };
  const actions = {
    wanted: wanted || null,
    failed: (error) => (wrong.textContent = error.message),
    binder: () => (binder ??= request("binder")),
    creators: () => request("creators"),
    alarms: () => request("alarms"),
    decks: () => request("decks"),
    deck: (name) => request("deck", { name }),
    edit: (wish) => request("edit", wish),
    details: (id) => request("card", { id }),
    invitation: () => request("invitation"),
    unfinished: () => request("unfinished"),
    theirs: () => request("theirs"),
    shops: () => request("shops"),
    take: (file) => request("import", { name: file.name.slice(0, 100) }, file),
    start: (name) => (app?.propose?.(name), request("starter", { name })),
    trust: (key, mark) => attempt("trust", { key, mark }),
    policy: (policy) => attempt("policy", { policy }),
    // the partner sees the person's name: it is asked before the first trade
    trade: async (wish) => (!app?.named || !["listen", "call"].includes(wish.do) || (await app.named())) && attempt("trade", wish),
    shop: (wish) => attempt("shop", wish),
    open: (name) => open(name),
    plays: async () => Boolean(app?.list) && (await app.list("limits")).decks, // whether bots play against a deck here
    play: app?.open && ((game, deck) => app.home().then(() => app.open("play", game, { deck }))), // the trade or the shop that is open stays
    // a table where people bring their own cards, as far as tables can be opened from here
    invites: async () => Boolean(app?.list) && (await app.list("limits")).hosts,
    invite: (game, deck) => openForm({ game, deck, options: { cards: "owned" } }, () => app.bar.go("play")),
    search: (words) => (views.binder.search(words), open("binder")),
  };
  const views = Object.fromEntries(Object.entries(VIEWS).map(([name, [, make]]) => [name, make(actions)]));

  const draw = (changed) => {
    const { view, snapshot } = shown;
    if (!snapshot) return; // a tab that was chosen before there was anything to show
    views[view].node.hidden = false;
    if (!LIVE.includes(view) && !changed && shown.drawn === view) return;
    shown.drawn = view;
    const ready = () => document.documentElement.setAttribute("data-ready", `${snapshot.serial}`);
    views[view].draw(snapshot).then(ready, actions.failed);
  };
  const open = (name) => {
    if (shown.view !== null) wrong.textContent = "";
    if (shown.view !== null && shown.view !== name) views[shown.view].leave?.();
    shown.view = name;
    for (const [key, { node }] of Object.entries(views)) node.hidden = key !== name || !shown.snapshot;
    for (const button of tabs) {
      if (button.dataset.view === name) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    }
    look();
    draw(true);
  };
  /** Lets the program read what another one has changed, such as a command in a terminal. */
  const look = () => request("look").catch(actions.failed);
  addEventListener("focus", () => document.contains(tabs[0]) && look());
  const tabs = Object.entries(VIEWS).map(([name, [title]]) =>
    el("button", { "data-view": name, class: "quiet", onclick: () => open(name) }, title(), badges[name]));
  for (const { node } of Object.values(views)) node.hidden = true; // until there is something to show
  document.title = `${t("cardpage.title")} · fairdeal`;
  return {
    node: el("div", {},
      el("nav", { class: "album-top", "aria-label": t("cardpage.title") }, el("h1", {}, t("cardpage.title")), el("div", {}, tabs)),
      el("main", { class: "album" }, wrong, old, Object.values(views).map(({ node }) => node), el("p", { class: "muted" }, t("cardpage.known")))),
    draw(snapshot) {
      const { known, alarms, trade, shop } = snapshot;
      const changed = known !== shown.known;
      if (changed) binder = null;
      Object.assign(shown, { snapshot, known });
      old.hidden = !snapshot.old;
      badges.alarms.textContent = alarms ? ` (${alarms})` : "";
      put(badges.trade, trade && running());
      put(badges.shops, shop?.running && running());
      if (shown.view === null) open(wanted !== null ? "decks" : trade ? "trade" : shop ? "shops" : "binder");
      else draw(changed);
    },
    deed() {},
    said() {},
    notice() {},
  };
}
