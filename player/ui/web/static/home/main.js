import { el, put } from "../dom.js";
import { drawCards } from "../cards/screen.js";
import { extend, replays } from "../main.js";
import { request } from "../net.js";
import { drawReplay } from "../replay/screen.js";
import { bar } from "./bar.js";
import { drawHome } from "./screen.js";

const actions = {
  home: () => request("home"),
  open: (what, name, bots = 0) => request("open", { what, name, bots }),
  list: (of) => request("list", { of }),
  check: (log) => request("check", { log }),
  profile: (fields) => request("profile", fields),
};

/** A replay that was opened from Home. */
function drawOpened(root) {
  if (root.firstChild) return;
  drawReplay(root, replays).catch((error) => put(root, el("p", { role: "alert", class: "panel" }, error.message)));
}

extend({ home: drawHome, replay: drawOpened, cards: drawCards }, (all, root) => {
  Object.assign(all, actions, { bar: bar(actions) });
  root.before(all.bar.node);
});
