import { el, put, theirs } from "../dom.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";

const CHECKED = 8; // of the newest logs, whose results are asked for at once

/** The own matches, the newest first. The newest are checked one after the other; others on a click. */
export function history(actions) {
  const list = el("ol", { class: "logs" });
  const none = el("p", { class: "muted", role: "status" }, t("page.home.coming"));
  actions.load(async () => {
    const rows = (await actions.list("logs")).map((log) => row(log, actions));
    none.textContent = rows.length ? "" : t("page.home.history.none");
    put(list, rows.map(({ node }) => node));
    for (const { node, short, check } of rows.slice(0, CHECKED)) {
      if (short && node.isConnected) await check();
    }
  });
  return [none, list];
}

function row({ log, changed, short, game, people }, actions) {
  const result = el("div", { role: "status" });
  const when = new Date(changed * 1000).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  const title = el("h2", { id: `log-${log}` }, game === null ? t("page.home.history.unreadable") : theirs(gameName(game)));
  const check = () => actions.load(async () => {
    put(result, el("p", { class: "muted" }, t("page.home.history.checking")));
    put(result, verdict(await actions.check(log)));
  });
  const node = el("li", { class: "panel", "data-log": log },
    title,
    el("p", { class: "muted" }, when),
    people.length > 0 && el("p", {}, t("page.home.history.with"), " ", people.map((name, at) => [at > 0 && ", ", theirs(name)])),
    result,
    el("div", { class: "row wrap" },
      el("button", { "aria-describedby": title.id, onclick: () => actions.attempt(() => actions.open("replay", log)) }, t("page.home.history.replay")),
      el("button", { class: "quiet", "aria-describedby": title.id, onclick: check }, t("page.home.history.check"))));
  return { node, short, check };
}

/** The result, with the audit's own sentence below. */
function verdict({ clean, fault, lines: [said, ...more] }) {
  const tone = clean ? "good" : fault ? "bad" : "muted";
  return [more.map((line) => el("p", {}, line)), el("p", { class: tone }, said)];
}
