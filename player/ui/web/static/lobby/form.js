import { el, put } from "../dom.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";
import { guestChoice } from "./people.js";

const COMMON = 3; // options that are not folded

/** The form for another table at this manager: the program makes it anew for whatever is in it. `read` opens the rules of that. */
export function createForm(actions, attempt, read) {
  const guests = guestChoice();
  const again = el("p", { hidden: true });
  const create = (filled) => actions.lobby({ do: "create", ...filled, invited: guests.chosen() });
  const fields = tableFields({ ask: (filled) => actions.lobby({ do: "form", ...filled }), attempt, read, guests: guests.node }, t("page.lobby.create.do"), create);
  const node = el("details", { class: "panel create" }, el("summary", {}, el("h2", {}, t("page.lobby.create"))), again, fields.node);
  node.addEventListener("toggle", () => node.open && fields.begin());
  return {
    node,
    /** The people who can be invited; it opens by itself for another game with the same people, and comes into view. */
    draw(shown) {
      guests.draw(shown?.here ? shown.people : []);
      const fresh = shown?.again && again.hidden;
      again.hidden = !shown?.again;
      again.textContent = shown?.again ? t("page.people.again") : "";
      if (!fresh) return;
      node.open = true;
      node.querySelector("summary").focus({ preventScroll: true });
      node.scrollIntoView({ block: "start" });
    },
  };
}

/** The form that has one's own table play something else; it begins with what is played there now. */
export function changeForm(actions, attempt, read) {
  let table = null;
  const change = async (filled) => {
    await actions.lobby({ do: "change", ...filled });
    node.open = false;
  };
  const fields = tableFields({ ask: (filled) => actions.lobby({ do: "form", ...filled }), attempt, read, prefix: "own-" }, t("page.lobby.change.do"), change);
  const node = el("details", { class: "panel change" }, el("summary", {}, el("h2", {}, t("page.lobby.change"))), fields.node);
  node.addEventListener("toggle", () => node.open && table && fields.begin(table.filled));
  return {
    node,
    draw(tables) {
      table = tables?.find(({ main }) => main) ?? null;
      node.hidden = table === null || table.running;
    },
  };
}

/**
 * The fields for a table. `ask` makes the form anew, `done` gets all that is in it when the person presses the button; `only` has
 * the names of the games to choose from, `more` nodes before the button.
 */
export function tableFields({ ask: make, attempt, read, guests = null, prefix = "", only = null, more = null }, label, done) {
  const inside = el("div");
  let form = null;
  let asking = Promise.resolve(); // one change after the other: each is of what the last one has come to
  const ask = (change) => (asking = asking.catch(() => null).then(async () => {
    const { fresh, ...filled } = change(form && inIt(form));
    ({ form } = await make(filled));
    // a number of seats that was right for another game
    if (fresh && form.seats.wrong) ({ form } = await make({ ...inIt(form), seats: form.seats.usual }));
    draw(form);
  }));
  const finish = async () => {
    await asking; // Enter in a field changes it, too
    if (form.wrong) throw new Error(form.wrong);
    return done(inIt(form));
  };
  const draw = parts({ inside, guests, prefix, only, more, label }, (change) => attempt(() => ask(change)), () => read(inIt(form)));
  return {
    node: el("form", { novalidate: true, onsubmit: (event) => (event.preventDefault(), attempt(finish)) }, inside),
    begin: (filled = null) => (filled || !form) && attempt(() => ask(() => filled ?? {})),
    game: () => form?.game,
  };
}

/** Another table's link, pasted. */
export function linkForm(actions, attempt) {
  const link = el("input", { id: "link", autocomplete: "off", spellcheck: "false" });
  const go = (event) => (event.preventDefault(), attempt(() => actions.lobby({ do: "link", link: link.value })));
  return el("form", { class: "panel", onsubmit: go },
    el("label", { for: "link" }, t("page.lobby.link")), link, el("button", {}, t("page.lobby.link.go")));
}

/** What is in the form, as the program asks for it. */
function inIt(form) {
  const values = (rows) => Object.fromEntries(rows.filter((row) => !row.usual).map(({ name, value }) => [name, value]));
  const { game, seats, dealing, options, dealing_options: dealt, clock, deck, pace } = form;
  return { ...(deck && { deck: deck.value }), game, pace, seats: seats.value, dealing, options: values(options), dealing_options: values(dealt), clock: values(clock) };
}

/** Draws a form into `inside`; `ask` is given what makes of a form another one, `read` opens its rules. Fields that stay are the same elements: what is being typed is not torn away. */
function parts({ inside, guests, prefix, only, more: last, label }, ask, read) {
  const made = new Map();
  const about = el("p", { class: "muted" });
  const rules = el("button", { type: "button", class: "quiet", "data-rules": true, "aria-haspopup": "dialog", onclick: read }, t("page.rules"));
  const terms = el("div");
  const more = el("div");
  const rare = rarely();
  const paces = paceChoice(prefix, (pace) => ask((now) => ({ ...now, pace, clock: {} })));
  const folded = el("details", { class: "more" }, el("summary", {}, t("page.lobby.more")), more);
  const field = (id, row, change) => {
    const kind = `${id} ${row.choices ?? Boolean(row.form)}`;
    if (!made.has(kind)) made.set(kind, newField(prefix + id, row));
    const { node, draw } = made.get(kind);
    draw(row, change);
    return node;
  };
  return (form) => {
    const rows = (area, some = form[area]) => some.map((row) =>
      field(`${area}-${row.name}`, row, (value) => ask((now) => ({ ...now, [area]: { ...now[area], [row.name]: value } }))));
    const games = { value: form.game, choices: form.games.map(({ name }) => name).filter((name) => !only || only.has(name)), shown: gameName, about: t("page.lobby.game") };
    const whose = form.options.filter(({ name }) => name === "cards").map((row) => field("options-cards", { ...row, about: t("page.lobby.cards") }, (value) => ask((now) => ({ ...now, deck: undefined, options: { ...now.options, cards: value } }))));
    const decks = (deck) => (deck ? [field("deck", deckRow(deck), (name) => ask((now) => ({ ...now, deck: name })))] : []);
    const dealings = { value: form.dealing, choices: form.dealings, about: t("page.lobby.dealing") };
    rules.hidden = !form.sheet;
    about.textContent = form.games.find(({ name }) => name === form.game).about;
    const [common, seldom] = byUse(form.options.filter(({ name }) => name !== "cards")); // it is above
    const wrong = (some) => some.some((row) => row.wrong);
    const others = [...seldom, ...form.dealing_options, ...form.clock];
    if (wrong([...form.options, ...others])) folded.open = true;
    paces.draw(form);
    place(more, [...rows("options", common), rare.node]);
    rare.draw([
      ...rows("options", seldom),
      field("dealing", dealings, (dealing) => ask((now) => ({ ...now, dealing, dealing_options: {} }))),
      ...rows("dealing_options"), ...rows("clock")], wrong(others));
    put(terms, form.terms.map((text) => el("p", {}, text)),
      form.wrong ? el("p", { class: "wrong" }, form.wrong) : el("button", { class: "primary" }, label));
    place(inside, [
      field("game", games, (game) => ask((now) => ({ game, seats: now.seats, fresh: true }))), about, rules, ...whose, ...decks(form.deck),
      field("seats", { ...form.seats, about: t("page.lobby.seats") }, (seats) => ask((now) => ({ ...now, seats }))),
      paces.node, ...[guests].filter(Boolean), folded, ...[last].filter(Boolean), terms]);
  };
}

/** How fast a match is, in a person's words. */
function paceChoice(prefix, choose) {
  const list = el("div");
  const node = el("fieldset", { class: "paces" }, el("legend", {}, t("page.lobby.pace")), list);
  const boxes = new Map();
  return {
    node,
    draw({ paces, pace }) {
      if (boxes.size === 0) {
        put(list, paces.map(({ name, about }) => {
          const box = el("input", { id: `${prefix}pace-${name}`, type: "radio", name: `${prefix}pace`, onchange: () => choose(name) });
          boxes.set(name, box);
          return el("div", { class: "row" }, box, el("label", { for: box.id }, about));
        }));
      }
      boxes.forEach((box, name) => (box.checked = name === pace));
    },
  };
}

/** A field for the deck to bring. */
const deckRow = ({ value, choices }) => ({
  value,
  choices: choices.filter(({ name, wrong }) => name || !wrong || choices.length === 1).map(({ name }) => name),
  about: t("page.lobby.deck"),
  shown: (name) => name || t("page.lobby.deck.none"),
  wrong: choices.find(({ name }) => name === value)?.wrong,
});

/** Puts these where they belong, if they are not there already. */
function place(parent, nodes) {
  const there = [...parent.children];
  if (nodes.length === there.length && nodes.every((node, at) => node === there[at])) return;
  const focused = document.activeElement;
  put(parent, nodes);
  if (parent.contains(focused)) focused.focus();
}

/** The rows that people look for, and the rest; one alone is not worth folding. */
export function byUse(rows) {
  const sorted = rows.toSorted((one, other) => one.rank - other.rank);
  return sorted.length > COMMON + 1 ? [sorted.slice(0, COMMON), sorted.slice(COMMON)] : [sorted, []];
}

/** What is seldom needed, folded; `draw(nodes)` puts it there. */
export function rarely() {
  const list = el("div", { class: "stack" });
  const node = el("details", { class: "more rare" }, el("summary", {}, t("page.lobby.rare")), list);
  return {
    node,
    draw(nodes, wrong = false) {
      node.hidden = nodes.length === 0;
      if (wrong) node.open = true;
      place(list, nodes);
    },
  };
}

/** A field of a form, by its row; `draw(row, change)` brings it up to date. */
export function newField(id, { choices, names, form, about, shown = String }) {
  const said = el("span", { id: `${id}-range` });
  const attrs = { id, "aria-describedby": said.id };
  const input = choices
    ? el("select", attrs, choices.map((choice, at) => el("option", { value: choice }, names?.[at] ?? shown(choice))))
    : el("input", { ...attrs, type: form ? "text" : "number", autocomplete: "off" });
  let told = () => {};
  input.addEventListener("change", () => told(choices ? choices[input.selectedIndex] : form ? input.value : Math.round(input.value)));
  const draw = (row, change) => {
    told = change;
    said.textContent = row.wrong ?? (choices ? "" : row.form ?? (row.least === row.most ? "" : t("page.lobby.range", row)));
    said.className = row.wrong ? "wrong" : "muted";
    input.setAttribute("aria-invalid", String(Boolean(row.wrong)));
    if (choices) input.selectedIndex = choices.indexOf(row.value);
    else if (!form) Object.assign(input, { min: row.least, max: row.most });
    if (!choices && document.activeElement !== input) input.value = row.value;
  };
  return { node: el("div", { class: "field" }, el("label", { for: id }, about), input, said), draw };
}
