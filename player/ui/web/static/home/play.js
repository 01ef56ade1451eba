import { el, put } from "../dom.js";
import { sure } from "../match/dialog.js";
import { gameName } from "../match/names.js";
import { picture } from "../match/rules.js";
import { t } from "../words.js";

/** The matches that can go on; hidden while there are none. */
export function continued(actions) {
  const list = el("ul");
  const node = el("section", { class: "panel", hidden: true }, el("h2", {}, t("page.home.continue")), list);
  actions.load(async () => {
    const found = await actions.list("unfinished");
    node.hidden = found.length === 0;
    put(list, found.map((match) => unfinished(match, actions)));
  });
  return node;
}

function unfinished({ name, game, link }, actions) {
  const what = game ? t("page.home.continue.bots", { game: gameName(game) }) : t("page.home.continue.table", { link });
  return el("li", { class: "row wrap" },
    el("span", {}, what),
    el("button", { onclick: () => actions.attempt(() => actions.open("continue", name)) }, t("page.home.continue.yes")));
}

/** The person's own table: it is open, or a form opens it. `games` are those of Home. */
function ownTable(actions, games) {
  const node = el("section", { class: "panel" });
  const draw = (own) => put(node, own ? openTable(own, actions, () => draw(null)) : tableForm(games, actions));
  actions.load(async () => draw(await actions.list("own_table")));
  return node;
}

const openTable = ({ link, told }, actions, closed) => [
  el("h2", {}, t("page.home.table.own")),
  el("p", {}, el("bdi", {}, link)),
  told.map((text) => el("p", { class: "muted" }, text)),
  el("div", { class: "row wrap" },
    el("button", { class: "primary", onclick: () => actions.attempt(() => actions.open("join", link)) }, t("page.home.table.go")),
    el("button", { class: "quiet", onclick: () => actions.attempt(async () => (await sure("page.home.table.close", "page.home.table.close.what", "page.home.table.close")) && closed(await actions.close())) }, t("page.home.table.close"))),
];

function tableForm(games, actions) {
  const game = el("select", { id: "table-game" }, games.filter(({ seats }) => seats > 1).map(({ name }) => el("option", { value: name }, gameName(name))));
  const reach = el("select", { id: "table-reach" }, ["network", "near"].map((one) =>
    el("option", { value: one }, t(one === "near" ? "page.home.table.reach.near" : "page.home.table.reach.network"))));
  const open = (event) => (event.preventDefault(), actions.attempt(() => actions.open("table", game.value, { near: reach.value === "near" })));
  return [
    el("h2", {}, t("page.home.table")),
    el("p", {}, t("page.home.table.about")),
    el("form", { class: "fields", onsubmit: open },
      el("label", { for: game.id }, t("page.home.table.game")), game,
      el("label", { for: reach.id }, t("page.home.table.reach")), reach,
      el("button", { class: "primary" }, t("page.home.table.open"))),
  ];
}

/** All games, each with a picture, a sentence and a button that begins a match against bots. */
export function play(actions) {
  const list = el("ul", { class: "games" }, el("li", { class: "muted", role: "status" }, t("page.home.coming")));
  const table = el("div", {});
  actions.load(async () => {
    const found = await actions.list("games");
    put(list, found.map((game) => card(game, actions)));
    const { hosts } = await actions.list("limits");
    put(table, hosts ? ownTable(actions, found) : el("p", { class: "muted" }, t("page.home.table.not_here")));
  });
  return [continued(actions), table, list];
}

function card({ name, about, least, most, usual, picture: shown }, actions) {
  const title = el("h2", { id: `game-${name}` }, gameName(name));
  const counts = Array.from({ length: most - least + 1 }, (_, at) => least + at);
  const bots = el("select", { id: `bots-${name}` }, counts.map((count) => el("option", { value: count, selected: count === usual }, String(count))));
  const begin = () => actions.attempt(() => actions.open("play", name, { bots: Number(bots.value) }));
  return el("li", { class: "panel game", "aria-labelledby": title.id, "data-game": name },
    el("div", { class: "picture", "aria-hidden": "true" }, shown ? picture(shown) : el("span", { class: "letter" }, gameName(name).charAt(0))),
    title,
    el("p", {}, about),
    counts.length > 1 && el("p", { class: "row" }, el("label", { for: bots.id }, t("page.home.bots")), bots),
    el("div", { class: "row wrap" },
      el("button", { class: "primary", "aria-describedby": title.id, onclick: begin }, t("page.home.play.now")),
      el("button", { class: "quiet", "aria-haspopup": "dialog", "aria-describedby": title.id, onclick: () => actions.read({ game: name }) }, t("page.rules"))));
}
