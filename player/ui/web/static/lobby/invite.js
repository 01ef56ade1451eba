import { el, put, svg } from "../dom.js";
import { t } from "../words.js";

const QUIET = 4; // squares around a QR code that its standard wants

/** How others are invited. At a table of one's own the link comes first, with a button that copies it; else it is folded. */
export function invitation(actions, attempt) {
  const inside = el("div");
  const folded = el("details", { class: "panel" }, el("summary", {}, el("h2", {}, t("page.lobby.invite"))), inside);
  const own = share(actions, attempt);
  folded.addEventListener("toggle", () => folded.open && attempt(async () => put(inside, parts(await actions.invitation()))));
  return {
    node: folded,
    own: own.node,
    /** `sentences` about one's own table, or null. */
    draw(sentences, shown) {
      folded.hidden = !shown || sentences !== null;
      own.node.hidden = !shown || sentences === null;
      if (!own.node.hidden) own.draw(sentences);
    },
  };
}

/** The link of one's own table, first of all; folded: the QR code, an address for people from elsewhere, and a message. */
function share(actions, attempt) {
  const field = el("input", { id: "invitation", readonly: true, "aria-label": t("page.lobby.link.own"), onfocus: () => field.select() });
  const said = el("span", { role: "status" });
  const button = el("button", { onclick: () => copy(field, said) }, t("page.lobby.copy"));
  const told = el("div", { class: "muted" });
  const more = el("div", {});
  const message = el("textarea", { id: "message", readonly: true, rows: "6" });
  const copied = el("span", { role: "status" });
  const address = el("input", { id: "outside", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "outside-about" });
  const elsewhere = el("form", { class: "stack", onsubmit: (event) => (event.preventDefault(), attempt(ask)) },
    el("label", { for: address.id }, t("page.lobby.outside")),
    el("div", { class: "row" }, address, el("button", {}, t("page.lobby.outside.use"))),
    el("p", { class: "muted", id: "outside-about" }, t("page.lobby.outside.about")));
  const ask = async () => {
    const { link, page, fingerprint, qr } = await actions.invitation(address.value.trim() ? { address: address.value } : {});
    field.value = page ?? link;
    node.dataset.link = link;
    message.value = t(page ? "page.lobby.message.web" : "page.lobby.message.text", { link: field.value });
    put(more, code(qr), el("p", {}, `${t("page.lobby.fingerprint")}: `, el("code", {}, fingerprint)),
      el("p", {}, page ? [`${t("page.lobby.link.app")}: `, el("code", {}, link)] : t("page.lobby.page.none")));
  };
  let drawn = "";
  const node = el("section", { class: "panel share" },
    el("h2", {}, t("page.lobby.share")),
    el("div", { class: "row" }, field, button), said, told,
      el("details", {}, el("summary", {}, t("page.lobby.share.more")),
        elsewhere,
        el("label", { for: message.id }, t("page.lobby.message")), message,
        el("p", {}, el("button", { onclick: () => copy(message, copied) }, t("page.lobby.message.copy")), " ", copied),
        more));
  return {
    node,
    draw(sentences) {
      const now = JSON.stringify(sentences);
      if (now === drawn) return;
      drawn = now;
      put(told, sentences.map((text) => el("p", {}, text)));
      attempt(ask);
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
  const field = el("input", { id: "invitation-link", readonly: true, value: link, onfocus: () => field.select() });
  const said = el("span", { role: "status" });
  return [
    el("label", { for: field.id }, t("page.lobby.link.own")), field,
    el("button", { onclick: () => copy(field, said) }, t("page.lobby.copy")), said,
    between,
    code(qr),
  ];
}

/** Copies what is in a field, and says so. Over plain http in a home network there is no `navigator.clipboard`. */
export async function copy(field, said) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  said.textContent = t("page.lobby.copied");
}

function code({ path, size }) {
  const box = `${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`;
  return svg("svg", { class: "qr", viewBox: box, role: "img", "aria-label": t("page.lobby.qr") }, svg("path", { d: path }));
}
