/* Files of the page by their names, as they lie in its folder. In a folder for browsers `web/pinned_files.js` stands here,
 * which checks each of them. */

export const openFile = (name, fetch = globalThis.fetch) => fetch(new URL(name, import.meta.url));

/** The address of a folder of pictures. */
export const folderAddress = (name) => new URL(`${name}/`, import.meta.url).href;

/** Starts the worker with the program. */
export const startWorker = async () => new Worker(new URL("worker.js", import.meta.url), { type: "module" });
