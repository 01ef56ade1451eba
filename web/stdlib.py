"""Standard library of Python in a tab, cut to the modules that the program can import.

`stdlib.txt` lists them. Which these are is asked of Pyodide's own Python, because another version
cannot read its library: `scripts/web_stdlib` writes the list anew.
"""

import io
import zipfile
from collections.abc import Collection, Iterable
from importlib.resources import files

from web.build import archive
from web.imports import reachable

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
    with zipfile.ZipFile(io.BytesIO(library)) as whole, zipfile.ZipFile(io.BytesIO(program)) as own:
        names, ours = frozenset(whole.namelist()), frozenset(own.namelist())

        def read(name: str) -> tuple[bytes, bool] | None:
            for file, paths in ((own, ours), (whole, names)):
                if (path := _found(name, paths)) is not None:
                    return file.read(path), path.endswith("/__init__.py")
            return None

        modules = [_module_of(path) for path in ours if path.endswith(".py")]
        roots = (*modules, *begun, *(f"encodings.{name}" for name in ENCODINGS))
        found = reachable(roots, read, ABSENT - frozenset(begun))
        return frozenset(name for name in found if _found(name, ours) is None)


def _module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _path_of(module: str, names: frozenset[str]) -> str:
    path = _found(module, names)
    if path is None:
        raise KeyError(module)
    return path


def _found(module: str, names: frozenset[str]) -> str | None:
    whole = module.replace(".", "/")
    return next((path for path in (f"{whole}/__init__.py", f"{whole}.py") if path in names), None)
