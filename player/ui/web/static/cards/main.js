import { decksView } from "../decks/screen.js";
import { el, put } from "../dom.js";
import { enter, request, subscribe } from "../net.js";
import { learn, t } from "../words.js";
import { alarmsView } from "./alarms.js";
import { binderView } from "./binder.js";
import { creatorsView } from "./creators.js";
import { tradeView } from "./trade.js";

const LOST = { lost: () => t("page.program.lost"), ended: () => t("page.program.ended"), stranger: () => t("page.program.stranger") };
const root = document.getElementById("root");
const banner = document.getElementById("program");
const wrong = el("p", { class: "wrong", role: "alert" });
const shown = { snapshot: null, view: null, drawn: null, known: -1 };
let views = {};
let binder = null; // asked for once for each state of the collection

const actions = {
  failed: (error) => (wrong.textContent = error.message),
  binder: () => (binder ??= request("binder")),
  creators: () => request("creators"),
  alarms: () => request("alarms"),
  decks: () => request("decks"),
  deck: (name) => request("deck", { name }),
  edit: (wish) => request("edit", wish),
  details: (id) => request("card", { id }),
  invitation: () => request("invitation"),
  trust: (key, mark) => attempt("trust", { key, mark }),
  policy: (policy) => attempt("policy", { policy }),
  trade: (wish) => attempt("trade", wish),
};

async function attempt(name, fields) {
  wrong.textContent = "";
  await request(name, fields).catch(actions.failed);
}

function show(snapshot) {
  const { known, alarms, trade } = snapshot;
  if (known !== shown.known) binder = null;
  const changed = known !== shown.known;
  Object.assign(shown, { snapshot, known });
  for (const tab of document.querySelectorAll("[data-badge=alarms]")) tab.textContent = alarms ? ` (${alarms})` : "";
  if (shown.view === null) open(trade ? "trade" : "binder");
  else draw(changed);
}

function draw(changed) {
  const { view, snapshot } = shown;
  if (!snapshot) return; // a tab that was chosen before there was anything to show
  views[view].node.hidden = false;
  if (view !== "trade" && !changed && shown.drawn === view) return;
  shown.drawn = view;
  const ready = () => document.documentElement.setAttribute("data-ready", `${snapshot.serial}`);
  views[view].draw(snapshot).then(ready, actions.failed);
}

function open(name) {
  shown.view = name;
  for (const [key, { node }] of Object.entries(views)) node.hidden = key !== name || !shown.snapshot;
  for (const button of document.querySelectorAll("nav button")) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  draw(true);
}

function build() {
  const titles = { binder: t("cardpage.binder"), decks: t("cardpage.decks"), trade: t("cardpage.trade"), creators: t("cardpage.creators"), alarms: t("cardpage.alarms") };
  views = { binder: binderView(actions), decks: decksView(actions), trade: tradeView(actions), creators: creatorsView(actions), alarms: alarmsView(actions) };
  const tab = ([name, title]) => el("button", { "data-view": name, class: "quiet", onclick: () => open(name) }, title, el("span", { "data-badge": name }));
  for (const { node } of Object.values(views)) node.hidden = true; // until there is something to show
  document.title = t("cardpage.title");
  put(root,
    el("header", { class: "top" }, el("h1", {}, t("cardpage.title")), el("nav", { "aria-label": t("cardpage.title") }, Object.entries(titles).map(tab))),
    el("main", { class: "album" }, wrong, Object.values(views).map(({ node }) => node), el("p", { class: "muted" }, t("cardpage.known"))));
}

function state(name) {
  banner.hidden = name === "open";
  put(banner, LOST[name]?.());
}

async function begin() {
  const [, ticket] = /^#t=(.+)$/.exec(location.hash) ?? [];
  history.replaceState(null, "", "/");
  const { language, labels } = await enter(ticket);
  document.documentElement.lang = language;
  learn(labels);
  build();
  await subscribe((event, data) => event === "snapshot" && show(data), state);
}

addEventListener("hashchange", () => location.reload()); // a new link in an old tab
begin().catch((error) => put(root, el("p", { role: "alert", class: "panel" }, error.message)));
