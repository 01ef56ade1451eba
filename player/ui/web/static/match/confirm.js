import { AMOUNT_LABELS } from "../boards/wager.js";
import { el } from "../dom.js";
import { prefer, preference, valuesOf } from "../preferences.js";
import { t } from "../words.js";
import { float } from "./float.js";
import { write } from "./keep.js";
import { agreed, allIn, exchangeText, sameOffer } from "./offers.js";

const WAIT = 1500; // milliseconds in which a choice can be taken back
const SPARE = 3000; // milliseconds of a turn that are left for the way to the table
const LEAST = 400; // milliseconds: a shorter wait gives nobody time to take anything back
const TWICE = 250; // milliseconds in which a second press is the same gesture
const WAYS = { off: "page.confirm.off", back: "page.confirm.wait", again: "page.confirm.again" };
const PRESSED = "button, a, input, textarea, select, summary"; // Enter does something there already

/**
 * The confirmation of a choice before it is sent: some time to take it back, or a second press, as the person prefers.
 * `own`: the node above which it is shown; `onWait(piece)` gets the piece whose choice waits, or null.
 */
export function confirm(own, onWait) {
  const text = el("p", { role: "status" });
  const yes = el("button", { class: "primary", onclick: () => settle("yes") }, t("page.confirm.send"));
  const no = el("button", { onclick: () => settle("no") }, t("page.confirm.back"));
  const sand = el("span", { class: "sand", "aria-hidden": "true" });
  const box = float("confirm", own, text, el("div", { class: "row" }, yes, no), sand);
  let waiting = null;

  function settle(answer) {
    const { timer, resolve } = waiting;
    clearTimeout(timer);
    waiting = null;
    document.removeEventListener("keydown", heard, true);
    box.hide();
    onWait(null);
    resolve(box.node.isConnected ? answer : "no");
  }

  function heard(event) {
    if (!box.node.isConnected) return settle("no");
    if (document.querySelector("dialog[open]")) return;
    const enter = event.key === "Enter" && !event.repeat && !event.target.closest?.(PRESSED);
    if (event.key !== "Escape" && !enter) return;
    event.preventDefault();
    event.stopPropagation();
    settle(enter ? "yes" : "no");
  }

  function wait(offer, numbers, turn, way, milliseconds) {
    return new Promise((resolve) => {
      const timer = way === "back" ? setTimeout(() => settle("yes"), milliseconds) : 0;
      waiting = { name: nameOf(offer, numbers), offer, turn, timer, resolve, at: performance.now() };
      document.addEventListener("keydown", heard, true);
      write(text, t(way === "back" ? "page.confirm.soon" : "page.confirm.ask", { what: labelOf(offer, numbers) }));
      sand.hidden = way !== "back";
      sand.style.animationDuration = `${milliseconds}ms`;
      box.show();
      onWait(offer.piece);
    });
  }

  return {
    node: box.node,
    /** Whether a choice is to be sent: "yes", "no", or "gone" if the turn ended before. `left`: milliseconds of the turn. */
    async ask(view, offer, numbers, turn, left) {
      const name = nameOf(offer, numbers);
      if (waiting?.name === name) {
        if (performance.now() - waiting.at >= TWICE) settle("yes");
        return "no"; // the waiting choice is sent, and must not be sent twice
      }
      if (waiting) settle("no");
      if (allIn(view, offer, numbers)) return (await agreed(view, offer, numbers)) ? "yes" : "no";
      const way = offer.key ? "off" : preference("confirm");
      const milliseconds = Math.min(WAIT, left - SPARE);
      if (way === "off" || (way === "back" && milliseconds < LEAST)) return "yes";
      return wait(offer, numbers, turn, way, milliseconds);
    },
    /** Drops a waiting choice when its turn is over, or when it is not on offer any more. */
    draw(view, turn) {
      if (waiting && (waiting.turn !== turn || !sameOffer(view, waiting.offer))) settle("gone");
    },
  };
}

const nameOf = ({ kind, action }, numbers) => JSON.stringify([kind, action, numbers]);

const labelOf = ({ kind, label, amount, places }, numbers) => {
  if (places) return exchangeText(numbers.length);
  return amount && AMOUNT_LABELS[kind] ? t(AMOUNT_LABELS[kind], { amount: numbers[0] }) : `${label}${amount ? ` (${numbers[0]})` : ""}`;
};

/** A row of the menu: how a choice is confirmed. */
export function confirmSetting() {
  const option = (value) => el("option", { value, selected: preference("confirm") === value }, t(WAYS[value]));
  return el("label", { class: "row wrap" }, t("page.confirm"),
    el("select", { onchange: ({ target }) => prefer("confirm", target.value) }, valuesOf("confirm").map(option)));
}
