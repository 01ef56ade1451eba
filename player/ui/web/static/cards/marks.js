import { el, theirs } from "../dom.js";
import { t } from "../words.js";

const MARKS = {
  trusted: ["✓", () => t("cardpage.mark.trusted")],
  unmarked: ["?", () => t("cardpage.mark.unmarked")],
  distrusted: ["✗", () => t("cardpage.mark.distrusted")],
};
const STATES = {
  settled: () => t("cardpage.state.settled"),
  held: () => t("cardpage.state.held"),
  reserved: () => t("cardpage.state.reserved"),
  burnt: () => t("cardpage.state.burnt"),
  never: () => t("cardpage.state.never"),
};

/** What this person thinks of a key, as a sign and in words. */
export function mark(person) {
  const [sign, words] = MARKS[person.mark];
  return el("span", { class: `mark ${person.mark}` }, el("span", { "aria-hidden": "true" }, sign), " ", words());
}

/** A fingerprint as it is read aloud: in groups of four. */
export const grouped = (fingerprint) => fingerprint.match(/.{1,4}/g).join("-");

/** Who made a card, below its tile: the name, the key where another creator has that name, and the mark as a sign. */
export const maker = (one) => {
  const [sign, words] = MARKS[one.mark];
  return el("span", { class: "by" },
    el("span", { class: "sr" }, t("cardpage.card.creator"), " "),
    one.you ? t("cardpage.oneself") : theirs(one.name || one.short), one.namesake && [" ", el("code", {}, one.short)],
    !one.you && el("span", { class: `mark ${one.mark}`, title: words() }, " ", el("span", { "aria-hidden": "true" }, sign), el("span", { class: "sr" }, words())));
};

/** A name or, where there is none, a fingerprint; whether alarms name it, and what is thought of it. */
export function person(one) {
  const name = one.you ? t("cardpage.oneself") : one.name;
  const alarmed = one.alarms > 0 && el("strong", { class: "bad" }, ` ${t("cardpage.alarms.name", { count: one.alarms })}`);
  return el("span", { class: "who" }, name && theirs(name), name && " ", el("code", {}, one.short), " ", !one.you && mark(one), alarmed,
    one.namesake && !one.you && el("strong", { class: "bad" }, ` ⚠ ${t("cardpage.creators.namesake")}`));
}

export const stateWord = (name) => STATES[name]();

/** How firmly somebody has a card that lacks nothing but a witness: `never`, if its creator names none. */
export const firmness = ({ state, witnessed }) => (state === "held" && !witnessed ? "never" : state);

/** How firmly somebody has a card. */
export const state = (card) => el("span", { class: `state ${card.state}` }, STATES[firmness(card)]());
