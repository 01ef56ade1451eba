"""File of a profile: sealed, opened, changed, cut short, and out of bounds."""

import struct
import zlib
from dataclasses import replace
from hashlib import sha256
from random import Random

import pytest

from protocol.crypto.primitives.passphrase import PassphraseBox
from protocol.errors import LocalError
from protocol.identity.keyfile import Cost
from protocol.identity.profile_file import (
    Kind,
    Profile,
    ProfileFile,
    is_profile_path,
    open_profile,
    parse_profile,
    seal_profile,
)
from protocol.limits import MAX_PROFILE, MIN_KEYFILE_MEMORY

CHEAP = Cost(1, MIN_KEYFILE_MEMORY)
SECRET = b"a long secret"
FILES = [
    ProfileFile("identity", 1234567890123456789, b"key"),
    ProfileFile("logs/2026-11-28-a.fairdeal", 5, bytes(range(256)) * 40),
    ProfileFile("matches/aa.json", 0, b""),
]
PROFILE = Profile(Kind.CARRIED, "ldfg4ax774eutva2it4pv2ade7zyqkeiiwkhn4kz", 3, 7, FILES)


def sealed(profile=PROFILE):
    return seal_profile(profile, SECRET, Random(1), CHEAP)


def opened(data, secret=SECRET):
    return open_profile(parse_profile(data), secret)


@pytest.mark.parametrize("signed", [None, 0, 7])
@pytest.mark.parametrize("kind", Kind)
def test_profile_sealed_and_opened_is_the_same(kind, signed):
    profile = replace(PROFILE, kind=kind, signed=signed)
    data = sealed(profile)
    assert opened(data) == profile
    assert b"identity" not in data


def test_lines_are_readable_without_the_passphrase():
    found = parse_profile(sealed())
    assert (found.kind, found.fingerprint, found.number) == (
        Kind.CARRIED,
        PROFILE.fingerprint,
        3,
    )


def test_wrong_passphrase_is_refused():
    with pytest.raises(LocalError) as wrong:
        opened(sealed(), b"another")
    assert wrong.value.phrase.key == "wrong.profile.passphrase"
    with pytest.raises(LocalError) as wrong:
        seal_profile(PROFILE, b"", Random(1), CHEAP)
    assert wrong.value.phrase.key == "wrong.profile.passphrase_empty"


@pytest.mark.slow
def test_file_changed_or_cut_anywhere_is_refused():
    data = sealed()
    for at in (*range(200), len(data) // 2, len(data) - 1):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(LocalError):
            opened(changed)
        with pytest.raises(LocalError):
            opened(data[:at])
    with pytest.raises(LocalError):
        opened(data + b"x")


def test_kind_or_number_of_another_file_is_refused():
    data = sealed()
    for old, new in ((b"kind carried", b"kind backup"), (b"number 3", b"number 4")):
        with pytest.raises(LocalError) as wrong:
            opened(data.replace(old, new))
        assert wrong.value.phrase.key == "wrong.profile.damaged"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../identity",
        "logs/../../identity",
        "logs//a",
        "a/",
        ".hidden",
        "logs/.room",
        "C:/windows",
        "a\\b",
        "nul\0",
        "line\n",
        "ends.",
        "ends ",
        "ä",
        "x" * 201,
    ],
)
def test_path_that_leads_elsewhere_is_refused(path):
    assert not is_profile_path(path)
    with pytest.raises(LocalError) as wrong:
        sealed(replace(PROFILE, files=[ProfileFile(path, 0, b"")]))
    assert wrong.value.phrase.key == "wrong.profile.path"
    # also in a file of somebody who knows the passphrase
    with pytest.raises(LocalError) as wrong:
        opened(packed([(path, b"")]))
    assert wrong.value.phrase.key == "wrong.profile.damaged"


def packed(files, more=b""):
    """Return a profile's file with any paths, sealed as it should be."""
    data = sealed()
    found = parse_profile(data)
    content = bytes(8)
    for path, inside in files:
        raw = path.encode()
        content += struct.pack(">HQI", len(raw), 0, len(inside)) + raw + inside
    body = sha256(found.header).digest() + zlib.compress(content + more)
    box = PassphraseBox(SECRET, found.salt, found.cost.passes, found.cost.memory)
    return found.header + box.seal(body, bytes(24))


@pytest.mark.parametrize(
    "paths",
    [
        ["b", "a"],
        ["a", "a"],
        ["A", "a"],
        ["a", "a/b"],
        ["A", "a/b"],
        ["a/B", "a/b/c"],
    ],
)
def test_files_in_each_others_place_are_refused(paths):
    with pytest.raises(LocalError):
        opened(packed([(path, b"x") for path in paths]))


def test_content_cut_short_within_the_box_is_refused():
    assert len(opened(packed([("a", b"x")])).files) == 1
    for more in (b"x", struct.pack(">HQI", 1, 0, 5) + b"b1234"):
        with pytest.raises(LocalError):
            opened(packed([("a", b"x")], more))


@pytest.mark.slow
def test_profile_too_large_is_refused_on_both_sides():
    with pytest.raises(LocalError) as wrong:
        sealed(replace(PROFILE, files=[ProfileFile("a", 0, bytes(MAX_PROFILE))]))
    assert wrong.value.phrase.key == "wrong.profile.large"
    bomb = packed([("a", bytes(MAX_PROFILE))])
    assert len(bomb) < MAX_PROFILE // 100
    with pytest.raises(LocalError) as wrong:
        opened(bomb)
    assert wrong.value.phrase.key == "wrong.profile.damaged"


def test_cost_beyond_the_bounds_is_refused_before_work():
    data = sealed()
    for old, new in ((b"argon2id 1 ", b"argon2id 99 "), (b" 8192 ", b" 9999999 ")):
        assert old in data
        with pytest.raises(LocalError):
            parse_profile(data.replace(old, new))
