import { el } from "../dom.js";
import { t } from "../words.js";

/** A dialog with a title and a way out; `showModal` opens it, and closing gives the focus back. */
export function dialog(title, ...content) {
  const heading = el("h2", { id: `dialog-${title}` }, t(title));
  const close = el("button", { class: "quiet close", "aria-label": t("page.close"), onclick: () => node.close() }, "✕");
  const node = el("dialog", { "aria-labelledby": heading.id }, el("div", { class: "heading" }, heading, close), ...content);
  node.addEventListener("click", (event) => event.target === node && node.close());
  return node;
}

/** Whether the person says yes to this; anything but that is a no. `more`: a sentence of the program; `values`: what the
 * text names; `look`: the class of the button for yes; `over`: an AbortSignal that closes the dialog. */
export function sure(title, text, yes, more = "", values = {}, look = "danger", over = null) {
  return new Promise((resolve) => {
    const answer = (value) => () => node.close(value);
    const node = dialog(
      title,
      text && el("p", {}, t(text, values)),
      more && el("p", {}, more),
      el("div", { class: "row" },
        el("button", { onclick: answer("") }, t("page.no")),
        el("button", { class: look, onclick: answer("yes") }, t(yes))),
    );
    node.addEventListener("close", () => {
      node.remove();
      resolve(node.returnValue === "yes");
    });
    over?.addEventListener("abort", () => node.close());
    document.body.append(node);
    node.showModal();
  });
}
