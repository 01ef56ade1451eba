/* Where the browser lets the page store nothing, `localStorage` and `sessionStorage` fail at each use. In their places come
 * storages that forget all when the page is left. */
const PROBE = "fairdeal probe";

class ForgetfulStorage {
  #texts = new Map();
  getItem = (name) => this.#texts.get(name) ?? null;
  setItem = (name, text) => void this.#texts.set(name, String(text));
  removeItem = (name) => void this.#texts.delete(name);
}

for (const name of ["localStorage", "sessionStorage"]) {
  if (!stores(name)) Object.defineProperty(window, name, { value: new ForgetfulStorage() });
}

function stores(name) {
  try {
    window[name].setItem(PROBE, "");
    window[name].removeItem(PROBE);
    return true;
  } catch {
    return false;
  }
}
