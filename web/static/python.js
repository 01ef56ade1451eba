/* Python in a worker: Pyodide, with the primitives of cryptography that the program uses. */
import { loadPrimitives } from "./primitives.js";
import { loadPyodide } from "./pyodide.mjs";

const PACKAGES = "/lib/packages";

/** Starts Python and unpacks the zip archives at these addresses, from which it can import. */
export async function startPython(archives) {
  const [python, primitives, ...files] = await Promise.all([
    loadPyodide({ indexURL: new URL(".", import.meta.url).href }),
    loadPrimitives(),
    ...archives.map(load),
  ]);
  python.registerJsModule("fairdeal_primitives", primitives);
  for (const file of files) python.unpackArchive(file, "zip", { extractDir: PACKAGES });
  python.runPython(`import sys; sys.path.insert(0, "${PACKAGES}")`);
  return python;
}

async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.arrayBuffer();
}
