"""Bans of one table: decisions of its host about keys and addresses, in a file of the data folder.

Each decision stands with its time. Of two decisions about one target the newer one counts, at every
host of a cluster, in whatever order they hear of them; so a lifted ban stays as a decision for a
while. Pure but for the file: times come in as Unix milliseconds.
"""

import logging
import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Network, ip_address
from pathlib import Path
from typing import NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import FINGERPRINT_LETTERS, SHORT_LETTERS, fingerprint
from protocol.limits import LIFTED_SECONDS, MAX_BANS, MAX_BANS_FILE, MAX_INT, MAX_NAME, MAX_TARGET
from protocol.schema import Shape, either, fields, many, text, uint
from table.net.addresses import RELAY_MARK, address_group, plain
from table.storage.disk.atomic_files import replace_whole

BANS_FILE = "bans"
FOR_GOOD = MAX_INT  # `until` of a ban without an end
DIGEST = 8  # bytes that tell two lists of bans apart
_LETTERS = re.compile(f"[a-z2-7]{{{SHORT_LETTERS},{FINGERPRINT_LETTERS}}}")

log = logging.getLogger(__name__)


class Target(NamedTuple):
    """A key by its fingerprint or the beginning of it, or an address."""

    text: str

    @property
    def is_key(self) -> bool:
        """The target is a key."""
        return _LETTERS.fullmatch(self.text) is not None

    def fits(self, identity: bytes, address: str) -> bool:
        """Tell if somebody of this key, at this address (`address_group`), is meant."""
        if self.is_key:
            return fingerprint(identity).startswith(self.text)
        return address.partition(RELAY_MARK)[0] == self.text

    def same_as(self, other: "Target") -> bool:
        """Tell if both name one address, or one key: one text is the beginning of the other."""
        if self.is_key and other.is_key:
            return self.text.startswith(other.text) or other.text.startswith(self.text)
        return self == other


def parse_target(said: str) -> Target:
    """Read a target as a person types it: a fingerprint, whole or as screens show it, or an
    address. Of IPv6 the first 64 bits are meant.

    Raises: LocalError.
    """
    letters = re.sub(r"[\s-]", "", said).lower()
    if _LETTERS.fullmatch(letters):
        return Target(letters)
    try:
        host = said.removesuffix("/64") if ":" in said else said
        return Target(address_group(plain(ip_address(host.partition("%")[0]))))
    except ValueError:
        raise LocalError("wrong.control.target", letters=SHORT_LETTERS) from None


def is_target(value: object) -> bool:
    """Check that a value is the text of a target, in its one form."""
    if type(value) is not str or len(value) > MAX_TARGET:
        return False
    if _LETTERS.fullmatch(value):
        return True
    try:
        if value.endswith("/64"):
            return str(IPv6Network(value)) == value
        return str(IPv4Address(value)) == value
    except ValueError:
        return False


class Ban(NamedTuple):
    """A decision about a target."""

    target: Target
    made: int  # Unix milliseconds of the decision
    until: int  # Unix milliseconds of the end; 0: lifted; `FOR_GOOD`
    name: str = ""  # of the person at the time of the decision; empty: not known here

    def holds(self, now: int) -> bool:
        """Tell if the target is banned."""
        return now < self.until


BAN_SHAPE = fields(is_target, uint(), uint())
_ROWS = many(BAN_SHAPE, 0, MAX_BANS)
# the file also has the name, which other hosts of a cluster are not told
_NAMED = fields(is_target, uint(), uint(), text(MAX_NAME))
_FILE = many(either(BAN_SHAPE, _NAMED), 0, MAX_BANS)


class _Holding(NamedTuple):
    """The bans that hold until one of them ends."""

    keys: tuple[str, ...]  # beginnings of fingerprints
    addresses: frozenset[str]
    until: int

    @classmethod
    def of(cls, bans: Iterable[Ban], now: int) -> "_Holding":
        """Return what holds now."""
        held = [ban for ban in bans if ban.holds(now)]
        return cls(
            tuple(ban.target.text for ban in held if ban.target.is_key),
            frozenset(ban.target.text for ban in held if not ban.target.is_key),
            min((ban.until for ban in held), default=FOR_GOOD),
        )


class BanList:
    """The decisions, and their file."""

    def __init__(self, path: Path) -> None:
        """Raises: LocalError if there is a file that is none of these."""
        self._path = path
        self._bans: dict[Target, Ban] = {}
        self._digest: bytes | None = None
        self._holding: _Holding | None = None
        self.edition = 0  # another number whenever other bans hold
        try:
            with path.open("rb") as file:
                self._take(file.read(MAX_BANS_FILE + 1))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise LocalError(
                "wrong.control.unread", path=str(path), why=str(error.strerror)
            ) from None

    def __len__(self) -> int:
        return len(self._bans)

    @property
    def all(self) -> list[Ban]:
        """All decisions, by target."""
        return [self._bans[target] for target in sorted(self._bans)]

    @property
    def digest(self) -> bytes:
        """Bytes that are the same at hosts that know the same decisions."""
        if self._digest is None:
            self._digest = digest("bans", wire.encode(rows(self.all)))[:DIGEST]
        return self._digest

    def holding(self, now: int) -> list[Ban]:
        """Return the bans that hold now."""
        return [ban for ban in self.all if ban.holds(now)]

    def covers(self, identity: bytes, address: str, now: int) -> bool:
        """Tell if somebody of this key, at this address, is banned."""
        found = self._now(now)
        return address.partition(RELAY_MARK)[0] in found.addresses or (
            bool(found.keys) and fingerprint(identity).startswith(found.keys)
        )

    def current_edition(self, now: int) -> int:
        """Return `edition` as it is now: a ban may have ended."""
        self._now(now)
        return self.edition

    def _now(self, now: int) -> _Holding:
        if self._holding is None or now >= self._holding.until:
            self._holding = _Holding.of(self._bans.values(), now)
            self.edition += 1
        return self._holding

    def decide(self, target: Target, until: int, now: int, name: str = "") -> None:
        """Ban a target until then, or lift its ban (0). It is on disk when this returns. `name`: of
        the person; empty: the name that is known from an earlier decision.

        Raises: LocalError if there are too many, or the disk refuses; nothing has changed then.
        """
        known, before = self._bans.get(target), dict(self._bans)
        made = now if known is None else max(now, known.made + 1)
        self._prune(now)
        if until and len(self.holding(now)) >= MAX_BANS and target not in self._bans:
            raise LocalError("wrong.control.bans", most=MAX_BANS)
        self._bans[target] = Ban(target, made, until, name or ("" if known is None else known.name))
        self._shorten(now)
        try:
            self._store()
        except OSError as error:
            self._bans, self._digest, self._holding = before, None, None
            raise LocalError("wrong.control.disk", why=str(error.strerror)) from None

    def forget(self, bans: Iterable[Ban]) -> None:
        """Forget decisions that hold no more. Raises: LocalError if the disk refuses; nothing has
        changed then.
        """
        before = dict(self._bans)
        for ban in bans:
            del self._bans[ban.target]
        self._digest = self._holding = None
        try:
            self._store()
        except OSError as error:
            self._bans, self._digest, self._holding = before, None, None
            raise LocalError("wrong.control.disk", why=str(error.strerror)) from None

    def merge(self, others: Iterable[Ban], now: int) -> bool:
        """Take decisions of another host in; tell if anything is new."""
        before = self.digest
        for ban in others:
            known = self._bans.get(ban.target)
            if known is None or (ban.made, ban.until) > (known.made, known.until):
                self._bans[ban.target] = ban if known is None else ban._replace(name=known.name)
        self._prune(now)
        self._shorten(now)
        self._digest = None
        if self.digest == before:
            return False
        try:
            self._store()
        except OSError as error:  # the host that decided has it on disk
            log.warning("%s cannot be written: %s", self._path, error.strerror)
        return True

    def _prune(self, now: int) -> None:
        """Forget what has been over for long."""
        past = now - LIFTED_SECONDS * 1000
        self._bans = {
            target: ban for target, ban in self._bans.items() if max(ban.until, ban.made) > past
        }

    def _shorten(self, now: int) -> None:
        """Keep what holds and is newest, at all hosts the same."""
        order = sorted(
            self._bans.values(),
            key=lambda ban: (ban.holds(now), ban.made, ban.target),
            reverse=True,
        )
        self._bans = {ban.target: ban for ban in order[:MAX_BANS]}
        self._digest = self._holding = None

    def _store(self) -> None:
        replace_whole(self._path, wire.encode(_file_rows(self.all)))

    def _take(self, data: bytes) -> None:
        try:
            self._bans = {ban.target: ban for ban in _parse(wire.decode(data), _FILE)}
        except RemoteError:
            raise LocalError("wrong.control.damaged", path=str(self._path)) from None


def rows(bans: Iterable[Ban]) -> list[list[object]]:
    """Return decisions as heartbeats have them."""
    return [[ban.target.text, ban.made, ban.until] for ban in bans]


def _file_rows(bans: Iterable[Ban]) -> list[list[object]]:
    """Return decisions as the file has them: with the name, where one is known."""
    return [
        [ban.target.text, ban.made, ban.until, *([ban.name] if ban.name else [])] for ban in bans
    ]


def parse_rows(value: object) -> list[Ban]:
    """Read decisions of another host. Raises: RemoteError(BAD_MESSAGE)."""
    return _parse(value, _ROWS)


def _parse(value: object, shape: Shape) -> list[Ban]:
    """Raises: RemoteError(BAD_MESSAGE)."""
    if not shape(value):
        raise RemoteError(Code.BAD_MESSAGE)
    assert isinstance(value, list)
    return [Ban(Target(target), *decision) for target, *decision in value]
