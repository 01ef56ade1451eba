import { el, put, theirs } from "../dom.js";
import { identicon } from "../identicon.js";
import { t } from "../words.js";
import { dialog } from "./dialog.js";
import { changed } from "./keep.js";

// The colours of the seats in words, by number.
const COLOURS = ["red", "ochre", "blue", "green", "violet", "teal", "pink", "grey", "olive", "brown"];
const WORDS = {
  red: "page.person.red",
  ochre: "page.person.ochre",
  blue: "page.person.blue",
  green: "page.person.green",
  violet: "page.person.violet",
  teal: "page.person.teal",
  pink: "page.person.pink",
  grey: "page.person.grey",
  olive: "page.person.olive",
  brown: "page.person.brown",
};

const row = (key, ...content) => [el("dt", {}, t(key)), el("dd", {}, content)];

function content({ seat, name, fingerprint, known, roster, own, bots }, report) {
  const colour = COLOURS[seat];
  return [
    el("div", { class: "row whom", "data-seat": String(seat) },
      el("span", { class: "face", "aria-hidden": "true" }, identicon(fingerprint)),
      el("p", { class: "name" }, theirs(name), own && el("span", { class: "muted" }, ` ${t("page.seat.own")}`))),
    el("dl", { class: "facts-of" },
      row("page.person.seat", t("page.person.place", { number: seat + 1, colour: colour ? t(WORDS[colour]) : "" })),
      row("page.person.fingerprint", el("code", {}, fingerprint))),
    bots && !own && el("p", {}, t("page.badge.local")),
    known && !bots && el("p", {}, known),
    (own || !bots) && el("p", { class: "muted" }, t(own ? "page.person.about.own" : "page.person.about")),
    roster && !own && !bots && [
      el("h3", {}, t("page.roster")),
      el("p", { class: "roster" }, roster.split("-").map((word) => el("span", {}, word))),
      el("p", {}, t("page.roster.read")),
    ],
    !own && !bots && [
      el("p", {}, el("button", { onclick: () => report(seat) }, t("page.report"))),
      el("p", { class: "muted" }, t("page.report.about")),
    ],
  ];
}

/** A person's card in a dialog: who sits there, by which key, and whether one has played with this key before. */
export function person(actions) {
  const body = el("div", {});
  const wrong = el("p", { class: "wrong", role: "alert" });
  const node = dialog("page.person", body, wrong);
  const report = async (seat) => {
    wrong.textContent = "";
    try {
      await actions.report(seat);
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  const state = { seat: null, snapshot: null };
  const fill = changed((facts) => put(body, content(facts, report)));
  const draw = () => {
    const { people, view, bots } = state.snapshot;
    const seat = view.seats[state.seat];
    if (!seat) return node.close();
    const known = people.find((one) => one.seat === state.seat)?.known ?? "";
    fill({ seat: seat.seat, name: seat.name, fingerprint: seat.fingerprint, known, roster: view.trust.roster, own: seat.seat === view.you, bots });
  };
  return {
    node,
    open(seat) {
      state.seat = seat;
      draw();
      if (!node.open) node.showModal();
    },
    draw(snapshot) {
      state.snapshot = snapshot;
      if (node.open) draw();
    },
  };
}
