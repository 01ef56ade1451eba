import { el, put } from "../dom.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";

/** The tables that there are; `decide` is told what a person wants, `read` of which one they read the rules. What is under the fingers stays there. */
export function tableList(decide, read) {
  const list = el("ul", { class: "tables" });
  const none = el("p", {}, t("page.lobby.none"));
  const node = el("section", { "aria-label": t("page.lobby") }, none, list);
  let drawn = "";
  const decks = new Map(); // that were chosen, by table
  return {
    node,
    draw({ tables }) {
      const now = JSON.stringify(tables);
      if (now === drawn) return;
      drawn = now;
      const focused = list.contains(document.activeElement) && document.activeElement.id;
      put(list, (tables ?? []).map((table, index) => card(table, index, decide, read, decks)));
      none.hidden = tables === null || tables.length > 0;
      if (focused) document.getElementById(focused)?.focus();
    },
  };
}

function card(table, index, decide, read, decks) {
  const { id: name, terms, people, seats, running } = table;
  const deck = table.deck && !running && !table.why_not && deckField(`deck-${index}`, table.deck, decks.get(name), (chosen) => decks.set(name, chosen));
  const title = el("h2", { id: `table-${index}` }, el("bdi", {}, table.title), `: ${gameName(table.game)}`);
  const act = (what, attrs) =>
    el("button", { id: `${what}-${index}`, "aria-describedby": title.id, onclick: () => decide({ do: what, table: name, terms, ...(deck && { deck: deck.value() }) }), ...attrs },
      t(what === "join" ? "page.lobby.join" : "page.lobby.watch"));
  const rules = () => read({ table: name, terms });
  const here = running ? t("page.lobby.running") : t("page.lobby.here", { count: people.length, seats });
  return el("li", { class: "panel" }, title,
    el("p", { class: "muted" }, table.about),
    el("p", {}, here, people.length > 0 && ": ", people.map((one, at) => [at > 0 && ", ", el("bdi", { title: one.fingerprint }, one.name)])),
    el("dl", {},
      table.rules.length > 0 && entry("page.lobby.rules", table.rules),
      entry("page.lobby.options", table.options),
      entry("page.lobby.dealing", [table.dealing, ...table.trust]),
      entry("page.lobby.clock", [table.clock])),
    deck && deck.node,
    table.why_not && el("p", { class: "wrong" }, table.why_not),
    !running && table.rules_question && trust(index, title.id, table, decide),
    !running && !table.why_not && act("join", { class: "primary" }),
    running && !table.why_no_look && act("watch"),
    table.sheet && el("button", { id: `rules-${index}`, class: "quiet", "data-rules": true, "aria-haspopup": "dialog", "aria-describedby": title.id, onclick: rules }, t("page.rules")));
}

/** Asks about the author of a table's signed rules, or about an older number of them. */
function trust(index, title, { id: name, terms, rules_question }, decide) {
  const question = el("p", { id: `question-${index}` }, rules_question);
  const yes = el("button", { id: `trust-${index}`, "aria-describedby": `${title} ${question.id}`, onclick: () => decide({ do: "trust_rules", table: name, terms }) }, t("page.lobby.rules.yes"));
  return el("div", { class: "field" }, question, yes);
}

/** With which deck to sit down, and what speaks against the one that is chosen. */
function deckField(id, { value, choices }, before, chosen) {
  const wrong = el("span", { id: `${id}-wrong`, class: "wrong", role: "status" });
  const field = el("select", { id, "aria-describedby": wrong.id, onchange: () => (chosen(field.value), told()) },
    choices.map(({ name }) => el("option", { value: name, selected: name === (before ?? value) }, name || t("page.lobby.deck.none"))));
  const told = () => (wrong.textContent = choices.find(({ name }) => name === field.value)?.wrong ?? "");
  told();
  return { node: el("div", { class: "field" }, el("label", { for: id }, t("page.lobby.deck")), field, wrong), value: () => field.value };
}

const entry = (key, texts) => [el("dt", {}, t(key)), texts.map((text) => el("dd", {}, text))];
