import { el, put, theirs } from "../dom.js";
import { sure } from "../match/dialog.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";

const ORDERS = [["free", "page.directories.order.free"], ["people", "page.directories.order.people"], ["name", "page.directories.order.name"]];
const SEARCH_MS = 250; // after the last letter, before the list is filtered

/** The directories that the person has added, and the tables of the one that is shown. */
export function directories(actions) {
  const field = el("input", { id: "directory", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const list = el("ul");
  const said = el("p", { class: "muted", role: "status" });
  const below = el("div");
  const reading = async (act) => {
    said.textContent = t("page.directories.reading");
    const answer = await actions.attempt(act);
    said.textContent = "";
    return answer;
  };
  const show = async (link) => {
    const first = await reading(() => actions.tablesOf(link, { anew: true }));
    put(below, first && tables(actions, link, first));
  };
  const draw = async () => put(list, (await actions.list("directories")).map(({ link, url }) =>
    el("li", { class: "row wrap" }, theirs(url),
      el("button", { "aria-label": t("page.directories.show.of", { url }), onclick: () => show(link) }, t("page.directories.show")),
      el("button", { class: "quiet", "aria-label": t("page.directories.remove.of", { url }), onclick: () => remove(link) }, t("page.directories.remove")))));
  const remove = (link) => actions.attempt(async () => {
    await actions.removeDirectory(link);
    put(below);
    await draw();
    field.focus();
  });
  const add = async (event) => {
    event.preventDefault();
    const added = await reading(() => actions.addDirectory(field.value));
    if (!added) return;
    field.value = "";
    await actions.load(draw);
    await show(added.link);
  };
  const form = el("form", { class: "stack", onsubmit: add },
    el("label", { for: field.id }, t("page.directories.link")),
    el("div", { class: "row wrap" }, field, el("button", {}, t("page.directories.add"))));
  const node = el("section", { class: "panel", "data-tables": "directories" },
    el("h2", {}, t("page.directories")), el("p", { class: "muted" }, t("page.directories.about")), list, form, said, below);
  actions.load(draw);
  return node;
}

/** The tables of a list: filtered, sorted, and a way to each of them. */
function tables(actions, link, first) {
  const game = choice("directory-game", ["", ...first.games].map((name) => [name, name ? gameName(name) : t("page.directories.game.any")]));
  const order = choice("directory-order", ORDERS.map(([value, label]) => [value, t(label)]));
  const name = el("input", { id: "directory-name", type: "search", autocomplete: "off", spellcheck: "false" });
  const all = el("input", { type: "checkbox" });
  const list = el("ul", { class: "listed" });
  const said = el("div", { role: "status" });
  const filter = () => ({ game: game.value, name: name.value, all: all.checked });
  const sit = (to) => actions.attempt(() => actions.open("listed", to));
  let asked = 0;
  const draw = (found) => {
    put(list, found.tables.map((table) => row(table, sit)));
    put(said, [
      el("p", {}, found.tables.length ? t("page.directories.count", { count: found.tables.length }) : t("page.directories.none")),
      found.more > 0 && el("p", {}, t("page.directories.more", { count: found.more })),
      found.dropped > 0 && el("p", {}, t("page.directories.dropped", { count: found.dropped })),
    ]);
  };
  const change = async () => {
    const number = ++asked;
    const found = await actions.attempt(() => actions.tablesOf(link, { ...filter(), order: order.value }));
    if (found && number === asked) draw(found); // else the person has asked for something else meanwhile
  };
  let typing = 0;
  name.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(change, SEARCH_MS);
  });
  for (const node of [game, order, all]) node.addEventListener("change", change);
  const anywhere = () => actions.attempt(async () => {
    const table = await actions.seatAnywhere(link, { ...filter(), all: false });
    const where = [theirs(table.name), ": ", games(table), "; ", seats(table), ". ", t("page.directories.anywhere.where", table)];
    if (await sure("page.directories.anywhere", "page.directories.anywhere.about", "page.directories.anywhere.call", where)) await sit(table.link);
  });
  draw(first);
  return [
    el("div", { class: "looks" },
      labelled("page.directories.game", game), labelled("page.directories.order", order), labelled("page.directories.search", name)),
    el("label", { class: "row" }, all, t("page.directories.all")),
    el("p", {}, el("button", { class: "primary", onclick: anywhere }, t("page.directories.anywhere"))),
    said, list,
  ];
}

function row(table, sit) {
  const { name, address, link } = table;
  return el("li", { class: "row wrap" },
    el("span", {}, el("strong", {}, theirs(name)), " ", games(table)),
    el("span", {}, seats(table)),
    el("span", { class: "muted" }, theirs(address)),
    link
      ? el("button", { "aria-label": t("page.directories.sit.of", { name }), onclick: () => sit(link) }, t("page.directories.sit"))
      : el("span", { class: "muted" }, t("page.directories.private")));
}

const games = ({ games: names }) => names.map(gameName).join(", ");
const seats = ({ taken, free }) => t("page.directories.seats", { taken, free });
const choice = (id, options) => el("select", { id }, options.map(([value, label]) => el("option", { value }, label)));
const labelled = (title, control) => el("div", {}, el("label", { for: control.id }, t(title)), control);
