const FIELDS = "input:not([type=checkbox]),textarea,select,[contenteditable]";

/**
 * Keys for the whole page: `does` maps a letter to what it does and says whether that was something. Not in fields, not
 * under a dialog, not where the person has switched them off; the listener goes when `node` has left the page.
 */
export function listen(node, settings, does) {
  const heard = (event) => {
    if (!node.isConnected) return document.removeEventListener("keydown", heard);
    if (!settings.letters() || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest?.(FIELDS) || document.querySelector("dialog[open]")) return;
    if (does(event.key.length === 1 ? event.key.toUpperCase() : "")) event.preventDefault();
  };
  document.addEventListener("keydown", heard);
}
