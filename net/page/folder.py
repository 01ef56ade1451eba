"""Folder of a page in memory: each file with the copies that are packed. No path of a request ever
reaches the disk.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from net.page.manifest import DOCUMENT, FILES, MANIFEST, SIGNATURE, Manifest
from protocol.errors import LocalError

PACKAGE = "fairdeal_web"  # of the wheel with the built page
BUILT = "page"  # folder in it
KINDS = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "wasm": "application/wasm",
    "webmanifest": "application/manifest+json",
    "zip": "application/zip",
}
# encodings of the web with the ends of the files that have them, the smallest first
GZIP = ("gzip", ".gz")
ENCODINGS = (("br", ".br"), GZIP)


class ServedFile(NamedTuple):
    """A file as a server gives it. `packed`: its bytes by the name of an encoding."""

    kind: str
    data: bytes
    packed: Mapping[str, bytes]
    etag: str
    is_fixed: bool  # named by its digest, so these bytes never change


def load_page(
    folder: Path, encodings: Sequence[tuple[str, str]] = ENCODINGS
) -> tuple[Manifest, dict[str, ServedFile]]:
    """Read a folder that `fairdeal web build` has written. Return its manifest and its files by
    name, with packed copies in these encodings.

    Raises: LocalError if it is none, or if a file is not the one of the manifest.
    """
    try:
        manifest = Manifest.parse((folder / MANIFEST).read_bytes())
        files = {name: _load(folder, name, encodings) for name in manifest.files}
        files[MANIFEST] = _load(folder, MANIFEST, encodings)
        if (folder / SIGNATURE).exists():
            files[SIGNATURE] = _load(folder, SIGNATURE, encodings)
    except OSError as error:
        raise LocalError("wrong.page.folder", folder=str(folder), why=str(error.strerror)) from None
    found = Manifest.of(manifest.version, {name: files[name].data for name in manifest.files})
    if found != manifest:
        raise LocalError("wrong.page.changed", folder=str(folder))
    return manifest, files


def installed_page() -> Path | None:
    """Return the folder of the built page that is installed with the program; None without one."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / BUILT
    return folder if (folder / DOCUMENT).is_file() else None


def _load(folder: Path, name: str, encodings: Sequence[tuple[str, str]]) -> ServedFile:
    path = folder / name
    data = path.read_bytes()
    packed = {}
    for encoding, ending in encodings:
        copy = path.with_name(path.name + ending)
        if copy.is_file():
            packed[encoding] = copy.read_bytes()
    kind = KINDS.get(name.rpartition(".")[2], "application/octet-stream")
    return ServedFile(kind, data, packed, f'"{sha256(data).hexdigest()}"', name.startswith(FILES))
