"""Python processes that our programs start. None of them imports modules from the working
directory.

A person may run the program in a folder of downloads. A file `json.py` there must not run in a
process that can read the person's keys.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

VARIABLE = "PYTHONPATH"
_OURS = str(Path(__file__).parents[1])  # folder of our packages
# Folder of the standard library. Python searches PYTHONPATH before it, and installed packages after
# it.
_LIBRARY = str(Path(os.__file__).parent)


class Child(NamedTuple):
    """Command line and environment of a child process."""

    command: tuple[str, ...]
    environ: dict[str, str]


def absolute_places(path: str) -> list[str]:
    """List the absolute folders of a PATH. Relative and empty entries are dropped, because they
    mean the working directory.
    """
    return [place for place in path.split(os.pathsep) if Path(place).is_absolute()]


def python_child(*words: str) -> Child:
    """Make a child that runs the Python interpreter of this program. `words` are `-m MODULE` or `-c
    CODE`, followed by the arguments of the child.
    """
    return Child((sys.executable, "-P", *words), environ_of(os.environ, sys.path))


def environ_of(environ: Mapping[str, str], path: Sequence[str]) -> dict[str, str]:
    """Make the environment of a child: `environ` with a PYTHONPATH of absolute folders only.

    Relative and empty entries mean the working directory, so the child does not get them. The
    folder of our packages is added if this program has found them by PYTHONPATH or by its own
    working directory (`path`). Installed packages are found without it.
    """
    places = absolute_places(environ.get(VARIABLE, ""))
    searched_first = takewhile(lambda place: place != _LIBRARY, path)
    if _OURS not in places and _OURS in (str(Path(place).absolute()) for place in searched_first):
        places.insert(0, _OURS)
    rest = {name: value for name, value in environ.items() if name != VARIABLE}
    return rest | ({VARIABLE: os.pathsep.join(places)} if places else {})
