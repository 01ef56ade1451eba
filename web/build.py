"""Build of the page for browsers: which files it has, and where each comes from."""

import io
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from web.page import page_files

ROOT = Path(__file__).parent.parent
# Python packages of the program that a tab runs
PROGRAM = (
    "bots",
    "commandline",
    "net",
    "player",
    "protocol",
    "search",
    "table",
    "verification",
    "web",
)
# file of an npm package -> its name in the folder
RUNTIME = {
    "pyodide/pyodide.mjs": "pyodide.mjs",
    "pyodide/pyodide.asm.mjs": "pyodide.asm.mjs",
    "pyodide/pyodide.asm.wasm": "pyodide.asm.wasm",
    "pyodide/pyodide-lock.json": "pyodide-lock.json",
    "pyodide/python_stdlib.zip": "python_stdlib.zip",
    "libsodium-sumo/dist/modules-sumo-esm/libsodium-sumo.mjs": "libsodium.mjs",
    "@noble/ciphers/aes.js": "noble/aes.js",
    "@noble/ciphers/_polyval.js": "noble/_polyval.js",
    "@noble/ciphers/utils.js": "noble/utils.js",
}
# libraries of the program -> their files in Python; msgpack's compiled module is left out
LIBRARIES = {
    "msgpack": ("__init__.py", "exceptions.py", "ext.py", "fallback.py"),
    "mnemonic": ("__init__.py", "mnemonic.py", "wordlist/english.txt"),
    "platformdirs": (
        "__init__.py",
        "_paths.py",
        "_runtime.py",
        "_xdg.py",
        "api.py",
        "unix.py",
        "version.py",
    ),
    "segno": ("__init__.py", "consts.py", "encoder.py", "utils.py", "writers.py"),
}
PROGRAM_FILE = "program.zip"
# files that the worker fetches: the others are modules and small
FETCHED = ("pyodide.asm.wasm", "python_stdlib.zip", PROGRAM_FILE)
_BEGIN_OF_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the same archive from the same sources


def build_page(packages: Path, folder: Path) -> None:
    """Write all files of the page into an empty folder. `packages` is a `node_modules` with the
    packages of `package.json`.
    """
    contents = {name: (packages / source).read_bytes() for source, name in RUNTIME.items()}
    contents[PROGRAM_FILE] = archive(dict(_program_files()))
    contents |= page_files(sum(len(contents[name]) for name in FETCHED))
    for name, data in contents.items():
        _write(folder / name, data)


def archive(contents: dict[str, bytes]) -> bytes:
    """Return a zip archive that depends on nothing but the names and bytes in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(contents):
            info = zipfile.ZipInfo(name, _BEGIN_OF_ZIP_TIME)
            file.writestr(info, contents[name], zipfile.ZIP_DEFLATED)
    return made.getvalue()


def package_files(top: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file of a Python package, without what Python caches."""
    for path in sorted(top.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(top.parent).as_posix(), path.read_bytes()


def _program_files() -> Iterator[tuple[str, bytes]]:
    for package in PROGRAM:
        yield from package_files(ROOT / package)
    for library, names in LIBRARIES.items():
        for name in names:
            yield f"{library}/{name}", files(library).joinpath(name).read_bytes()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
