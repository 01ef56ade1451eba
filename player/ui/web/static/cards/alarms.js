import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { person } from "./marks.js";

const KINDS = {
  double_spend: () => t("cardpage.alarm.double_spend"),
  waived: () => t("cardpage.alarm.waived"),
  witness: () => t("cardpage.alarm.witness"),
  creator: () => t("cardpage.alarm.creator"),
};

/** One proof against somebody: who is named, for what, which cards, and what it undid. */
export const alarmRow = (alarm) =>
  el("li", { class: "panel alarm" },
    el("p", {}, person(alarm.named), ": ", KINDS[alarm.kind]()),
    alarm.cards.length > 0 && el("p", {}, t("cardpage.alarm.cards"), " ", alarm.cards.map((card, at) => [at > 0 && ", ", theirs(card.name), " ", el("code", {}, card.short)])),
    el("p", {}, alarm.undone.length ? t("cardpage.alarm.undone", { count: counted(alarm.undone.length) }) : t("cardpage.alarm.nothing_undone")),
    el("p", { class: "muted" }, el("code", {}, alarm.id)));

/** All proofs that are known here. */
export function alarmsView(actions) {
  const list = el("ul");
  const none = el("p", {}, t("cardpage.alarms.none"));
  return {
    node: el("section", { "aria-label": t("cardpage.alarms") }, el("p", {}, t("cardpage.alarms.about")), none, list),
    async draw() {
      const { alarms } = await actions.alarms();
      none.hidden = alarms.length > 0;
      put(list, alarms.map(alarmRow));
    },
  };
}

/** How many trades are undone: no more than this many are counted. */
function counted(count) {
  return count < 1000 ? `${count}` : `${count}+`;
}
