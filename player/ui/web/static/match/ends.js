import { el, put, svg } from "../dom.js";
import { t } from "../words.js";
import { changed, set, write } from "./keep.js";

const [LEAST, MOST] = [2000, 5000]; // milliseconds for which the end of a hand is shown: on one's own turn, and else
const HANDS = ["felt", "line"]; // boards of games that are played hand by hand; others have rounds
const GONE = ["left", "lapsed"]; // codes of faults that are no cheating
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

/** The end of a match: a sign, a word and a colour of its own for each; then who won, the audit, and what can be done next. */
export function drawEnd(node, snapshot, ...ways) {
  const over = snapshot.stage === "over" || snapshot.stage === "stopped";
  node.hidden = !over;
  if (!over) return;
  const end = endOf(snapshot);
  const [title, shape] = LOOKS[end];
  set(node, "data-end", end);
  put(node,
    el("div", { class: "outcome" },
      svg("svg", { class: "emblem", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: shape })),
      el("div", {}, el("h2", {}, t(title)), snapshot.verdict?.lines.map((text) => el("p", {}, text)))),
    ways);
}

/** Whether a hand has ended and the next one is hardly under way: then people want to read how. */
const isBetween = ({ board, turns }, of) =>
  (!turns.length && (of === null || of === board?.hand)) || board?.tiles?.length === 0 || ["none", "preflop", "deal"].includes(board?.street);

const FIELDS = "input, textarea, select, summary, a, dialog, .side, .top";

/**
 * How a hand has ended, below the board. When one ends, the page rests: the next hand waits until somebody presses a key
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
  const rest = { hand: null, of: null, began: -MOST, waiting: null, came: null, timer: 0 };
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
  const clicked = (event) => event.target.closest?.(".table, .own") && swallow(event);
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
      until(isOwnTurn(snapshot) ? LEAST : MOST);
      return true;
    },
    /** Shows how the last hand ended, and rests if that is new. */
    draw(before, snapshot) {
      const { view, stage, behind } = snapshot;
      const told = view.result.join(" ");
      const fresh = Boolean(before && told) && before.view.match === view.match && before.view.result.join(" ") !== told;
      if (fresh && !behind) {
        write(said, told);
        rest.of = before.view.board?.hand ?? null;
        const ended = stage === "match" && view.board.hand === before.view.board?.hand;
        if (ended && !isOwnTurn(snapshot) && !document.hidden) begin(view.board.hand);
        else rest.began = performance.now(); // it is read for a while all the same
      }
      node.toggleAttribute("data-rest", isResting());
      title.hidden = button.hidden = !isResting();
      write(title, isResting() ? t(HANDS.includes(view.board.is) ? "page.hand.over" : "page.round.over", { hand: view.board.hand }) : "");
      const lately = performance.now() - rest.began < MOST;
      const shown = told !== "" && (isResting() || lately || isBetween(view, rest.of));
      node.hidden = !shown;
      lines(shown ? view.result : []);
      if (shown && lately && !isResting() && !rest.timer) rest.timer = setTimeout(() => ((rest.timer = 0), go(null, null)), MOST);
    },
  };
}
