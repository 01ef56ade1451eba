"""`fairdeal web build` and `fairdeal web check`."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from commandline.console_text import console_text, print_error
from fairdeal.web_arguments import make_parser
from net.page.check import differences
from net.page.fetch import NoAnswer, Place
from net.page.folder import ENCODINGS, ServedFile, installed_page, load_page, wheel_command
from net.page.manifest import MANIFEST, SIGNATURE, Manifest, check_signature
from net.page.release_keys import RELEASE_KEYS
from protocol.errors import LocalError
from protocol.i18n.language_choice import take_language_flag
from protocol.identity.keys import KEY_SIZE
from protocol.limits import MAX_MANIFEST
from protocol.view.phrase import Phrase, phrase

# exit codes
SAME = 0
DIFFERENT = 1
USAGE = 2
UNREACHED = 3
FAILED = 1
BUILDER = "web.release"  # module of a checkout


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    given = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    options = make_parser().parse_args(given)
    try:
        if options.command == "build":
            return _build(options.folder)
        return _check(options)
    except LocalError as error:
        print_error(error)
        return USAGE


def _build(folder: Path) -> int:
    """Write the page into a folder. Raises: LocalError."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LocalError("wrong.page.not_empty", folder=str(folder))
    try:
        built = installed_page()
        if built is not None:
            manifest, files = load_page(built)
            _write(folder, files)
        elif _has_builder():
            from web.release import build_release

            manifest = build_release(folder)
        else:
            raise LocalError("wrong.page.none", install=wheel_command())
    except OSError as error:
        raise LocalError("wrong.write", path=str(folder), why=str(error.strerror)) from None
    _print(phrase("web.built", folder=str(folder), files=len(manifest.files)))
    _print(phrase("web.built.digest", version=manifest.version, digest=manifest.digest))
    _print(phrase("web.built.next"))
    return SAME


def _has_builder() -> bool:
    return find_spec("web") is not None and find_spec(BUILDER) is not None


def _write(folder: Path, files: dict[str, ServedFile]) -> None:
    endings = dict(ENCODINGS)
    for name, file in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        for encoding, data in file.packed.items():
            path.with_name(path.name + endings[encoding]).write_bytes(data)


def _check(options: argparse.Namespace) -> int:
    """Compare a place with a manifest, and say what differs. Raises: LocalError."""
    place = Place.parse(options.url)
    manifest = _manifest(options)
    try:
        found = asyncio.run(differences(place, manifest))
    except NoAnswer as error:
        answer = phrase("web.check.none", place=str(place), why=str(error))
        print(f"fairdeal: {console_text(answer)}", file=sys.stderr)
        return UNREACHED
    for difference in found:
        _print(difference)
    facts: dict[str, str | int] = {
        "place": str(place),
        "version": manifest.version,
        "files": len(manifest.files),
    }
    if found:
        _print(phrase("web.check.differs", **facts, differences=len(found)))
        return DIFFERENT
    _print(phrase("web.check.same", **facts, digest=manifest.digest))
    _print(phrase("web.check.now"))
    return SAME


def _manifest(options: argparse.Namespace) -> Manifest:
    """Return the manifest of the release. Raises: LocalError if there is none, or if no release key
    has signed it.
    """
    if options.manifest is None:
        folder = installed_page()
        if folder is None:
            raise LocalError("wrong.page.no_manifest", install=wheel_command())
        return _read(folder / MANIFEST)
    manifest = _read(options.manifest)
    if options.unsigned:
        _print(phrase("web.check.unsigned"))
        return manifest
    keys = (*RELEASE_KEYS, *([_key(options.key)] if options.key else []))
    if not keys:
        raise LocalError("wrong.page.no_key")
    signature = options.manifest.with_name(SIGNATURE)
    if not signature.exists():
        raise LocalError("wrong.page.not_signed", file=str(signature))
    _print(phrase("web.check.signed", key=check_signature(manifest, _bytes(signature), keys)))
    return manifest


def _read(path: Path) -> Manifest:
    return Manifest.parse(_bytes(path))


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_MANIFEST + 1)
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise LocalError("wrong.page.key", letters=2 * KEY_SIZE)
    return key


def _print(sentence: Phrase) -> None:
    print(console_text(sentence), flush=True)
