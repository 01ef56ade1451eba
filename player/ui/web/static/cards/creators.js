import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";
import { filesPanel } from "./files.js";
import { grouped, mark, person } from "./marks.js";

const MARKS = { trusted: () => t("cardpage.trust.yes"), unmarked: () => t("cardpage.trust.none"), distrusted: () => t("cardpage.trust.no") };

/** Who makes cards, what is known of them, whom one trusts; and what one takes in a trade. */
export function creatorsView(actions) {
  const list = el("ul", { class: "creators" });
  const none = el("p", {}, t("cardpage.creators.none"));
  const policy = el("fieldset", { class: "panel" });
  const files = filesPanel(actions);
  return {
    node: el("section", { "aria-label": t("cardpage.creators") }, el("p", {}, t("cardpage.creators.about")), none, list, policy, files.node),
    async draw() {
      const [{ creators, policies }, { editions }] = await Promise.all([actions.creators(), actions.binder()]);
      none.hidden = creators.length > 0;
      files.draw(editions.length);
      const owned = new Map();
      for (const { creator: { fingerprint }, stacks } of editions) {
        owned.set(fingerprint, stacks.reduce((sum, { cards }) => sum + cards.length, owned.get(fingerprint) ?? 0));
      }
      const count = ({ person: { fingerprint } }) => owned.get(fingerprint) ?? 0;
      const focused = document.activeElement?.closest(".creators") ? [document.activeElement.name, document.activeElement.value] : null;
      put(list, creators.sort((one, other) => count(other) - count(one)).map((one) => creator(one, count(one), actions)));
      put(policy, el("legend", {}, t("cardpage.policy")), policies.map((one) => choice("policy", one.name, one.about, one.chosen, () => actions.policy(one.name))));
      if (focused) [...list.querySelectorAll("input")].find(({ name, value }) => name === focused[0] && value === focused[1])?.focus();
    },
  };
}

function creator(one, owned, actions) {
  const { person: who, runs, witnesses } = one;
  const title = el("h2", {}, theirs(who.name || who.short), " ", mark(who));
  return el("li", { class: "panel" }, title,
    el("p", {}, t("cardpage.creators.key"), " ", el("code", {}, grouped(who.fingerprint))),
    who.namesake && el("p", { class: "bad" }, "⚠ ", t("cardpage.creators.namesake")),
    who.alarms > 0 && el("p", { class: "bad" }, t("cardpage.alarms.name", { count: who.alarms })),
    el("p", { class: "row wrap" }, t("cardpage.creators.owned", { count: owned }),
      owned > 0 && el("button", { onclick: () => actions.search(who.fingerprint) }, t("cardpage.creators.show"))),
    el("p", {}, t("cardpage.creators.types", { count: one.types }), one.editions.length > 0 && ": ", one.editions.map((name, at) => [at > 0 && ", ", theirs(name)])),
    runs.length > 0 && el("ul", {}, runs.map((run) => el("li", {}, theirs(run.edition), " ", t("cardpage.creators.run", { ...run, size: run.pack_size })))),
    el("p", {}, witnesses.length ? [t("cardpage.creators.witnesses", { quorum: one.quorum, count: witnesses.length }), ": ", witnesses.map((key, at) => [at > 0 && ", ", person(key)])] : t("cardpage.creators.no_witness")),
    who.you && el("p", {}, t("cardpage.creators.sell")),
    one.link && el("p", { class: "muted" }, theirs(one.link)),
    !who.you && el("fieldset", {}, el("legend", {}, t("cardpage.trust")),
      Object.entries(MARKS).map(([name, words]) => choice(`trust-${who.short}`, name, words(), who.mark === name, () => actions.trust(who.fingerprint, name)))));
}

const choice = (group, value, words, chosen, onChoose) =>
  el("label", { class: "row" }, el("input", { type: "radio", name: group, value, checked: chosen, onchange: onChoose }), el("span", {}, words));
