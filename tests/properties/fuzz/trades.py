"""Fuzz target: a partner's payloads in every phase of a trade. The first byte chooses the phase; a
name and fields follow.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from player.cards.trades.trade_letter import MAGIC, Letter, LetterKind, read_letter, write_letter
from protocol import wire
from protocol.errors import RemoteError
from protocol.ledger.bundle import write_bundle
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Trade
from protocol.ledger.trading.journal import JournalCount, sign_standing
from protocol.ledger.trading.messages import SALT, TradePhase, decode
from protocol.ledger.trading.trade_content import read_trade
from tests.support.ledger import ANN, BOB
from tests.support.trading import Pair, session_in, two

PHASES = tuple(TradePhase)


def payload(data: bytes) -> None:
    """Check that a payload is accepted or ends the session; Ann is never named, and signs only what
    she accepted.
    """
    phase = PHASES[data[0] % len(PHASES)] if data else TradePhase.MEETING
    with TemporaryDirectory() as folder:
        ann, bob = two(Path(folder))
        try:
            pair = session_in(ann, bob, phase)
            before = ann.journal.standing()
            try:
                pair.sides[0].received(_numbered(pair, data[1:]))
            finally:
                pair.gather()
                assert not [alarm for alarm in ann.book.view.alarms if alarm.key == ANN.public]
                assert phase is TradePhase.AGREED or ann.journal.standing() == before
        finally:
            for person in (ann, bob):
                person.stop()


def _numbered(pair: Pair, data: bytes) -> bytes:
    """Number the payload with this name and these fields as Bob's next one; return other bytes
    unchanged.
    """
    try:
        said = wire.decode(data)
    except RemoteError:
        return data
    sent = [decode(one) for one in pair.sent[1]]
    salt = sent[0].salt if sent else bytes(SALT)
    return wire.encode([salt, len(sent), *said]) if type(said) is list else data


def payload_seeds() -> list[bytes]:
    """Return every payload of an honest trade, in each phase."""
    with TemporaryDirectory() as folder:
        ann, bob = two(Path(folder))
        said = {
            decode(one).name: one for one in session_in(ann, bob, TradePhase.SIGNED).run().sent[1]
        }
        said |= {
            decode(one).name: one
            for one in session_in(*two(Path(folder) / "2"), TradePhase.AGREED).run().sent[1]
        }
        for person in (ann, bob):
            person.stop()
    fields = [wire.decode(one)[2:] for one in said.values()]
    fields += [
        ["image", wire.encode(["images", [b"d" * 32]])],
        ["image", wire.encode(["no_image", b"d" * 32])],
    ]
    return [bytes([number]) + wire.encode(each) for number in range(len(PHASES)) for each in fields]


def content(data: bytes) -> None:
    """Check that an accepted trade between these two has only one encoding."""
    trade: Trade = read_trade(data, ANN.public, BOB.public)
    assert content_bytes(trade) == data


def content_seeds() -> list[bytes]:
    """Return the content of proposals in a trade."""
    return [
        wire.decode(one[1:])[1] for one in payload_seeds() if wire.decode(one[1:])[0] == "propose"
    ][:1]


def letter(data: bytes) -> None:
    """Sign and read a letter with this body: an accepted one is written again the same way."""
    raw = MAGIC + wire.encode([data, BOB.public, BOB.sign("trade letter", data)])
    assert write_letter(BOB, read_letter(raw)) == raw


def letter_seeds() -> list[bytes]:
    """Return the body of one letter of each kind."""
    usual = {
        "key": BOB.public,
        "name": "Bob",
        "standing": sign_standing(BOB, JournalCount(1, bytes(32))),
        "bundle": write_bundle([]),
    }
    kinds = (
        (LetterKind.OFFER, ([bytes(32)], ["Ember"], [bytes(32)])),
        (LetterKind.SIGNED, (b"content", bytes(64))),
        (LetterKind.ANSWER, (bytes(32),)),
    )
    letters = [
        Letter(
            kind=kind, fields=fields, yours=sign_standing(ANN, JournalCount(2, bytes(32))), **usual
        )
        for kind, fields in kinds
    ]
    return [wire.decode(write_letter(BOB, one)[len(MAGIC) :])[0] for one in letters]
