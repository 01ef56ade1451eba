import { el, put } from "../dom.js";
import { learn, t } from "../words.js";
import { listen, start, take } from "./engine.js";
import { keepPanel } from "./keep.js";
import { readLink, tidyLink } from "./link.js";

const WAY = /^#\/[a-z]+$/; // a way of the app: no link
const LINK = "fairdeal link"; // in the session: the link of this tab
const ENTERED = "fairdeal entered"; // in the session: the name under which the person has begun
const NAME = "fairdeal name"; // the name of the last visit
const OPEN = "#/match"; // the address while a table or a match is open
const STOPPED = {
  load: "tab.stopped.load",
  program: "tab.stopped.program",
  storage: "tab.stopped.storage",
  full: "tab.stopped.full",
  taken_over: "tab.stopped.taken_over",
  framed: "tab.stopped.framed",
  old: "tab.stopped.old",
  offline: "tab.stopped.offline",
  changed: "tab.stopped.changed",
  server: "tab.stopped.server",
};
const MEGABYTE = 1e6;
const root = document.getElementById("entry");
const bar = el("progress", { id: "loading", max: document.body.dataset.size, value: 0 });
const said = el("label", { for: bar.id });
const wrong = el("p", { class: "wrong", role: "alert" });
const remembered = (storage, name) => storage.getItem(name) ?? "";

learn(ownWords());
const link = ownLink();
const field = el("input", { id: "name", required: true, maxlength: 40, autocomplete: "nickname", value: remembered(localStorage, NAME) });
const button = el("button", { class: "primary" }, t(link ? "tab.begin.table" : "tab.begin"));
let waits = false; // the person has begun, and the program is not there yet

listen({ loaded, refused, busy, forgets, started, stopped });
addEventListener("hashchange", (event) => {
  if (!location.hash || WAY.test(location.hash)) return;
  event.stopImmediatePropagation();
  location.reload(); // another link in this tab
});
draw();

/** The texts of this page in the best language of the browser. */
function ownWords() {
  const texts = JSON.parse(document.getElementById("words").textContent);
  const wanted = navigator.languages.map((language) => language.split("-")[0].toLowerCase());
  const language = wanted.find((one) => Object.hasOwn(texts, one)) ?? "en";
  document.documentElement.lang = language;
  return texts[language];
}

/** The link behind the `#`, or that of this tab before it was loaded anew. */
function ownLink() {
  if (WAY.test(location.hash)) return remembered(sessionStorage, LINK);
  let given = location.hash.slice(1);
  try {
    given = decodeURIComponent(given);
  } catch {
    // what cannot be decoded is shown, and refused, as it is
  }
  given = tidyLink(given);
  sessionStorage.setItem(LINK, given);
  sessionStorage.removeItem(ENTERED);
  return given;
}

function draw() {
  loaded(0);
  const form = el("form", { class: "panel", onsubmit: submit },
    el("h1", {}, t("tab.title")),
    el("p", {}, el("label", { for: field.id }, t("tab.name")), field),
    wrong,
    button,
    el("p", { class: "loading" }, said, bar),
    el("div", { class: "leads" }, link && table(), el("p", {}, served())));
  const keep = keepPanel((here) => (button.disabled = field.disabled = waits || !here));
  put(root, form, el("div", { class: "panel" }, keep));
  const entered = remembered(sessionStorage, ENTERED);
  if (entered) begin(location.hash === OPEN ? link : "", entered); // loaded anew: the person has begun before
  else field.focus();
}

/** Where the link leads, or why a page cannot go there. */
function table() {
  const found = readLink(link);
  if (!found) return el("p", { class: "wrong" }, t("tab.link.none"));
  if (!found.secure && location.protocol === "https:") {
    return el("p", { class: "wrong" }, t("tab.link.not_secure", { host: found.host }));
  }
  return el("dl", {},
    el("dt", {}, t("tab.table")), el("dd", {}, el("bdi", {}, found.host)),
    el("dt", {}, t("tab.fingerprint")), el("dd", { class: "fingerprint" }, found.fingerprint.match(/.{4}/g).join(" ")));
}

/** Who could change the program that this page is. */
function served() {
  const { protocol, host, hostname } = location;
  const table = readLink(link);
  if (table?.host === host) return t("tab.served.table", { host });
  if (["127.0.0.1", "[::1]", "localhost"].includes(hostname)) return t("tab.served.here", { host });
  return t(protocol === "https:" ? "tab.served.https" : "tab.served.http", { host });
}

function submit(event) {
  event.preventDefault();
  begin(link, field.value);
}

function begin(where, name) {
  wrong.textContent = "";
  waits = true;
  field.value = name;
  field.disabled = button.disabled = true;
  start(where, name);
  loaded(bar.value);
}

function loaded(bytes) {
  bar.value = Math.max(bar.value, bytes);
  const done = bar.value >= bar.max;
  const key = done ? (waits ? "tab.starting" : "tab.there") : "tab.loading";
  const size = (number) => (number / MEGABYTE).toFixed(1);
  said.textContent = t(key, { done: size(bar.value), all: size(bar.max) });
}

function refused(why) {
  waits = false;
  field.disabled = button.disabled = false;
  wrong.textContent = why;
  sessionStorage.removeItem(ENTERED);
  loaded(bar.value);
}

/** Another tab plays: says so, and offers to play here. */
function busy() {
  const here = el("button", { class: "primary", onclick: () => (node.remove(), take()) }, t("tab.busy.take"));
  const node = el("div", { class: "panel", role: "alert" }, el("p", {}, t("tab.busy")), here);
  root.prepend(node);
  here.focus();
}

/** Says what is lost when the tab is left. */
function forgets() {
  root.prepend(el("div", { class: "panel wrong", role: "alert" }, el("p", {}, t("tab.forgets"))));
}

function started() {
  sessionStorage.setItem(ENTERED, field.value);
  localStorage.setItem(NAME, field.value);
  root.remove();
}

/** Says why nothing goes on, and what to do. What is on the page can be read, but not used. */
function stopped(reason) {
  root.remove();
  for (const node of document.body.children) node.inert = true;
  const again = el("button", { class: "primary", onclick: () => location.reload() }, t("tab.again"));
  const why = el("div", { role: "alert" }, el("h1", {}, t("tab.stopped")), el("p", {}, t(STOPPED[reason] ?? STOPPED.load)));
  document.body.prepend(el("main", { id: "entry" }, el("div", { class: "panel" }, why, again)));
  again.focus();
}
