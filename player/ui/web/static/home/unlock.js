import { el } from "../dom.js";
import { dialog } from "../match/dialog.js";
import { Refused } from "../refused.js";
import { t } from "../words.js";

/** Does something that may need the key: if that is locked, asks for its passphrase and tries again. False: the person
 * has not given it. `unlock(passphrase)` opens the key. */
export async function withKey(act, unlock) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refused && error.answer.locked)) throw error;
    return (await askPassphrase(unlock)) && act();
  }
}

/** A field for a passphrase, which keeps nothing: it is emptied when it is read. */
export function secret(id, label) {
  const field = el("input", { id, type: "password", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "500" });
  return {
    nodes: [el("label", { for: id }, label), field],
    field,
    take() {
      const { value } = field;
      field.value = "";
      return value;
    },
  };
}

/** Asks until the passphrase is right, or the person gives up. */
export function askPassphrase(unlock) {
  return new Promise((resolve) => {
    const wrong = el("p", { class: "wrong", role: "alert" });
    const typed = secret("unlock", t("page.key.passphrase"));
    const button = el("button", { class: "primary" }, t("page.key.unlock"));
    const enter = async (event) => {
      event.preventDefault();
      wrong.textContent = "";
      button.disabled = true;
      try {
        await unlock(typed.take());
        node.close("yes");
      } catch (error) {
        wrong.textContent = error.message;
      }
      button.disabled = false;
      typed.field.focus();
    };
    const node = dialog("page.key.locked",
      el("p", {}, t("page.key.locked.what")),
      el("form", { class: "stack", onsubmit: enter }, typed.nodes, wrong, button));
    node.addEventListener("close", () => {
      typed.take();
      node.remove();
      resolve(node.returnValue === "yes");
    });
    document.body.append(node);
    node.showModal();
    typed.field.focus();
  });
}
