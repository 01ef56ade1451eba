import { openDeck } from "../decks/wanted.js";
import { el, put, screenCache } from "../dom.js";
import { listen } from "../match/listen.js";
import { gameName } from "../match/names.js";
import { rules } from "../match/rules.js";
import { settings } from "../match/sound.js";
import { t } from "../words.js";
import { changeForm, createForm, linkForm } from "./form.js";
import { invitation } from "./invite.js";
import { company } from "./people.js";
import { tableList } from "./tables.js";

const NOTICES = 3; // the newest ones
const BOT_COMES = 15_000; // milliseconds after which another bot can be asked for
const screenIn = screenCache(build);
const TITLES = {
  own: () => t("page.lobby.own"),
  lobby: () => t("page.lobby"),
  waiting: () => t("page.lobby.waiting"),
  stopped: () => t("page.lobby.stopped"),
};

/** Builds what comes before a match in `root`, or brings it up to date in place: the tables, or who is waited for. */
export function drawLobby(root, snapshot, actions) {
  const screen = screenIn(root, actions);
  screen.draw(snapshot);
  return screen;
}

function build(actions) {
  const wrong = el("p", { class: "wrong", role: "alert" });
  const notices = el("div", { role: "log" });
  const status = el("p", { role: "status" });
  const title = el("h1");
  const attempt = async (act) => {
    wrong.textContent = "";
    try {
      return await act();
    } catch (error) {
      wrong.textContent = error.message;
      return null;
    }
  };
  const end = el("div");
  let asked = false; // the form for another game is shown
  const name = nameField(actions, attempt);
  const named = { ...actions, lobby: async (wish) => (await name.told(), actions.lobby(wish)) };
  const reading = rules(actions.rules);
  const change = (deck) => attempt(() => openDeck(deck, () => actions.bar.go("cards")));
  const tables = tableList((body) => attempt(() => named.lobby(body)), reading.open, actions.bar ? change : null);
  const form = createForm(named, attempt, reading.open);
  const changes = changeForm(named, attempt, reading.open);
  // in the app the name has been asked for, and other tables are the exception
  const rest = el("details", { class: "rest" }, el("summary", {}, t("page.lobby.rest")));
  const others = [form.node, linkForm(named, attempt)];
  const lobby = el("div", {}, tables.node, changes.node);
  const below = el("div", {}, rest);
  const met = company((wish) => attempt(async () => ((await named.lobby(wish)), true)));
  const people = el("ul", { class: "people" });
  const leave = el("button", { class: "quiet", onclick: () => attempt(actions.leave) }, t("page.lobby.leave"));
  const read = el("button", { class: "quiet", "data-rules": true, "aria-haspopup": "dialog", onclick: () => reading.open() }, t("page.rules"));
  const bot = botButton((wish) => attempt(() => actions.lobby(wish)));
  const game = el("p");
  const seated = el("section", { class: "panel" }, game, el("h2", {}, t("page.lobby.waiting.here")), people, el("div", { class: "row wrap" }, bot.node, read, leave), bot.said);
  const invite = invitation(actions, attempt);
  const ways = el("div", { class: "row wrap" },
    el("button", { class: "primary", onclick: () => attempt(() => actions.lobby({ do: "back" })) }, t("page.lobby.again")),
    actions.bar && el("button", { onclick: () => actions.bar.go("home") }, t("page.home")));
  const node = el("main", { class: "lobby" }, title, status, wrong, end, ways, name.node, invite.own, lobby, seated, met.node, below, invite.node, notices, reading.node);
  listen(node, settings, (key) => key === "?" && readHere(node));
  return {
    node,
    draw(snapshot) {
      const { stage } = snapshot;
      const own = snapshot.lobby?.own ?? null;
      const inApp = Boolean(snapshot.lobby?.company);
      const known = stage === "lobby" && own !== null ? "own" : stage === "lobby" && !snapshot.lobby ? "" : stage;
      say(title, (known === "lobby" && snapshot.table) || (TITLES[known] ?? (() => t("page.lobby.connecting")))());
      say(status, snapshot.status || snapshot.connection);
      lobby.hidden = stage !== "lobby" || !snapshot.lobby?.choosing;
      seated.hidden = stage !== "waiting";
      below.hidden = lobby.hidden;
      name.node.hidden = lobby.hidden || inApp;
      invite.draw(own, !lobby.hidden || !seated.hidden);
      met.draw(lobby.hidden && seated.hidden ? null : snapshot.lobby?.company, stage === "waiting", snapshot);
      bot.draw(snapshot);
      say(game, snapshot.lobby?.game ? t("page.lobby.waiting.game", { game: gameName(snapshot.lobby.game) }) : "");
      if (!lobby.hidden) {
        name.draw(snapshot.lobby);
        tables.draw(snapshot.lobby, snapshot.table);
        changes.draw(own === null ? null : snapshot.lobby.tables);
        const place = inApp ? rest : below;
        rest.hidden = !inApp;
        if (others[0].parentNode !== place) place.append(...others);
        const again = Boolean(snapshot.lobby.company?.again && snapshot.lobby.tables);
        if (again) rest.open = true;
        form.draw(snapshot.lobby.company);
        if (again && !asked) rest.scrollIntoView(); // another game is what the person has asked for
        asked = again;
      }
      put(end, (snapshot.verdict?.lines ?? []).map((text) => el("p", {}, text)));
      ways.hidden = stage !== "stopped" || !snapshot.onward;
      put(people, snapshot.people.map(person));
      document.title = title.textContent;
    },
    deed() {},
    said() {},
    notice: ({ text, style }) => {
      notices.append(el("p", { class: style === "bad" ? "wrong" : "muted" }, text));
      while (notices.children.length > NOTICES) notices.firstChild.remove();
    },
  };
}

/** Seats a bot at the table where one waits. It takes some seconds to come. */
function botButton(ask) {
  const said = el("p", { class: "muted", role: "status" });
  const add = el("button", {}, t("page.lobby.bot"));
  const away = el("button", { class: "quiet", onclick: () => ask({ do: "unbot" }) }, t("page.lobby.bot.away"));
  const node = el("span", { class: "row wrap" }, add, away);
  let before = 0;
  add.addEventListener("click", async () => {
    add.disabled = true;
    said.textContent = t("page.lobby.bot.coming");
    await ask({ do: "bot" });
    setTimeout(ready, BOT_COMES);
  });
  const ready = () => {
    add.disabled = false;
    said.textContent = "";
  };
  return {
    node,
    said,
    draw({ lobby, people }) {
      node.hidden = !lobby?.bots;
      away.hidden = people.length < 2;
      if (people.length !== before) ready();
      before = people.length;
      if (lobby?.no_bots) said.textContent = lobby.no_bots;
    },
  };
}

/** Opens the rules of what one is at, or else of the first that there are; whether there are any. */
function readHere(node) {
  const buttons = [...node.querySelectorAll("[data-rules]")].filter((one) => one.checkVisibility());
  const panel = document.activeElement?.closest?.(".panel");
  const button = buttons.find((one) => panel?.contains(one)) ?? buttons[0];
  button?.click();
  return Boolean(button);
}

/** Under which name one plays; `told()` waits until the program has it, and rejects with why it will not do. */
function nameField(actions, attempt) {
  let telling = null;
  const tell = () => {
    telling = actions.lobby({ do: "name", name: field.value });
    telling.catch((error) => attempt(() => Promise.reject(error))); // nothing moves under a click that ends the typing
  };
  const field = el("input", { id: "own-name", autocomplete: "off", spellcheck: "false", onchange: tell, oninput: () => attempt(() => null) });
  return {
    node: el("p", { class: "row wrap" }, el("label", { for: field.id }, t("page.lobby.name")), field),
    told: () => telling,
    draw: (lobby) => telling ?? (field.value = document.activeElement === field ? field.value : lobby.name),
  };
}

/** Somebody who waits: what they call themselves, and by what they are known. */
export const person = ({ name, fingerprint }) =>
  el("li", {}, el("bdi", {}, name), " ", el("span", { class: "muted" }, fingerprint));

function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
