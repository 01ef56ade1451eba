import { t } from "../words.js";

const CARDS = "page.goal.cards";
// By game; of others, only their rules say it.
const GOALS = {
  "block-dominoes": "page.goal.dominoes", "draw-dominoes": "page.goal.dominoes",
  "texas-holdem": "page.goal.poker", "five-card-draw": "page.goal.draw", omaha: "page.goal.omaha",
  ligretto: "page.goal.ligretto", "connect-four": "page.goal.connect_four", hexapawn: "page.goal.hexapawn", intruder: "page.goal.intruder",
  "element-duel": "page.goal.duel", "mau-mau": CARDS, "mau-mau-shared": CARDS, "crazy-eights": CARDS,
};

/** How this game is won, in one line; nothing of a game that the page does not know. */
export function goalOf({ game, board }) {
  if (board?.is === "heaps") return t(board.misere ? "page.heaps.misere" : "page.heaps.normal");
  return Object.hasOwn(GOALS, game) ? t(GOALS[game]) : "";
}
