import { el, put } from "../dom.js";
import { gameName, gamesCalled } from "../match/names.js";
import { t } from "../words.js";

const SEARCHED_FROM = 5; // tables; fewer are seen at a glance
const SEARCH_MS = 250; // after the last letter, before the manager is asked

/**
 * The tables that there are; `decide` is told what a person wants, `read` of which one they read the rules, `open` which deck they
 * want to change (null: nobody can from here). Of each the page
 * shows the game, who is there, what is unusual, whom one trusts, and a button; the rest is folded.
 */
export function tableList(decide, read, open) {
  const list = el("ul", { class: "tables" });
  const none = el("p", {}, t("page.lobby.none"));
  const search = searchField(decide);
  const pages = pager(decide);
  const node = el("section", { "aria-label": t("page.lobby") }, search.node, none, list, pages.node);
  let drawn = "";
  const kept = { decks: new Map(), open: new Set() }; // that were chosen, and what was unfolded, by table
  return {
    node,
    /** `own`: these tables are the person's own. `named`: the name under which the host has the first one; the title says it. */
    draw({ tables, own, company, page }, named) {
      search.draw(page ?? null);
      pages.draw(page ?? null);
      const around = own ? (company?.people ?? []).map(({ name }) => name) : [];
      const now = JSON.stringify([tables, around, named]);
      if (now === drawn) return;
      drawn = now;
      const focused = list.contains(document.activeElement) && document.activeElement.id;
      put(list, (tables ?? []).map((table, index) => card({ table, index, own: Boolean(own) && table.main, around, named: named && table.main }, { decide, read, open, kept })));
      none.hidden = tables === null || tables.length > 0;
      none.textContent = t(page?.text ? "page.lobby.found.none" : "page.lobby.none");
      if (focused) document.getElementById(focused)?.focus();
    },
  };
}

/** A field by which tables are found by name, game, or who waits there. It is there as soon as there are some to choose from. */
function searchField(decide) {
  let timer = 0;
  const ask = (event) => {
    event?.preventDefault();
    clearTimeout(timer);
    const text = field.value.trim();
    decide({ do: "find", text, games: text ? gamesCalled(text) : [] });
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, SEARCH_MS);
  };
  const field = el("input", { id: "find-tables", type: "search", autocomplete: "off", spellcheck: "false", oninput: later });
  const node = el("form", { class: "row wrap", role: "search", hidden: true, onsubmit: ask }, el("label", { for: field.id }, t("page.lobby.find")), field);
  return {
    node,
    draw(page) {
      node.hidden = !page || (page.total < SEARCHED_FROM && !page.text && !field.value);
    },
  };
}

/** Which tables of all that were found are shown, and the ways to the others. */
function pager(decide) {
  const said = el("span", { role: "status" });
  const previous = el("button", { class: "quiet", onclick: () => decide({ do: "previous" }) }, t("page.lobby.previous"));
  const next = el("button", { class: "quiet", onclick: () => decide({ do: "next" }) }, t("page.lobby.next"));
  const node = el("nav", { class: "row wrap", "aria-label": t("page.lobby.pages"), hidden: true }, previous, said, next);
  return {
    node,
    draw(page) {
      node.hidden = !page || page.last < page.first || !(page.previous || page.next);
      if (node.hidden) return;
      const text = t("page.lobby.page", page);
      if (said.textContent !== text) said.textContent = text;
      previous.disabled = !page.previous;
      next.disabled = !page.next;
    },
  };
}

const listed = (names) => names.map((name, at) => [at > 0 && ", ", name]);

function card({ table, index, own, around, named }, { decide, read, open, kept }) {
  const { id: name, terms, people, seats, running } = table;
  const deck = table.deck && !running && !table.why_not && deckField(`deck-${index}`, table.deck, { before: kept.decks.get(name), chosen: (deck) => kept.decks.set(name, deck), open });
  const title = el("h2", { id: `table-${index}` }, own ? t("page.lobby.own.game", { game: gameName(table.game) }) : named ? gameName(table.game) : [el("bdi", {}, table.title), `: ${gameName(table.game)}`]);
  const act = (what, label, attrs) =>
    el("button", { id: `${what}-${index}`, "aria-describedby": title.id, onclick: () => decide({ do: what, table: name, terms, ...(deck && { deck: deck.value() }) }), ...attrs }, label);
  const rules = () => read({ table: name, terms });
  const here = running ? t("page.lobby.running") : t("page.lobby.here", { count: people.length, seats });
  const seated = people.map((one) => el("bdi", { title: one.fingerprint }, one.name));
  const others = around.filter((one) => !people.some((person) => person.name === one)).map((one) => el("bdi", {}, one));
  return el("li", { class: "panel", "data-table": name }, title,
    el("p", {}, here, people.length > 0 && ": ", listed(seated)),
    own && others.length > 0 && el("p", {}, t("page.lobby.around"), " ", listed(others)),
    table.rules.map((text) => el("p", {}, text)),
    table.unusual.length > 0 && el("p", {}, el("span", { class: "muted" }, t("page.lobby.unusual"), " "), table.unusual.join(", ")),
    el("p", { class: "muted" }, table.trust[0] ?? t("page.lobby.nothing.dealt")),
    deck && deck.node,
    table.why_not && el("p", { class: "wrong" }, table.why_not),
    !running && table.rules_question && trust(index, title.id, table, decide),
    el("div", { class: "row wrap" },
      !running && !table.why_not && (!deck || deck.fits) && act("join", t("page.lobby.sit"), { class: "primary" }),
      running && !table.why_no_look && act("watch", t("page.lobby.watch")),
      table.sheet && el("button", { id: `rules-${index}`, class: "quiet", "data-rules": true, "aria-haspopup": "dialog", "aria-describedby": title.id, onclick: rules }, t("page.rules"))),
    all(table, kept.open));
}

/** All that is played at a table, folded until somebody wants to know it. */
function all({ id: name, about, options, dealing, trust: trusted, clock }, open) {
  const node = el("details", { open: open.has(name), ontoggle: () => (node.open ? open.add(name) : open.delete(name)) },
    el("summary", {}, t("page.lobby.all")),
    el("p", { class: "muted" }, about),
    el("dl", {},
      entry("page.lobby.options", options),
      entry("page.lobby.dealing", [dealing, ...trusted]),
      entry("page.lobby.clock", [clock])));
  return node;
}

/** Asks about the author of a table's signed rules, or about an older number of them. */
function trust(index, title, { id: name, terms, rules_question }, decide) {
  const question = el("p", { id: `question-${index}` }, rules_question);
  const yes = el("button", { id: `trust-${index}`, "aria-describedby": `${title} ${question.id}`, onclick: () => decide({ do: "trust_rules", table: name, terms }) }, t("page.lobby.rules.yes"));
  return el("div", { class: "field" }, question, yes);
}

/** With which deck to sit down: those that fit, and below them what speaks against the others. `open` opens one in Decks. */
function deckField(id, { value, choices }, { before, chosen, open }) {
  const fitting = choices.filter(({ wrong }) => !wrong);
  const others = choices.filter(({ name, wrong }) => wrong && name);
  const field = el("select", { id, onchange: () => chosen(field.value) },
    fitting.map(({ name }) => el("option", { value: name, selected: name === (before ?? value) }, name || t("page.lobby.deck.none"))));
  const other = ({ name, wrong }) => el("li", {}, el("strong", {}, el("bdi", {}, name)), ": ", wrong,
    open && el("div", {}, el("button", { class: "quiet", onclick: () => open(name) }, t("page.lobby.deck.open"))));
  const reasons = el("ul", {}, others.map(other));
  const none = choices.find(({ name }) => !name)?.wrong;
  return {
    fits: fitting.length > 0,
    value: () => field.value,
    node: el("div", { class: "deck" },
      fitting.length > 0
        ? [el("label", { for: id }, t("page.lobby.deck")), field]
        : el("p", { class: "wrong" }, t("page.lobby.deck.nothing"), others.length === 0 && none && [" ", none]),
      fitting.length === 0 && others.length === 0 && open && el("button", { class: "quiet", onclick: () => open("") }, t("page.lobby.deck.open")),
      others.length > 0 && (fitting.length > 0 ? el("details", {}, el("summary", {}, t("page.lobby.deck.unfit")), reasons) : reasons)),
  };
}

const entry = (key, texts) => texts.length > 0 && [el("dt", {}, t(key)), texts.map((text) => el("dd", {}, text))];
