/* Files that the worker fetches, each with the digest that it must have: the browser refuses any other bytes.
 *
 * `web/site.py` sets PINS (name: [place, integrity]). The worker is started from memory and has no address: its name is that
 * of the page.
 */
/* global PINS */

const WASM = "application/wasm";
const FETCHED = { redirect: "error", credentials: "omit", mode: "same-origin", referrerPolicy: "no-referrer" };

export async function openFile(name, fetch) {
  if (!Object.hasOwn(PINS, name)) throw new Error(`${name}: no file of the page`);
  const [place, integrity] = PINS[name];
  const answer = await fetch(new URL(place, self.name), { ...FETCHED, integrity }).catch((error) => error);
  // the page finds out why: the browser does not say which of them it was
  if (!answer.ok) throw Object.assign(new Error(`${name}, fetch: ${answer.status ?? answer}`), { place });
  if (!name.endsWith(".wasm") || answer.headers.get("Content-Type") === WASM) return answer;
  // some servers do not know the kind, without which a browser compiles nothing; it compiles this one at each visit
  return new Response(answer.body, { headers: { "Content-Type": WASM } });
}
