import { el, put, svg, theirs } from "../dom.js";
import { t } from "../words.js";

const SIZE = 320;
const RADIUS = 120;
const CELLS = { unknown: "page.cell.unknown", sealed: "page.cell.sealed", known: "page.cell.known", public: "page.cell.public" };

/** How pieces are dealt: envelopes that go round, and beside them who knows what. Drawn only while it is open. */
export function teaching() {
  const facts = el("ul", { class: "facts-told" });
  const ring = el("div", { class: "round" });
  const matrix = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("page.teach.matrix") });
  const nothing = el("p", { class: "muted" }, t("page.teach.nothing"));
  const legend = el("p", { class: "legend" }, Object.keys(CELLS).map((cell) =>
    el("span", {}, el("i", { class: `cell ${cell}`, "aria-hidden": "true" }), ` ${t(CELLS[cell])}`)));
  const node = el("details", { class: "teach panel", ontoggle: () => redraw() },
    el("summary", {}, t("page.teach")), nothing, el("div", { class: "lesson" }, ring, facts), matrix, legend);
  let shown = null;
  const redraw = () => {
    if (!node.open || !shown) return;
    const { knowledge, view } = shown;
    nothing.hidden = Boolean(knowledge);
    for (const part of [ring, facts, matrix, legend]) part.hidden = !knowledge;
    if (!knowledge) return;
    put(facts, knowledge.facts.map(({ text }) => el("li", {}, text)));
    put(ring, drawRound(knowledge));
    put(matrix, drawMatrix(knowledge, view));
  };
  return {
    node,
    draw(frame) {
      shown = frame;
      redraw();
    },
  };
}

/** Who knows what of each place: a row for each party, a column for each place. */
function drawMatrix({ parties, pieces, cells, layers, faces, seats, holders }) {
  const places = Array.from({ length: pieces }, (_, at) => at);
  const cell = (name) => el("td", { class: `cell ${name}` }, el("span", { class: "sr" }, t(CELLS[name])));
  const row = (name, content) => el("tr", {}, el("th", { scope: "row" }, name), content);
  const holder = (who) => (typeof who === "number" ? (parties[seats.indexOf(who)] ?? "?").slice(0, 2) : "");
  return el("table", { class: "matrix" },
    el("caption", { class: "sr" }, t("page.teach.matrix")),
    el("thead", {}, row(t("page.teach.place"), places.map((at) => el("th", { scope: "col" }, faces[at] ? faces[at].join(typeof faces[at][0] === "number" ? "-" : "") : String(at + 1))))),
    el("tbody", {}, parties.map((name, at) => row(theirs(name), cells[at].map(cell)))),
    el("tfoot", {},
      row(t("page.teach.layers"), places.map((at) => el("td", {}, layers[at] ? String(layers[at].length) : "–"))),
      row(t("page.teach.holder"), places.map((at) => el("td", {}, holder(holders[at]))))));
}

/** The parties in a ring, the stock in the middle; what an entry moves goes from one to another. */
function drawRound({ parties, seats, holders, facts }) {
  const spot = (who) => {
    const at = seats.indexOf(who);
    const turn = (2 * Math.PI * at) / parties.length - Math.PI / 2;
    return at < 0 ? [SIZE / 2, SIZE / 2] : [SIZE / 2 + RADIUS * Math.cos(turn), SIZE / 2 + RADIUS * Math.sin(turn)];
  };
  const count = (who) => holders.filter((holder) => holder === who).length;
  const lost = count("somebody");
  const party = (name, held, [x, y], kind) => svg("g", { class: kind },
    svg("circle", { cx: x, cy: y, r: 30 }),
    svg("text", { x, y: y - 2 }, name.length > 8 ? `${name.slice(0, 7)}…` : name),
    svg("text", { x, y: y + 16, class: "held" }, held ? `✉ ${held}` : ""));
  return svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": t("page.teach.round") },
    svg("circle", { class: "way", cx: SIZE / 2, cy: SIZE / 2, r: RADIUS }),
    facts.filter((fact) => fact.is === "moved").map((fact) => way(spot(fact.giver), spot(fact.receiver))),
    party(t("page.teach.stock"), count("stock"), [SIZE / 2, SIZE / 2], "deck"),
    lost > 0 && svg("text", { x: SIZE / 2, y: SIZE / 2 + 46 }, t("page.teach.somebody", { count: lost })),
    parties.map((name, at) => party(name, count(seats[at]), spot(seats[at]), facts.some(({ party: who }) => who === seats[at]) ? "acting" : "")));
}

/** An envelope on its way; it lies at the end of it where nothing may move. */
function way([x, y], [to, down]) {
  const node = svg("g", { class: "moving" },
    svg("line", { x1: x, y1: y, x2: to, y2: down }),
    svg("text", { class: "envelope", x: (x + 2 * to) / 3, y: (y + 2 * down) / 3 }, "✉"));
  node.style.setProperty("--x", `${(2 * (x - to)) / 3}px`);
  node.style.setProperty("--y", `${(2 * (y - down)) / 3}px`);
  return node;
}
