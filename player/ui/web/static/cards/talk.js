import { el, put, theirs } from "../dom.js";
import { t } from "../words.js";

/** What the two say to each other; `say(text)` sends a remark. */
export function talk(say) {
  const list = el("ol");
  const field = el("input", { id: "cards-say", maxlength: 200, autocomplete: "off" });
  const send = (event) => {
    event.preventDefault();
    if (field.value.trim()) say(field.value.trim());
    field.value = "";
  };
  let count = 0;
  return {
    node: el("details", { class: "panel", open: true }, el("summary", {}, t("cardpage.talk")), el("div", { role: "log", "aria-label": t("cardpage.talk") }, list),
      el("form", { class: "row", onsubmit: send }, el("label", { for: field.id, class: "sr" }, t("cardpage.talk.say")), field, el("button", {}, t("cardpage.talk.send")))),
    draw(said) {
      if (said.length === count) return;
      count = said.length;
      put(list, said.map(({ mine, text }) => el("li", {}, t(mine ? "cardpage.talk.mine" : "cardpage.talk.theirs"), " ", theirs(text))));
    },
  };
}
