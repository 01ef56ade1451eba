import { shapeOf, sign } from "../boards/field/card.js";
import { el, theirs } from "../dom.js";
import { picture } from "../net.js";

const pictures = new Map(); // addresses of pictures that are here already, by digest
const SHOWN = 3; // values on a face besides those at its head
const TINTS = { fire: "hearts", water: "diamonds", wood: "clubs", earth: "earth", metal: "metal" };

/** The face of a card: its picture, whole, or its name. Its number and its element are drawn here, over the corners where
 * pictures have theirs, and further values below: a picture cannot say another value than the card has. */
export function face(card) {
  const { head, rest } = parted(card.values);
  const art = el("span", { class: `art ${tint(card.values)}` }, el("strong", { class: "plain", dir: "auto" }, card.name));
  const node = el("span", { class: `face ${card.state}` },
    el("span", { class: `head ${tint(card.values)}` }, head.map(([, value]) => el("b", { class: shapeOf(value) ? "signed" : "" }, shapeOf(value) && sign(value), el("span", {}, theirs(String(value)))))),
    art,
    rest.length > 0 && el("span", { class: "rest" }, rest.slice(0, SHOWN).map(([key, value]) => el("span", {}, theirs(`${key} ${value}`))), rest.length > SHOWN && el("span", {}, `+${rest.length - SHOWN}`)));
  if (card.image) paint(node, art, card).catch(() => {}); // what cannot be fetched stays in words
  return node;
}

/** The number of a card, with the word that goes with it, and all other values. */
function parted(values) {
  const number = values.find(([, value]) => typeof value === "number");
  const word = values.find(([, value]) => typeof value === "string" && value.length <= 10);
  const head = [number, word].filter(Boolean);
  return { head, rest: values.filter((value) => !head.includes(value)) };
}

function tint(values) {
  const [, element] = values.find(([, value]) => Object.hasOwn(TINTS, value)) ?? [];
  return element ? TINTS[element] : "";
}

/** All values of a card, in words. */
export const valuesLine = ({ values }) => values.map(([key, value], at) => [at > 0 && ", ", theirs(`${key} ${value}`)]);

async function paint(node, art, card) {
  const image = await drawing(card.image);
  art.append(image);
  node.classList.add("painted");
}

/** The whole picture of its creator, once it can be shown. */
async function drawing(digest) {
  const image = el("img", { src: await address(digest), alt: "", draggable: "false" });
  await image.decode();
  return image;
}

/** Where a picture is. What was asked for before in vain may have come meanwhile, so that it is asked for once more. */
export async function address(digest) {
  if (pictures.has(digest)) {
    try {
      return await pictures.get(digest);
    } catch {
      // as if nobody had asked
    }
  }
  if (!pictures.has(digest)) pictures.set(digest, fetched(digest));
  return pictures.get(digest);
}

async function fetched(digest) {
  try {
    return URL.createObjectURL(await picture("face", { digest }));
  } catch (error) {
    pictures.delete(digest); // it may come during a trade
    throw error;
  }
}

