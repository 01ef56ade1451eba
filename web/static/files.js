/* Files that the worker fetches, by their names, as they lie beside it. In a folder for browsers `web/pinned_files.js`
 * stands here, which has a digest for each. */

export const openFile = (name, fetch) => fetch(new URL(name, import.meta.url));
