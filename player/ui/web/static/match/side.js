import { el } from "../dom.js";
import { t } from "../words.js";
import { set, write } from "./keep.js";

const ROOM = matchMedia("(min-width: 62rem)"); // beside the board; with less, the side lies over it until it is folded away

/** Folds away log, talk and scores; `button` says how many remarks came meanwhile. On a wide screen it stays as the person left it. */
export function fold() {
  const fresh = el("span", { class: "new" });
  const button = el("button", { class: "quiet fold", "aria-controls": "side", onclick: () => turn(match.hasAttribute("data-folded")) }, t("page.fold"), fresh);
  let match = null;
  let count = 0;
  const show = (open) => {
    match.toggleAttribute("data-folded", !open);
    set(button, "aria-expanded", String(open));
    if (!open) return;
    write(fresh, (count = 0) || "");
    for (const lines of match.querySelectorAll(".lines, .sheet .scroll")) lines.scrollTop = lines.scrollHeight; // the newest first
  };
  const turn = (open) => {
    if (ROOM.matches) localStorage.setItem("side", open ? "open" : "folded");
    show(open);
  };
  const usual = () => ROOM.matches && localStorage.getItem("side") !== "folded";
  const resized = () => (match.isConnected ? show(usual()) : ROOM.removeEventListener("change", resized));
  return {
    button,
    /** Of which match this is; for its whole life. */
    of(node) {
      match = node;
      show(usual());
      ROOM.addEventListener("change", resized);
      node.addEventListener("keydown", ({ key, target }) => key === "Escape" && !ROOM.matches && target.closest(".side") && (show(false), button.focus()));
    },
    open: () => show(true),
    /** Somebody has said something. */
    count() {
      if (match.hasAttribute("data-folded")) write(fresh, String((count += 1)));
    },
  };
}
