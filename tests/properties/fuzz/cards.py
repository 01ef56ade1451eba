"""Fuzz targets: files of cards, and messages of a merge at each of its steps."""

from contextlib import suppress
from functools import cache

from protocol import wire
from protocol.errors import RemoteError
from protocol.ledger.alarms import Alarm
from protocol.ledger.bundle import MAGIC, read_bundle, write_bundle
from protocol.ledger.merge.image_transfer import ImageTransfer
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.merge.messages import encode
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import image_digest, read_record
from protocol.ledger.view import evaluate
from tests.support.histories import History
from tests.support.merging import SALT

TURNS = 8  # of the honest merge, and some more


def record(data: bytes) -> None:
    """Check that an accepted record has one encoding, and an id that does not depend on its
    signatures.
    """
    assert read_record(data).raw == data


def record_seeds() -> list[bytes]:
    """Return some records of each kind in a history."""
    history = History(2, trades=2)
    history.waive(history.records[-1], history.people[0])
    return [one.raw for one in history.records]


def bundle(data: bytes) -> None:
    """Check that an accepted bundle is written again as the same file."""
    found = read_bundle(MAGIC + data)
    assert len(set(found.raws)) == len(found.raws) and len(set(found.images)) == len(found.images)


def bundle_seeds() -> list[bytes]:
    """Return a file with some of every kind, without its magic."""
    return [write_bundle(History(1, trades=2).records, [b"image"])[len(MAGIC) :]]


@cache
def _sides() -> tuple[RecordSet, RecordSet]:
    """Return two sets large enough that ranges are split and listed, with some orphans."""
    history = History(1, cards=60, trades=20)
    left = RecordSet(history.records[:-6])
    return left, RecordSet([*history.records[:40], *history.records[50:62], *history.records[-8:]])


@cache
def _alarms() -> tuple[Alarm, ...]:
    return evaluate(_sides()[0]).alarms


def _at(turns: int) -> tuple[MergeSession, MergeSession]:
    """Return the sides of an honest merge after `turns` turns: the speaker, then the listener."""
    left, right = _sides()
    speaker, hearer = (
        MergeSession(left, SALT, True, alarms=_alarms()),
        MergeSession(right, SALT, False),
    )
    for _ in range(turns):
        for message in speaker.outgoing():
            hearer.received(message)
        speaker, hearer = hearer, speaker
    return speaker, hearer


def merge(data: bytes) -> None:
    """Give a merge a message of the side in turn, after as many turns as the first number says.

    Whatever the message, the other side's set stays unchanged, and its output lists parents first,
    or belongs to an alarm.
    """
    value = wire.decode(data)
    if (
        type(value) is not list
        or len(value) != 2
        or type(value[0]) is not int
        or type(value[1]) is not list
    ):
        return
    speaker, hearer = _at(value[0] % TURNS)
    mine = _sides()[(value[0] + 1) % 2]
    before, grown = len(mine), mine.branch()
    speaker.outgoing()
    try:
        given = hearer.received(wire.encode(value[1]))
        with suppress(RemoteError):
            given += hearer.received(wire.encode(["turn"]))
    except RemoteError:
        assert hearer.done and hearer.outgoing() == []
        raise
    finally:
        assert len(mine) == before
    for record in given + hearer.abort():
        assert not grown.missing(record) or any(
            record in (one.first, one.second) for one in _alarms()
        )
        grown.add(record)


def merge_seeds() -> list[bytes]:
    """Return each message of an honest merge, at its turn."""
    made = []
    for turn in range(TURNS):
        speaker, _ = _at(turn)
        made += [wire.encode([turn, wire.decode(message)]) for message in speaker.outgoing()]
    return made


def images(data: bytes) -> None:
    """Send a message to a side that has asked for images and has some; an accepted image is one
    that was asked for.
    """
    side = ImageTransfer({image_digest(b"mine"): b"mine"}.get, {image_digest(b"mine")})
    side.ask([image_digest(b"<svg/>")])
    side.outgoing()
    assert side.received(data) in ([], [b"<svg/>"])


def image_seeds() -> list[bytes]:
    """Return a question and answers."""
    digest = image_digest(b"<svg/>")
    return [
        encode("images", [image_digest(b"mine"), bytes(32)]),
        encode("image", digest, 6, b"<svg/>"),
        encode("image", digest, 6, b"<svg"),
        encode("no_image", digest),
    ]
