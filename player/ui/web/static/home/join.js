import { el, put } from "../dom.js";
import { t } from "../words.js";

/** A field for a link, and the tables of earlier visits. */
export function join(actions) {
  const field = el("input", { id: "link", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const enter = (link) => actions.attempt(() => actions.open("join", link));
  const form = el("form", { class: "panel", onsubmit: (event) => (event.preventDefault(), enter(field.value)) },
    el("label", { for: field.id }, t("page.home.link")),
    el("div", { class: "row" }, field, el("button", { class: "primary" }, t("page.home.join"))));
  const list = el("ul");
  const none = el("p", { class: "muted", hidden: true }, t("page.home.tables.none"));
  actions.load(async () => {
    const found = await actions.list("tables");
    none.hidden = found.length > 0;
    put(list, found.map(({ link, address }) =>
      el("li", { class: "row wrap" },
        el("bdi", {}, address),
        el("button", { "aria-label": t("page.home.tables.join", { address }), onclick: () => enter(link) }, t("page.home.join")))));
  });
  return [form, el("section", { class: "panel" }, el("h2", {}, t("page.home.tables")), none, list)];
}
