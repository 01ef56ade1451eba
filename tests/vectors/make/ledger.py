"""Vectors of chapter 24: valid records of every kind, invalid ones, and views of sets of
records.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from protocol.games.decks import Owned
from protocol.games.decks.evidence import gave_away, read_evidence
from protocol.games.decks.owned_card import card_fault
from protocol.games.decks.slot_opening import card_of_value
from protocol.ledger.link_checks import check_links
from protocol.ledger.record_codec import content_bytes, kind_of
from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardTransfer,
    Content,
    Creator,
    Instance,
    PrintRun,
    Trade,
)
from protocol.ledger.records import (
    LedgerRecord,
    image_digest,
    parents,
    read_record,
    sign_content,
    signers,
    waive_of,
)
from protocol.ledger.view import evaluate
from protocol.wire import decode, encode
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    EVE,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    maker,
    seen,
    slot_of,
    trade_of,
    traded,
    waive,
)
from tests.vectors.make.forms import Bad, Vector

WEAK = bytes([1]) + bytes(31)


def take_record(raw: bytes, known: list[bytes]) -> dict[str, Any]:
    """Operation of 24.1, 24.2: check a record from outside, with the known records."""
    record = read_record(raw)
    check_links(record.content, {other.id: other for other in map(read_record, known)}.get)
    said = {
        "kind": kind_of(record.content),
        "id": record.id,
        "signers": list(signers(record.content)),
    }
    slots = (
        [one.slot for one in record.content.transfers] if isinstance(record.content, Trade) else []
    )
    return said | {"parents": list(parents(record.content)), "slots": slots}


def look(records: list[bytes]) -> dict[str, Any]:
    """Operation of 24.3 to 24.5: return the view of a set of records."""
    it = evaluate(map(read_record, records))
    cards = [(key, it.holding(key)) for key in sorted(it.instances)]
    return {
        "cards": [[key, *held] for key, held in cards if held is not None],
        "void": sorted(key for key in it.trades if it.void(key)),
        "dead": sorted(it.dead),
        "certified": sorted(key for key in it.trades if it.certified(key)),
        "alarms": [
            [alarm.key, alarm.first.id, alarm.second.id, sorted(one.id for one in alarm.beside)]
            for alarm in it.alarms
        ],
    }


def next_trade(records: list[bytes], instance: bytes) -> dict[str, Any]:
    """Operation of 24.3: return the links of a card's next trade, and the known waives that it
    must list.
    """
    it = evaluate(map(read_record, records))
    one = it.next_transfer(instance, 0)
    waives = list(it.listed_waives(instance))
    return {"index": one.index, "prev": one.prev, "over": one.over, "waives": waives}


def judge(
    card: list[Any], holder: bytes, dispute: list[bytes], answer: list[bytes]
) -> dict[str, Any]:
    """Operation of 34.5: decide whether a dispute holds, alone and with its answer."""
    shown = _owned(card)
    first = read_evidence(dispute)
    return {
        "holds": gave_away(shown, holder, first),
        "answered": not gave_away(shown, holder, (*first, *read_evidence(answer))),
    }


def take_card(card: list[Any], holder: bytes) -> dict[str, Any]:
    """Operation of 34.3: return the code for which a seat is named that opens this card."""
    return {"fault": card_fault(_owned(card), holder)}


def _owned(card: list[Any]) -> Owned:
    found = card_of_value(card)
    assert isinstance(found, Owned)
    return found


OPERATIONS = {
    "take card record": take_record,
    "look at cards": look,
    "next trade of a card": next_trade,
    "judge a dispute": judge,
    "take an owned card": take_card,
}

ONE, TWO = card(0), card(1)
TO_ANN, TO_BOB = (traded(MAKER, who, [slot_of(one.id)]) for who, one in ((ANN, ONE), (BOB, TWO)))
FROM_ANN, FROM_BOB = (
    CardTransfer(ONE.id, 0, 1, TO_ANN.id, None),
    CardTransfer(TWO.id, 0, 1, TO_BOB.id, None),
)
SWAP = traded(ANN, BOB, [FROM_ANN], [FROM_BOB])
TWICE = traded(ANN, CAROL, [FROM_ANN])
AGAIN = traded(BOB, DAN, [CardTransfer(TWO.id, 0, 2, TO_BOB.id, SWAP.id)])
CARDS = [TYPE, ONE, TWO, TO_ANN, TO_BOB]
# trades of Ann that list the waives of earlier ones
W_BOB = waive(SWAP, BOB)
LISTED = traded(ANN, CAROL, [FROM_ANN], waives=[W_BOB])
W_CAROL = waive(LISTED, CAROL)
THIRD = traded(ANN, EVE, [FROM_ANN], waives=[W_BOB, W_CAROL])
TWO_OPEN = traded(ANN, EVE, [FROM_ANN], waives=[W_BOB])
OPEN = traded(ANN, EVE, [FROM_ANN])
# Bob spends his card twice, so Ann gives hers over the swap
SPEND = traded(BOB, DAN, [FROM_BOB])
FIRST_SPEND = traded(BOB, CAROL, [FROM_BOB])
OVER = traded(ANN, EVE, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, SWAP.id)])


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_records(), *_trades(), *_views(), *_next(), *_shown(), *_disputes()]


def _raw(content: Content, *by: Any) -> bytes:
    """Encode a record, valid or not."""
    return encode([content_bytes(content), *(sign_content(one, content) for one in by)])


def _records() -> Iterator[Vector]:
    """Yield one record of each kind with one signer, and invalid variants."""
    creator = Creator(
        MAKER.public,
        0,
        None,
        "Maker",
        image_digest(b"icon"),
        "https://example.org",
        (ANN.public,),
        1,
    )
    assert not isinstance(TYPE.content, Trade)
    second = replace(TYPE.content, type=TYPE.id, revision=1, previous=TYPE.id, text="Hot.")  # type: ignore[call-arg]
    instance = Instance(MAKER.public, TYPE.id, 7, bytes(16))
    run = PrintRun(MAKER.public, "First", 1, ((TYPE.id, 2),), bytes(32), bytes(32), 1)
    rules = CardRules(MAKER.public, 0, None, "Duel", 0, bytes(32), (("element", 1), ("fire", 0)))
    yield _vector(
        "a creator with one witness",
        creator,
        MAKER,
        bad=[
            ("quorum above the witnesses", replace(creator, quorum=2), "bad_content"),
            ("a witness twice", replace(creator, witnesses=(ANN.public,) * 2), "bad_content"),
            ("a name that steers a terminal", replace(creator, name="Ann\x1b[2J"), "bad_content"),
            ("a weak witness", replace(creator, witnesses=(WEAK,)), "bad_identity"),
        ],
    )
    yield _vector(
        "the second revision of a frozen type",
        second,
        MAKER,
        known=[TYPE],
        bad=[
            ("a key twice", replace(second, values=(("fire", 3), ("fire", 4))), "bad_content"),
            ("a value changes", replace(second, values=(("fire", 4),)), "wrong_link"),
            ("a revision is left out", replace(second, revision=2), "wrong_link"),
        ],
    )
    yield _vector(
        "a run of two copies",
        run,
        MAKER,
        known=[TYPE],
        bad=[
            ("none of a type", replace(run, copies=((TYPE.id, 0),)), "bad_content"),
            ("no cards in a pack", replace(run, pack_size=0), "bad_content"),
        ],
    )
    yield _vector(
        "an instance",
        instance,
        MAKER,
        known=[TYPE],
        bad=[
            ("a short nonce", replace(instance, nonce=bytes(15)), "bad_content"),
            ("of what is no type", replace(instance, type=ONE.id), "wrong_link"),
        ],
        known_too=[ONE],
    )
    yield _vector(
        "rules of a game",
        rules,
        MAKER,
        bad=[
            ("a third kind", replace(rules, required=(("fire", 2),)), "bad_content"),
        ],
    )
    said = waive_of(SWAP.content, BOB.public)  # type: ignore[arg-type]
    yield _vector(
        "a waive",
        said,
        BOB,
        bad=[("of nothing", replace(said, trade=b""), "bad_content")],
    )
    word = Attestation(EVE.public, FROM_ANN.slot, SWAP.id, 3)
    yield _vector(
        "a witness's word",
        word,
        EVE,
        known=[SWAP],
        bad=[
            ("a slot of another trade", replace(word, slot=bytes(32)), "wrong_link"),
        ],
    )
    foreign = Instance(EVE.public, TYPE.id, 0, bytes(16))
    weak = encode([content_bytes(replace(instance, creator=WEAK)), WEAK + bytes(32)])
    good, given = _raw(instance, MAKER), [TYPE.raw]
    yield Vector(
        "24.1",
        "what no record is",
        "take card record",
        {"raw": good, "known": given},
        (
            Bad("no list", {"raw": encode(b"")}, "bad_content"),
            Bad("not the shortest form", {"raw": b"\xdc\x00\x02" + good[1:]}, "bad_encoding"),
            Bad("something behind it", {"raw": good + b"\x00"}, "bad_encoding"),
            Bad(
                "another format",
                {"raw": encode([encode([2, *decode(decode(good)[0])[1:]]), bytes(64)])},
                "bad_content",
            ),
            Bad("no signature", {"raw": encode(decode(good)[:1])}, "bad_signature"),
            Bad("two of one signer", {"raw": encode([*decode(good), bytes(64)])}, "bad_signature"),
            Bad("somebody else's signature", {"raw": _raw(instance, EVE)}, "bad_signature"),
            Bad("a weak key", {"raw": weak}, "bad_identity"),
            Bad("another creator's type", {"raw": _raw(foreign, EVE)}, "wrong_creator"),
        ),
    )


def _vector(
    what: str,
    content: Content,
    by: Any,
    known: list[LedgerRecord] | None = None,
    *,
    bad: list[Any],
    known_too: list[LedgerRecord] | None = None,
) -> Vector:
    there = [record.raw for record in (known or []) + (known_too or [])]
    faults = tuple(Bad(fault, {"raw": _raw(other, by)}, code) for fault, other, code in bad)
    return Vector(
        "24.1", what, "take card record", {"raw": _raw(content, by), "known": there}, faults
    )


def _trades() -> Iterator[Vector]:
    trade = SWAP.content
    assert isinstance(trade, Trade)
    both = sorted((ANN, BOB), key=lambda one: one.public)
    one, other = (sign_content(who, trade) for who in both)
    known = [record.raw for record in (*CARDS, SWAP)]
    said = decode(content_bytes(trade))
    turned = tuple(replace(each, sender=1 - each.sender) for each in trade.transfers)

    def bad(fault: str, content: Trade, code: str) -> Bad:
        return Bad(fault, {"raw": _raw(content, *both)}, code)

    yield Vector(
        "24.2",
        "a swap of two cards",
        "take card record",
        {"raw": SWAP.raw, "known": known},
        (
            Bad(
                "one signature twice",
                {"raw": encode([content_bytes(trade), one, one])},
                "bad_signature",
            ),
            Bad(
                "the wrong order",
                {"raw": encode([content_bytes(trade), other, one])},
                "bad_signature",
            ),
            Bad("one is missing", {"raw": encode([content_bytes(trade), one])}, "bad_signature"),
            bad("with oneself", replace(trade, b=trade.a), "bad_content"),
            bad("descending", replace(trade, transfers=trade.transfers[::-1]), "bad_content"),
            bad("a card twice", replace(trade, transfers=trade.transfers[:1] * 2), "bad_content"),
            bad("no cards", replace(trade, transfers=()), "bad_content"),
            bad("an index too high", _index(trade, 2), "wrong_link"),
            bad("a waive twice", replace(trade, waives=(bytes(32),) * 2), "bad_content"),
            bad("what is no waive", replace(trade, waives=(SWAP.id,)), "wrong_link"),
            Bad(
                "of version 1", {"raw": encode([encode([1, *said[1:]]), one, other])}, "bad_content"
            ),
            bad("index 0 behind a trade", _index(trade, 0), "bad_content"),
            bad("from the wrong side", replace(trade, transfers=turned), "wrong_link"),
            bad(
                "created by who did not make it",
                trade_of(ANN, BOB, [slot_of(ONE.id)]),
                "wrong_creator",
            ),
            bad(
                "over itself, nearly",
                trade_of(ANN, BOB, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, TO_BOB.id)]),
                "wrong_link",
            ),
        ),
    )


def _index(trade: Trade, index: int) -> Trade:
    return replace(
        trade, transfers=(replace(trade.transfers[0], index=index), *trade.transfers[1:])
    )


def _views() -> Iterator[Vector]:
    words = [seen(TO_ANN, ONE, WITNESSES[0]), seen(TO_BOB, TWO, WITNESSES[0], 1)]
    words += [seen(SWAP, one, WITNESSES[0], number) for number, one in enumerate((ONE, TWO), 2)]
    walls = [maker(1, 1), *words]
    late = traded(ANN, BOB, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, SWAP.id)])
    sets: dict[str, list[LedgerRecord]] = {
        "what came back is traded again, of a card that was given twice": [SWAP, TWICE, AGAIN],
        "over what was waived, and again beside it": [SWAP, W_BOB, TWICE, late],
        "a trade that lists the waive of the one before": [SWAP, W_BOB, LISTED],
        "the waive that it lists is missing: it does not count": [SWAP, LISTED],
        "the waive that it lists is there, the first trade is not": [W_BOB, LISTED],
        "waived after all, but not listed: a conflict": [SWAP, W_BOB, TWICE],
        "two refusals, both listed, and all three finished": [SWAP, W_BOB, LISTED, W_CAROL, THIRD],
        "the second of these lists none": [SWAP, W_BOB, LISTED, W_CAROL, TWO_OPEN],
        "dead by the other card, and the cheat waives the second spend: dead it stays": [
            *(SWAP, SPEND, OVER, waive(SPEND, DAN)),
        ],
        "over a trade that its giver has waived": [SWAP, SPEND, OVER, waive(SWAP, ANN)],
        "the same without the replaced trade: the giver is named": [OVER, waive(SWAP, ANN)],
        "over a trade that holds: it is pending": [SWAP, late],
        "it is denied by who gave it: the card is burnt": [SWAP, waive(SWAP, ANN)],
        "a certified trade wins its slot and holds though it is denied": [
            SWAP,
            waive(SWAP, BOB),
            TWICE,
            *walls,
        ],
        "a witness that signs two counts for nothing": [
            SWAP,
            TWICE,
            *walls,
            seen(TWICE, ONE, WITNESSES[0], 4),
        ],
    }
    for what, records in sets.items():
        ordered = sorted((*CARDS, *records), key=lambda record: record.id)
        yield Vector("24.3", what, "look at cards", {"records": [record.raw for record in ordered]})
    alone = [record.raw for record in (SWAP, TWICE)]
    yield Vector("24.5", "an alarm needs nothing else", "look at cards", {"records": alone})
    alone = [record.raw for record in (W_BOB, LISTED, OPEN)]
    yield Vector("24.5", "an alarm of trades that list waives", "look at cards", {"records": alone})


def _next() -> Iterator[Vector]:
    sets: dict[str, list[LedgerRecord]] = {
        "nothing before it": [],
        "a refused trade that is known": [SWAP, W_BOB],
        "a refused trade that is not known here": [W_BOB],
        "a dead trade, over which it goes": [SWAP, SPEND],
        "a dead trade, and one over it that was refused": [SWAP, SPEND, OVER, waive(OVER, EVE)],
    }
    for what, records in sets.items():
        given = [record.raw for record in (*CARDS, *records)]
        yield Vector("24.3", what, "next trade of a card", {"records": given, "instance": ONE.id})


def _shown() -> Iterator[Vector]:
    made = traded(ANN, BOB, [slot_of(ONE.id)])
    lost = traded(MAKER, ANN, [slot_of(ONE.id, bytes(32))])
    again = traded(MAKER, EVE, [CardTransfer(ONE.id, 0, 1, None, TO_ANN.id)])
    unlisted = traded(MAKER, ANN, [slot_of(ONE.id)], waives=[W_BOB])
    cards: dict[str, tuple[Any, list[LedgerRecord], list[LedgerRecord]]] = {
        "its creator": (MAKER, [], []),
        "who was given it": (ANN, [TO_ANN], []),
        "somebody else": (BOB, [TO_ANN], []),
        "two hands, and a swap": (BOB, [TO_ANN, SWAP], []),
        "the first trade is missing": (BOB, [SWAP], []),
        "the same trade twice": (ANN, [TO_ANN, TO_ANN], []),
        "a trade of another card": (BOB, [TO_BOB], []),
        "given as new by who did not make it": (BOB, [made], []),
        "given by what is not there": (ANN, [lost], []),
        "an index too high": (
            *(BOB, [TO_ANN, traded(ANN, BOB, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, None)])], []),
        ),
        "over a dead trade, and its proof": (EVE, [TO_ANN, SWAP, OVER], [SPEND, FIRST_SPEND]),
        "over a dead trade, without a proof": (EVE, [TO_ANN, SWAP, OVER], []),
        "over a trade that holds": (EVE, [TO_ANN, again], []),
        "over a trade that its giver has waived": (EVE, [TO_ANN, again], [waive(TO_ANN, MAKER)]),
        "over a trade that its receiver has waived": (EVE, [TO_ANN, again], [waive(TO_ANN, ANN)]),
        "with the waive that it lists": (CAROL, [TO_ANN, LISTED], [W_BOB]),
        "without the waive that it lists": (CAROL, [TO_ANN, LISTED], []),
        "a listed waive that is none of this card's": (ANN, [unlisted], [W_BOB]),
        "the last trade is waived": (ANN, [TO_ANN], [waive(TO_ANN, ANN)]),
        "another record beside the trades": (ANN, [TO_ANN], [TYPE]),
    }
    for what, (holder, trades, beside) in cards.items():
        value = [ONE.raw, [TYPE.raw], *([one.raw for one in part] for part in (trades, beside))]
        given = {"card": value, "holder": holder.public}
        yield Vector("34.3", what, "take an owned card", given)
    foreign = {"card": [ONE.raw, [ONE.raw], [TO_ANN.raw], []], "holder": ANN.public}
    yield Vector("34.3", "a type that is none", "take an owned card", foreign)


def _disputes() -> Iterator[Vector]:
    shown = {
        "card": [ONE.raw, [TYPE.raw], [TO_ANN.raw], []],
        "holder": ANN.public,
    }
    sets: dict[str, tuple[list[LedgerRecord], list[LedgerRecord]]] = {
        "a trade that nothing speaks against": ([SWAP], []),
        "a trade that was waived": ([SWAP], [W_BOB]),
        "the dispute is about its first record": ([SWAP, W_BOB, LISTED], []),
        "given after a refusal, and refused again": ([LISTED, W_BOB, SWAP], [W_CAROL]),
        "a swap of which the other card was given twice": ([SWAP], [SPEND]),
        "two that conflict, and both are waived": ([SWAP, TWICE], [W_BOB, waive(TWICE, CAROL)]),
        "by somebody else": ([SPEND], []),
        "no trade": ([W_BOB], []),
        "a waive by the seat of a trade that it has the card by": ([waive(TO_ANN, ANN)], []),
        "the same by who gave it": ([waive(TO_ANN, MAKER)], []),
    }
    for what, (dispute, answer) in sets.items():
        given = {
            **shown,
            "dispute": [one.raw for one in dispute],
            "answer": [one.raw for one in answer],
        }
        yield Vector("34.5", what, "judge a dispute", given)
