import { el, put, screenCache } from "../dom.js";
import { rules } from "../match/rules.js";
import { t } from "../words.js";
import { history } from "./history.js";
import { join } from "./join.js";
import { continued } from "./continued.js";
import { gameList, openedTable, play } from "./play.js";
import { profile } from "./profile.js";

const screenIn = screenCache(build);
const ROUTES = { home: front, play: (actions) => play(actions, actions.people()), join, history, profile };

/** Builds Home in `root`, or brings it up to date: the route of the bar, with its lists. */
export function drawHome(root, snapshot, actions) {
  const screen = screenIn(root, actions);
  screen.draw(snapshot);
  return screen;
}

function build(actions) {
  const title = el("h1", { tabindex: "-1" });
  const status = el("p", { role: "status" });
  const wrong = el("p", { class: "wrong", role: "alert" });
  const done = el("p", { class: "good", role: "status" });
  const content = el("div", { class: "content" });
  const reading = rules((game) => actions.rules(game));
  const load = async (act) => {
    try {
      return await act();
    } catch (error) {
      wrong.textContent = error.message;
      return null;
    }
  };
  const attempt = (act) => {
    wrong.textContent = "";
    return load(act);
  };
  let drawn = null;
  let failed = null; // what came to nothing, until the person goes elsewhere
  let people = false; // the person wants to open a table
  const draw = (snapshot) => {
    if (snapshot.failed && snapshot.serial !== failed?.serial) {
      failed = { ...snapshot.failed, serial: snapshot.serial };
      actions.bar.turn("join");
      drawn = null;
    }
    const route = actions.bar.route();
    status.textContent = snapshot.opening ? t("page.home.opening") : "";
    if (snapshot.notice) wrong.textContent = snapshot.notice;
    actions.bar.draw(snapshot, () => (draw(snapshot), title.focus()));
    content.toggleAttribute("inert", snapshot.opening);
    if (drawn === route) return;
    if (drawn !== null) wrong.textContent = "";
    if (route !== "join") failed = failed && { serial: failed.serial };
    drawn = route;
    done.textContent = "";
    title.textContent = actions.bar.title(route);
    document.title = `${title.textContent} · fairdeal`;
    const nodes = ROUTES[route]({
      ...actions, attempt, load, read: reading.open,
      say: (text) => (done.textContent = text),
      failed: () => failed,
      invite: () => ((people = true), actions.bar.go("play")),
      people: () => people,
    });
    if (route !== "home") people = false;
    put(content, nodes);
  };
  return {
    node: el("main", { class: "home" }, title, status, wrong, done, content, reading.node),
    draw,
    deed() {},
    said() {},
    notice() {},
  };
}

/** The front: what can go on, the person's own table, the ways to other people, and the games. */
function front(actions) {
  const ways = el("div", { class: "ways row wrap" },
    el("button", { onclick: actions.invite }, t("page.home.table")),
    el("button", { onclick: () => actions.bar.go("join") }, t("page.home.join.link")));
  return [el("p", { class: "about" }, el("strong", {}, "fairdeal"), t("page.home.about")), continued(actions), openedTable(actions), ways, gameList(actions)];
}
