/* Python in a worker: Pyodide, with the primitives of cryptography that the program uses. */
import "./no_scripts.js";
import { unpack } from "./archive.js";
import { openFile } from "./files.js";
import { NO_PACKAGES } from "./no_packages.js";
import { loadPrimitives } from "./primitives.js";
import createPyodideModule from "./pyodide.asm.mjs";
import { loadPyodide } from "./pyodide.mjs";

const PACKAGES = "/lib/packages";
const NOWHERE = "https://page.invalid/"; // where Pyodide looks for its files, which are taken from the page

/** Starts Python and unpacks these archives of the page, from which it can import. */
export async function startPython(archives) {
  const outside = globalThis.fetch;
  const open = async (name) => {
    const answer = await openFile(name, outside);
    if (!answer.ok) throw new Error(`fetch of ${name}: ${answer.status}`);
    return answer;
  };
  const refused = Promise.withResolvers(); // Pyodide waits for ever for what it did not get
  globalThis.fetch = (address) => {
    const answer = open(new URL(address).pathname.slice(1));
    answer.catch(refused.reject);
    return answer;
  };
  const loads = Promise.all([
    loadPyodide({ indexURL: NOWHERE, createPyodideModule, lockFileContents: NO_PACKAGES }),
    loadPrimitives(),
    ...archives.map(async (name) => (await open(name)).arrayBuffer()),
  ]);
  const [python, primitives, ...files] = await Promise.race([loads, refused.promise]);
  globalThis.fetch = outside;
  python.registerJsModule("fairdeal_primitives", primitives);
  for (const file of files) unpack(python.FS, file, PACKAGES);
  python.runPython(`import sys; sys.path.insert(0, "${PACKAGES}")`);
  return python;
}
