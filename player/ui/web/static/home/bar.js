import { el } from "../dom.js";
import { sure } from "../match/dialog.js";
import { t } from "../words.js";

const ROUTES = {
  home: () => t("page.home"),
  play: () => t("page.home.play"),
  join: () => t("page.home.join"),
  cards: () => t("page.home.cards"),
  history: () => t("page.home.history"),
  profile: () => t("page.home.profile"),
};
const RUNS = ["match", "waiting"]; // stages in which others wait for the person

/** The ways through the app: always there, whatever is open. `go(route)` goes one of them. */
export function bar(actions) {
  const now = { route: "home", snapshot: null, redraw: () => {} };
  const go = async (route) => {
    const { stage } = now.snapshot ?? {};
    if (RUNS.includes(stage) && !(await sure("page.home.leave", "page.home.leave.what", "page.home.leave"))) return;
    if (route === "cards") {
      await cards(stage);
      return;
    }
    now.route = route;
    mark();
    if (stage === "home") now.redraw();
    else await actions.home();
  };
  /** Opens the cards in place of what is open: they are no route of Home, which says why if they cannot be opened. */
  const cards = async (stage) => {
    if (stage === "cards") return;
    if (stage !== "home") await actions.home();
    await actions.open("cards", "").catch(() => {}); // something else is just being opened
  };
  const buttons = Object.entries(ROUTES).map(([route, title]) =>
    el("button", { class: "quiet", "data-route": route, onclick: () => go(route) }, title()));
  const mark = () => {
    for (const button of buttons) {
      const stage = now.snapshot?.stage;
      const here = stage === "cards" ? button.dataset.route === "cards" : stage === "home" && button.dataset.route === now.route;
      if (here) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    }
  };
  return {
    node: el("nav", { class: "bar", "aria-label": t("page.home.ways") }, buttons),
    go,
    route: () => now.route,
    title: (route) => ROUTES[route](),
    /** `redraw` draws Home again, for another route. */
    draw(snapshot, redraw) {
      now.snapshot = snapshot;
      now.redraw = redraw;
      mark();
    },
  };
}
