const WAY = /^#\/([a-z]{1,20})$/;
const OWN = "fairdeal"; // the state of those entries of the browser's history that the page has made

/** The way that the address names, null if it names none. An address chooses a way and does nothing else. */
export const addressed = () => WAY.exec(location.hash)?.[1] ?? null;

/** Whether the page has made this address. Else somebody has typed it, or a link has led to it. */
export const isOwn = () => history.state === OWN;

/** Puts a way into the address: Back leads to the one before. */
export const add = (way) => history.pushState(OWN, "", `#/${way}`);

/** Puts a way into the address in place of the one before. */
export const replace = (way) => history.replaceState(OWN, "", `#/${way}`);
