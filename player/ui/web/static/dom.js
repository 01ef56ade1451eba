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

/** A function that returns the screen in a root, and has `build` make it if there is none, or one of another `key`. */
export function screenCache(build) {
  const screens = new WeakMap();
  return (root, actions, key = null) => {
    let screen = screens.get(root);
    if (!screen?.node.isConnected || screen.key !== key) {
      screen = { ...build(actions), key };
      screens.set(root, screen);
      put(root, screen.node);
    }
    return screen;
  };
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
