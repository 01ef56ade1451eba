/** Sets a text where it is another one: what has not changed is not said again. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Makes the children of `parent` those of `items`, by key. Nodes that are there stay, and with them the focus;
 * `update(node, item)` brings each up to date.
 */
export function keep(parent, items, key, make, update = () => {}) {
  const held = document.activeElement;
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  const nodes = items.map((item) => {
    const node = old.get(String(key(item))) ?? make(item);
    node.dataset.key = key(item);
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
