import { el, put } from "../dom.js";
import { extend, replays } from "../main.js";
import { request, save } from "../net.js";
import { drawReplay } from "../replay/screen.js";
import { bar } from "./bar.js";
import { dropped, look } from "./files.js";
import { drawHome } from "./screen.js";

const actions = {
  home: () => request("home"),
  open: (what, name, bots = 0) => request("open", { what, name, bots }),
  list: (of) => request("list", { of }),
  check: (log) => request("check", { log }),
  profile: (fields) => request("profile", fields),
  mostFile: async () => (await actions.list("limits")).file,
  results: (known) => request("results", { known }),
  save: (what, fields) => save(what, fields),
};

/** A replay that was opened from Home. */
function drawOpened(root) {
  if (root.firstChild) return;
  drawReplay(root, replays).catch((error) => put(root, el("p", { role: "alert", class: "panel" }, error.message)));
}

extend({ home: drawHome, replay: drawOpened }, (all, root) => {
  const ways = bar(actions);
  const send = (name, file) => request("look", { name }, file);
  const lookAt = (files) => look(files, { bar: ways, send, most: actions.mostFile });
  Object.assign(all, actions, { bar: ways, look: lookAt });
  root.before(ways.node);
  dropped(document.documentElement, (files) => {
    ways.say("");
    lookAt(files).catch((error) => ways.say(error.message));
  });
});
