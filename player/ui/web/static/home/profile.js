import { el, put } from "../dom.js";
import { t } from "../words.js";

const LANGUAGES = { de: "Deutsch", en: "English" };

/** Name and language, which are kept, and by what others know the person. */
export function profile(actions) {
  const node = el("div", {});
  actions.load(async () => put(node, fields(await actions.list("profile"), actions)));
  return node;
}

function fields(shown, actions) {
  const saved = el("p", { role: "status", class: "good" });
  const name = el("input", { id: "own-name", autocomplete: "off", spellcheck: "false", value: shown.name });
  const language = el("select", { id: "own-language" },
    ["", ...shown.languages].map((one) =>
      el("option", { value: one, selected: one === shown.language }, one ? (LANGUAGES[one] ?? one) : t("page.home.language.browser"))));
  const keep = async (event) => {
    event.preventDefault();
    saved.textContent = "";
    await actions.attempt(async () => {
      const kept = await actions.profile({ name: name.value, language: language.value });
      name.value = kept.name;
      if (kept.language !== shown.language) location.reload(); // all words of the page are others now
      else saved.textContent = t("page.home.kept");
    });
  };
  return [
    el("form", { class: "panel", onsubmit: keep },
      el("label", { for: name.id }, t("page.home.name")), name,
      el("label", { for: language.id }, t("page.home.language")), language,
      el("button", { class: "primary" }, t("page.home.keep")), saved),
    el("section", { class: "panel" },
      el("h2", {}, t("page.home.key")),
      el("p", {}, shown.fingerprint ? el("code", {}, shown.fingerprint) : t("page.home.key.none")),
      shown.fingerprint && el("p", { class: "muted" }, t("page.home.key.about")),
      el("p", { class: "muted" }, t("page.home.folder"), " ", el("bdi", {}, shown.folder))),
  ];
}
