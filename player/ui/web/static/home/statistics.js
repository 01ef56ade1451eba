import { el, theirs } from "../dom.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";

const COUNTS = ["matches", "won", "lost", "drawn", "stopped", "cheated"];
const HEADS = {
  matches: "page.statistics.matches",
  won: "page.statistics.won",
  lost: "page.statistics.lost",
  drawn: "page.statistics.drawn",
  stopped: "page.statistics.stopped",
  cheated: "page.statistics.cheated",
};

/** Statistics by game, or of one game by opponent. `person`: a key, or null for all people. */
export function drawStatistics({ statistics, left_out: left }, game, person) {
  const games = statistics.filter((one) => !game || one.game === game);
  const rows = person === null ? games.map((one) => [gameName(one.game), one]) : games.flatMap((one) =>
    one.opponents.filter(({ key }) => key === person).map((numbers) => [gameName(one.game), numbers]));
  const [only] = games;
  const opponents = game && only && person === null ? only.opponents.map((one) => [one.name || t("page.history.bots"), one]) : [];
  if (!rows.length) return [];
  return el("section", { class: "panel statistics" },
    el("h2", {}, t("page.statistics")),
    table("page.statistics.game", rows),
    opponents.length > 0 && table("page.statistics.opponent", opponents),
    el("p", { class: "muted" }, t("page.statistics.about")),
    left > 0 && el("p", { class: "muted" }, t("page.statistics.left", { count: left })));
}

const table = (first, rows) =>
  el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t(first) },
    el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t(first)),
        [...COUNTS.map((count) => t(HEADS[count])), t("page.statistics.series"), t("page.statistics.longest")].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map(([name, numbers]) =>
        el("tr", {}, el("th", { scope: "row" }, theirs(name)),
          COUNTS.map((count) => el("td", {}, String(numbers[count]))),
          el("td", {}, series(numbers.series)), el("td", {}, String(numbers.longest)))))));

/** The newest series: wins or losses one after the other. */
const series = (count) =>
  count === 0 ? "–" : t(count > 0 ? "page.statistics.series.won" : "page.statistics.series.lost", { count: Math.abs(count) });
