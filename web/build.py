"""Parts of the page for browsers: which files it has, and where each comes from.

`build_page` writes them as they are, `web.site` makes a folder for browsers from them.
"""

import io
import json
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from web.imports import is_below, reachable
from web.page import page_files

ROOT = Path(__file__).parent.parent
# Python packages of the program that a tab runs: these are there whole, because they are imported by
# names that a file or a registry has
WHOLE = ("protocol", "bots", "search", "verification", "web.tab")
# pictures of the cards that a person makes first
PICTURES = "player/cards/creator/element_set/faces"
# packages whose modules may be in a tab; `web` is the builder, but for `web.tab`
PACKAGES = (
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
# names without their package, which is also the first part of the names of texts
SEARCH_ABSENT = ("__main__", "command", "report", "tree_drawing")
COMPILED = ("compiled_engine",)
# what a tab has not, where others import it in a function: commands, screens of a terminal, compiled code,
# mail, web servers, lines without a table, the local network, other processes, tables of several hosts
ABSENT = (
    "net.http",
    "net.lan.mdns",
    "net.page",
    "net.websocket_transport",
    "player.cli.cards.trade_command",
    "player.cli.direct_commands",
    "player.cli.lobby_command",
    "player.cli.lobby_trade",
    "player.cli.mail_commands",
    "player.direct",
    "player.mail",
    "player.ui.json_lines",
    "player.ui.terminal.cards.trade_prompt",
    "player.ui.terminal.prompt",
    "player.ui.terminal.terminal_screen",
    "player.ui.web.http",
    "player.ui.web.match_page",
    "protocol.__main__",
    "protocol.crypto.primitives.native",
    "protocol.ledger.verify",
    "protocol.numba_compile",
    *(f"search.{name}" for name in SEARCH_ABSENT),
    *(f"search.connect_four.{name}" for name in COMPILED),
    "table.cluster",
    "table.net.listeners.websocket",
    "table.net.listeners.websocket_transport",
    "table.signer.client",
    "table.storage.shared",
    "table.witness",
    "table.workers.process",
    "verification.__main__",
    "verification.command",
    "verification.reports",
)
# file of an npm package -> its name in the folder
RUNTIME = {
    "pyodide/pyodide.mjs": "pyodide.mjs",
    "pyodide/pyodide.asm.mjs": "pyodide.asm.mjs",
    "pyodide/pyodide.asm.wasm": "pyodide.asm.wasm",
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
LIBRARY_FILE = "python_stdlib.zip"
PROGRAM_FILE = "program.zip"
# files that the worker fetches: the others are modules and small
FETCHED = ("pyodide.asm.wasm", LIBRARY_FILE, PROGRAM_FILE)
NO_PACKAGES = "no_packages.js"
BEGIN_OF_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the same archive from the same sources


def build_page(packages: Path, folder: Path) -> None:
    """Write all files of the page into an empty folder. `packages` is a `node_modules` with the
    packages of `package.json`.
    """
    contents = runtime_files(packages)
    contents |= page_files(sum(len(contents[name]) for name in FETCHED))
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def runtime_files(packages: Path) -> dict[str, bytes]:
    """Return the files that are not the page's own: Python, its libraries and the program."""
    contents = {name: (packages / source).read_bytes() for source, name in RUNTIME.items()}
    contents[NO_PACKAGES] = _no_packages(packages).encode()
    contents[PROGRAM_FILE] = archive(dict(program_files()))
    return contents


def archive(contents: dict[str, bytes]) -> bytes:
    """Return a zip archive that depends on nothing but the names and bytes in it. Nothing is
    compressed in it: the whole is, on its way, which takes fewer bytes and no version of zlib.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as file:
        for name in sorted(contents):
            file.writestr(zipfile.ZipInfo(name, BEGIN_OF_ZIP_TIME), contents[name])
    return made.getvalue()


def package_files(top: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file of a Python package, without what Python caches."""
    for path in sorted(top.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(top.parent).as_posix(), path.read_bytes()


def program_files() -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file of the program and its libraries."""
    for name in sorted(program_modules()):
        path = _path_of(name)
        assert path is not None
        yield path.relative_to(ROOT).as_posix(), path.read_bytes()
    for package in WHOLE:
        top = ROOT / package.replace(".", "/")
        for name, data in package_files(top) if top.is_dir() else ():
            if not name.endswith(".py"):
                yield name, data
    for path in sorted((ROOT / PICTURES).iterdir()):
        yield path.relative_to(ROOT).as_posix(), path.read_bytes()
    for library, names in LIBRARIES.items():
        for name in names:
            yield f"{library}/{name}", files(library).joinpath(name).read_bytes()


def program_modules() -> frozenset[str]:
    """Return the names of the program's modules."""
    roots = []
    for package in WHOLE:
        for path in (ROOT / package.replace(".", "/")).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            roots.append(".".join(parts).removesuffix(".__init__"))
    kept = [name for name in roots if not is_below(name, ABSENT)]
    return reachable(kept, source_of, ABSENT)


def source_of(name: str) -> tuple[bytes, bool] | None:
    """Return the text of a module of the program, and True for a package; None if there is none."""
    path = _path_of(name)
    return None if path is None else (path.read_bytes(), path.name == "__init__.py")


def _path_of(name: str) -> Path | None:
    if name.partition(".")[0] not in PACKAGES:
        return None
    whole = ROOT / name.replace(".", "/")
    found = (whole / "__init__.py", whole.with_suffix(".py"))
    return next((path for path in found if path.is_file()), None)


def _no_packages(packages: Path) -> str:
    """Return a script with the list of packages that Pyodide asks for: there are none, and its index
    of packages is not fetched.
    """
    lock = json.loads((packages / "pyodide" / "pyodide-lock.json").read_bytes())
    text = json.dumps({"info": lock["info"], "packages": {}})
    return f"export const NO_PACKAGES = {text};\n"
