const HOST = String.raw`(?:\[[0-9a-f:.]+(?:%[a-z0-9_.~-]{1,32})?\]|[a-z0-9_.-]{1,253})(?::[0-9]{1,5})?`;
const PATH = String.raw`(?:/[a-z0-9_~-][a-z0-9._~-]*)*`;
const LINK = new RegExp(`^fairdeal\\+(wss?)://(${HOST}(?:,${HOST})*)${PATH}/([a-z2-7]{40})(?:/[a-z2-7]{32})?$`, "i");
const AROUND = /^[^a-z]+|[^a-z0-9]+$/gi; // blanks, and the full stop of a sentence

/** The link in the text behind the `#` of the page's address. */
export function tidyLink(text) {
  const tidy = text.replace(AROUND, "");
  return /^wss?:/i.test(tidy) ? `fairdeal+${tidy}` : tidy; // behind an address it begins with the scheme
}

/** The parts of a link that people read before they go there; null if it leads to no table that a page can call. The form is
 * that of the program (`protocol.identity.keys`), which goes nowhere but where this says: it takes no other link of a page. */
export function readLink(text) {
  const [, scheme, host, fingerprint] = LINK.exec(text) ?? [];
  return scheme ? { secure: scheme.toLowerCase() === "wss", host, fingerprint: fingerprint.toLowerCase() } : null;
}
