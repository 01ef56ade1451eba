"""Folder of the page for any web server: each file named by its digest, checked by the browser, and
listed in a manifest.

A document pins its script, its styles and the worker by `integrity`, and the worker pins the rest
(`pinned_files.js`). So a digest of the document is a digest of the program.
"""

import json
import re
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Callable, Mapping
from gzip import compress
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from net.page.manifest import DOCUMENT, FILES, MANIFEST, Manifest
from net.page.policy import POLICY
from protocol.errors import LocalError
from web.build import FETCHED, LIBRARY_FILE, PROGRAM_FILE, ROOT, runtime_files
from web.page import WEB_MANIFEST, page_files
from web.stdlib import cut_library, listed_modules

OwnFiles = Callable[[int], dict[str, bytes]]

WORKER = "worker.js"
PICTURES = "elements/"
# npm packages and Python libraries of which something is in the page
SHIPPED = ("pyodide", "libsodium-sumo", "@noble/ciphers")
PYTHON = {
    "msgpack": "Apache-2.0",
    "mnemonic": "MIT",
    "platformdirs": "MIT",
    "segno": "BSD-3-Clause",
}
LETTERS = 16  # hexadecimal, of a digest in a name
PACKED_LEAST = 0.95  # a packed copy that is not smaller than this part of the file is left out
BROTLI_QUALITY = 11  # takes a minute for a page, once a release
LINK = re.compile(r'\b(src|href)="([^":#?]+)"')
META = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=)"[^"]*"')
BODY = re.compile(r"<body(?=[ >])")


def build_site(packages: Path, version: str, own: OwnFiles = page_files) -> dict[str, bytes]:
    """Return the files of the folder, by their names; `manifest.json` lists them.

    `packages` is a `node_modules`. `own` returns the page's own files for the bytes that the worker
    fetches: document, scripts, styles, pictures.
    """
    contents = runtime_files(packages)
    contents[LIBRARY_FILE] = cut_library(contents[LIBRARY_FILE], listed_modules())
    contents |= compile_archives(packages, contents)
    page = own(sum(len(contents[name]) for name in FETCHED))
    files: dict[str, bytes] = {}
    pins = {name: _add(files, name, contents[name]) for name in FETCHED}
    pinned = (ROOT / "web" / "pinned_files.js").read_bytes()
    script = _bundle(packages, {**contents, **page, "files.js": pinned}, pins)
    worker = _add(files, WORKER, script)
    page = {**page, WEB_MANIFEST: _web_manifest(files, page)}
    files[DOCUMENT] = _document(files, page, worker, _add_pictures(files, page))
    files["licenses.txt"] = _licenses(packages)
    manifest = Manifest.of(version, files)
    return {**files, MANIFEST: manifest.to_bytes()}


def compile_archives(packages: Path, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the archives of library and program with compiled files (`web.compile`).

    Raises: LocalError if Node cannot run Pyodide, or a file is no Python of its version.
    """
    with tempfile.TemporaryDirectory(prefix="fairdeal-page-") as folder:
        paths = {name: Path(folder) / name for name in (LIBRARY_FILE, PROGRAM_FILE)}
        for name, path in paths.items():
            path.write_bytes(contents[name])
        words = ["node", str(ROOT / "web" / "compile.mjs"), str(packages), str(ROOT), folder]
        done = subprocess.run(words, stderr=subprocess.PIPE, text=True)  # noqa: S603
        if done.returncode != 0:
            why = f"Pyodide in Node has not compiled the program: {done.stderr.strip()}"
            raise LocalError("wrong.page.build", why=why)
        return {name: path.read_bytes() for name, path in paths.items()}


def _add(files: dict[str, bytes], name: str, data: bytes) -> tuple[str, str]:
    """Add a file under a name with its digest. Return its place, and its integrity."""
    digest = sha256(data)
    stem, dot, ending = name.partition(".")
    place = f"{FILES}{stem}-{digest.hexdigest()[:LETTERS]}{dot}{ending}"
    files[place] = data
    return place, f"sha256-{b64encode(digest.digest()).decode()}"


def _web_manifest(files: dict[str, bytes], page: Mapping[str, bytes]) -> bytes:
    """Add the icons of the web manifest. Return it as it lies beside them: its addresses are relative
    to its own.
    """
    fields = json.loads(page[WEB_MANIFEST])
    for icon in fields["icons"]:
        place, _ = _add(files, icon["src"], page[icon["src"]])
        icon["src"] = place.removeprefix(FILES)
    up = "../" * FILES.count("/")
    fields |= {"start_url": up, "scope": up}
    return (json.dumps(fields, indent=1) + "\n").encode()


def _add_pictures(files: dict[str, bytes], page: Mapping[str, bytes]) -> str:
    """Add the pictures in a folder that is named by a digest of all. Return its place."""
    found = {name: page[name] for name in sorted(page) if name.startswith(PICTURES)}
    digest = sha256(
        b"".join(sha256(each).digest() for pair in found.items() for each in _both(pair))
    )
    place = f"{FILES}{PICTURES.rstrip('/')}-{digest.hexdigest()[:LETTERS]}/"
    for name, data in found.items():
        files[f"{place}{name.removeprefix(PICTURES)}"] = data
    return place


def _both(pair: tuple[str, bytes]) -> tuple[bytes, bytes]:
    return pair[0].encode(), pair[1]


def _bundle(
    packages: Path, modules: Mapping[str, bytes], pins: Mapping[str, tuple[str, str]]
) -> bytes:
    """Return the worker and all modules that it imports as one script."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-page-") as folder:
        for name, data in modules.items():
            if name.endswith((".js", ".mjs")):
                path = Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
        words = [
            *("node", str(packages / "esbuild" / "bin" / "esbuild"), WORKER),
            *("--bundle", "--format=esm", "--target=es2022", "--charset=utf8"),
            *("--minify-whitespace", "--legal-comments=inline", "--log-level=error"),
            # of Node alone, where the runtime can run as well
            *("--external:node:*", "--external:ws"),
            f"--define:PINS={json.dumps(pins, sort_keys=True)}",
        ]
        done = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=folder)  # noqa: S603
        return done.stdout


def _document(
    files: dict[str, bytes], page: Mapping[str, bytes], worker: tuple[str, str], pictures: str
) -> bytes:
    """Return the document with the policy, and with place and digest of all that it loads. Its
    scripts and styles are added to `files`.

    Raises: ValueError for a document that a browser would not load under the policy.
    """

    def pinned(found: re.Match[str]) -> str:
        attribute, name = found.groups()
        if name not in page:
            raise ValueError(f"the document asks for {name}, which is no file of the page")
        place, integrity = _add(files, name, page[name])
        checked = f' integrity="{integrity}"' if name.endswith((".js", ".css")) else ""
        return f'{attribute}="{place}"{checked}'

    place, integrity = worker
    pins = f'data-worker="{place}" data-integrity="{integrity}" data-pictures="{pictures}"'
    text, policies = META.subn(lambda found: f'{found[1]}"{POLICY}"', page[DOCUMENT].decode())
    text, bodies = BODY.subn(lambda found: f"<body {pins}", text)
    if policies != 1 or bodies != 1 or "<style" in text or " style=" in text:
        raise ValueError("the document has not one policy and one body, or has styles within it")
    return LINK.sub(pinned, text).encode()


def _licenses(packages: Path) -> bytes:
    """Return what the page is made of, with licences and sources."""
    lines = ["The page of fairdeal for browsers is made of these.", "", "fairdeal: MIT"]
    for name in SHIPPED:
        about = json.loads((packages / name / "package.json").read_bytes())
        place = about.get("repository", {})
        source = place if isinstance(place, str) else place.get("url", "")
        lines.append(f"{name} {about['version']}: {about['license']}, {source}")
    lines.append("CPython, in pyodide: PSF-2.0, https://www.python.org/")
    lines += [f"{name} {metadata.version(name)}: {licence}" for name, licence in PYTHON.items()]
    return ("\n".join(lines) + "\n").encode()


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
