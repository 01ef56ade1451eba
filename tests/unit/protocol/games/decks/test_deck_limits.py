"""Bounds of openings, disputes and answers: bytes alone bind, and whatever is lawful fits an entry."""

from dataclasses import replace
from random import Random

from protocol import wire
from protocol.codes import Code
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout, loadout_bytes, read_loadout
from protocol.games.decks.evidence import gave_away, read_evidence
from protocol.games.decks.ledger_ownership import LedgerOwnership
from protocol.games.decks.match_decks import apply, parse, show
from protocol.games.decks.own_deck import OwnDeck
from protocol.games.decks.owned_card import card_fault
from protocol.games.decks.ownership import NoOwnership
from protocol.games.decks.slot_commitments import opening_bytes, read_opening
from protocol.games.decks.slot_opening import SALT, SlotOpening, card_value
from protocol.identity.keys import Identity
from protocol.ledger.evidence import death_proof
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import CardTransfer, CardType, Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.limits import (
    MAX_CARD_KEY,
    MAX_CARD_NAME,
    MAX_CARD_TEXT,
    MAX_CARD_VALUE,
    MAX_CARD_VALUES,
    MAX_DISPUTE,
    MAX_DISPUTE_RECORDS,
    MAX_EDITION,
    MAX_ENTRY,
    MAX_INT,
    MAX_NAME,
    MAX_OPENED_CARD,
    MAX_OPENED_RECORDS,
    MAX_OPENING,
    MAX_OPENINGS,
    MAX_OPENINGS_BYTES,
    MAX_PIECES,
    MAX_TRADE_WAIVES,
    MAX_TRANSFERS,
)
from protocol.match.log import EntryContent, make_entry
from tests.support.decks import BOUND, brought, own_decks, terms
from tests.support.ledger import ANN, BOB, CAROL, DAN, MAKER, TYPE, card, slot_of, trade_of, waive

ACE = "\U0001f0a1"  # four bytes, as no character has more
PARTS = 1024  # bytes of the dealing's parts of an action that opens a card; they have some hundred
LARGEST_TYPE = sign_record(
    CardType(
        MAKER.public,
        None,
        0,
        None,
        ACE * MAX_CARD_NAME,
        ACE * MAX_EDITION,
        bytes(32),
        tuple(
            (f"{number:2}" + ACE * (MAX_CARD_KEY - 2), ACE * MAX_CARD_VALUE)
            for number in range(MAX_CARD_VALUES)
        ),
        True,
        ACE * MAX_CARD_TEXT,
    ),
    MAKER,
)
CARDS = [card(number) for number in range(MAX_TRANSFERS)]
GIVEN = sign_record(trade_of(MAKER, ANN, [slot_of(one.id) for one in CARDS]), MAKER, ANN)


def _largest(taker: Identity, number: int) -> tuple[LedgerRecord, list[LedgerRecord]]:
    """Return a trade of Ann of as many cards as possible, and all the waives that it lists."""
    gives = [CardTransfer(one.id, 0, 1, GIVEN.id, None) for one in CARDS]
    bare = trade_of(ANN, taker, gives)
    earlier = [
        sign_record(replace(bare, number=number * 100 + each + 1), ANN, taker)
        for each in range(MAX_TRADE_WAIVES)
    ]
    waives = [waive(one, taker) for one in earlier]
    listed = tuple(sorted(one.id for one in waives))
    return sign_record(replace(bare, number=MAX_INT, waives=listed), ANN, taker), waives


def _size(records: list[LedgerRecord]) -> int:
    return sum(len(one.raw) for one in records)


def _entry_size(action: list[object]) -> int:
    content = EntryContent(8, MAX_INT, bytes(32), "move", [action, [bytes(PARTS)]])
    return len(make_entry(ANN, bytes(32), content))


SMALLEST = len(waive(GIVEN, ANN).raw)  # of all records that a proof has


def test_counts_of_records_bind_nobody() -> None:
    assert MAX_DISPUTE // SMALLEST <= MAX_DISPUTE_RECORDS
    assert MAX_OPENED_CARD // SMALLEST <= MAX_OPENED_RECORDS


def test_fullest_answer_and_dispute_fit_an_entry() -> None:
    each = MAX_DISPUTE // MAX_DISPUTE_RECORDS
    assert _entry_size(["answer", *[bytes(each)] * MAX_DISPUTE_RECORDS]) <= MAX_ENTRY
    assert _entry_size(["dispute", MAX_PIECES, bytes(MAX_DISPUTE)]) <= MAX_ENTRY


def test_fullest_openings_fit_an_entry() -> None:
    each = MAX_OPENINGS_BYTES // MAX_OPENINGS
    assert _entry_size(["open", *[bytes(each)] * MAX_OPENINGS]) <= MAX_ENTRY
    numbers = [MAX_PIECES] * 4
    assert _entry_size(["x" * MAX_NAME, *numbers, bytes(MAX_OPENING)]) <= MAX_ENTRY
    assert MAX_OPENINGS_BYTES >= MAX_OPENING


def test_largest_card_fits_an_opening() -> None:
    shown = wire.encode([MAX_PIECES, bytes(SALT), 0])
    assert len(shown) - 1 + MAX_OPENED_CARD <= MAX_OPENING


def test_card_with_largest_type_and_trade_can_be_opened() -> None:
    """Nobody can make a card that cannot be played at first."""
    trade, waives = _largest(BOB, 0)
    value = card_value(
        Owned(
            card(0, LARGEST_TYPE).raw,
            (LARGEST_TYPE.raw,),
            (trade.raw,),
            tuple(one.raw for one in waives),
        )
    )
    assert MAX_OPENED_CARD * 8 // 10 < len(wire.encode(value)) <= MAX_OPENED_CARD


def test_largest_conflict_fits_an_answer() -> None:
    """The largest proof that needs no other trade: two of 64 cards, each listing 64 waives."""
    sides = [_largest(CAROL, 0), _largest(DAN, 1)]
    records = [one for trade, waives in sides for one in (trade, *waives)]
    assert MAX_DISPUTE * 3 // 4 < _size(records) <= MAX_DISPUTE
    known = RecordSet([GIVEN, *records])
    found = death_proof(known, sides[0][0].id, MAX_DISPUTE)
    assert found is not None
    assert _size(list(found)) <= MAX_DISPUTE
    assert len(read_evidence(one.raw for one in found)) <= MAX_DISPUTE_RECORDS


def test_long_conflict_is_accused_by_one_trade() -> None:
    """Two trades that conflict are both over a third one, and each lists all the waives it can."""
    first, listed = _largest(CAROL, 0)
    sides = []
    for number, taker in ((1, CAROL), (2, DAN)):
        trade, waives = _largest(taker, number)
        assert isinstance(trade.content, Trade)
        moved = tuple(replace(one, index=2, over=first.id) for one in trade.content.transfers)
        sides.append(sign_record(replace(trade.content, transfers=moved), ANN, taker))
        listed += waives
    known = [TYPE, *CARDS, GIVEN, first, *sides, *listed]
    conflict = [first, *sides, *listed]
    assert _size(conflict) > MAX_DISPUTE
    knows = LedgerOwnership(RecordSet(known), IncrementalLedgerView(known))
    mine = Owned(CARDS[0].raw, (TYPE.raw,), (GIVEN.raw,))
    said = knows.counter_evidence(mine, ANN.public)
    assert len(said) == 1
    assert gave_away(mine, ANN.public, read_evidence(said))


def _chained(length: int, kind: LedgerRecord = TYPE) -> Owned:
    """Return a card that went back and forth between its creator and Ann, and is Ann's."""
    copy = card(0, kind)
    trades: list[LedgerRecord] = []
    for number in range(length):
        link = trades[-1].id if trades else None
        sides = (MAKER, ANN) if number % 2 == 0 else (ANN, MAKER)
        moved = trade_of(*sides, [CardTransfer(copy.id, 0, number, link, None)])
        trades.append(sign_record(moved, MAKER, ANN))
    return Owned(copy.raw, (kind.raw,), tuple(one.raw for one in trades))


def test_card_of_one_byte_too_many_names_who_opens_it() -> None:
    def with_text(size: int) -> Owned:
        assert isinstance(TYPE.content, CardType)
        return _chained(139, sign_record(replace(TYPE.content, text="x" * size), MAKER))

    room = MAX_OPENED_CARD - _length(with_text(300)) + 300
    assert 300 < room < MAX_CARD_TEXT
    assert card_fault(with_text(room), ANN.public) is None
    assert card_fault(with_text(room + 1), ANN.public) is Code.BAD_SLOT
    raw = opening_bytes(SlotOpening(MAX_PIECES, bytes(SALT), with_text(room + 1)))
    assert read_opening(raw).card == with_text(room + 1)


def test_card_at_the_bound_comes_back_from_disk() -> None:
    brings = Loadout((_chained(137),), "rules", NoOwnership())
    assert read_loadout(loadout_bytes(brings), brings.ownership) == brings


def test_card_at_the_bound_is_opened_by_its_program() -> None:
    """The longest chain that is not refused when a deck is chosen is opened in a match."""
    longest = max(
        range(1, 200, 2), key=lambda n: n if _length(_chained(n)) <= MAX_OPENED_CARD else 0
    )
    assert longest >= 130
    own = own_decks(owned=True)
    own[0] = OwnDeck(BOUND, 0, Random(5), (_chained(longest),), NoOwnership())
    said = terms(owned=True)
    decks = brought(own, said)
    with_one = replace(said, allows=lambda faces: True)
    action = ("open", *own[0].show(decks, [0]))
    assert parse(list(action)) == action
    assert show(decks, 0, list(action[1:]), with_one).opened
    assert apply(replace(decks, requested=(0,)), 0, action, with_one).opened[0] == SlotOpening(
        0, own[0].openings(decks)[0].salt, _chained(longest)
    )
    assert len(opening_bytes(own[0].openings(decks)[0])) <= MAX_OPENING


def _length(one: Owned) -> int:
    return len(wire.encode(card_value(one)))
