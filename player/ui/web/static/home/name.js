import { el } from "../dom.js";
import { dialog } from "../match/dialog.js";
import { t } from "../words.js";

let known = false; // the person has a name of their own
let proposed = ""; // the name under which the person has made cards

/** Has the question propose this name. */
export const propose = (name) => (proposed = name);

/** Asks once what others shall call the person, before the first match or table. False: the person has closed the question. */
export async function withName(actions) {
  if (known) return true;
  const { name, named } = await actions.list("profile");
  known = named || (await ask(proposed || name, actions));
  return known;
}

function ask(usual, actions) {
  return new Promise((resolve) => {
    const wrong = el("p", { class: "wrong", role: "alert" });
    const field = el("input", { id: "first-name", autocomplete: "off", spellcheck: "false", value: usual });
    const keep = async (event) => {
      event.preventDefault();
      try {
        await actions.profile({ name: field.value });
        node.close("yes");
      } catch (error) {
        wrong.textContent = error.message;
      }
    };
    const node = dialog("page.home.who",
      el("form", { class: "stack", onsubmit: keep },
        el("label", { for: field.id }, t("page.home.who.name")), field, wrong,
        el("button", { class: "primary" }, t("page.home.who.keep"))),
      el("p", { class: "muted" }, t("page.home.who.about")));
    node.addEventListener("close", () => {
      node.remove();
      resolve(node.returnValue === "yes");
    });
    document.body.append(node);
    node.showModal();
    field.select();
  });
}
