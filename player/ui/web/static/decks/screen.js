import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { builder } from "./builder.js";
import { making } from "./making.js";

/** The decks that have names: which there are, a new one, and the one that is open. */
export function decksView(actions) {
  const names = el("nav", { class: "row wrap", "aria-label": t("cardpage.decks") });
  const none = el("p", {}, t("cardpage.decks.none"));
  const open = { name: actions.wanted };
  let under = Promise.resolve(); // one change after the other, each drawn before the next
  const act = (wish, name = wish.name) => (under = under.then(() => acted(wish, name)));
  const goes = (go) => (game, name) => go(game, name).catch(actions.failed);
  const deck = builder(act, goes(actions.play), goes(actions.invite));
  deck.node.hidden = true; // until there is one in it
  const fresh = making(act);
  const choose = (name) => (under = under.then(() => ((open.name = name), draw())));
  async function acted(wish, name) {
    actions.failed({ message: "" });
    const made = await actions.edit(wish).then(() => ((open.name = name), true), (error) => (actions.failed(error), false));
    await draw().catch(actions.failed);
    return made;
  }
  let can = null; // what can be done with a deck from here
  async function draw() {
    can ??= { plays: await actions.plays(), invites: await actions.invites() };
    const { decks, rules } = await actions.decks();
    const { cards } = await actions.binder();
    if (!decks.includes(open.name)) open.name = decks[0] ?? null;
    const button = (name) => el("button", { class: "quiet", "aria-current": name === open.name && "true", onclick: () => choose(name).catch(actions.failed) }, theirs(name));
    const focused = names.contains(document.activeElement);
    put(names, decks.map(button));
    if (focused) names.querySelector("[aria-current]")?.focus();
    names.hidden = !decks.length;
    none.hidden = decks.length > 0;
    fresh.draw(rules, decks.length > 0, cards);
    if (open.name !== null) deck.draw(await actions.deck(open.name), rules, await actions.binder(), can);
    deck.node.hidden = !decks.length;
  }
  return { node: el("section", { class: "decks", "aria-label": t("cardpage.decks") }, none, names, fresh.node, deck.node), draw };
}
