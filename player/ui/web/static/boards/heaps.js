import { el } from "../dom.js";
import { t } from "../words.js";
import { keeping, roam } from "./roam.js";

const LINE = 10; // things beside one another
let tab = 0; // which button tab reaches
const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

/** How many of a row are taken with a thing: itself, and all after it. */
function thing(at, count, row, several, offer, { choose, refused, hint }) {
  const key = `thing:${row}:${at}`;
  if (!offer || count > offer.amount.most) return el("span", { class: "thing", "data-move": key, onclick: offer && (() => refused?.("page.unfit.heap", { most: offer.amount.most })) });
  const label = several ? t("page.heaps.take.row", { count, row: row + 1 }) : t("page.heaps.take", { count });
  return el("button", { class: "thing", "data-move": key, "data-hint": hint?.place === row && count <= hint.count && "from", "aria-label": label, title: label, onclick: () => choose(offer, count) });
}

function heap({ rows, full }, row, actions) {
  const left = rows[row];
  const several = rows.length > 1;
  const offer = actions.offers.find(({ place }) => place === row);
  const label = several ? t("page.heaps.row", { row: row + 1, count: left }) : t("page.heaps.left", { count: left });
  const things = Array.from({ length: left }, (_, at) => thing(at, left - at, row, several, offer, actions));
  const gone = Array.from({ length: full[row] - left }, () => el("span", { class: "thing gone" }));
  const node = el("div", { class: "heap", role: "group", "aria-label": label },
    el("span", { class: "number", "aria-hidden": "true" }, several && el("b", {}, `${row + 1}.`), ` ${left}`),
    el("div", { class: "things" }, things, gone));
  return { node, buttons: things.filter((one) => one.matches("button")) };
}

/** Rows of things: whoever presses one takes it, and all after it in its row. */
export function draw(board, view, actions) {
  const node = el("div", { class: "heaps" });
  keeping(node, "heaps", () => {
    const drawn = board.rows.map((_, row) => heap(board, row, actions));
    roam(node, drawn.map(({ buttons }) => buttons).filter((row) => row.length), tab, (at) => (tab = at));
    for (const [name, value] of [["--things", Math.min(LINE, Math.max(...board.full))], ["--rows", sum(board.full.map((full) => Math.ceil(full / LINE)))]]) node.style.setProperty(name, value);
    node.append(el("div", { class: "piles" }, drawn.map(({ node: one }) => one)), el("p", {}, t("page.heaps.how")));
  });
  return node;
}
