/** Sets a text where it is another one: what has not changed is not said again. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute where it is another one: a shape that is said again would be laid out again. */
export function set(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/**
 * Makes the children of `parent` those of `items`, by key. Nodes that are there stay, and with them the focus;
 * `update(node, item)` brings each up to date.
 */
export function keep(parent, items, key, make, update = () => {}) {
  const held = document.activeElement;
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  const nodes = items.map((item) => {
    const name = String(key(item));
    const node = old.get(name) ?? make(item);
    if (node.dataset.key !== name) node.dataset.key = name;
    update(node, item);
    return node;
  });
  for (const node of old.values()) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, at) => parent.children[at] !== node && parent.insertBefore(node, parent.children[at] ?? null));
  if (held !== document.activeElement && parent.contains(held)) held.focus();
}

/** What calls `draw` only with a value that differs from the last one. */
export function changed(draw) {
  let last;
  return (value, ...more) => {
    const now = JSON.stringify(value);
    if (now !== last) draw(value, ...more);
    last = now;
  };
}

/** Makes `old` what `drawn` is, and returns it: what is the same in both stays, so that a click on it is not lost. */
export function patch(old, drawn) {
  if (old.isEqualNode(drawn)) return old;
  if (!old.cloneNode().isEqualNode(drawn.cloneNode()) || !old.childElementCount || old.matches("svg,button")) {
    old.replaceWith(drawn);
    return drawn;
  }
  const [had, wanted] = [[...old.childNodes], [...drawn.childNodes]];
  wanted.forEach((node, at) => (at in had ? patch(had[at], node) : old.append(node)));
  for (const node of had.slice(wanted.length)) node.remove();
  return old;
}
