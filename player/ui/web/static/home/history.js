import { el, put, theirs } from "../dom.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";
import { drawStatistics } from "./statistics.js";

const BOTS = ""; // the key of all bots together
const PATIENCE = 1000; // milliseconds until it is said how far the logs have been read
const RESULTS = {
  won: ["page.history.won"],
  lost: ["page.history.lost"],
  drawn: ["page.history.drawn"],
  stopped: ["page.history.stopped", "page.history.stopped.about"],
  cheated: ["page.history.cheated", "page.history.cheated.about"],
  unfinished: ["page.history.unfinished"],
  dropped: ["page.history.dropped", "page.history.dropped.about"],
  gone: ["page.history.gone"],
  unjudged: ["page.history.unjudged", "page.history.unjudged.about"],
  unreadable: ["page.history.unreadable", "page.history.unreadable.about"],
  watched: ["page.history.watched"],
};
const ENDED = ["won", "lost", "drawn", "watched"]; // by the rules
const TONES = { won: "won", lost: "loss", cheated: "lost", unfinished: "turn" };

/** What a match came to: of one that was not played to its end, whether the person left it, and whether it can go on. */
function cameTo({ result, left }, goesOn) {
  if (left && result !== "cheated") return "gone";
  return result === "unfinished" && !goesOn ? "dropped" : result;
}

/** The scores of two, the own one first; of more, by name. */
function scoresOf({ own, scores }) {
  if (scores.length !== 2) return scores.map(([name, score], at) => [at > 0 && " · ", theirs(name), ` ${score}`]);
  const [[, one], [, other]] = own === 1 ? scores.toReversed() : scores;
  return `${one} : ${other}`;
}

/** The own matches, the newest first, by game and person; what came of them, and statistics. */
export function history(actions) {
  const state = { rows: [], statistics: null, game: "", person: null };
  const parts = {
    list: el("ol", { class: "logs" }),
    none: el("p", { class: "muted", role: "status" }, t("page.home.coming")),
    game: el("select", { id: "history-game", onchange: () => choose(state, parts) }),
    person: el("select", { id: "history-person", onchange: () => choose(state, parts) }),
    progress: el("progress", { "aria-labelledby": "history-read", max: "1", value: "0" }),
    read: el("span", { id: "history-read" }),
    statistics: el("div", {}),
  };
  parts.filter = el("form", { class: "row wrap filter", hidden: true, onsubmit: (event) => event.preventDefault() },
    el("label", { for: parts.game.id }, t("page.history.game")), parts.game,
    el("label", { for: parts.person.id }, t("page.history.person")), parts.person);
  parts.reading = el("p", { class: "row wrap", hidden: true }, parts.progress, parts.read);
  actions.load(async () => {
    state.rows = (await actions.list("logs")).map((log) => row(log, actions));
    drawFilter(state, parts);
    drawRows(state, parts);
    await readResults(state, parts, actions);
  });
  return [fileButton(actions), parts.filter, parts.reading, parts.statistics, parts.none, parts.list];
}

/** A button for a file from elsewhere; it may be dropped anywhere, too. */
const fileButton = (actions) =>
  el("section", { class: "panel" },
    el("p", {}, t("page.history.file.about")),
    el("label", { class: "file" }, t("page.history.file"), el("input", { type: "file", onchange: ({ target }) => {
      const files = [...target.files];
      target.value = "";
      actions.attempt(() => actions.showFile(files));
    } })));

/** Asks for results until all logs have been read. */
async function readResults(state, parts, actions) {
  const since = Date.now();
  const known = [];
  for (let all = false, begun = false; !all && parts.list.isConnected; begun = true) {
    const found = await actions.results(begun ? known.length : -1);
    known.push(...found.results);
    for (const result of found.results) state.rows.find(({ log }) => log === result.log)?.result(result);
    all = found.statistics !== null;
    parts.reading.hidden = all || Date.now() - since < PATIENCE;
    parts.progress.value = found.total ? found.read / found.total : 1;
    parts.read.textContent = t("page.history.read", found);
    if (!all) continue;
    state.statistics = found;
    drawFilter(state, parts);
    drawNumbers(state, parts);
  }
}

const peopleOf = ({ people, bots }) => (bots && people.length ? [{ key: BOTS, name: t("page.history.bots") }] : people);

function drawFilter(state, parts) {
  const games = [...new Set(state.rows.map(({ game }) => game).filter(Boolean))].sort();
  const people = new Map(state.rows.toReversed().flatMap(peopleOf).map(({ key, name }) => [key, name]));
  const option = (value, name, chosen) => el("option", { value, selected: value === chosen }, name);
  put(parts.game, option("", t("page.history.all.games"), state.game), games.map((game) => option(game, gameName(game), state.game)));
  put(parts.person, option("all", t("page.history.all.people"), "all"), [...people].map(([key, name]) => option(`key ${key}`, name, `key ${state.person}`)));
  parts.filter.hidden = state.rows.length === 0;
}

function choose(state, parts) {
  state.game = parts.game.value;
  state.person = parts.person.value === "all" ? null : parts.person.value.replace("key ", "");
  drawRows(state, parts);
  drawNumbers(state, parts);
}

function drawRows(state, parts) {
  const fits = ({ game, people, bots }) =>
    (!state.game || game === state.game) && (state.person === null || peopleOf({ people, bots }).some(({ key }) => key === state.person));
  const shown = state.rows.filter(fits);
  parts.none.textContent = shown.length ? "" : t(state.rows.length ? "page.history.none" : "page.home.history.none");
  put(parts.list, shown.map(({ node }) => node));
}

const drawNumbers = (state, parts) => put(parts.statistics, state.statistics && drawStatistics(state.statistics, state.game, state.person));

function row({ log, changed, game, people, bots, continue: goesOn }, actions) {
  const tag = el("strong", { hidden: true });
  const result = el("div", { class: "came" });
  const audited = el("div", { role: "status" });
  const exports = el("span", { class: "row wrap" });
  const when = new Date(changed * 1000).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  const title = el("h2", { id: `log-${log}` }, game === null ? t("page.home.history.unreadable") : theirs(gameName(game)));
  const check = () => actions.attempt(async () => {
    put(audited, el("p", { class: "muted" }, t("page.home.history.checking")));
    try {
      put(audited, verdict(await actions.check(log)));
    } catch (error) {
      put(audited);
      throw error;
    }
  });
  const button = (text, act, look = "quiet") => el("button", { class: look, "aria-describedby": title.id, onclick: act }, text);
  const save = (format) => () => actions.attempt(() => actions.save("export", { log, format }));
  const go = goesOn && button(t("page.home.continue.yes"), () => actions.attempt(() => actions.open("continue", goesOn)), "primary");
  const node = el("li", { class: "panel", "data-log": log },
    el("div", { class: "row wrap headline" }, title, tag, el("span", { class: "muted" }, when)),
    people.length > 0 && el("p", {}, t("page.home.history.with"), " ", people.map(({ name }, at) => [at > 0 && ", ", theirs(name)])),
    result,
    audited,
    el("div", { class: "row wrap" },
      go,
      button(t("page.home.history.replay"), () => actions.attempt(() => actions.open("replay", log)), null),
      button(t("page.home.history.check"), check),
      button(t("page.history.save"), save("")),
      exports));
  return {
    node, log, game, people, bots,
    /** What came of the match. */
    result(found) {
      const { winners, scores, clean, formats } = found;
      const kind = cameTo(found, goesOn);
      const [word, why] = RESULTS[kind] ?? RESULTS.unreadable;
      const told = ENDED.includes(kind) || scores.some(([, score]) => score);
      node.dataset.result = kind;
      tag.hidden = false;
      tag.className = `tag ${TONES[kind] ?? ""}`;
      put(tag, t(word), told && scores.length === 2 && ` ${scoresOf(found)}`);
      if (go) go.hidden = kind !== "unfinished";
      const names = (list) => list.map((name, at) => [at > 0 && ", ", theirs(name)]);
      put(result,
        told && scores.length > 2 && el("p", {}, scoresOf(found)),
        ["lost", "watched", "gone"].includes(kind) && winners.length > 0 && el("p", {}, t("page.history.winners"), " ", names(winners)),
        (why || ENDED.includes(kind)) && el("p", { class: "muted" }, t(why ?? (clean ? "page.history.clean" : "page.history.left"))));
      put(exports, formats.map((format) => button(t("page.history.save.as", { format: FORMATS[format] ?? format }), save(format))));
    },
  };
}

const FORMATS = { phh: "PHH", pokerstars: "PokerStars" };

/** The audit's sentences: the faults, and the verdict below. */
function verdict({ clean, fault, lines: [said, ...more] }) {
  const tone = clean ? "good" : fault ? "bad" : "muted";
  return [more.map((line) => el("p", {}, line)), el("p", { class: tone }, said)];
}
