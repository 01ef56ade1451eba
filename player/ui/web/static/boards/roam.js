const STEPS = { ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowDown: [1, 0] };

/**
 * Arrow keys move the focus in these rows of buttons. The tab key reaches one of them: number `start`, or the last one.
 * @param onReach is called with the number of the button that the tab key reaches
 */
export function roam(node, rows, start, onReach) {
  const all = rows.flat();
  const reach = (button) => {
    for (const one of all) one.tabIndex = one === button ? 0 : -1;
    onReach(all.indexOf(button));
  };
  if (all.length) reach(all[Math.min(start, all.length - 1)]);
  node.addEventListener("focusin", ({ target }) => all.includes(target) && reach(target));
  node.addEventListener("keydown", (event) => {
    const from = rows.findIndex((row) => row.includes(event.target));
    if (from < 0 || !(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey) return;
    const [down, right] = STEPS[event.key];
    const row = rows[from + down] ?? rows[from];
    const at = rows[from].indexOf(event.target) + right;
    row[Math.max(0, Math.min(row.length - 1, at))].focus();
    event.preventDefault();
  });
}

let awaited = ""; // class of the board that had the focus when its last button went

/**
 * Draws into `node` by `fill()`, and keeps the focus on the board of this class. If the board has no button left, the focus
 * comes back with the next button, unless it has gone to another element.
 */
export function keeping(node, name, fill) {
  const active = document.activeElement;
  const hasFocus = active?.closest?.(`.${name}`) || (awaited === name && (!active || active === document.body));
  fill();
  const next = node.querySelector('[tabindex="0"]');
  awaited = hasFocus && !next ? name : "";
  if (hasFocus) queueMicrotask(() => next?.focus());
}
