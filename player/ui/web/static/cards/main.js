// the storages come first, because all others use them
import * as storages from "../storages.js";
import { el, put } from "../dom.js";
import { enter, subscribe } from "../net.js";
import { learn, t } from "../words.js";
import { album } from "./screen.js";

const LOST = { lost: () => t("page.program.lost"), ended: () => t("page.program.ended"), stranger: () => t("page.program.stranger") };
const root = document.getElementById("root");
const banner = document.getElementById("program");

function state(name) {
  banner.hidden = name === "open";
  put(banner, LOST[name]?.());
}

async function begin() {
  const [, ticket] = /^#t=(.+)$/.exec(location.hash) ?? [];
  history.replaceState(null, "", "/");
  const { language, labels } = await enter(ticket);
  document.documentElement.lang = language;
  learn(labels);
  const screen = album();
  put(root, screen.node);
  await subscribe((event, data) => event === "snapshot" && screen.draw(data), state);
}

addEventListener("hashchange", () => location.reload()); // a new link in an old tab
begin().catch((error) => put(root, el("p", { role: "alert", class: "panel" }, error.message)));
