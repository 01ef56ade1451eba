import { svg } from "../../dom.js";

// Which picture of the element set shows what a card of this name and element is about; any other has that of its strength.
const SUBJECTS = {
  wood: { Seedling: 1, Thicket: 3, Bramble: 6, Willow: 8, "Old Oak": 10, "Forest King": 9 },
  fire: { Spark: 1, Torch: 5, Salamander: 6, Wildfire: 3, Phoenix: 10, Volcano: 9 },
  earth: { Pebble: 1, Mole: 5, "Clay Golem": 4, Landslide: 3, Mountain: 10, "Sleeping Giant": 9 },
  metal: { Nail: 1, Dagger: 7, Bell: 4, "Iron Knight": 9, "Siege Engine": 5, "Crown of Steel": 10 },
  water: { Dew: 1, Brook: 7, "Frog Prince": 4, Rapids: 8, "Sea Serpent": 10, "Great Flood": 9 },
};
const MOST = 10; // pictures of an element
const WHOLE = "0 0 250 350"; // of a picture
let place = null; // where the pictures are; null: there are none, as in a page that is a file
let addressOf = null; // the address of an owned card's own picture, by digest

/** From now on pictures of the element set are fetched from there, and `find` promises the address of any other by its digest. */
export const paintFrom = (address, find = null) => ([place, addressOf] = [address, find]);

function numberOf(name, { element, strength }) {
  if (!Object.hasOwn(SUBJECTS, element)) return null;
  const subjects = SUBJECTS[element];
  if (Object.hasOwn(subjects, name)) return subjects[name];
  return Number.isInteger(strength) && strength >= 1 && strength <= MOST ? strength : null;
}

/** The picture of a card for a place on it (`x`, `y`, `width`, `height`): an owned card's own, else that of its element; null without one. */
export function cardPicture(name, values, owned, at) {
  const number = place && numberOf(name, values);
  const own = addressOf && owned?.image;
  if (!number && !own) return null;
  const href = number ? `${place}${values.element}-${String(number).padStart(2, "0")}.svg` : null;
  const image = svg("image", { href, width: 250, height: 350, preserveAspectRatio: "xMidYMid meet" });
  if (own) addressOf(owned.image).then((found) => image.setAttribute("href", found), () => {}); // what is not here stays as it is
  return svg("svg", { class: "art", viewBox: WHOLE, ...at }, image);
}
