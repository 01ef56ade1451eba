import { cardFace, cardName } from "../boards/field/card.js";
import { still } from "../boards/still.js";
import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";
import { gameName } from "./names.js";

const card = (piece) => el("span", { class: "lies" }, cardFace(piece), el("span", { class: "sr" }, cardName(piece)));

const row = ({ name, pieces }) => [el("dt", {}, theirs(name)), el("dd", { class: "pieces" }, pieces.map(card))];

/** A figure as a small picture: its board, or else the first few pieces. */
export const picture = ({ rows, board }) =>
  still(board) ?? el("span", { class: "pieces" }, (rows.find(({ pieces }) => pieces.length > 0)?.pieces ?? []).slice(0, 5).map(card));

const BLOCKS = {
  heading: ({ text }) => el("h3", {}, text),
  paragraph: ({ text }) => el("p", {}, text),
  list: ({ items }) => el("ul", {}, items.map((item) => el("li", {}, item))),
  figure: ({ caption, rows, board }) =>
    el("figure", {}, still(board), rows.length > 0 && el("dl", { class: rows.every(({ name }) => !name) && "bare" }, rows.map(row)), el("figcaption", {}, caption)),
};

const shown = ({ game, blocks, none }) => [
  el("p", { class: "muted" }, theirs(gameName(game))),
  none ? el("p", {}, none) : blocks.map((block) => BLOCKS[block.is](block)),
];

/** The rules of a game in a dialog. `read(of)` asks the program for them; `more` stands below them. */
export function rules(read, ...more) {
  const text = el("div", { class: "rules" });
  const node = dialog("page.rules", text, ...more);
  node.classList.add("reading");
  let asked = 0;
  return {
    node,
    async open(of = {}) {
      const mine = ++asked;
      put(text, el("p", { class: "muted", role: "status" }, t("page.rules.coming")));
      if (!node.open) node.showModal();
      try {
        const found = await read(of);
        if (mine === asked) put(text, shown(found));
      } catch (error) {
        if (mine === asked) put(text, el("p", { class: "wrong", role: "alert" }, error.message));
      }
    },
  };
}
