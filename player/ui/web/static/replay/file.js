import { el, put } from "../dom.js";
import { learn, t } from "../words.js";
import { drawReplay } from "./screen.js";

const MERGED = ["view", "knowledge"];
const packed = JSON.parse(document.getElementById("data").textContent);
const unpacked = new Map();

const bytesOf = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** The frames of one packed part, from all sides. */
function framesOf(part) {
  if (!unpacked.has(part)) {
    const stream = new Blob([bytesOf(packed.frames[part])]).stream().pipeThrough(new DecompressionStream("deflate"));
    unpacked.set(part, new Response(stream).json());
  }
  return unpacked.get(part);
}

async function frame(entry, seat) {
  const sides = (await framesOf(Math.floor(entry / packed.together)))[entry % packed.together];
  const base = sides.none;
  const over = seat === "none" ? {} : sides[seat];
  const merged = MERGED.filter((key) => over[key]).map((key) => [key, { ...base[key], ...over[key] }]);
  return { ...base, ...over, ...Object.fromEntries(merged) };
}

const load = async (known = 0) => ({ ...packed.replay, marks: packed.replay.marks.slice(known) });

function save() {
  const link = el("a", { href: URL.createObjectURL(new Blob([bytesOf(packed.log)])), download: packed.name });
  link.click();
  URL.revokeObjectURL(link.href);
}

learn(packed.labels);
const root = document.getElementById("root");
drawReplay(root, { load, frame, save, rules: async () => packed.rules }).then(
  () => document.documentElement.setAttribute("data-ready", ""),
  () => put(root, el("p", { class: "panel bad" }, t("page.replay.old")), el("button", { onclick: save }, t("page.replay.save"))));
