import { el } from "../dom.js";
import { picture } from "../net.js";

const pictures = new Map(); // addresses of pictures that are here already, by digest

/** The face of a card: its picture, or its name and values where there is none (or none that can be shown). */
export function face(card) {
  const node = el("span", { class: `face ${card.state}` }, el("span", { class: "plain" }, written(card)));
  if (card.image) paint(node, card).catch(() => {}); // what cannot be fetched stays in words
  return node;
}

async function paint(node, card) {
  const image = el("img", { src: await address(card.image), alt: "", draggable: "false" });
  await image.decode();
  node.append(image);
  node.classList.add("painted");
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

function written({ name, values }) {
  const rows = values.slice(0, 4).map(([key, value]) => el("span", {}, `${key} ${value}`));
  return [el("strong", { dir: "auto" }, name), ...rows];
}
