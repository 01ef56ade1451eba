import { el, put, theirs } from "../../dom.js";

const GAP = 6; // pixels between a card and what is said of it
const box = el("div", { class: "details panel", id: "details", role: "tooltip", hidden: true });

const row = ([name, value]) => [el("dt", {}, theirs(name)), el("dd", {}, theirs(String(value)))];

/** Shows all that is known of a card beside it. */
function tell(node, { faces, values, marks }) {
  put(box, el("strong", {}, theirs(String(faces?.[0] ?? ""))), el("dl", {}, [...values, ...marks].map(row)));
  (node.closest("main, dialog") ?? document.body).append(box);
  box.hidden = false;
  node.setAttribute("aria-describedby", "details");
  const [at, own] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
  const above = at.top - own.height - GAP;
  box.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - own.width - GAP))}px`;
  box.style.top = `${above > 0 ? above : Math.min(at.bottom + GAP, innerHeight - own.height)}px`;
}

function hide() {
  box.hidden = true;
  box.remove();
}

/** What is on a card is told to whoever points at it or comes to it by keys; `find` knows a card by its number. */
export function detailed(node, find) {
  const at = ({ target }) => {
    const card = target.closest?.("[data-card]");
    const piece = card && find(Number(card.dataset.card));
    if (piece?.values?.length || piece?.marks?.length) tell(card, piece);
    else hide();
  };
  node.addEventListener("pointerover", at);
  node.addEventListener("focusin", at);
  node.addEventListener("pointerleave", hide);
  node.addEventListener("focusout", hide);
  node.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  return node;
}
