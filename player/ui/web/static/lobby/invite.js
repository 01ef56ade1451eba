import { el, put, svg } from "../dom.js";
import { t } from "../words.js";

const QUIET = 4; // squares around a QR code that its standard wants

/** How others are invited: the link, to be copied or photographed, and the fingerprint to compare. */
export function invitation(actions, attempt) {
  const inside = el("div");
  const node = el("details", { class: "panel" }, el("summary", {}, el("h2", {}, t("page.lobby.invite"))), inside);
  const own = el("div");
  node.append(own);
  node.addEventListener("toggle", () => node.open && attempt(async () => put(inside, parts(await actions.invitation()))));
  let told = "";
  return {
    node,
    /** `sentences` about one's own table, or null; it is shown at once how others get there. */
    draw(sentences) {
      const now = JSON.stringify(sentences);
      if (now === told) return;
      told = now;
      put(own, (sentences ?? []).map((text) => el("p", {}, text)));
      if (sentences) node.open = true;
    },
  };
}

const parts = ({ link, fingerprint, qr, note }) => [
  el("p", {}, t("page.lobby.invite.about")),
  note && el("p", {}, note),
  ways(link, qr, fingerprint && el("p", {}, `${t("page.lobby.fingerprint")}: `, el("code", {}, fingerprint))),
];

/** The ways in which a link gets to somebody: copied, or photographed; `between` stands before the picture. */
export function ways(link, qr, between) {
  const field = el("input", { id: "invitation", readonly: true, value: link, onfocus: () => field.select() });
  const said = el("span", { role: "status" });
  const copy = async () => {
    field.select();
    await navigator.clipboard.writeText(link).catch(() => document.execCommand("copy"));
    said.textContent = t("page.lobby.copied");
  };
  return [
    el("label", { for: "invitation" }, t("page.lobby.link.own")), field,
    el("button", { onclick: copy }, t("page.lobby.copy")), said,
    between,
    code(qr),
  ];
}

function code({ path, size }) {
  const box = `${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`;
  return svg("svg", { class: "qr", viewBox: box, role: "img", "aria-label": t("page.lobby.qr") }, svg("path", { d: path }));
}
