import { el, theirs } from "../dom.js";
import { sure } from "../match/dialog.js";
import { t } from "../words.js";
import { alarmRow } from "./alarms.js";
import { cardButton } from "./card.js";
import { valuesLine } from "./faces.js";
import { person } from "./marks.js";

/** What is about to be signed: what comes, what goes, from whom, and whatever there is to say against it. */
export function proposal({ proposal: terms, asked, can }, actions) {
  const { partner, comes, goes, alarms, settles, allowed, warnings } = terms;
  const answer = (what, warned = false) => actions.trade({ do: what, id: asked, warned });
  const promised = goes.some(({ state }) => state === "reserved"); // to somebody who may yet finish that trade
  const yes = async () =>
    (!promised || (await sure("cardpage.proposal.reserved", "cardpage.proposal.reserved.about", "cardpage.proposal.yes"))) && answer("yes", promised);
  const list = (key, cards) =>
    el("section", {}, el("h3", {}, t(key)),
      el("ul", { class: "cards" }, cards.length
        ? cards.map((card) => el("li", {}, cardButton(card, { numbered: true, actions }), el("span", { class: "values" }, valuesLine(card))))
        : el("li", { class: "muted" }, t("cardpage.nothing"))));
  return el("section", { class: "panel proposal", "aria-labelledby": "proposal" },
    el("h2", { id: "proposal" }, t(can.includes("yes") ? "cardpage.proposal" : "cardpage.proposal.mine")),
    el("p", {}, t("cardpage.trade.partner"), " ", person(partner)),
    el("div", { class: "trays" }, list("cardpage.proposal.comes", comes), list("cardpage.proposal.goes", goes)),
    alarms.length > 0 && el("ul", {}, alarms.map((alarm) => alarmRow(alarm))),
    el("p", { class: settles ? "good" : "" }, t(settles ? "cardpage.proposal.settles" : "cardpage.proposal.unsettled")),
    el("ul", { class: "bad" }, warnings.map((text) => el("li", {}, theirs(text)))),
    el("div", { class: "row wrap" },
      can.includes("no") && el("button", { onclick: () => answer("no") }, t("cardpage.proposal.no")),
      can.includes("yes") && el("button", { class: allowed && !alarms.length && !warnings.length ? "primary" : "danger", onclick: yes }, t("cardpage.proposal.yes"))));
}
