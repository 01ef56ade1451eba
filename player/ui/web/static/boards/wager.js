import { el } from "../dom.js";
import { t } from "../words.js";

/** Keys of the labels of offers with an amount, by kind. */
export const AMOUNT_LABELS = { raise: "page.wager.raise", bet: "page.wager.bet" };

/** The amount of a range that is nearest to what was typed. */
function clamped({ least, most, step }, typed) {
  const steps = Math.round((typed - least) / step) || 0;
  return least + step * Math.max(0, Math.min(steps, Math.floor((most - least) / step)));
}

/**
 * A form for the amount of a bet: a field, a slider and preset amounts, all within the offer's range. `choose(offer, amount)` is
 * called with the amount on the button.
 */
export function wager(offer, choose) {
  const { amount } = offer;
  const { least, most, step } = amount;
  const turn = (event) => {
    if (document.activeElement !== event.currentTarget || !event.deltaY) return;
    event.preventDefault();
    set(now() - Math.sign(event.deltaY) * step);
  };
  const input = (type, label) => {
    const made = el("input", { type, min: least, max: most, step, "aria-label": label });
    made.addEventListener("wheel", turn, { passive: false });
    return made;
  };
  const field = input("number", t("page.wager.amount", amount));
  const slider = input("range", t("page.wager.slider"));
  const button = el("button", { class: "primary" });
  const now = () => clamped(amount, field.valueAsNumber);
  const say = () => (button.textContent = t(AMOUNT_LABELS[offer.kind] ?? AMOUNT_LABELS.raise, { amount: (slider.value = now()) }));
  const set = (number) => say((field.value = clamped(amount, number)));
  field.addEventListener("input", say);
  field.addEventListener("change", () => set(now()));
  slider.addEventListener("input", () => set(slider.valueAsNumber));
  set(least);
  const preset = ({ amount: number, label }) =>
    el("button", { type: "button", onclick: () => set(number) }, label, el("span", { class: "muted" }, ` ${number}`));
  const onsubmit = (event) => {
    event.preventDefault();
    set(now());
    choose(offer, now());
  };
  return el("form", { class: "wager", "data-kind": offer.kind, novalidate: true, onsubmit },
    least < most && [el("div", { class: "presets" }, amount.presets.map(preset)), field, slider], button);
}
