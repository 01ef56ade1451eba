"""File of a profile: all that a person's program has to keep, encrypted by a passphrase.

The same file comes from a data folder and from a browser's tab. It begins with lines of text, and an
empty one:

    fairdeal profile 1
    kind <carried or backup>
    fingerprint <40 letters>
    number <how often the profile has been carried>
    passphrase argon2id <passes> <KiB of memory> <16 bytes of salt, base64>

A nonce and an XSalsa20-Poly1305 box follow, up to the end. In the box are the SHA-256 of these lines,
and after it, compressed by zlib: the mark of signatures plus 1 in 8 bytes (0: there is no mark); and
for each file, by ascending path, the length of the path in 2 bytes, the time of the last change in
nanoseconds in 8, the length of the content in 4, path and content. Numbers are big-endian.
"""

import re
import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from random import Random

from protocol.crypto.primitives.passphrase import NONCE_SIZE, SALT_SIZE, PassphraseBox
from protocol.errors import LocalError
from protocol.identity.keyfile import KIB, Cost
from protocol.identity.keys import FINGERPRINT_LETTERS
from protocol.limits import (
    MAX_KEYFILE_MEMORY,
    MAX_KEYFILE_OPS,
    MAX_PROFILE,
    MAX_PROFILE_FILES,
    MAX_PROFILE_HEADER,
    MAX_PROFILE_NUMBER,
    MAX_PROFILE_PATH,
    MIN_KEYFILE_MEMORY,
    MIN_KEYFILE_OPS,
)

SUFFIX = ".profile"
MAGIC = "fairdeal profile 1"
_DIGEST = 32
_MARK = struct.Struct(">Q")
_FILE = struct.Struct(">HQI")
_PART = re.compile(r"[\w #()+,=@~-][\w .#()+,=@~-]*")
_HEADER = re.compile(
    rf"{MAGIC}\nkind (carried|backup)\nfingerprint ([a-z2-7]{{{FINGERPRINT_LETTERS}}})\n"
    r"number (0|[1-9][0-9]{0,6})\npassphrase argon2id ([0-9]{1,2}) ([0-9]{1,7}) (\S{24})\n\n"
)
_DAMAGED = "wrong.profile.damaged"


class Kind(StrEnum):
    """Purpose of a profile's file."""

    CARRIED = "carried"  # the folder that it comes from is locked, and play goes on elsewhere
    BACKUP = "backup"  # a copy for the day on which the device is lost; without unfinished matches


@dataclass(frozen=True)
class ProfileFile:
    """One file of a data folder: its path in the folder, with slashes."""

    path: str
    changed: int  # nanoseconds since 1970
    content: bytes


@dataclass(frozen=True)
class Profile:
    """What the box of a profile has. `signed`: the mark of the cards' signatures, None without."""

    kind: Kind
    fingerprint: str
    number: int
    signed: int | None
    files: Sequence[ProfileFile]


@dataclass(frozen=True)
class SealedProfile:
    """A profile of which only the lines at the begin have been read."""

    kind: Kind
    fingerprint: str
    number: int
    cost: Cost
    salt: bytes
    box: bytes

    @property
    def header(self) -> bytes:
        """The lines at the begin."""
        kibibytes = self.cost.memory // KIB
        return (
            f"{MAGIC}\nkind {self.kind}\nfingerprint {self.fingerprint}\nnumber {self.number}\n"
            f"passphrase argon2id {self.cost.passes} {kibibytes} {b64encode(self.salt).decode()}\n\n"
        ).encode()


def is_profile_path(path: str) -> bool:
    """Check that a path leads into a data folder, on every system: no part begins with a dot, ends
    with a dot or space, or has anything but letters, digits and a few signs.
    """
    parts = path.split("/")
    return (
        len(path.encode("utf-8", "replace")) <= MAX_PROFILE_PATH
        and path.isascii()
        and all(_PART.fullmatch(part) and part[-1] not in ". " for part in parts)
    )


def seal_profile(
    profile: Profile, passphrase: bytes, rng: Random, cost: Cost | None = None
) -> bytes:
    """Return the file of a profile. Raises: LocalError for an empty passphrase, or a profile out of
    bounds.
    """
    if not passphrase:
        raise LocalError("wrong.profile.passphrase_empty")
    packed = b"".join(_pack(profile))
    if len(packed) > MAX_PROFILE or len(profile.files) > MAX_PROFILE_FILES:
        raise LocalError("wrong.profile.large", most=MAX_PROFILE >> 20, files=MAX_PROFILE_FILES)
    cost = cost or Cost()
    salt = rng.randbytes(SALT_SIZE)
    header = SealedProfile(
        profile.kind, profile.fingerprint, profile.number, cost=cost, salt=salt, box=b""
    ).header
    box = PassphraseBox(passphrase, salt, cost.passes, cost.memory)
    content = sha256(header).digest() + zlib.compress(packed)
    return header + box.seal(content, rng.randbytes(NONCE_SIZE))


def parse_profile(data: bytes) -> SealedProfile:
    """Read the lines at the begin of a profile's file. Raises: LocalError."""
    if len(data) > MAX_PROFILE:
        raise LocalError("wrong.profile.large", most=MAX_PROFILE >> 20, files=MAX_PROFILE_FILES)
    try:
        found = _HEADER.match(data[:MAX_PROFILE_HEADER].decode("latin-1"))
        if not found:
            raise LocalError("wrong.profile.strange")
        kind, name, number, passes, kibibytes, salt = found.groups()
        cost = Cost(int(passes), int(kibibytes) * KIB)
        sealed = SealedProfile(
            Kind(kind),
            name,
            int(number),
            cost=cost,
            salt=b64decode(salt, validate=True),
            box=data[found.end() :],
        )
    except ValueError:
        raise LocalError(_DAMAGED) from None
    usual = (
        MIN_KEYFILE_OPS <= cost.passes <= MAX_KEYFILE_OPS
        and MIN_KEYFILE_MEMORY <= cost.memory <= MAX_KEYFILE_MEMORY
        and sealed.number <= MAX_PROFILE_NUMBER
        and len(sealed.salt) == SALT_SIZE
    )
    if not usual or sealed.header != data[: found.end()]:
        raise LocalError(_DAMAGED)
    return sealed


def open_profile(sealed: SealedProfile, passphrase: bytes) -> Profile:
    """Decrypt a profile. Raises: LocalError for a wrong passphrase, or a file that was changed or
    cut short.
    """
    box = PassphraseBox(passphrase, sealed.salt, sealed.cost.passes, sealed.cost.memory)
    try:
        content = box.unseal(sealed.box)
    except ValueError:
        raise LocalError("wrong.profile.passphrase") from None
    if content[:_DIGEST] != sha256(sealed.header).digest():
        raise LocalError(_DAMAGED)
    try:
        signed, files = _unpack(content[_DIGEST:])
    except (ValueError, zlib.error, struct.error):
        raise LocalError(_DAMAGED) from None
    return Profile(sealed.kind, sealed.fingerprint, sealed.number, signed=signed, files=files)


def _pack(profile: Profile) -> Iterator[bytes]:
    """Raises: LocalError for a path that no profile has."""
    yield _MARK.pack(0 if profile.signed is None else profile.signed + 1)
    for file in sorted(profile.files, key=lambda each: each.path):
        if not is_profile_path(file.path):
            raise LocalError("wrong.profile.path", path=file.path)
        path = file.path.encode()
        yield _FILE.pack(len(path), max(file.changed, 0), len(file.content))
        yield path
        yield file.content


def _unpack(compressed: bytes) -> tuple[int | None, list[ProfileFile]]:
    """Raises: ValueError, zlib.error, struct.error."""
    stream = zlib.decompressobj()
    packed = stream.decompress(compressed, MAX_PROFILE)
    if not stream.eof or stream.unused_data:
        raise ValueError("more than a profile may have, or less than it has")
    (mark,) = _MARK.unpack_from(packed)
    at = _MARK.size
    files: list[ProfileFile] = []
    while at < len(packed):
        path_size, changed, size = _FILE.unpack_from(packed, at)
        at += _FILE.size
        path = packed[at : at + path_size].decode("ascii")
        at += path_size
        content = packed[at : at + size]
        at += size
        if len(content) < size or not is_profile_path(path) or len(files) == MAX_PROFILE_FILES:
            raise ValueError("a file that no profile has")
        files.append(ProfileFile(path, changed, content))
    _check_places([file.path for file in files])
    return mark - 1 if mark else None, files


def _check_places(paths: list[str]) -> None:
    """Check that the paths ascend, and that no file lies where another path has a folder, with
    upper and lower case as one. Raises: ValueError.
    """
    if paths != sorted(set(paths)) or len({path.lower() for path in paths}) < len(paths):
        raise ValueError("paths out of order")
    files = {path.lower() for path in paths}
    for path in paths:
        parts = path.lower().split("/")
        if any("/".join(parts[:length]) in files for length in range(1, len(parts))):
            raise ValueError("a file in place of a folder")
