import { el } from "../dom.js";
import { sure } from "../match/dialog.js";
import { t } from "../words.js";
import { add, addressed, isOwn, replace } from "./address.js";

const ROUTES = {
  home: () => t("page.home"),
  play: () => t("page.home.play"),
  join: () => t("page.home.join"),
  cards: () => t("page.home.cards"),
  history: () => t("page.home.history"),
  profile: () => t("page.home.profile"),
};
const RUNS = ["match", "waiting"]; // stages in which others wait for the person
// what the address calls something that is open, and the way of Home from which one gets there again
const OPEN = new Map([["match", "home"], ["replay", "history"]]);
const CARDS = "cards"; // a way that opens something in place of Home
const isRoute = (way) => Object.hasOwn(ROUTES, way);

/** The ways through the app: always there, whatever is open, and in the address. `go(route)` goes one of them. */
export function bar(actions) {
  const now = { route: isRoute(addressed()) && addressed() !== CARDS ? addressed() : "home", snapshot: null, redraw: () => {}, asking: false };
  const stage = () => now.snapshot?.stage ?? "home";
  const isHome = () => stage() === "home";
  const place = () => (isHome() ? now.route : stage() === CARDS || OPEN.has(stage()) ? stage() : "match");
  const settle = (put) => addressed() !== place() && put(place());

  /** Asks whether to stop here; bots do not mind waiting. */
  const pause = () =>
    now.snapshot.bots
      ? sure("page.home.leave", "page.home.leave.bots", "page.home.leave", "", {}, "primary")
      : sure("page.home.leave", "page.home.leave.what", "page.home.leave");
  /** Asks before something is left in which others wait, or by an address that is not the page's own. */
  const leaves = async (strange) => {
    if (isHome() || !(strange || RUNS.includes(stage()))) return true;
    now.asking = true;
    const yes = stage() === "waiting"
      ? await sure("page.home.seat", "page.home.seat.what", "page.home.seat")
      : await pause();
    now.asking = false;
    return yes;
  };
  /** Opens the cards in place of what is open. The address follows when they are there. */
  const openCards = async () => {
    if (stage() === CARDS) return;
    wrong.textContent = "";
    try {
      if (!isHome()) await actions.home();
      if ((await actions.open(CARDS, "")) === false) settle(replace); // the key is still locked
    } catch (error) {
      wrong.textContent = error.message;
      settle(replace);
    }
  };
  /** Goes the way that `wanted` returns after the question; true: one may go. */
  const travel = async (wanted, strange) => {
    if (now.asking) return false;
    const goes = await leaves(strange);
    const route = wanted();
    if (!goes || !isRoute(route)) {
      settle(add);
      return false;
    }
    if (route === CARDS) {
      await openCards();
      return true;
    }
    now.route = route;
    mark();
    if (!isHome()) await actions.home(); // the address follows when Home is there
    else {
      settle(add);
      now.redraw();
    }
    return true;
  };
  const buttons = Object.entries(ROUTES).map(([route, title]) =>
    el("button", { class: "quiet", "data-route": route, onclick: () => travel(() => route, false) }, title()));
  const mark = () => {
    for (const button of buttons) {
      const here = button.dataset.route === (isHome() ? now.route : stage());
      if (here) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    }
  };
  const wrong = el("p", { class: "wrong", role: "alert" });
  const busy = el("p", { class: "muted", role: "status" });
  return {
    node: el("div", { class: "ways-bar" }, el("nav", { class: "bar", "aria-label": t("page.home.ways") }, buttons), wrong, busy),
    /** Says what has gone wrong, whatever is open; empty: nothing. */
    say: (text) => (wrong.textContent = text),
    /** Says what takes a while, until `work` is done. */
    async during(text, work) {
      busy.textContent = text;
      try {
        return await work;
      } finally {
        busy.textContent = "";
      }
    },
    go: (route) => travel(() => route, false),
    /** Has Home show this route when it is drawn next. */
    turn(route) {
      now.route = route;
      mark();
    },
    /** Whether what is open may be left; asks where others wait. */
    mayLeave: () => !now.asking && leaves(false),
    route: () => now.route,
    title: (route) => ROUTES[route](),
    /** The address is another: by Back, Forward, a link, or by hand. */
    moved() {
      const way = addressed();
      if (way === place()) return;
      if (isRoute(way) && (way !== CARDS || isOwn())) travel(addressed, !isOwn());
      else {
        // nothing is opened by an address, and the cards only by one that the page has made
        if (isHome()) now.route = OPEN.get(way) ?? now.route;
        if (!now.asking) settle(replace);
        mark();
        now.redraw();
      }
    },
    /** `redraw` draws Home again, for another route. */
    draw(snapshot, redraw) {
      const before = now.snapshot?.stage;
      const opens = ["home", CARDS].includes(before) && snapshot.stage !== before; // Back leads there again
      const again = now.snapshot === null && snapshot.stage === "home" && addressed() === CARDS && isOwn(); // a page that is loaded anew
      now.snapshot = snapshot;
      now.redraw = redraw;
      mark();
      if (again) openCards();
      else if (!now.asking) settle(opens ? add : replace);
    },
  };
}
