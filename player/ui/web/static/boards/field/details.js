import { el, put, theirs } from "../../dom.js";
import { t } from "../../words.js";
import { cardFace, common, creatorText } from "./card.js";

const GAP = 6; // pixels between a card and its details
const LONG = 450; // milliseconds of a press that shows a card and does not choose it
const box = el("div", { class: "details panel", id: "details", role: "tooltip", hidden: true });

const row = ([name, value]) => [el("dt", {}, theirs(name)), el("dd", {}, theirs(String(value)))];

/** Shows the details of a card beside it: the card large, with all its values. */
function show(node, piece) {
  const { faces, values, marks, owned } = piece;
  const creator = owned && [[t("page.card.creator"), creatorText(owned)], [t("page.card.key"), owned.creator]];
  put(box, el("div", { class: "large", "aria-hidden": "true" }, cardFace({ ...piece, marks: [], down: false })),
    el("div", {}, el("strong", {}, theirs(String(faces?.[0] ?? ""))), el("dl", {}, [...values, ...marks, ...(creator ?? [])].map(row))));
  (node.closest("main, dialog") ?? document.body).append(box);
  box.hidden = false;
  node.setAttribute("aria-describedby", "details");
  const [at, own] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
  const above = at.top - own.height - GAP;
  box.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - own.width - GAP))}px`;
  box.style.top = `${above > 0 ? above : Math.max(GAP, Math.min(at.bottom + GAP, innerHeight - own.height - GAP))}px`;
}

function hide() {
  box.hidden = true;
  box.remove();
}

/** Has the cards in `node` show their details when the pointer is on them, on a long press, and on focus by keys. `find(index)`
 * returns a card by its number. Returns `node`. */
export function detailed(node, find) {
  const press = { timer: 0, shown: false, at: "" };
  const at = ({ target }) => {
    const card = target.closest?.("[data-card]");
    const piece = card && find(Number(card.dataset.card));
    const plain = piece?.values && !piece.owned && common(Object.fromEntries(piece.values)); // its face shows everything
    const hasDetails = Boolean((!plain && piece?.values?.length) || piece?.marks?.length);
    if (hasDetails) show(card, piece);
    else hide();
    return hasDetails;
  };
  const begin = (event) => {
    press.shown = false;
    if (event.pointerType === "touch") press.timer = setTimeout(() => (press.shown = at(event)), LONG);
  };
  const end = () => clearTimeout(press.timer);
  const point = ({ clientX, clientY }) => `${Math.floor(clientX)} ${Math.floor(clientY)}`;
  const swallow = (event) => {
    if (!press.shown) {
      press.at = point(event); // the card goes away: the next one under the resting pointer shows no details
      hide();
      return;
    }
    press.shown = false;
    event.preventDefault();
    event.stopPropagation();
  };
  node.addEventListener("pointerover", (event) => event.pointerType !== "touch" && point(event) !== press.at && at(event));
  node.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && at(event));
  node.addEventListener("pointerleave", hide);
  node.addEventListener("focusout", hide);
  node.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  node.addEventListener("pointerdown", begin);
  for (const name of ["pointerup", "pointercancel", "pointermove"]) node.addEventListener(name, end);
  node.addEventListener("click", swallow, true);
  node.addEventListener("contextmenu", (event) => press.shown && event.preventDefault());
  return node;
}
