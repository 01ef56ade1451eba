// the storages come first, because all others use them
import * as storages from "../storages.js";
import { el, put } from "../dom.js";
import { drawCards } from "../cards/screen.js";
import { summons } from "../lobby/people.js";
import { extend, replays } from "../main.js";
import { request, save } from "../net.js";
import { drawReplay } from "../replay/screen.js";
import { pageSettings } from "../settings.js";
import { bar } from "./bar.js";
import { dropped, showFile } from "./files.js";
import { propose, withName } from "./name.js";
import { drawHome } from "./screen.js";
import { withKey } from "./unlock.js";

const NAMED = ["play", "join", "listed", "table", "continue"]; // what others see the person in

const actions = {
  home: () => request("home"),
  open: async (what, name, more = {}) =>
    (!NAMED.includes(what) || (await withName(actions))) && withKey(() => request("open", { what, name, ...more }), actions.unlock),
  named: () => withName(actions),
  propose,
  form: (form) => request("form", { form }),
  drop: (name) => request("drop", { name }),
  close: () => request("close"),
  look: (link) => request("look", { link }),
  find: () => request("find"),
  addDirectory: (link) => request("add_directory", { link }),
  removeDirectory: (link) => request("remove_directory", { link }),
  tablesOf: (link, wanted) => request("directory", { link, ...wanted }),
  seatAnywhere: (link, filter) => request("seat_anywhere", { link, ...filter }),
  list: (of) => request("list", { of }),
  check: (log) => request("check", { log }),
  profile: (fields) => request("profile", fields),
  mostFile: async () => (await actions.list("limits")).file,
  settings: (fields) => request("settings", fields),
  unmute: (fingerprint) => request("unmute", { fingerprint }),
  unlock: (passphrase) => request("unlock", { passphrase }),
  passphrase: (old, wanted) => request("passphrase", { old, new: wanted }),
  results: (known) => request("results", { known }),
  save: (what, fields) => save(what, fields),
};

/** A replay that was opened from Home. */
function drawOpened(root) {
  if (root.firstChild) return;
  drawReplay(root, replays).catch((error) => put(root, el("p", { role: "alert", class: "panel" }, error.message)));
}

extend({ home: drawHome, replay: drawOpened, cards: drawCards }, (all, root) => {
  const ways = bar(actions);
  const send = (name, file) => request("show", { name }, file);
  const show = (files) => showFile(files, { bar: ways, send, most: actions.mostFile });
  const asked = (act) => act().catch((error) => ways.say(error.message));
  const above = summons((wish) => asked(() => all.lobby(wish)), (yes) => asked(() => all.again(yes)));
  const draw = (snapshot, redraw) => (ways.draw(snapshot, redraw), above.draw(snapshot));
  Object.assign(all, actions, { bar: { ...ways, draw }, showFile: show });
  root.before(ways.node, above.node);
  keepSettings(pageSettings());
  dropped(document.documentElement, (files) => {
    ways.say("");
    show(files).catch((error) => ways.say(error.message));
  });
});

/** Tells the program what a match has changed of its sounds and keys, so that the next page has it, too. */
function keepSettings(before) {
  let kept = before;
  const compare = () => {
    const now = pageSettings();
    const other = Object.entries(now).filter(([name, value]) => kept[name] !== value);
    kept = now;
    if (other.length) actions.settings(Object.fromEntries(other)).catch(() => {}); // the page has them all the same
  };
  for (const event of ["click", "change"]) addEventListener(event, () => setTimeout(compare));
}
