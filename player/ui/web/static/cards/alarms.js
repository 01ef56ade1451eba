import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { person } from "./marks.js";

const KINDS = {
  double_spend: () => t("cardpage.alarm.double_spend"),
  waived: () => t("cardpage.alarm.waived"),
  witness: () => t("cardpage.alarm.witness"),
  creator: () => t("cardpage.alarm.creator"),
};
const ADVICE = {
  double_spend: () => t("cardpage.alarm.double_spend.do"),
  waived: () => t("cardpage.alarm.waived.do"),
  witness: () => t("cardpage.alarm.witness.do"),
  creator: () => t("cardpage.alarm.creator.do"),
};

/** One proof against somebody: who is named, for what, which cards, what it undid, and what to do now. */
export const alarmRow = (alarm, actions = null) => {
  const { named } = alarm;
  return el("li", { class: "panel alarm" },
    el("p", {}, person(named), ": ", KINDS[alarm.kind]()),
    alarm.cards.length > 0 && el("p", {}, t("cardpage.alarm.cards"), " ", alarm.cards.map((card, at) => [at > 0 && ", ", theirs(card.name), " ", el("code", {}, card.short)])),
    el("p", {}, alarm.undone.length ? t("cardpage.alarm.undone", { count: counted(alarm.undone.length) }) : t("cardpage.alarm.nothing_undone")),
    !named.you && el("p", {}, el("strong", {}, t("cardpage.alarm.do")), " ", ADVICE[alarm.kind]()),
    named.you && el("p", {}, el("strong", {}, t("cardpage.alarm.do")), " ", t("cardpage.alarm.you.do")),
    actions && !named.you && named.mark !== "distrusted" &&
      el("button", { class: "danger", onclick: () => actions.trust(named.fingerprint, "distrusted") }, t("cardpage.alarm.distrust")),
    el("p", { class: "muted" }, t("cardpage.alarm.id"), " ", el("code", {}, alarm.id)));
};

/** All proofs that are known here. */
export function alarmsView(actions) {
  const list = el("ul");
  const none = el("p", { class: "good" }, t("cardpage.alarms.none"));
  return {
    node: el("section", { "aria-label": t("cardpage.alarms") }, el("p", {}, t("cardpage.alarms.about")), none, list),
    async draw() {
      const { alarms } = await actions.alarms();
      none.hidden = alarms.length > 0;
      put(list, alarms.map((alarm) => alarmRow(alarm, actions)));
    },
  };
}

/** How many trades are undone: no more than this many are counted. */
function counted(count) {
  return count < 1000 ? `${count}` : `${count}+`;
}
