const LINK = /^fairdeal\+(wss?):\/\/([^/]+)(?:\/.*?)?\/([a-z2-7]{40})(?:\/[a-z2-7]+)?$/i;

/** The parts of a link that people read before they go there; null if it leads to no table that a page can call. The program
 * checks the link again, and has the last word. */
export function readLink(text) {
  const [, scheme, host, fingerprint] = LINK.exec(text) ?? [];
  return scheme ? { secure: scheme.toLowerCase() === "wss", host, fingerprint: fingerprint.toLowerCase() } : null;
}
