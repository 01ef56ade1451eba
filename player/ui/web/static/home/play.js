import { el, put, svg, theirs } from "../dom.js";
import { takeForm } from "../decks/wanted.js";
import { copy } from "../lobby/invite.js";
import { byUse, newField, rarely, tableFields } from "../lobby/form.js";
import { sure } from "../match/dialog.js";
import { gameName } from "../match/names.js";
import { picture } from "../match/rules.js";
import { t } from "../words.js";
import { continued, olderMatch } from "./continued.js";

const CHOICES = {
  pace: [["quick", "page.home.pace.quick"], ["usual", "page.home.pace.usual"], ["slow", "page.home.pace.slow"]],
  strength: [["usual", "page.home.strength.usual"], ["easy", "page.home.strength.easy"]],
};
// points that win a match, and how many of them a hand brings who wins, from two seats on (measured with bots)
const LENGTHS = [["short", "25"], ["usual", "100"], ["long", "200"]];
const WORDS = { short: "page.home.length.short", usual: "page.home.length.usual", long: "page.home.length.long" };
const GAINS = { "block-dominoes": [3, 6, 7.5], "draw-dominoes": [7, 12, 15] };
const MANY = 17; // hands, which are enough against bots unless somebody wants more
const CARDS = ["cards", "mode"]; // options that the choice of a deck settles
/** Two who talk, and between them whoever carries their messages. */
const between = () => svg("svg", { class: "between", viewBox: "0 0 12 5" },
  svg("path", { d: "M3.2 2.5h1.4m-.5-.5.5.5-.5.5M7.4 2.5h1.4m-.5-.5.5.5-.5.5" }),
  [2, 10].map((x) => svg("circle", { cx: x, cy: 2.5, r: 1 })),
  svg("path", { class: "third", d: "M5 1.7h2v1.6H5zl1 .9 1-.9" }));
const PICTURES = { intruder: between }; // of games that show no pieces
const chosen = { pace: "usual", strength: "usual" }; // of bots, until the page is closed

/** The person's own table, if it is open: its link, who is there, and the way to it. `then` is told whether it is. */
export function openedTable(actions, then = () => {}) {
  const node = el("section", { class: "panel", hidden: true });
  actions.load(async () => {
    const own = await actions.list("own_table");
    const show = (is) => (then(is), (node.hidden = !is));
    if (own) put(node, openTable(own, actions, () => show(false)));
    show(own !== null);
  });
  return node;
}

function openTable({ link, told }, actions, closed) {
  const field = el("input", { id: "own-link", readonly: true, value: link, "aria-label": t("page.lobby.link.own"), onfocus: () => field.select() });
  const said = el("span", { role: "status" });
  const there = el("p", { role: "status" });
  const look = async () => {
    const { answers, people } = await actions.look(link);
    if (answers && people.length) put(there, t("page.home.tables.waiting"), " ", people.map((name, at) => [at > 0 && ", ", theirs(name)]));
  };
  look().catch(() => {}); // a table that was opened a moment ago
  const close = async () => (await sure("page.home.table.close", "page.home.table.close.what", "page.home.table.close")) && closed(await actions.close());
  return [
    el("h2", {}, t("page.home.table.own")),
    el("div", { class: "row" }, field, el("button", { onclick: () => copy(field, said) }, t("page.lobby.copy"))), said,
    there,
    told.map((text) => el("p", { class: "muted" }, text)),
    el("div", { class: "row wrap" },
      el("button", { class: "primary", onclick: () => actions.attempt(() => actions.open("join", link)) }, t("page.home.table.go")),
      el("button", { class: "quiet", onclick: () => actions.attempt(close) }, t("page.home.table.close"))),
  ];
}

/** The form for a table of one's own: the game with its seats and pace, and who can come. */
function tableForm(games, actions, wanted) {
  const reach = el("select", { id: "table-reach" }, ["network", "near"].map((one) =>
    el("option", { value: one }, t(one === "near" ? "page.home.table.reach.near" : "page.home.table.reach.network"))));
  const invited = el("input", { id: "table-invited", type: "checkbox" });
  const more = el("div", { class: "stack" },
    el("label", { for: reach.id }, t("page.home.table.reach")), reach,
    el("label", { class: "row" }, invited, t("page.home.table.invited")));
  const open = async (filled) => {
    const how = { near: reach.value === "near", invited: invited.checked, form: filled };
    const older = (await actions.list("unfinished")).filter(({ own }) => own);
    const answer = older.length ? await olderMatch(older) : "begin";
    if (answer === "continue") return actions.open("continue", older[0].name);
    if (answer === null) return null;
    if (answer === "new") for (const { name } of older) await actions.drop(name);
    return actions.open("table", filled.game, { ...how, anew: answer === "new" });
  };
  const only = new Set(games.filter(({ seats, family }) => seats > 1 && family === "play").map(({ name }) => name));
  const read = ({ game }) => actions.read({ game });
  const fields = tableFields({ ask: async (form) => actions.form(form), attempt: actions.attempt, read, prefix: "table-", only, more }, t("page.home.table.open"), open);
  const node = el("details", { class: "panel lobby-form" },
    el("summary", {}, el("h2", {}, t("page.home.table"))),
    el("p", {}, t("page.home.table.about")), fields.node);
  let first = wanted;
  node.addEventListener("toggle", () => node.open && (fields.begin(first), (first = null)));
  return node;
}

/** All games against bots, and a table for other people. `people`: the form for a table is open at once, as it is if a deck is to be played. */
export function play(actions, people = false) {
  const table = el("div", {});
  const wanted = takeForm();
  const list = gameList(actions, (games, hosts) => {
    const form = hosts ? tableForm(games, actions, wanted) : el("p", { class: "muted" }, t("page.home.table.not_here"));
    form.open = people || wanted !== null;
    put(table, openedTable(actions, (is) => (form.hidden = is)), form);
  });
  return [continued(actions), table, list];
}

/** All games, each with a picture, a sentence and a button that begins a match against bots; `then` gets them. */
export function gameList(actions, then = () => {}) {
  const node = el("div", { class: "catalogue" }, el("p", { class: "muted", role: "status" }, t("page.home.coming")));
  actions.load(async () => {
    const [found, { hosts }] = await Promise.all([actions.list("games"), actions.list("limits")]);
    const family = (name) => found.filter((game) => (game.family === "study") === (name === "study"));
    const study = family("study");
    const cards = [];
    const made = (game) => (cards.push(card(game, actions)), cards.at(-1).node);
    put(node,
      el("div", { class: "row wrap bots" }, el("h2", {}, t("page.home.bots.title")), hosts && [botChoice("pace"), botChoice("strength")]),
      el("ul", { class: "games" }, family("play").map(made)),
      study.length > 0 && el("h2", {}, t("page.home.study")),
      study.length > 0 && el("ul", { class: "games" }, study.map(made)));
    then(found, hosts);
    const decks = await actions.list("decks"); // the program reads all cards for it
    for (const { draw } of cards) draw(decks);
  });
  return node;
}

/** The options of a game, folded; the program is asked which there are, and which values go together. `chosen()` has those
 * that are not usual. They begin with the length, which is one of them, and take its place. */
function optionFields(game, seats, length, actions) {
  const list = el("div", { class: "stack" });
  const made = new Map();
  const rare = rarely();
  let rows = [];
  const chosen = () => !rows.length ? length.chosen() : Object.fromEntries(rows.filter((row) => !row.usual).map(({ name, value }) => [name, value]));
  const ask = (change = {}) => actions.attempt(async () => {
    const { form } = await actions.form({ game, seats: seats(), options: { ...chosen(), ...change } });
    if (length.node) length.node.hidden = true;
    rows = form.options.filter((row) => !row.form && !CARDS.includes(row.name));
    const drawn = (some) => some.map((row) => {
      if (!made.has(row.name)) made.set(row.name, newField(`option-${game}-${row.name}`, row));
      made.get(row.name).draw(row, (value) => ask({ [row.name]: value }));
      return made.get(row.name).node;
    });
    const [common, seldom] = byUse(rows);
    rare.draw(drawn(seldom), seldom.some((row) => row.wrong));
    put(list, drawn(common), rare.node);
  });
  const node = el("details", { class: "more" }, el("summary", {}, t("page.lobby.more")), list);
  node.addEventListener("toggle", () => node.open && !rows.length && ask());
  return { node, chosen };
}

/** How fast bots play, or how well. */
function botChoice(name) {
  const id = `bots-${name}`;
  return el("span", { class: "row" },
    el("label", { for: id }, t(name === "pace" ? "page.home.pace" : "page.home.strength")),
    el("select", { id, onchange: ({ target }) => (chosen[name] = target.value) },
      CHOICES[name].map(([value, label]) => el("option", { value, selected: value === chosen[name] }, t(label)))));
}

/** How long a match of several hands is: points, and about how many hands. `seats()`: how many play. */
function lengthChoice(name, seats) {
  const gains = GAINS[name];
  if (!gains) return { node: null, chosen: () => ({}), draw() {} };
  const id = `length-${name}`;
  const list = el("select", { id });
  let own = null; // what the person has chosen
  list.onchange = () => (own = list.value);
  const draw = () => {
    const hands = LENGTHS.map(([, target]) => Math.max(1, Math.round(target / gains[seats() - 2])));
    const wanted = own ?? LENGTHS[Math.max(0, hands.findLastIndex((count) => count <= MANY))][1];
    put(list, LENGTHS.map(([length, target], at) =>
      el("option", { value: target, selected: target === wanted }, t(WORDS[length], { points: target, count: hands[at] }))));
  };
  draw();
  return {
    node: el("p", { class: "row wrap" }, el("label", { for: id }, t("page.home.length")), list),
    chosen: () => (list.value === "100" ? {} : { target: Number(list.value) }),
    draw,
  };
}

function card({ name, about, least, most, usual, options, picture: shown }, actions) {
  const title = el("h3", { id: `game-${name}` }, gameName(name));
  const counts = Array.from({ length: most - least + 1 }, (_, at) => least + at);
  const bots = el("select", { id: `bots-${name}` }, counts.map((count) => el("option", { value: count, selected: count === usual }, String(count))));
  const begin = () => actions.attempt(async () => {
    const older = (await actions.list("unfinished")).filter((match) => match.bots && match.game === name);
    const answer = older.length ? await olderMatch(older) : "begin";
    if (answer === "continue") return actions.open("continue", older[0].name);
    if (answer === "new") for (const one of older) await actions.drop(one.name);
    return answer && actions.open("play", name, { bots: Number(bots.value), ...chosen, options: more.chosen(), ...(decks.value && { deck: decks.value }) });
  });
  const seats = () => Number(bots.value) + 1;
  const length = lengthChoice(name, seats);
  bots.onchange = length.draw;
  const more = optionFields(name, seats, length, actions);
  const decks = el("select", { id: `deck-${name}` });
  const deck = el("p", { class: "deck", hidden: true }, el("label", { for: decks.id }, t("page.lobby.deck")), decks);
  const draw = (fitting) => {
    const names = fitting[name] ?? [];
    deck.hidden = names.length === 0;
    put(decks, ["", ...names].map((one) => el("option", { value: one }, one || t("page.lobby.deck.none"))));
  };
  const node = el("li", { class: "panel game", "aria-labelledby": title.id, "data-game": name },
    el("div", { class: "picture", "aria-hidden": "true" }, shown ? picture(shown) : (PICTURES[name]?.() ?? el("span", { class: "letter" }, gameName(name).charAt(0)))),
    title,
    el("p", {}, about),
    deck,
    counts.length > 1 && el("p", { class: "row" }, el("label", { for: bots.id }, t("page.home.bots")), bots),
    length.node,
    options && more.node,
    el("div", { class: "row wrap" },
      el("button", { class: "primary", "aria-describedby": title.id, onclick: begin }, t("page.home.play.now")),
      el("button", { class: "quiet", "aria-haspopup": "dialog", "aria-describedby": title.id, onclick: () => actions.read({ game: name }) }, t("page.rules"))));
  return { node, draw };
}
