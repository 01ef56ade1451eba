import { el, put, screenCache } from "../dom.js";
import { rules } from "../match/rules.js";
import { t } from "../words.js";
import { history } from "./history.js";
import { join } from "./join.js";
import { continued, play } from "./play.js";
import { profile } from "./profile.js";

const screenIn = screenCache(build);
const ABOUT = {
  play: () => t("page.home.play.about"),
  join: () => t("page.home.join.about"),
  cards: () => t("page.home.cards.about"),
  history: () => t("page.home.history.about"),
  profile: () => t("page.home.profile.about"),
};
const ROUTES = { home: front, play, join, history, profile };

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
  const draw = (snapshot) => {
    const route = actions.bar.route();
    status.textContent = snapshot.opening ? t("page.home.opening") : "";
    if (snapshot.notice) wrong.textContent = snapshot.notice;
    actions.bar.draw(snapshot, () => (draw(snapshot), title.focus()));
    content.toggleAttribute("inert", snapshot.opening);
    if (drawn === route) return;
    if (drawn !== null) wrong.textContent = "";
    drawn = route;
    done.textContent = "";
    title.textContent = actions.bar.title(route);
    document.title = `${title.textContent} · fairdeal`;
    const nodes = ROUTES[route]({ ...actions, attempt, load, read: reading.open, say: (text) => (done.textContent = text) });
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

/** The front: what can go on, and the ways from here. */
function front(actions) {
  const ways = Object.entries(ABOUT).map(([route, about]) =>
    el("li", { class: "panel" },
      el("h2", {}, actions.bar.title(route)),
      el("p", {}, about()),
      el("button", { class: route === "play" ? "primary" : null, onclick: () => actions.bar.go(route) }, actions.bar.title(route))));
  return [continued(actions), el("ul", { class: "ways" }, ways)];
}
