"""Find modules that import each other in a circle: at the top, in a function, only for types, or
through a package.
"""

import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

graph = grimp.build_graph(
    *tomllib.loads(Path("pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
)
try:
    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).prepare()
except CycleError as error:
    sys.exit("An import circle: " + " <- ".join(error.args[1]))
