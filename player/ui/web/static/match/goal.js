import { t } from "../words.js";

const CARDS = "page.goal.cards";
// By game; others say it on the table itself, or only in their rules.
const GOALS = {
  "block-dominoes": "page.goal.dominoes", "draw-dominoes": "page.goal.dominoes",
  "texas-holdem": "page.goal.poker", "five-card-draw": "page.goal.draw", omaha: "page.goal.omaha",
  ligretto: "page.goal.ligretto", "connect-four": "page.goal.connect_four", hexapawn: "page.goal.hexapawn", intruder: "page.goal.intruder",
  "element-duel": "page.goal.duel", "mau-mau": CARDS, "mau-mau-shared": CARDS, "crazy-eights": CARDS,
};

/** How this game is won, in one line; nothing of a game that the page does not know. */
export const goalOf = (game) => (Object.hasOwn(GOALS, game) ? t(GOALS[game]) : "");
