import { el } from "../dom.js";

const GAP = 6; // pixels above the own seat

/** A box above `own`, over the board: nothing moves under a finger when it comes or goes. */
export function float(name, own, ...content) {
  const node = el("div", { class: `float panel ${name}`, hidden: true }, content);
  return {
    node,
    show() {
      const { top, left, width } = own.getBoundingClientRect();
      const bottom = Math.max(GAP, innerHeight - top + GAP);
      node.style.bottom = `${bottom}px`;
      node.style.left = `${left + width / 2}px`;
      node.hidden = false;
    },
    hide: () => (node.hidden = true),
  };
}
