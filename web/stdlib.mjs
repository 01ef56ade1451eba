/* Prints the modules of the standard library that the program can import, as Pyodide's own Python finds them.
 * The arguments are the folder of the npm packages, that of the project, and the program's archive. */
import { readFileSync } from "node:fs";

const [packages, project, program] = process.argv.slice(2);
const { loadPyodide } = await import(`${packages}/pyodide/pyodide.mjs`);
const python = await loadPyodide();
const mount = (root, place) => {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, place);
};
mount(project, "/project");
python.FS.writeFile("/library.zip", readFileSync(`${packages}/pyodide/python_stdlib.zip`));
python.FS.writeFile("/program.zip", readFileSync(program));
python.runPython(`
import sys
begun = [name for name in sys.modules if name != "__main__"]
sys.dont_write_bytecode = True
sys.path.insert(0, "/project")
from pathlib import Path
from web.stdlib import needed_modules
library, program = (Path(path).read_bytes() for path in ("/library.zip", "/program.zip"))
print(*sorted(needed_modules(library, program, begun)), sep="\\n")
`);
