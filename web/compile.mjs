/* Compiles the Python files of the page by Pyodide's own Python. The arguments are the folder of the npm packages, that of
 * the project, and one with the archives of library and program, which are replaced. */
const [packages, project, folder] = process.argv.slice(2);
try {
  const { loadPyodide } = await import(`${packages}/pyodide/pyodide.mjs`);
  // the same bytes from the same files: a fixed order of sets; and no columns in compiled files, which are a seventh of them
  const python = await loadPyodide({ env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" } });
  const mount = (root, place) => {
    python.FS.mkdirTree(place);
    python.FS.mount(python.FS.filesystems.NODEFS, { root }, place);
  };
  mount(project, "/project");
  mount(folder, "/archives");
  python.runPython(`
import sys
begun = [name for name in sys.modules if name != "__main__"]
sys.dont_write_bytecode = True
sys.path.insert(0, "/project")
from pathlib import Path
from web.compile import compile_archives
compile_archives(Path("/archives"), begun)
`);
} catch (error) {
  console.error(error.message); // without it Node prints its whole script
  process.exitCode = 1;
}
