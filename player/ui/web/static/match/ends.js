import { el, put, svg } from "../dom.js";
import { t } from "../words.js";
import { changed, set, write } from "./keep.js";
import { namesOf } from "./names.js";

const [SHORT, LEAST, MOST] = [2000, 4500, 7000]; // milliseconds for which the end of a hand is shown: with little time left, on one's own turn, and else
const PLENTY = 20_000; // milliseconds of a turn from which on reading takes nothing away
const HANDS = ["felt", "line"]; // boards of games that are played hand by hand; others have rounds
export const GONE = ["left", "lapsed"]; // codes of faults that are no cheating
const LOOKS = {
  won: ["page.end.won", "M8 1l2 4.6 5 .5-3.8 3.3 1.1 4.9L8 11.7l-4.3 2.6 1.1-4.9L1 6.1l5-.5z"],
  lost: ["page.end.lost", "M8 2v9M4 8l4 4 4-4"],
  draw: ["page.end.draw", "M3 6h10M3 10h10"],
  over: ["page.over", "M4 15V2h9l-2 3 2 3H4"],
  stopped: ["page.stopped", "M5.5 3v10M10.5 3v10"],
  cheated: ["page.end.cheated", "M8 1.5 15 14H1zM8 6v4M8 12v.5"],
};

/** How a match has ended: `won`, `lost`, `draw`, for a spectator `over`; `stopped` without a winner; `cheated`. */
export function endOf({ view, verdict, stage, faults }) {
  const found = [...faults, ...view.trust.faults];
  if (found.some(({ code }) => !GONE.includes(code))) return "cheated";
  const { winners, you, seats } = view;
  if (!winners.length && (stage === "stopped" || (verdict && !verdict.clean))) return "stopped";
  if (!winners.length || (winners.length === seats.length && seats.length > 1)) return "draw";
  if (you === null) return "over";
  return winners.includes(you) ? "won" : "lost";
}

/** Who has left or lost the seat by the clock, if nothing else was wrong: that is no cheating. */
function goneOf({ faults, view }) {
  const gone = [...new Set([...faults, ...view.trust.faults].map(({ seat }) => seat))];
  if (!gone.length) return null;
  return gone.includes(view.you) ? t("page.end.left.own") : t("page.end.left", { who: namesOf(view, gone) });
}

/** What is said of an end below its title: who won, and whether anybody cheated. */
function saidOf(snapshot, end) {
  const { view, verdict } = snapshot;
  const told = verdict?.told ?? verdict?.lines ?? [];
  if (end === "cheated" || !verdict) return told;
  const gone = goneOf(snapshot);
  const who = view.winners.length > 0 && end !== "won" && t("page.end.winner", { who: namesOf(view, view.winners) });
  if (!gone && !verdict.clean) return told;
  return [[who, gone, !gone && t("page.end.checked")].filter(Boolean).join(" · ")];
}

const PLACES = { 2: "page.end.place.second", 3: "page.end.place.third" };

/** The own place at poker, by chips; nothing where the chips do not tell it, as for several who have none. */
function placeOf({ board, you, seats }, end) {
  if (board?.is !== "felt" || end !== "lost") return null;
  const chips = seats.map(({ game }) => game.score);
  const own = chips[you];
  if (!own && chips.filter((one) => !one).length > 1) return null;
  const place = 1 + chips.filter((one) => one > own).length;
  return t(PLACES[place] ?? "page.end.place", { place, of: seats.length });
}

/** The end of a match: a sign, a word and a colour of its own for each; then who won, and what can be done next. */
export function drawEnd(node, snapshot, ...ways) {
  const over = snapshot.stage === "over" || snapshot.stage === "stopped";
  node.hidden = !over;
  if (!over) return;
  const end = endOf(snapshot);
  const [title, shape] = LOOKS[end];
  const { saved } = snapshot.view.trust;
  const place = placeOf(snapshot.view, end);
  set(node, "data-end", end);
  put(node,
    el("div", { class: "outcome" },
      svg("svg", { class: "emblem", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: shape })),
      el("div", {}, el("h2", {}, t(title)), place && el("p", {}, place), snapshot.view.ending && el("p", {}, snapshot.view.ending), saidOf(snapshot, end).map((text) => el("p", {}, text)))),
    ways,
    saved && el("details", {}, el("summary", {}, t("page.end.file")), el("p", {}, saved)));
}

/** Whether something is played in the next hand: how the last one ended has been read. */
const isUnderWay = ({ board, deal }) => !deal && (board?.tiles?.length > 0 || ["flop", "turn", "river"].includes(board?.street));

/** Whether the only round of a game has ended: the end of the match says the same. */
const isWhole = ({ board, ending }) => ending !== null && !HANDS.includes(board?.is) && !(board?.hand > 1);

/** Whether the own turn ends soon. */
const isHurried = ({ turns, you }) => turns.some(({ seat, ends, waited }) => seat === you && ends !== null && ends - waited < PLENTY);

const FIELDS = "input, textarea, select, summary, a, dialog, .side, .top";

/**
 * How a hand has ended, at the own seat. When one ends, the page rests: the next hand waits until somebody presses a key
 * or clicks, or for some seconds, fewer when it is the own turn; where all act at once it does not wait at all.
 * @param isOwnTurn whether a snapshot is one in which the person is to act
 * @param go draws what has waited, and since when; null: there is nothing, but this is to be drawn again
 */
export function ends(isOwnTurn, go) {
  const text = el("div", {});
  const lines = changed((told) => put(text, told.map((line) => el("p", {}, line.replace(/(\d)-(?=\d)/g, "$1\u2011"))))); // a tile stays in one line
  const title = el("strong", {});
  const button = el("button", { class: "quiet" }, t("page.hand.next"));
  const said = el("p", { class: "sr", role: "status" });
  const node = el("div", { class: "result", hidden: true }, title, text, button);
  const rest = { hand: null, began: -MOST, waiting: null, came: null, timer: 0 };
  const isResting = () => rest.hand !== null;

  const leave = () => {
    const { waiting, came } = rest;
    clearTimeout(rest.timer);
    Object.assign(rest, { hand: null, waiting: null, came: null, timer: 0 });
    document.removeEventListener("keydown", pressed, true);
    document.removeEventListener("click", clicked, true);
    return [waiting, came];
  };
  const end = () => {
    const focused = node.contains(document.activeElement);
    const [waiting, came] = leave();
    if (!node.isConnected) return;
    go(waiting, came);
    if (focused) document.getElementById("hand")?.focus();
  };
  const until = (length) => {
    clearTimeout(rest.timer);
    node.style.setProperty("--rest", `${length}ms`);
    rest.timer = setTimeout(end, Math.max(0, rest.began + length - performance.now()));
  };
  // what is pressed was meant for the hand that is over, and does nothing in the next one
  const swallow = (event) => {
    event.preventDefault();
    event.stopPropagation();
    end();
  };
  const pressed = (event) => {
    const held = ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key) || event.ctrlKey || event.altKey || event.metaKey;
    if (!held && !event.target.closest?.(FIELDS)) swallow(event);
  };
  const clicked = (event) => event.target.closest?.(".table, .own, .foot") && swallow(event);
  const begin = (hand) => {
    leave();
    Object.assign(rest, { hand, began: performance.now() });
    document.addEventListener("keydown", pressed, true);
    document.addEventListener("click", clicked, true);
    until(MOST);
  };
  return {
    node,
    said,
    /** Whether an entry came after what is shown while the end of a hand is read. */
    isAhead: (entry, shown) => isResting() && entry >= shown.view.number,
    /** Whether this snapshot waits until the person has read how the last hand ended. */
    waits(snapshot) {
      if (!isResting()) return false;
      const { view, stage, away, behind } = snapshot;
      const goesOn = stage === "match" && !away;
      const same = goesOn && view.board?.hand === rest.hand;
      if (same && !isOwnTurn(snapshot)) return false;
      if (same || !goesOn || behind || view.offers.some(({ key }) => key)) {
        leave();
        return false;
      }
      Object.assign(rest, { waiting: snapshot, came: performance.now() });
      until(isOwnTurn(snapshot) ? (isHurried(view) ? SHORT : LEAST) : MOST);
      return true;
    },
    /** Shows how the last hand ended, and rests if that is new. */
    draw(before, snapshot) {
      const { view, stage, behind } = snapshot;
      const result = isWhole(view) ? [] : view.result;
      const told = result.join(" ");
      const fresh = Boolean(before && told) && before.view.match === view.match && before.view.result.join(" ") !== told;
      if (fresh && !behind) {
        write(said, told);
        const ended = stage === "match" && view.board.hand === before.view.board?.hand;
        if (ended && !isOwnTurn(snapshot) && !document.hidden) begin(view.board.hand);
        else rest.began = performance.now(); // it is read for a while all the same
      }
      node.toggleAttribute("data-rest", isResting());
      title.hidden = button.hidden = !isResting();
      write(title, isResting() ? t(HANDS.includes(view.board.is) ? "page.hand.over" : "page.round.over", { hand: view.board.hand }) : "");
      const lately = performance.now() - rest.began < MOST;
      const shown = told !== "" && stage === "match" && (isResting() || (lately && !isUnderWay(view)));
      node.hidden = !shown;
      lines(shown ? result : []);
      if (shown && lately && !isResting() && !rest.timer) rest.timer = setTimeout(() => ((rest.timer = 0), go(null, null)), MOST);
    },
  };
}
