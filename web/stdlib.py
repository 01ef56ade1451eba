"""Standard library of Python in a tab, cut to the modules that the program can import.

`stdlib.txt` lists them. Which these are is asked of Pyodide's own Python, because another version
cannot read its library: `scripts/web_stdlib` writes the list anew.
"""

import io
import zipfile
from collections.abc import Collection, Iterable
from importlib.resources import files
from typing import Self

from web.build import archive
from web.imports import is_below, reachable

# modules that others import in places which a tab never comes to: it has no terminal and no other
# process, tests no documents, and the browser speaks HTTP and TLS
ABSENT = frozenset(
    [
        "_pyrepl",
        "bz2",
        "cProfile",
        "concurrent.futures.interpreter",
        "concurrent.futures.process",
        "concurrent.interpreters",
        "ctypes",
        "curses",
        "doctest",
        "ensurepip",
        "ftplib",
        "html",
        "http.client",
        "http.cookiejar",
        "http.server",
        "imaplib",
        "lzma",
        "multiprocessing",
        "optparse",
        "pdb",
        "pickletools",
        "profile",
        "profiling",
        "pstats",
        "pydoc",
        "pyodide.console",
        "readline",
        "rlcompleter",
        "smtplib",
        "tarfile",
        "test",
        "tkinter",
        "trace",
        "tracemalloc",
        "turtle",
        "unittest",
        "urllib.request",
        "webbrowser",
        "wsgiref",
        "xml",
        "xmlrpc",
        "_pydatetime",
        "_pydecimal",
        "_pyio",
    ]
)
# what the worker imports of the program; the backend of the primitives, which is chosen at import; and
# the cards, for which a person would wait a while if they were compiled then
LOADED = (
    "web.tab.program",
    "web.tab.keep",
    "protocol.crypto.primitives.browser",
    "player.cli.cards.card_pages",
    "player.ui.web.cards.card_requests",
)
# of the library, what is loaded by name meanwhile
LOADED_LATE = ("encodings.cp437", "encodings.utf_8_sig", "importlib.readers")
# text encodings by name: of files and paths, of host names, and of what Python begins with
ENCODINGS = (
    "aliases",
    "ascii",
    "cp437",
    "idna",
    "latin_1",
    "punycode",
    "utf_16",
    "utf_16_be",
    "utf_16_le",
    "utf_32",
    "utf_32_be",
    "utf_32_le",
    "utf_8",
    "utf_8_sig",
)


def listed_modules() -> frozenset[str]:
    """Return the modules of `stdlib.txt`."""
    return frozenset(files("web").joinpath("stdlib.txt").read_text("utf-8").split())


def cut_library(library: bytes, modules: Iterable[str]) -> bytes:
    """Return an archive of the standard library with these modules alone.

    Raises: KeyError if a module is not in it.
    """
    with zipfile.ZipFile(io.BytesIO(library)) as whole:
        names = frozenset(whole.namelist())
        paths = {_path_of(name, names) for name in modules}
        others = {name for name in names if "/" not in name and name.startswith("_sysconfigdata")}
        return archive({path: whole.read(path) for path in paths | others})


def needed_modules(library: bytes, program: bytes, begun: Collection[str]) -> frozenset[str]:
    """Return the modules of the library that the program needs, and those that Python begins with.

    `program` is the program's archive. Only the Python of that library can read it.
    """
    with _Modules(library, program) as modules:
        roots = (*modules.own(), *begun, *(f"encodings.{name}" for name in ENCODINGS))
        found = reachable(roots, modules.read, ABSENT - frozenset(begun))
        return found - modules.own()


def loaded_modules(library: bytes, program: bytes, begun: Collection[str]) -> frozenset[str]:
    """Return the modules of library and program that are loaded when a tab starts. The arguments are
    those of `needed_modules`.
    """
    with _Modules(library, program) as modules:
        named = {name for name in modules.own() if is_below(name, LOADED)}
        return reachable({*named, *begun, *LOADED_LATE}, modules.read, only_needed=True)


class _Modules:
    """The modules in the archives of program and library."""

    def __init__(self, library: bytes, program: bytes) -> None:
        self._files = [zipfile.ZipFile(io.BytesIO(data)) for data in (program, library)]
        self._names = [frozenset(file.namelist()) for file in self._files]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._files:
            file.close()

    def own(self) -> frozenset[str]:
        """Return the names of the program's modules."""
        return frozenset(module_of(path) for path in self._names[0] if path.endswith(".py"))

    def read(self, name: str) -> tuple[bytes, bool] | None:
        """Return the text of a module, and True for a package; None if there is no such module."""
        for file, names in zip(self._files, self._names, strict=True):
            if (path := _found(name, names)) is not None:
                return file.read(path), path.endswith("/__init__.py")
        return None


def module_of(path: str) -> str:
    """Return the name of the module in a file."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _path_of(module: str, names: frozenset[str]) -> str:
    path = _found(module, names)
    if path is None:
        raise KeyError(module)
    return path


def _found(module: str, names: frozenset[str]) -> str | None:
    whole = module.replace(".", "/")
    return next((path for path in (f"{whole}/__init__.py", f"{whole}.py") if path in names), None)
