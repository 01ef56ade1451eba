"""Manifest of a page for browsers: the size and the SHA-256 digest of each file, and a signature of
the release.

It is JSON with the fields `format`, `version` and `files`; one page has one text. The signature is a
file of its own, so that the manifest follows from the sources alone.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity, fingerprint, verify
from protocol.limits import MAX_MANIFEST, MAX_MANIFEST_FILES, MAX_PAGE_FILE, MAX_PAGE_FILES

FORMAT = 1
DOCUMENT = "index.html"
MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"
FILES = "files/"  # folder of the files that are named by digests
LABEL = "page for browsers"  # of the signature; no other text of fairdeal is signed under it
NAME = re.compile(r"[a-z0-9_-][a-z0-9_.-]*(?:/[a-z0-9_-][a-z0-9_.-]*)*", re.ASCII)


class PageFile(NamedTuple):
    """Size in bytes and SHA-256 digest of a file."""

    size: int
    digest: bytes


@dataclass(frozen=True)
class Manifest:
    """Files of a page by their names. `version` is that of the program."""

    version: str
    files: Mapping[str, PageFile]

    @classmethod
    def of(cls, version: str, files: Mapping[str, bytes]) -> "Manifest":
        """Return the manifest of these files."""
        return cls(
            version,
            {name: PageFile(len(data), sha256(data).digest()) for name, data in files.items()},
        )

    @classmethod
    def parse(cls, data: bytes) -> "Manifest":
        """Read a manifest. Raises: LocalError if it is none, or if its text could be another."""
        try:
            manifest = cls._read(json.loads(data)) if len(data) <= MAX_MANIFEST else None
        except (ValueError, TypeError, KeyError, RecursionError):
            manifest = None
        if manifest is None or manifest.to_bytes() != data:
            raise LocalError("wrong.page.manifest")
        return manifest

    @classmethod
    def _read(cls, value: Any) -> "Manifest | None":
        version, named = value["version"], value["files"]
        files = {
            name: PageFile(each["size"], bytes.fromhex(each["sha256"]))
            for name, each in named.items()
        }
        fits = (
            type(version) is str
            and len(version) <= 40
            and version.isascii()
            and version.isprintable()
            and DOCUMENT in files
            and len(files) <= MAX_MANIFEST_FILES
            and all(NAME.fullmatch(name) and _fits(each) for name, each in files.items())
            and sum(each.size for each in files.values()) <= MAX_PAGE_FILES
        )
        return cls(version, files) if fits else None

    def to_bytes(self) -> bytes:
        """Return the text of the manifest."""
        files = {
            name: {"sha256": each.digest.hex(), "size": each.size}
            for name, each in self.files.items()
        }
        fields = {"files": files, "format": FORMAT, "version": self.version}
        return (json.dumps(fields, sort_keys=True, indent=1) + "\n").encode()

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest, in hexadecimal letters."""
        return sha256(self.to_bytes()).hexdigest()


def _fits(file: PageFile) -> bool:
    return type(file.size) is int and 0 <= file.size <= MAX_PAGE_FILE and len(file.digest) == 32


def sign_manifest(manifest: Manifest, key: Identity) -> bytes:
    """Return the text of the signature file."""
    signature = key.sign(LABEL, manifest.to_bytes())
    fields = {"key": key.public.hex(), "signature": signature.hex()}
    return (json.dumps(fields, sort_keys=True) + "\n").encode()


def check_signature(manifest: Manifest, signed: bytes, keys: Collection[bytes]) -> str:
    """Check the signature file of a manifest, and return the fingerprint of its key.

    `keys` are the public keys that may sign. Raises: LocalError.
    """
    try:
        fields = json.loads(signed) if len(signed) <= MAX_MANIFEST else {}
        key, signature = bytes.fromhex(fields["key"]), bytes.fromhex(fields["signature"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LocalError("wrong.page.signature") from None
    if key not in keys:
        raise LocalError("wrong.page.signer", key=key.hex())
    try:
        verify(key, signature, LABEL, manifest.to_bytes())
    except RemoteError:
        raise LocalError("wrong.page.signature") from None
    return fingerprint(key)
