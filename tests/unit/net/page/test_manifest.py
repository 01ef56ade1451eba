"""Manifests of a page, and who has signed them."""

import json

import pytest

from net.page.manifest import LABEL, Manifest, check_signature, sign_manifest
from protocol.errors import LocalError
from protocol.identity.keys import Identity, fingerprint
from tests.support.site_folder import FILES

KEY, OTHER = Identity(bytes([1]) * 32), Identity(bytes([2]) * 32)
MANIFEST = Manifest.of("0.1.0", FILES)


def changed(**fields: object) -> bytes:
    """Return the text of the manifest with other fields."""
    value = json.loads(MANIFEST.to_bytes()) | fields
    return (json.dumps(value, sort_keys=True, indent=1) + "\n").encode()


def test_manifest_comes_back_from_its_text() -> None:
    assert Manifest.parse(MANIFEST.to_bytes()) == MANIFEST
    assert len(MANIFEST.digest) == 64


FILE = {"sha256": "00" * 32, "size": 1}


@pytest.mark.parametrize(
    "data",
    (
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b"\xff",
        MANIFEST.to_bytes().rstrip(),
        MANIFEST.to_bytes().replace(b'"format": 1', b'"format": 1, "format": 1'),
        changed(format=2),
        changed(version="x" * 41),
        changed(version=["0.1.0"]),
        changed(files={}),
        changed(files={"files/a.js": FILE}),
        changed(files={"index.html": FILE, "../a.js": FILE}),
        changed(files={"index.html": FILE, "/etc/passwd": FILE}),
        changed(files={"index.html": FILE, "files//a": FILE}),
        changed(files={"index.html": FILE, "files/a b": FILE}),
        changed(files={"index.html": {**FILE, "size": -1}}),
        changed(files={"index.html": {**FILE, "size": 1.0}}),
        changed(files={"index.html": {**FILE, "size": True}}),
        changed(files={"index.html": {**FILE, "size": 10**9}}),
        changed(files={"index.html": {**FILE, "sha256": "00" * 31}}),
        changed(files={"index.html": FILE} | {f"files/{n}": FILE for n in range(2_000)}),
        changed(
            files={"index.html": FILE} | {f"files/{n}": {**FILE, "size": 2**25} for n in (1, 2)}
        ),
    ),
)
def test_text_that_is_no_manifest_is_refused(data: bytes) -> None:
    with pytest.raises(LocalError) as error:
        Manifest.parse(data)
    assert error.value.phrase.key == "wrong.page.manifest"


def test_signature_of_named_key_is_accepted() -> None:
    signed = sign_manifest(MANIFEST, KEY)
    assert check_signature(MANIFEST, signed, [KEY.public]) == fingerprint(KEY.public)


def test_signature_of_other_key_is_refused() -> None:
    with pytest.raises(LocalError) as error:
        check_signature(MANIFEST, sign_manifest(MANIFEST, OTHER), [KEY.public])
    assert error.value.phrase.key == "wrong.page.signer"


@pytest.mark.parametrize("signed", (b"", b"{}", b"[]", b'{"key": 1, "signature": 2}', b"\xff"))
def test_broken_signature_file_is_refused(signed: bytes) -> None:
    with pytest.raises(LocalError) as error:
        check_signature(MANIFEST, signed, [KEY.public])
    assert error.value.phrase.key == "wrong.page.signature"


def test_signature_of_other_manifest_or_label_is_refused() -> None:
    other = Manifest.of("0.1.1", FILES)
    lines = sign_manifest(other, KEY)
    under_other_label = json.loads(lines)
    under_other_label["signature"] = KEY.sign(f"{LABEL}!", MANIFEST.to_bytes()).hex()
    for signed in (lines, json.dumps(under_other_label).encode()):
        with pytest.raises(LocalError) as error:
            check_signature(MANIFEST, signed, [KEY.public])
        assert error.value.phrase.key == "wrong.page.signature"
