"""Small folders of a page, as `fairdeal web build` writes them, without npm."""

import zipfile
from gzip import compress
from pathlib import Path

from net.page.folder import ServedFile, load_page
from net.page.manifest import MANIFEST, Manifest
from web.release import write_wheel

SCRIPT = b"const one = 1;\n" * 400
FILES = {
    "index.html": b"<!doctype html><title>a page</title>\n",
    "files/script-0123456789abcdef.js": SCRIPT,
    "files/elements-0123456789abcdef/one.svg": b"<svg/>",
}


def write_folder(folder: Path, files: dict[str, bytes] = FILES, version: str = "0.1.0") -> Manifest:
    """Write the files, a packed copy of each, and the manifest."""
    manifest = Manifest.of(version, files)
    for name, data in {**files, MANIFEST: manifest.to_bytes()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.with_name(f"{path.name}.gz").write_bytes(compress(data, mtime=0))
    return manifest


def served(folder: Path) -> dict[str, ServedFile]:
    """Return the files of a new folder, as a server has them."""
    write_folder(folder)
    return load_page(folder)[1]


def packages_with_page(folder: Path) -> Path:
    """Return a new folder of Python packages that has the page as its wheel installs it."""
    write_folder(folder / "built")
    with zipfile.ZipFile(write_wheel(folder / "built", folder / "wheels")) as file:
        file.extractall(folder / "site")
    return folder / "site"
