"""Folder of the page for any web server: each file named by its digest, checked by the browser, and
listed in a manifest.

A document pins its script and styles by `integrity`, the script pins the worker, and the worker
pins the rest (`pinned_files.js`). So a digest of the document is a digest of the page.
"""

import json
import re
import shutil
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Mapping
from gzip import compress
from hashlib import sha256
from pathlib import Path

from net.page.manifest import DOCUMENT, FILES, Manifest
from net.page.policy import POLICY
from web.build import ROOT, build_page
from web.stdlib import cut_library, listed_modules

LIBRARY = "python_stdlib.zip"
WORKER = "worker.js"
# files that the worker fetches
FETCHED = ("pyodide.asm.wasm", LIBRARY, "program.zip")
LETTERS = 16  # hexadecimal, of a digest in a name
PACKED_LEAST = 0.95  # a packed copy that is not smaller than this part of the file is left out
BROTLI_QUALITY = 11  # takes a minute for a page, once a release
LINK = re.compile(r'\b(src|href)="([^":#?]+)"')
HEAD = re.compile(r"<head>\n?")


def build_site(packages: Path, page: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """Return the files of the folder, by their names; `manifest.json` lists them.

    `packages` is a `node_modules`, `page` has the page's own files: document, scripts, styles,
    pictures.
    """
    with tempfile.TemporaryDirectory(prefix="fairdeal-page-") as temporary:
        parts = Path(temporary)
        build_page(packages, parts)
        for name, data in page.items():
            (parts / name).parent.mkdir(parents=True, exist_ok=True)
            (parts / name).write_bytes(data)
        shutil.copy(ROOT / "web" / "pinned_files.js", parts / "files.js")
        library = parts / LIBRARY
        library.write_bytes(cut_library(library.read_bytes(), listed_modules()))
        return _Site(packages, parts, page).build(version)


class _Site:
    """One build: parts in a temporary folder, and the files that are made from them."""

    def __init__(self, packages: Path, parts: Path, page: Mapping[str, bytes]) -> None:
        self._packages = packages
        self._parts = parts
        self._page = page
        self._files: dict[str, bytes] = {}

    def build(self, version: str) -> dict[str, bytes]:
        fetched = {name: self._add(name, (self._parts / name).read_bytes()) for name in FETCHED}
        folders = self._add_folders()
        worker = self._bundle(WORKER, fetched, folders)
        pins = {WORKER: self._add(WORKER, worker)}
        self._files[DOCUMENT] = self._document(pins, folders)
        manifest = Manifest.of(version, self._files)
        return {**self._files, "manifest.json": manifest.to_bytes()}

    def _add(self, name: str, data: bytes) -> tuple[str, str]:
        """Add a file under a name with its digest. Return its place, and its integrity."""
        digest = sha256(data)
        stem, dot, ending = name.rpartition("/")[2].partition(".")
        place = f"{FILES}{stem}-{digest.hexdigest()[:LETTERS]}{dot}{ending}"
        self._files[place] = data
        return place, f"sha256-{b64encode(digest.digest()).decode()}"

    def _add_folders(self) -> dict[str, str]:
        """Add the pictures in folders. Each folder is named by a digest of all that is in it."""
        folders: dict[str, dict[str, bytes]] = {}
        for name, data in self._page.items():
            folder, slash, rest = name.partition("/")
            if slash and not name.endswith((".js", ".css")):
                folders.setdefault(folder, {})[rest] = data
        places = {}
        for folder, contents in folders.items():
            digest = sha256()
            for name, data in sorted(contents.items()):
                digest.update(sha256(name.encode()).digest() + sha256(data).digest())
            places[folder] = f"{FILES}{folder}-{digest.hexdigest()[:LETTERS]}"
            for name, data in contents.items():
                self._files[f"{places[folder]}/{name}"] = data
        return places

    def _bundle(
        self, entry: str, pins: Mapping[str, tuple[str, str]], folders: Mapping[str, str]
    ) -> bytes:
        """Return one script of a module and all that it imports."""
        words = [
            *(
                "node",
                str(self._packages / "esbuild" / "bin" / "esbuild"),
                str(self._parts / entry),
            ),
            *("--bundle", "--format=esm", "--target=es2022", "--charset=utf8"),
            *("--minify-whitespace", "--legal-comments=inline", "--log-level=error"),
            # of Node alone, where the runtime can run as well
            *("--external:node:*", "--external:ws"),
            f"--define:PINS={json.dumps(pins, sort_keys=True)}",
            f"--define:FOLDERS={json.dumps(folders, sort_keys=True)}",
        ]
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=self._parts).stdout  # noqa: S603

    def _document(self, pins: Mapping[str, tuple[str, str]], folders: Mapping[str, str]) -> bytes:
        """Return the document, with policy, and with place and integrity of all that it loads."""

        def pinned(found: re.Match[str]) -> str:
            attribute, name = found.groups()
            if name not in self._page:
                raise ValueError(f"the document asks for {name}, which is no file of the page")
            if name.endswith(".js"):
                data = self._bundle(name, pins, folders)
            else:
                data = self._page[name]
            place, integrity = self._add(name, data)
            checked = f' integrity="{integrity}"' if name.endswith((".js", ".css")) else ""
            return f'{attribute}="{place}"{checked}'

        text = self._page[DOCUMENT].decode()
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        text, heads = HEAD.subn(lambda found: f"<head>\n{policy}", text, count=1)
        if not heads or "<style" in text or " style=" in text:
            raise ValueError("the document has no head, or styles within it")
        return LINK.sub(pinned, text).encode()


def write_site(folder: Path, files: Mapping[str, bytes], quality: int = BROTLI_QUALITY) -> None:
    """Write the files, and beside each a `.gz` and a `.br` with the same content if it is smaller.
    The document has no `.br`, so that `fairdeal web check` can read each answer that it gets for it.

    `quality` is that of brotli, from 0 (fast) to 11 (small). Raises: FileExistsError if the folder has
    something in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(folder)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        _write_if_smaller(path.with_name(f"{path.name}.gz"), compress(data, 9, mtime=0), data)
    script = str(ROOT / "web" / "brotli.mjs")
    words = ["node", script, str(folder), str(PACKED_LEAST), str(quality)]
    words += [name for name in files if name != DOCUMENT]
    subprocess.run(words, check=True)  # noqa: S603


def _write_if_smaller(path: Path, packed: bytes, data: bytes) -> None:
    if len(packed) < PACKED_LEAST * len(data):
        path.write_bytes(packed)
