import { el, theirs } from "../dom.js";

/** How seats fared that act at the same time: a table, and what it means and does not. */
export const drawnFairness = ({ title, heads, rows, said }) => [
  el("h2", {}, title),
  el("div", { class: "fared", tabindex: "0", role: "group", "aria-label": title },
    el("table", { class: "numbers" },
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map(([name, ...numbers]) =>
        el("tr", {}, el("th", { scope: "row" }, theirs(name)), numbers.map((number) => el("td", {}, number))))))),
  said.map((line) => el("p", {}, line)),
];
