import { el, put } from "../dom.js";
import { t } from "../words.js";
import { ask } from "./engine.js";

// the texts of the file of each kind
const CARRIED = { kind: "carried", title: "tab.keep.carried", more: "tab.keep.carried.more", done: "tab.keep.carried.done" };
const AGAIN = { ...CARRIED, title: "tab.keep.again", more: "tab.keep.again.more" };
const BACKUP = { kind: "backup", title: "tab.keep.backup", more: "tab.keep.backup.more", done: "tab.keep.backup.done" };
const LOCKED = { away: "tab.keep.away", coming: "tab.keep.coming" };
const ENDING = ".profile";

/** What this browser keeps, for how long, and the ways to take it out and in. `ready(here)` is called when it is known
 * whether the person can play from here. */
export function keepPanel(ready) {
  const body = el("div", {}, el("p", {}, t("tab.keep.wait")));
  const node = el("details", { class: "keep" }, el("summary", {}, t("tab.keep.title")), body);
  look();
  return node;

  async function look(done = "") {
    const about = await ask("about");
    const here = about.place === "here";
    if (!here) node.open = true;
    put(body, ...(here ? stored(about, done) : locked(about, done)));
    ready(here);
  }

  function stored({ fingerprint, protected: secret }, done) {
    const bring = fileForm(look);
    if (!fingerprint) return [el("p", {}, t("tab.keep.nothing")), lasting(), bring];
    return [
      done && el("p", { role: "status" }, done),
      el("p", {}, t("tab.keep.stored"), " ", t(secret ? "tab.keep.secret" : "tab.keep.plain")),
      lasting(),
      passphraseForm(CARRIED, look),
      passphraseForm(BACKUP, look),
    ];
  }

  function locked({ place, since }, done) {
    return [
      done && el("p", { role: "status" }, done),
      el("p", { class: "wrong" }, t(LOCKED[place], { day: since })),
      place === "away" && passphraseForm(AGAIN, look),
      fileForm(look),
    ];
  }
}

/** Whether the browser has promised to keep what it stores; it is asked for that. */
async function persists() {
  try {
    return Boolean(await navigator.storage?.persist?.());
  } catch {
    return false;
  }
}

/** How long the browser keeps it. Some ask the person first, who may never answer. */
function lasting() {
  const node = el("p", {}, t("tab.keep.not_lasting"));
  persists().then((yes) => yes && put(node, t("tab.keep.lasting")));
  return node;
}

/** The form for a file of one kind. */
function passphraseForm({ kind, title, more, done }, look) {
  const secret = field("tab.keep.passphrase", "new-password");
  const again = field("tab.keep.passphrase_again", "new-password");
  const wrong = el("p", { class: "wrong", role: "alert" });
  const button = el("button", {}, t(title));
  return el("details", {},
    el("summary", {}, t(title)),
    el("form", { onsubmit: submit }, el("p", {}, t(more)), secret.node, again.node, wrong, button));

  async function submit(event) {
    event.preventDefault();
    if (secret.input.value !== again.input.value) return put(wrong, t("tab.keep.differ"));
    button.disabled = true;
    put(wrong);
    const found = await ask("export", { kind, passphrase: secret.input.value });
    button.disabled = false;
    if (typeof found === "string") return put(wrong, found);
    save(found);
    return look(t(done));
  }
}

/** The form for a profile from a file. */
function fileForm(look) {
  const file = el("input", { type: "file", accept: ENDING, required: true, id: "keep-file" });
  const secret = field("tab.keep.passphrase", "current-password");
  const unused = el("input", { type: "checkbox", id: "keep-unused" });
  const wrong = el("p", { class: "wrong", role: "alert" });
  const button = el("button", {}, t("tab.keep.bring"));
  return el("details", {},
    el("summary", {}, t("tab.keep.bring")),
    el("form", { onsubmit: submit },
      el("p", {}, t("tab.keep.bring.more")),
      el("p", {}, el("label", { for: file.id }, t("tab.keep.file")), file),
      secret.node,
      el("p", {}, unused, " ", el("label", { for: unused.id, class: "beside" }, t("tab.keep.unused"))),
      wrong,
      button));

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    put(wrong);
    const content = await file.files[0].arrayBuffer();
    const asked = { file: new Uint8Array(content), passphrase: secret.input.value, unused: unused.checked };
    const refused = await ask("bring", asked);
    button.disabled = false;
    if (refused) return put(wrong, refused);
    return look(t("tab.keep.bring.done"));
  }
}

let fields = 0;

function field(label, autocomplete) {
  const input = el("input", { type: "password", required: true, autocomplete, id: `keep-${++fields}` });
  return { input, node: el("p", {}, el("label", { for: input.id }, t(label)), input) };
}

/** Hands the file to the person. */
function save(content) {
  const href = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const day = new Date().toISOString().slice(0, 10);
  el("a", { href, download: `fairdeal-${day}${ENDING}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60000);
}
