const STEPS = { ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowDown: [1, 0] };

/**
 * Arrows walk these rows of buttons, and tab reaches one of them: number `start`, or the last before it.
 * @param told hears the number of the one that tab reaches
 */
export function roam(node, rows, start, told) {
  const all = rows.flat();
  const reach = (button) => {
    for (const one of all) one.tabIndex = one === button ? 0 : -1;
    told(all.indexOf(button));
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

let awaited = ""; // the board that had the focus when the last thing to press on it went

/**
 * Draws into `node`; who was on a button of it, or of the board of this class that it comes in place of, stays there, and
 * is there again with the next button if none was left and nothing else has been gone to.
 */
export function keeping(node, name, fill) {
  const active = document.activeElement;
  const held = active?.closest?.(`.${name}`) || (awaited === name && (!active || active === document.body));
  fill();
  const next = node.querySelector('[tabindex="0"]');
  awaited = held && !next ? name : "";
  if (held) queueMicrotask(() => next?.focus());
}
