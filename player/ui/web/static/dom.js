const SVG = "http://www.w3.org/2000/svg";

/** An element: `attrs` by name (`onclick` and the like are listeners; null, undefined and false: none), then children.
 * Strings go in as text nodes, never as markup; arrays are spread. */
export const el = (tag, attrs, ...children) => fill(document.createElement(tag), attrs, children);

/** The same for an element of a drawing. */
export const svg = (tag, attrs, ...children) => fill(document.createElementNS(SVG, tag), attrs, children);

/** Somebody's own words or name: their direction of writing does not turn what stands around them. */
export const theirs = (text) => el("bdi", {}, text);

/** Puts these children in place of those that are there. */
export function put(parent, ...children) {
  parent.replaceChildren(...kept(children));
  return parent;
}

function fill(made, attrs, children) {
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...kept(children));
  return made;
}

const kept = (children) =>
  children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
