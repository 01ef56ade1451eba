import { el, put, theirs } from "../dom.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";
import { directories } from "./directories.js";

/** A field for a link, the tables of earlier visits, directories, and the local network. */
export function join(actions) {
  const field = el("input", { id: "link", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const enter = (link) => actions.attempt(() => actions.open("join", link));
  const form = el("form", { class: "panel", onsubmit: (event) => (event.preventDefault(), enter(field.value)) },
    el("label", { for: field.id }, t("page.home.link")),
    el("div", { class: "row" }, field, el("button", { class: "primary" }, t("page.home.join"))));
  const { link } = actions.failed() ?? {};
  if (link) {
    field.value = link;
    form.append(el("div", { class: "row wrap" },
      el("button", { class: "primary" }, t("page.home.retry")),
      el("button", { type: "button", class: "quiet", onclick: () => actions.bar.go("home") }, t("page.home.back"))));
  }
  return [form, visited(actions, enter), directories(actions), near(actions, enter)];
}

/** The tables of earlier visits. They are asked who is there only when the person wants to know. */
function visited(actions, enter) {
  const list = el("ul");
  const none = el("p", { class: "muted", hidden: true }, t("page.home.tables.none"));
  const about = el("p", { class: "muted", hidden: true }, t("page.home.tables.ask.about"));
  const ask = el("button", { class: "quiet", hidden: true }, t("page.home.tables.ask"));
  actions.load(async () => {
    const rows = (await actions.list("tables")).map((table) => row(table, enter));
    none.hidden = rows.length > 0;
    about.hidden = ask.hidden = rows.length === 0;
    put(list, rows.map(({ node }) => node));
    ask.addEventListener("click", async () => {
      ask.disabled = true;
      await Promise.all(rows.filter(({ asked }) => asked).map(({ look }) => look(actions)));
      ask.disabled = false;
    });
  });
  return el("section", { class: "panel", "data-tables": "visited" }, el("h2", {}, t("page.home.tables")), none, list, about, ask);
}

function row({ link, address, asked }, enter) {
  const said = el("span", { class: "muted", role: "status" });
  const node = el("li", { class: "row wrap" },
    theirs(address),
    el("button", { "aria-label": t("page.home.tables.join", { address }), onclick: () => enter(link) }, t("page.home.join")),
    said);
  const look = async (actions) => {
    put(said, t("page.home.tables.asking"));
    put(said, answer((await actions.load(() => actions.look(link))) ?? { answers: false }));
  };
  return { node, asked, look };
}

function answer({ answers, people, open, running }) {
  if (!answers) return t("page.home.tables.silent");
  const waiting = people.length > 0 && [" ", t("page.home.tables.waiting"), " ", people.map((name, at) => [at > 0 && ", ", theirs(name)])];
  return [t("page.home.tables.answers", { open, running }), waiting];
}

/** The tables that announce themselves on the local network, looked for when the person wants to. */
function near(actions, enter) {
  const list = el("ul");
  const said = el("p", { class: "muted", role: "status" });
  const find = el("button", { class: "quiet" }, t("page.home.near.find"));
  find.addEventListener("click", async () => {
    find.disabled = true;
    said.textContent = t("page.home.near.looking");
    try {
      const found = await actions.find();
      said.textContent = found.length ? "" : t("page.home.near.none");
      put(list, found.map(({ link, address, game, name }) =>
        el("li", { class: "row wrap" },
          theirs(address), el("span", {}, gameName(game)), name && theirs(name),
          el("button", { "aria-label": t("page.home.tables.join", { address }), onclick: () => enter(link) }, t("page.home.join")))));
    } catch (error) {
      said.textContent = error.message;
    }
    find.disabled = false;
  });
  const node = el("section", { class: "panel", "data-tables": "near" }, el("h2", {}, t("page.home.near")), list, find, said);
  actions.load(async () => {
    if (!(await actions.list("limits")).finds) put(node, el("p", { class: "muted" }, t("page.home.near.not_here")));
  });
  return node;
}
