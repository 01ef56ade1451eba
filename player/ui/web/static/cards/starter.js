import { el, put } from "../dom.js";
import { t } from "../words.js";
import { opening } from "./opening.js";

/** First cards for somebody without any: one button makes them, and the packs lie below until the person goes elsewhere.
 * `onTurn()` is called for each card that is turned. */
export function starterPanel(actions, onTurn) {
  const name = el("input", { id: "starter-name", required: true, maxlength: 24, autocomplete: "nickname" });
  const button = el("button", { class: "primary" }, t("cardpage.starter"));
  const progress = el("progress", { hidden: true, "aria-label": t("cardpage.starter.running") });
  const status = el("p", { role: "status" });
  const packs = el("div");
  const sealed = new Set(); // ids of the cards that lie face down
  const busy = (is) => {
    button.disabled = is;
    progress.hidden = !is;
    status.textContent = is ? t("cardpage.starter.running") : "";
  };
  const turn = (id) => {
    sealed.delete(id);
    onTurn();
  };
  const make = async (event) => {
    event.preventDefault();
    actions.failed({ message: "" });
    busy(true);
    try {
      const made = await actions.start(name.value);
      const owned = new Map();
      for (const { id } of made.opened) sealed.add(id);
      for (const { type } of made.opened) owned.set(type, (owned.get(type) ?? 0) + 1);
      put(packs, opening(made.opened, actions, { packs: made.packs, owned, onTurn: turn }),
        el("p", {}, t("cardpage.starter.done"), " ", el("button", { onclick: () => actions.open("decks") }, t("cardpage.decks"))));
    } catch (error) {
      actions.failed(error);
    }
    busy(false);
  };
  const form = el("form", { class: "panel", onsubmit: make },
    el("p", {}, t("cardpage.starter.about")),
    el("p", {}, el("label", { for: name.id }, t("cardpage.starter.name")), " ", name),
    el("p", { class: "row wrap" }, button, progress), status);
  return {
    node: el("div", {}, form, packs),
    isSealed: ({ id }) => sealed.has(id),
    /** The person goes elsewhere: the packs are put away. */
    leave() {
      sealed.clear();
      put(packs);
    },
    /** `starter`: of the snapshot; `cards`: the number of own cards. */
    draw(starter, cards) {
      form.hidden = !starter || (cards > 0 && starter.done === null);
      if (!starter) return;
      if (!name.value) name.value = starter.name;
      Object.assign(progress, { max: starter.of, value: starter.done ?? 0 });
    },
  };
}
