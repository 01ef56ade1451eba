import { el, put, theirs } from "../dom.js";
import { identicon } from "../identicon.js";
import { sure } from "../match/dialog.js";
import { notices } from "../match/sound.js";
import { preference } from "../preferences.js";
import { applySettings, pageSettings } from "../settings.js";
import { t } from "../words.js";
import { askPassphrase, secret } from "./unlock.js";

const LANGUAGES = { de: "Deutsch", en: "English" };
const USUAL = { theme: "system", colour: "green", text: 100, packs: "four", sound: "on", volume: 25, letters: "on" };
const CHOICES = {
  theme: [["system", "page.profile.theme.system"], ["light", "page.profile.theme.light"], ["dark", "page.profile.theme.dark"]],
  colour: [
    ["green", "page.profile.colour.green"], ["blue", "page.profile.colour.blue"], ["purple", "page.profile.colour.purple"],
    ["red", "page.profile.colour.red"], ["ochre", "page.profile.colour.ochre"], ["teal", "page.profile.colour.teal"],
  ],
  packs: [["four", "page.profile.packs.four"], ["two", "page.profile.packs.two"]],
  confirm: [["off", "page.confirm.off"], ["back", "page.confirm.wait"], ["again", "page.confirm.again"]],
  sound: [["off", "page.sound.off"], ["on", "page.sound.on"], ["hidden", "page.sound.hidden"]],
};
const TITLES = {
  theme: "page.profile.theme",
  colour: "page.profile.colour",
  packs: "page.profile.packs",
  confirm: "page.confirm",
  sound: "page.sound",
};
const SIZES = [90, 100, 125, 150, 200]; // percent

/** Name and language, looks and sounds, which are kept; and the key, by which others know the person. */
export function profile(actions) {
  const node = el("div", { class: "profile" });
  const draw = (shown) => put(node, person(shown, actions), looks(shown, actions), key(shown, actions, draw), muted(shown, actions, draw), folder(shown));
  actions.load(async () => draw(await actions.list("profile")));
  return node;
}

function person(shown, actions) {
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
  return el("form", { class: "panel", onsubmit: keep },
    el("label", { for: name.id }, t("page.home.name")), name,
    el("label", { for: language.id }, t("page.home.language")), language,
    el("button", { class: "primary" }, t("page.home.keep")), saved);
}

/** Settings that count at once. */
function looks(shown, actions) {
  const own = { confirm: preference("confirm"), ahead: preference("ahead"), awake: preference("awake") };
  const now = { ...USUAL, ...own, ...shown.settings, ...pageSettings() };
  const saved = el("p", { role: "status", class: "good" });
  const keep = (name, value) => actions.attempt(async () => {
    saved.textContent = "";
    applySettings({ [name]: value });
    await actions.settings({ [name]: value });
    saved.textContent = t("page.home.kept");
  });
  const choice = (name) => {
    const id = `own-${name}`;
    const options = CHOICES[name].map(([value, label]) => el("option", { value, selected: value === now[name] }, t(label)));
    return field(id, TITLES[name], el("select", { id, onchange: ({ target }) => keep(name, target.value) }, options));
  };
  const tick = (name, title) => el("label", { class: "row" },
    el("input", { type: "checkbox", checked: now[name] === "on", onchange: ({ target }) => keep(name, target.checked ? "on" : "off") }), t(title));
  const sizes = SIZES.map((size) => el("option", { value: size, selected: size === now.text }, t("page.profile.text.size", { percent: size })));
  return el("section", { class: "panel" },
    el("h2", {}, t("page.profile.looks")),
    el("div", { class: "looks" },
      choice("theme"), choice("colour"),
      field("own-text", "page.profile.text", el("select", { id: "own-text", onchange: ({ target }) => keep("text", Number(target.value)) }, sizes)),
      choice("packs"), choice("confirm"), choice("sound"),
      field("own-volume", "page.profile.volume",
        el("input", { id: "own-volume", type: "range", min: "0", max: "100", step: "5", value: String(now.volume), onchange: ({ target }) => keep("volume", target.valueAsNumber) }))),
    tick("letters", "page.letters"), tick("ahead", "page.ahead"), tick("awake", "page.awake"), notices(), saved);
}

const field = (id, title, control) => el("div", {}, el("label", { for: id }, t(title)), control);

/** The key: its picture and fingerprint, how people compare keys, and its passphrase. */
function key(shown, actions, draw) {
  return el("section", { class: "panel" },
    el("h2", {}, t("page.home.key")),
    shown.fingerprint
      ? el("p", { class: "row" }, identicon(shown.fingerprint), el("code", {}, shown.fingerprint))
      : el("p", {}, t("page.home.key.none")),
    shown.fingerprint && el("p", {}, t("page.key.about")),
    shown.fingerprint && el("p", {}, t("page.key.picture")),
    el("h3", {}, t("page.key.words")),
    el("p", {}, t("page.key.words.about")),
    el("h3", {}, t("page.key.passphrase")),
    el("p", {}, t(shown.protected ? (shown.locked ? "page.key.is.locked" : "page.key.is.open") : "page.key.is.plain")),
    shown.locked && el("button", { class: "primary", onclick: async () => (await askPassphrase(actions.unlock)) && draw(await actions.list("profile")) }, t("page.key.unlock")),
    passphrase(shown, actions, draw));
}

/** Sets, changes or removes the passphrase. Every field is emptied as it is read. */
function passphrase(shown, actions, draw) {
  const status = el("p", { role: "status", class: "good" });
  const wrong = el("p", { role: "alert", class: "wrong" });
  const old = secret("key-old", t("page.key.old"));
  const [first, second] = [secret("key-new", t("page.key.new")), secret("key-again", t("page.key.again"))];
  const buttons = [el("button", { class: "primary" }, t(shown.protected ? "page.key.change" : "page.key.set"))];
  const send = async (given, wanted, done) => {
    for (const node of [status, wrong]) node.textContent = "";
    for (const button of buttons) button.disabled = true;
    try {
      draw(await actions.passphrase(given, wanted));
      actions.say(t(done));
    } catch (error) {
      wrong.textContent = error.message;
      for (const button of buttons) button.disabled = false;
    }
  };
  const change = (event) => {
    event.preventDefault();
    const [given, wanted, again] = [old, first, second].map((one) => one.take());
    if (!wanted) wrong.textContent = t("page.key.empty");
    else if (wanted !== again) wrong.textContent = t("page.key.differ");
    else send(given, wanted, "page.key.done");
  };
  const remove = async () => {
    const given = old.take();
    if (await sure("page.key.remove", "page.key.remove.what", "page.key.remove")) send(given, "", "page.key.removed");
  };
  if (shown.protected) buttons.push(el("button", { type: "button", class: "danger", onclick: remove }, t("page.key.remove")));
  return el("form", { class: "stack", onsubmit: change },
    shown.protected && old.nodes, first.nodes, second.nodes, el("p", { class: "muted" }, t("page.key.lost")),
    el("div", { class: "row wrap" }, buttons), wrong, status);
}

/** The people whom the person hears in no lobby and match. */
function muted(shown, actions, draw) {
  const again = (fingerprint) => actions.attempt(async () => draw(await actions.unmute(fingerprint)));
  return el("section", { class: "panel", "data-muted": "" },
    el("h2", {}, t("page.profile.muted")),
    el("p", { class: "muted" }, t(shown.muted.length ? "page.profile.muted.about" : "page.profile.muted.none")),
    el("ul", {}, shown.muted.map(({ name, fingerprint }) =>
      el("li", { class: "row wrap" }, theirs(name), el("code", {}, fingerprint),
        el("button", { class: "quiet", "aria-label": t("page.profile.unmute.of", { name }), onclick: () => again(fingerprint) }, t("page.people.unmute"))))));
}

const folder = (shown) =>
  el("section", { class: "panel" },
    el("h2", {}, t("page.profile.folder")),
    el("p", {}, t("page.home.folder"), " ", el("bdi", {}, shown.folder)),
    el("p", { class: "muted" }, t("page.profile.folder.copy")));
