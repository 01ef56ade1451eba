import { el, put } from "../dom.js";
import { save } from "../net.js";
import { t } from "../words.js";

/** Takes in a file of cards that somebody has sent, and saves one of the own cards. */
export function filesPanel(actions) {
  const said = el("div", { role: "status" });
  const take = async (file) => {
    actions.failed({ message: "" });
    const { lines, alarms } = await actions.take(file);
    put(said, lines.map((line) => el("p", {}, line)),
      alarms > 0 && el("p", { class: "bad" }, t("cardpage.files.alarms", { count: alarms }), " ", el("button", { onclick: () => actions.open("alarms") }, t("cardpage.alarms"))));
  };
  const chosen = async ({ target }) => {
    const files = [...target.files];
    target.value = "";
    for (const file of files) await take(file).catch(actions.failed);
  };
  const saving = el("button", { onclick: () => save("export").catch(actions.failed) }, t("cardpage.files.export"));
  return {
    node: el("section", { class: "panel files", "aria-label": t("cardpage.files") },
      el("p", { class: "muted" }, t("cardpage.files.about")),
      el("p", { class: "row wrap" },
        el("label", { class: "file" }, t("cardpage.files.import"), el("input", { type: "file", accept: ".cards,.trade", multiple: true, onchange: chosen })),
        saving),
      said),
    /** `cards`: the number of own cards; without any there is nothing to save. */
    draw(cards) {
      saving.hidden = cards === 0;
    },
  };
}
