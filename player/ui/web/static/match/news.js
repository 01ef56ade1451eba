import { cardFace } from "../boards/field/card.js";
import { sumOf, whyOf } from "../boards/field/duel.js";
import { isField } from "../boards/field/field.js";
import { el, put } from "../dom.js";

const LONG = 5000; // milliseconds for which one reads what cards have come to
const SOON = 1000; // milliseconds between a sentence and the cards that it is about
const KINDS = ["news", "result"];
const MOST = 4; // cards that are shown

/** The top cards of these regions' piles, with their seats. */
const topsOf = ({ board }) =>
  isField(board) ? board.regions.filter(({ kind }) => kind === "pile").flatMap(({ pieces, seat }) => pieces.slice(-1).map((piece) => ({ ...piece, seat }))) : [];

/** How the numbers of a duel come about, by seat: the card in front has been put away, the one behind it is the first of its row. */
function sumsOf({ game, board }, laid) {
  if (game !== "element-duel" || laid.length !== 2) return [];
  const behind = laid.map(({ seat }) => board.regions.find((one) => one.seat === seat && one.kind === "row")?.pieces[0]);
  return behind.every((card) => card?.values) ? laid.map((card, at) => [sumOf(card, behind[at], laid[1 - at]), whyOf(card, laid[1 - at])]) : [];
}

/**
 * What cards of a table by rules have come to, over the board for a moment: they are put away at once, and only the log
 * would say why. It takes no click, and who hears the page has it from the log.
 */
export function news() {
  const cards = el("div", { class: "pieces" });
  const text = el("div", {});
  const node = el("div", { class: "news panel", hidden: true, "aria-hidden": "true" }, cards, text);
  const now = { entry: null, lines: [], cards: [], sums: [], seen: -Infinity, timer: 0, began: performance.now() };
  const show = () => {
    if (!now.lines.length || !now.cards.length) return;
    put(cards, now.cards.slice(0, MOST).map((piece, at) =>
      el("figure", {}, el("span", { class: "lies" }, cardFace({ ...piece, marks: [], down: false })), now.sums[at] && [el("figcaption", {}, now.sums[at][0]), now.sums[at][1] && el("p", { class: "why" }, now.sums[at][1])])));
    const said = now.sums.length ? now.lines.slice(-1) : now.lines; // cards and sums say the rest
    put(text, said.map((line) => el("p", {}, line)));
    node.hidden = false;
    clearTimeout(now.timer);
    now.timer = setTimeout(() => (node.hidden = true), LONG);
  };
  return {
    node,
    deed({ entry, kind, text: line }) {
      if (!KINDS.includes(kind) || performance.now() - now.began < SOON) return; // what was before this page
      if (entry !== now.entry) Object.assign(now, { entry, lines: [] });
      now.lines.push(line);
      if (performance.now() - now.seen < SOON) show();
    },
    draw(before, { view, behind }) {
      if (view.ending) node.hidden = true; // the end of the match says it
      if (!before || behind || view.ending || before.view.match !== view.match) return;
      const old = new Set(topsOf(before.view).map(({ index }) => index));
      const fresh = topsOf(view).filter(({ index, faces, owned, values }) => faces && (values || owned) && !old.has(index));
      const were = before.view.board?.regions ?? [];
      const laid = fresh.filter(({ index }) => were.some(({ kind, pieces }) => kind === "row" && pieces.some((one) => one.index === index)));
      if (laid.length < 2) return; // several at once: they have met
      Object.assign(now, { cards: laid, sums: sumsOf(view, laid), seen: performance.now() });
      if (now.entry !== null && view.number - now.entry < 3) show();
    },
  };
}
