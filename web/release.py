"""Release of the page for browsers: its folder, the signature, and the wheel `fairdeal-web`.

usage: scripts/run web.release OUT [--key FILE]
"""

import argparse
import subprocess
import sys
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

from net.page.folder import BUILT, PACKAGE
from net.page.manifest import MANIFEST, SIGNATURE, Manifest, sign_manifest
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.keys import Identity
from web.build import BEGIN_OF_ZIP_TIME, ROOT
from web.site import build_site, write_site

FAILED = 1
# a wheel of files alone: no module of it is run (PEP 427)
WHEEL = "Wheel-Version: 1.0\nGenerator: fairdeal\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ABOUT = """Metadata-Version: 2.4
Name: fairdeal-web
Version: {version}
Summary: The page of fairdeal for browsers, built: `fairdeal web build` and `fairdeal host --web` take it
License-Expression: MIT AND MPL-2.0 AND ISC AND PSF-2.0 AND Apache-2.0 AND BSD-3-Clause
Requires-Python: >=3.11
Description-Content-Type: text/markdown

The files of a page in which a tab of a browser is a whole player of fairdeal. They are used by
`fairdeal web build`, `fairdeal web check` and `fairdeal host --web`. `licenses.txt` in the page names
what it is made of.
"""


def build_release(folder: Path) -> Manifest:
    """Build the page of this checkout into a folder that is empty or new.

    Raises: LocalError if npm is missing, or a step fails.
    """
    done = subprocess.run([ROOT / "scripts" / "_web_packages"], capture_output=True, text=True)  # noqa: S603
    if done.returncode != 0:
        raise LocalError("wrong.page.build", why=done.stderr.strip())
    try:
        files = build_site(Path(done.stdout.strip()), program_version())
        write_site(folder, files)
    except (subprocess.CalledProcessError, FileExistsError, FileNotFoundError) as error:
        raise LocalError("wrong.page.build", why=str(error)) from None
    return Manifest.parse(files[MANIFEST])


def program_version() -> str:
    """Return the version of this checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return str(project["project"]["version"])


def sign_folder(folder: Path, key: Identity) -> None:
    """Write the signature beside the manifest of a built folder."""
    manifest = Manifest.parse((folder / MANIFEST).read_bytes())
    (folder / SIGNATURE).write_bytes(sign_manifest(manifest, key))


def write_wheel(folder: Path, out: Path) -> Path:
    """Write the wheel of a built folder into `out`, and return its path."""
    version = Manifest.parse((folder / MANIFEST).read_bytes()).version
    about = f"fairdeal_web-{version}.dist-info"
    contents = {f"{PACKAGE}/__init__.py": b'"""The built page of fairdeal for browsers."""\n'}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            contents[f"{PACKAGE}/{BUILT}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    contents[f"{about}/METADATA"] = ABOUT.format(version=version).encode()
    contents[f"{about}/WHEEL"] = WHEEL.encode()
    rows = [f"{name},{_hashed(data)},{len(data)}\n" for name, data in sorted(contents.items())]
    contents[f"{about}/RECORD"] = f"{''.join(rows)}{about}/RECORD,,\n".encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"fairdeal_web-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in sorted(contents.items()):
            info = zipfile.ZipInfo(name, BEGIN_OF_ZIP_TIME)
            info.external_attr = 0o644 << 16
            packed = name.endswith((".gz", ".br"))
            file.writestr(info, data, zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED)
    return wheel


def _hashed(data: bytes) -> str:
    return f"sha256={urlsafe_b64encode(sha256(data).digest()).decode().rstrip('=')}"


def main() -> int:
    """Build folder, signature and wheel. Return the exit code."""
    parser = argparse.ArgumentParser("web.release")
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--key", type=Path, help="file with the 32 bytes of the release's key, in hex"
    )
    options = parser.parse_args()
    folder = options.out / "page"
    try:
        manifest = build_release(folder)
        if options.key is not None:
            sign_folder(folder, Identity(bytes.fromhex(options.key.read_text().strip())))
    except LocalError as error:
        print(english_text(error.phrase), file=sys.stderr)
        return FAILED
    print(write_wheel(folder, options.out))
    print(f"version {manifest.version}, SHA-256 of its manifest: {manifest.digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
