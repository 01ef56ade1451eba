import { el, put } from "../dom.js";
import { t } from "../words.js";

/** The form for a table of one's own: the program makes it anew for whatever is in it. */
export function createForm(actions, attempt) {
  const fields = el("div", { class: "fields" });
  const node = el("details", { class: "panel" }, el("summary", {}, el("h2", {}, t("page.lobby.create"))),
    el("form", { onsubmit: (event) => (event.preventDefault(), attempt(create)) }, fields));
  let form = null;
  const ask = async (body) => {
    ({ form } = await actions.lobby({ do: "form", ...body }));
    const focused = document.activeElement.id;
    put(fields, parts(form, (change) => attempt(() => ask(change))));
    document.getElementById(focused)?.focus();
  };
  const create = () => actions.lobby({ do: "create", ...inIt(form) });
  node.addEventListener("toggle", () => node.open && !form && attempt(() => ask({})));
  return node;
}

/** Another table's link, pasted. */
export function linkForm(actions, attempt) {
  const link = el("input", { id: "link", autocomplete: "off", spellcheck: "false", required: true });
  const go = (event) => (event.preventDefault(), attempt(() => actions.lobby({ do: "link", link: link.value })));
  return el("form", { class: "panel", onsubmit: go },
    el("label", { for: "link" }, t("page.lobby.link")), link, el("button", {}, t("page.lobby.link.go")));
}

/** What is in the form, as the program asks for it. */
function inIt(form) {
  const values = (rows) => Object.fromEntries(rows.filter((row) => !row.usual).map(({ name, value }) => [name, value]));
  const { game, seats, dealing, options, dealing_options: dealt, clock } = form;
  return { game, seats: seats.value, dealing, options: values(options), dealing_options: values(dealt), clock: values(clock) };
}

const more = { open: false }; // what most people leave as it is

function parts(form, ask) {
  const now = inIt(form);
  const rows = (area) => form[area].map((row) =>
    field(`${area}-${row.name}`, row, (value) => ask({ ...now, [area]: { ...now[area], [row.name]: value } })));
  const games = { value: form.game, choices: form.games.map(({ name }) => name), about: t("page.lobby.game") };
  const dealings = { value: form.dealing, choices: form.dealings, about: t("page.lobby.dealing") };
  return [
    field("game", games, (game) => ask({ game, seats: now.seats })),
    el("p", { class: "muted" }, form.games.find(({ name }) => name === form.game).about),
    field("seats", { ...form.seats, about: t("page.lobby.seats") }, (seats) => ask({ ...now, seats })),
    rows("options"),
    el("details", { id: "more", open: more.open, ontoggle: (event) => (more.open = event.target.open) },
      el("summary", {}, t("page.lobby.more")),
      field("dealing", dealings, (dealing) => ask({ ...now, dealing, dealing_options: {} })),
      rows("dealing_options"),
      rows("clock")),
    form.terms.map((text) => el("p", {}, text)),
    form.wrong ? el("p", { class: "wrong" }, form.wrong) : el("button", { class: "primary" }, t("page.lobby.create.do")),
  ];
}

function field(id, row, change) {
  const { choices } = row;
  const said = row.wrong ?? (choices ? "" : t("page.lobby.range", row));
  const attrs = { id, "aria-describedby": said && `${id}-range`, "aria-invalid": row.wrong && "true" };
  const input = choices
    ? el("select", { ...attrs, onchange: () => change(choices[input.selectedIndex]) },
      choices.map((choice) => el("option", { selected: choice === row.value }, String(choice))))
    : el("input", { ...attrs, type: "number", min: row.least, max: row.most, value: row.value, onchange: () => change(Math.round(input.value)) });
  return el("div", { class: "field" }, el("label", { for: id }, row.about), input,
    said && el("span", { id: `${id}-range`, class: row.wrong ? "wrong" : "muted" }, said));
}
