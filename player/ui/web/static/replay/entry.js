import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";

/** What an entry says and came to, and its fields by the names of the specification. */
export function drawnEntry() {
  const title = el("h2", {});
  const told = el("p", { role: "status" });
  const fields = el("dl", { class: "fields" });
  const field = ([name, value]) => [el("dt", {}, name), el("dd", {}, el("code", {}, value))];
  return {
    node: el("section", { class: "panel", "aria-label": t("page.replay.entry") },
      title, told, el("details", {}, el("summary", {}, t("page.replay.fields")), fields)),
    /** `playing`: too much happens for all of it to be read out. */
    draw({ entry, deeds }, seats, playing) {
      told.setAttribute("aria-live", playing ? "off" : "polite");
      const { number, author, kind, meaning, body, head, bytes } = entry;
      const who = author === null ? t("page.replay.table.who") : (seats[author]?.name ?? String(author + 1));
      put(title, t("page.replay.number", { number }));
      put(told, deeds.length ? deeds.map(({ text }) => text).join(" ") : [el("strong", {}, theirs(who)), " ", meaning]);
      put(fields, [[t("page.replay.kind"), kind], ...body, [t("page.replay.head"), `${head}…`], [t("page.replay.bytes"), String(bytes)]].map(field));
    },
  };
}

/** Faults of an entry, or found at it: who did what, by which code, and where the specification has it. */
export function drawFaults(node, faults) {
  put(node, faults.map(({ text, code, section, entry }) =>
    el("section", { class: "fault panel", "aria-label": t("page.replay.fault") },
      el("h2", {}, t("page.replay.fault")),
      el("p", {}, text),
      el("p", { class: "muted" }, t("page.replay.section", { code, section, entry })))));
}
