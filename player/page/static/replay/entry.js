import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";

/** What stands in an entry: who, what it means, its fields by the names of the specification. */
export function drawEntry(node, { number, author, kind, meaning, body, head, bytes }, seats) {
  const who = author === null ? t("page.replay.table.who") : theirs(seats[author]?.name ?? String(author + 1));
  const field = ([name, value]) => [el("dt", {}, name), el("dd", {}, el("code", {}, value))];
  put(node,
    el("h2", {}, t("page.replay.number", { number })),
    el("p", {}, el("strong", {}, who), " ", meaning),
    el("details", { open: node.querySelector("details")?.open },
      el("summary", {}, t("page.replay.fields")),
      el("dl", { class: "fields" },
        field([t("page.replay.kind"), kind]), body.map(field),
        field([t("page.replay.head"), `${head}…`]), field([t("page.replay.bytes"), String(bytes)]))));
}

/** Faults of an entry, or found at it: who did what, by which code, and where the specification has it. */
export function drawFaults(node, faults) {
  put(node, faults.map(({ text, code, section, entry }) =>
    el("section", { class: "fault panel", "aria-label": t("page.replay.fault") },
      el("h2", {}, t("page.replay.fault")),
      el("p", {}, text),
      el("p", { class: "muted" }, t("page.replay.section", { code, section, entry })))));
}
