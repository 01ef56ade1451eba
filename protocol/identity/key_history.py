"""Rotation of a table's key, with the next key committed to in advance (docs/protocol, 38).

The way is that of pre-rotation in KERI (Key Event Receipt Infrastructure, arXiv:1907.02143, and the
Trust over IP specification, "next key digest"): a table's key signs a digest of the key that will
follow it, and the following key is kept offline. Only a key that opens the digest can follow, and it
signs, too. So whoever steals the present key cannot hand the table on.

A `KeyHistory` is what a table shows. Players keep a `KeyPin` for each key, and `learn` folds a
history into their pins. A key that has signed two different statements is in conflict for good, and
nobody follows it.
"""

from collections.abc import Mapping
from enum import Enum
from itertools import pairwise
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.identity.keys import (
    KEY_SIZE,
    SIGNATURE_SIZE,
    Identity,
    check_key,
    fingerprint,
    verify,
)
from protocol.limits import MAX_INT, MAX_KEY_HISTORY, MAX_ROTATIONS
from protocol.schema import either, exactly, fields, many, nothing, uint

VERSION = 1
COMMITMENT_SIZE = 32  # bytes
# labels of signatures
COMMITTED, ROTATED = "table key commitment", "table key rotation"

_KEY, _SIGNATURE = exactly(KEY_SIZE), exactly(SIGNATURE_SIZE)
_NEXT = either(exactly(COMMITMENT_SIZE), exactly(0))
_ROTATION = fields(_KEY, _KEY, uint(MAX_INT), _NEXT, _SIGNATURE, _SIGNATURE)
_COMMITMENT = fields(uint(MAX_INT), exactly(COMMITMENT_SIZE), _SIGNATURE)
_HISTORY = fields(uint(), _KEY, many(_ROTATION, 0, MAX_ROTATIONS), either(_COMMITMENT, nothing))


class Commitment(NamedTuple):
    """A key's statement about the key that will follow it.

    `number`: of rotations before the key that signs. `next`: see `commitment_to`.
    """

    number: int
    next: bytes
    signature: bytes


class Rotation(NamedTuple):
    """The statement that `new` follows `old`, signed by both.

    `number`: of rotations up to this one. `next`: commitment to the key that will follow `new`;
    empty: none yet.
    """

    old: bytes
    new: bytes
    number: int
    next: bytes
    old_signature: bytes
    new_signature: bytes


class KeyHistory(NamedTuple):
    """History of a table's keys, as the table shows it: the newest rotations, the oldest first, and
    the commitment of its present key unless the last rotation has it.
    """

    key: bytes
    rotations: tuple[Rotation, ...] = ()
    commitment: Commitment | None = None

    @property
    def number(self) -> int:
        """The number of rotations before the present key."""
        if self.rotations:
            return self.rotations[-1].number
        return self.commitment.number if self.commitment else 0

    @property
    def next(self) -> bytes:
        """The commitment to the key that will follow the present one; empty: none."""
        if self.commitment:
            return self.commitment.next
        return self.rotations[-1].next if self.rotations else b""


def commitment_to(public: bytes) -> bytes:
    """Return the commitment to a public key: 32 bytes, which say nothing of the key."""
    return digest("next table key", public)


def commit(history: KeyHistory, identity: Identity, following: bytes) -> KeyHistory:
    """Return the history with the commitment of its present key to a following public key."""
    assert identity.public == history.key
    number, next_ = history.number, commitment_to(following)
    signature = identity.sign(COMMITTED, number, next_)
    return history._replace(commitment=Commitment(number, next_, signature))


def rotate(
    history: KeyHistory, old: Identity, new: Identity, following: bytes | None
) -> KeyHistory:
    """Return the history after a rotation to the key that was committed to. `following`: the public
    key that will follow it. Of more than `MAX_ROTATIONS` the oldest are left out.
    """
    assert old.public == history.key
    assert commitment_to(new.public) == history.next
    number = history.number + 1
    next_ = b"" if following is None else commitment_to(following)
    stated = old.public, new.public, number, next_
    made = Rotation(*stated, old.sign(ROTATED, *stated), new.sign(ROTATED, *stated))
    return KeyHistory(new.public, (*history.rotations, made)[-MAX_ROTATIONS:])


def encode_history(history: KeyHistory) -> bytes:
    """Return the only encoding of a history."""
    commitment = history.commitment
    return wire.encode(
        [
            VERSION,
            history.key,
            [list(rotation) for rotation in history.rotations],
            None if commitment is None else list(commitment),
        ]
    )


def decode_history(data: bytes) -> KeyHistory:
    """Read a history, and check all that it says of itself. Raises: RemoteError."""
    if len(data) > MAX_KEY_HISTORY:
        raise RemoteError(Code.FRAME_SIZE)
    value: Any = wire.decode(data)
    if not _HISTORY(value) or value[0] != VERSION:
        raise RemoteError(Code.BAD_MESSAGE)
    _, key, rotations, commitment = value
    history = KeyHistory(
        key,
        tuple(Rotation(*each) for each in rotations),
        None if commitment is None else Commitment(*commitment),
    )
    _check_chain(history)
    _check_signatures(history)
    return history


def _check_chain(history: KeyHistory) -> None:
    """Raises: RemoteError(BAD_MESSAGE)."""
    rotations, commitment = history.rotations, history.commitment
    keys = [*(each.old for each in rotations), history.key]
    fits = (
        len(set(keys)) == len(keys)
        and all(each.number for each in rotations)
        and all(
            later.old == earlier.new
            and later.number == earlier.number + 1
            and earlier.next in (b"", commitment_to(later.new))
            for earlier, later in pairwise(rotations)
        )
    )
    if rotations:
        last = rotations[-1]
        fits = fits and last.new == history.key
        if commitment is not None:
            fits = fits and not last.next and commitment.number == last.number
    if not fits:
        raise RemoteError(Code.BAD_MESSAGE)


def _check_signatures(history: KeyHistory) -> None:
    """Raises: RemoteError(BAD_IDENTITY, BAD_SIGNATURE)."""
    check_key(history.key)
    for each in history.rotations:
        stated = each[:4]
        verify(each.old, each.old_signature, ROTATED, *stated)
        verify(each.new, each.new_signature, ROTATED, *stated)
    if (commitment := history.commitment) is not None:
        verify(history.key, commitment.signature, COMMITTED, commitment.number, commitment.next)


class KeyPin(NamedTuple):
    """A player's record of one key of a table: the first statements that the key has signed.

    `number`, `next`: as in `Commitment`; `next` empty: the key has committed to none. `rotation`:
    the first rotation that opened `next`. `in_conflict`: the key has signed two statements that
    cannot both be true.
    """

    number: int
    next: bytes
    rotation: Rotation | None = None
    in_conflict: bool = False


def learn(pins: Mapping[bytes, KeyPin], history: KeyHistory) -> dict[bytes, KeyPin]:
    """Fold a history into pins by public key, and return all pins after it.

    What is pinned stays: a statement that differs from it only marks the key that signed both. A
    rotation counts if its old key is pinned and it opens that pin's commitment.
    """
    found = dict(pins)
    for rotation in history.rotations:
        pin = found.get(rotation.old)
        if pin is not None and pin.next:
            found[rotation.old] = pin = _with_rotation(pin, rotation)
            if not pin.in_conflict:
                _note(found, rotation.new, KeyPin(rotation.number, rotation.next))
    if history.next:
        _note(found, history.key, KeyPin(history.number, history.next))
    return found


def _with_rotation(pin: KeyPin, rotation: Rotation) -> KeyPin:
    opens = commitment_to(rotation.new) == pin.next and rotation.number == pin.number + 1
    if not opens or pin.rotation not in (None, rotation):
        return pin._replace(in_conflict=True)
    return pin._replace(rotation=rotation)


def _note(pins: dict[bytes, KeyPin], key: bytes, said: KeyPin) -> None:
    """Pin what a key says of itself; a key that has said something else before is in conflict."""
    pin = pins.setdefault(key, said)
    if said.next and not pin.next and pin.number == said.number:
        pins[key] = pin._replace(next=said.next)
    elif pin.number != said.number or (said.next and said.next != pin.next):
        pins[key] = pin._replace(in_conflict=True)


class Succession(Enum):
    """Relation between the key that is expected of a table and the key that it shows."""

    SAME = "same"  # it shows this key
    FOLLOWED = "followed"  # rotations lead to the key that it shows, each as committed
    UNRELATED = "unrelated"  # its history does not have the expected key
    NOT_COMMITTED = "not committed"  # nobody has seen a commitment before the rotation
    CONFLICT = "conflict"  # a key on the way has signed two statements that differ


def succession(pins: Mapping[bytes, KeyPin], expected: str, history: KeyHistory) -> Succession:
    """Return how the key of a history follows the key with the expected fingerprint, as far as these
    pins go, into which the history has been folded.
    """
    if fingerprint(history.key) == expected:
        return Succession.SAME
    rotations = [*history.rotations]
    while rotations and fingerprint(rotations[0].old) != expected:
        rotations.pop(0)
    if not rotations:
        return Succession.UNRELATED
    for rotation in rotations:
        pin = pins.get(rotation.old)
        if pin is not None and pin.in_conflict:
            return Succession.CONFLICT
        if pin is None or pin.rotation != rotation:
            return Succession.NOT_COMMITTED
    last = pins.get(history.key)
    return Succession.CONFLICT if last is not None and last.in_conflict else Succession.FOLLOWED
