import { el, put } from "../dom.js";
import { dialog, sure } from "../match/dialog.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";

// the texts of the question about an earlier match
const BOTS = ["page.home.earlier", "page.home.earlier.what", "page.home.earlier.new.what", "page.home.earlier.new"];
const TABLE = ["page.home.older", "page.home.older.what", "page.home.older.new.what", "page.home.older.new"];
const SHOWN = 3; // the others are folded

const named = (people) => people.map((one) => `\u2068${one}\u2069`).join(", ");

/** What a match is, in a person's words: the game, with whom, and whose turn it is. */
function about({ game, bots, people, turn, address }) {
  if (bots) return t("page.home.continue.bots", { game: gameName(game) });
  if (!game) return t("page.home.continue.table", { address });
  const text = t("page.home.continue.with", { game: gameName(game), people: named(people) });
  return turn ? `${text}, ${t("page.home.continue.turn")}` : text;
}

/** The matches that can go on, three and the rest folded; hidden while there are none. */
export function continued(actions) {
  const node = el("section", { class: "panel continued", hidden: true });
  const load = () => actions.load(async () => draw(await actions.list("unfinished")));
  const draw = (found) => {
    node.hidden = found.length === 0;
    const rows = found.map((match) => row(match, actions, load));
    put(node, el("h2", {}, t("page.home.continue")), el("ul", {}, rows.slice(0, SHOWN)),
      rows.length > SHOWN && el("details", {}, el("summary", {}, t("page.home.continue.more", { count: rows.length - SHOWN })), el("ul", {}, rows.slice(SHOWN))));
  };
  load();
  return node;
}

function row(match, actions, load) {
  const { name, changed } = match;
  const what = el("span", { id: `continue-${name}` }, about(match));
  const when = changed ? new Date(changed * 1000).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }) : "";
  const drop = () => actions.attempt(async () => {
    if (await sure("page.home.drop", match.bots ? "page.home.drop.bots" : "page.home.drop.table", "page.home.drop")) {
      await actions.drop(name);
      load();
    }
  });
  return el("li", { class: "row wrap" },
    what, el("span", { class: "muted" }, when),
    el("span", { class: "row" },
      el("button", { class: match.turn ? "primary" : null, "aria-describedby": what.id, onclick: () => actions.attempt(() => actions.open("continue", name)) }, t("page.home.continue.yes")),
      el("button", { class: "quiet", "aria-describedby": what.id, onclick: drop }, t("page.home.drop"))));
}

/** What is to be done about matches that are not over, at one's own table or against bots: `continue`, `new`, or null for neither. */
export function olderMatch(matches) {
  const { bots, game } = matches[0];
  const [title, what, lost, anew] = bots ? BOTS : TABLE;
  return new Promise((resolve) => {
    const answer = (value) => () => node.close(value);
    const node = dialog(title,
      el("p", {}, t(what, { game: gameName(game) })),
      !bots && el("ul", {}, matches.map((match) => el("li", {}, about(match)))),
      el("p", { class: "muted" }, t(lost)),
      el("div", { class: "row wrap" },
        el("button", { class: "primary", onclick: answer("continue") }, t("page.home.continue.yes")),
        el("button", { class: "danger", onclick: answer("new") }, t(anew))));
    node.addEventListener("close", () => {
      node.remove();
      resolve(node.returnValue || null);
    });
    document.body.append(node);
    node.showModal();
  });
}
