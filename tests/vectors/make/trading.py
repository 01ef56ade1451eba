"""Vectors of chapter 26: payloads of a trade, the content that both compute, standings, the salt of
a merge.
"""

from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import CardTransfer, Instance, Trade
from protocol.ledger.records import content_id, sign_content, sign_record, waive_of
from protocol.ledger.trading.journal import (
    JournalCount,
    JournalStanding,
    check_standing,
    count_signed,
    sign_standing,
)
from protocol.ledger.trading.messages import (
    MESSAGES,
    NO_CODE,
    Payload,
    TradePhase,
    check,
    decode,
    encode,
)
from protocol.ledger.trading.session_state import merge_salt
from protocol.ledger.trading.trade_content import read_trade
from tests.vectors.make.forms import Bad, Vector

SEEDS = (b"\1" * 32, b"\2" * 32)
ANN, BOB = map(Identity, SEEDS)


def read_payload(phase: str, payload: bytes) -> dict[str, Any]:
    """Operation of 26.2: read a payload in this phase."""
    read = decode(payload)
    check(read, TradePhase(phase))
    return {"salt": read.salt, "number": read.number, "name": read.name, "fields": read.values}


def take_content(me: bytes, partner: bytes, content: bytes) -> dict[str, Any]:
    """Operation of 26.4.4: check a proposed trade of these two people. Return its id, and the cards
    that `me` gives.
    """
    trade = read_trade(content, me, partner)
    goes = [one.instance for one in trade.transfers if trade.giver(one) == me]
    return {"id": content_id(trade), "goes": goes}


def take_standing(key: bytes, number: int, digest: bytes, signature: bytes) -> dict[str, Any]:
    """Operation of 26.7: check a signed standing."""
    check_standing(key, JournalStanding(number, digest, signature))
    return {"number": number}


def make_standing(seed: bytes, signed: list[bytes], missing: int) -> dict[str, Any]:
    """Operation of 26.7: sign a standing. `signed` are the ids of all promises and waives that are
    known, in any order, and `missing` the number of those given up.
    """
    made = sign_standing(Identity(seed), count_signed(signed, missing))
    return {"number": made.made, "digest": made.digest, "signature": made.signature}


def salt_of_merge(salts: list[bytes], revisions: list[int]) -> dict[str, Any]:
    """Operation of 26.4.2: calculate the salt of a merge. `revisions` are those of the offers, of
    the lower key first.
    """
    return {"salt": merge_salt(salts, *revisions)}


OPERATIONS = {
    "read trading payload": read_payload,
    "take proposal": take_content,
    "take standing": take_standing,
    "make standing": make_standing,
    "salt of a merge in a trade": salt_of_merge,
}


def _trade() -> Trade:
    a, b = sorted((ANN.public, BOB.public))
    cards = sorted(
        content_id(Instance(ANN.public, bytes([n]) * 32, n, bytes(16))) for n in (1, 2, 3)
    )
    links = ((0, 0, None, None), (1, 1, b"p" * 32, None), (0, 2, b"q" * 32, b"r" * 32))
    return Trade(
        a, b, tuple(CardTransfer(card, *link) for card, link in zip(cards, links, strict=True))
    )


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_payloads(), *_contents(), *_standings()]


def _said() -> dict[str, list[Any]]:
    trade, content = content_id(_trade()), content_bytes(_trade())
    return {
        "meet": [wire.VERSION, ANN.public, "Ann", sorted([ANN.public, BOB.public])],
        "standing": [
            list(sign_standing(ANN, JournalCount(3, b"d" * 32))),
            list(sign_standing(BOB, JournalCount(7, b"e" * 32))),
            [b"i" * 32],
        ],
        "merge": [1, 2, b"\x91\xa4turn"],
        "image": [wire.encode(["no_image", b"d" * 32])],
        "offer": [[b"i" * 32], [b"j" * 32, b"k" * 32], [b"w" * 32]],
        "say": ["What do you want for the dragon?"],
        "propose": [content],
        "agree": [trade],
        "sign": [content, sign_content(ANN, _trade())],
        "counter": [trade, sign_content(BOB, _trade())],
        "done": [trade],
        "reject": [trade, NO_CODE],
        "waive": [sign_record(waive_of(_trade(), BOB.public), BOB).raw],
        "exit": [],
    }


def _payloads() -> list[Vector]:
    made = []
    for number, (name, values) in enumerate(_said().items()):
        phases = [phase.value for phase in TradePhase if phase in MESSAGES[name].phases]
        other = next(phase.value for phase in TradePhase if phase not in MESSAGES[name].phases)
        payload = Payload(b"s" * 16, number, name, values)
        whole = [payload.salt, number, name, *values]
        bad = (
            Bad("in another phase", {"phase": other}, Code.BAD_MESSAGE),
            Bad("one field too many", {"payload": wire.encode([*whole, 0])}, Code.BAD_MESSAGE),
            Bad(
                "a short salt", {"payload": wire.encode([b"s" * 15, *whole[1:]])}, Code.BAD_MESSAGE
            ),
            Bad(
                "no number",
                {"payload": wire.encode([payload.salt, None, *whole[2:]])},
                Code.BAD_MESSAGE,
            ),
            Bad("a byte left over", {"payload": wire.encode(whole) + b"\0"}, Code.BAD_ENCODING),
        )
        given = {"phase": phases[0], "payload": encode(payload)}
        made.append(Vector("26.3", f"`{name}`", "read trading payload", given, bad))
    return made


def _contents() -> list[Vector]:
    content = content_bytes(_trade())
    given = {"me": ANN.public, "partner": BOB.public, "content": content}
    waive = content_bytes(waive_of(_trade(), BOB.public))
    bad = (
        Bad("a trade of somebody else's", {"partner": Identity(b"\3" * 32).public}, Code.BAD_TRADE),
        Bad("no trade", {"content": waive}, Code.BAD_TRADE),
        Bad("cut short", {"content": content[:-1]}, Code.BAD_ENCODING),
    )
    return [
        Vector(
            "26.4",
            "a trade of three cards, one of which has been given back",
            "take proposal",
            given,
            bad,
        ),
        Vector(
            "26.4",
            "the same, as the other sees it",
            "take proposal",
            {**given, "me": BOB.public, "partner": ANN.public},
        ),
        Vector(
            "26.4",
            "the third offers of one, the first of the other",
            "salt of a merge in a trade",
            {"salts": [b"t" * 16, b"s" * 16], "revisions": [3, 1]},
        ),
    ]


def _standings() -> list[Vector]:
    number, digest, signature = sign_standing(ANN, JournalCount(41, b"d" * 32))
    given = {"key": ANN.public, "number": number, "digest": digest, "signature": signature}
    bad = (
        Bad("another number", {"number": 42}, Code.BAD_SIGNATURE),
        Bad("of other signatures", {"digest": b"e" * 32}, Code.BAD_SIGNATURE),
        Bad("somebody else's", {"key": BOB.public}, Code.BAD_SIGNATURE),
    )
    return [
        Vector(
            "26.7",
            "nothing signed yet",
            "make standing",
            {"seed": SEEDS[0], "signed": [], "missing": 0},
        ),
        Vector(
            "26.7",
            "two promises, and one given up",
            "make standing",
            {"seed": SEEDS[0], "signed": [b"t" * 32, b"s" * 32], "missing": 1},
        ),
        Vector("26.7", "a standing", "take standing", given, bad),
    ]
