"""Judgement of shown cards by a program with a ledger."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from protocol.games.decks import Owned
from protocol.games.decks.ledger_ownership import LedgerOwnership, card_of, objection
from protocol.games.decks.match_decks import DeckPhase, DeckTerms, Mode, new_decks
from protocol.games.decks.own_deck import OwnDeck
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import CardTransfer, CardType
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.ledger.type_revisions import TypeRevisions
from protocol.ledger.view import evaluate
from protocol.limits import MAX_DISPUTE
from tests.support.decks import BOUND, cards_of, run
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    EVE,
    MAKER,
    card,
    free,
    slot_of,
    traded,
    waive,
)

CARD, BEHIND = cards_of(0)[0]
SOLD = traded(ANN, CAROL, free(evaluate(BEHIND), BEHIND[1]))


def _knowing(records: Iterable[LedgerRecord]) -> tuple[RecordSet, IncrementalLedgerView]:
    found, seen = RecordSet(), IncrementalLedgerView()
    for record in records:
        found.add(record)
        seen.add(record)
    return found, seen


def _knows(*records: LedgerRecord) -> LedgerOwnership:
    return LedgerOwnership(*_knowing([*BEHIND, *records]))


def test_honest_card_is_accepted_known_or_unknown() -> None:
    assert _knows().accepts(CARD, ANN.public) and LedgerOwnership(*_knowing([])).accepts(
        CARD, ANN.public
    )
    assert _knows().counter_evidence(CARD, ANN.public) == ()


def test_sold_card_is_refused_with_records_against_it() -> None:
    knows = _knows(SOLD)
    assert not knows.accepts(CARD, ANN.public)
    assert SOLD.raw in knows.counter_evidence(CARD, ANN.public)


def test_burnt_card_is_refused_without_blaming_innocent_holder() -> None:
    knows = _knows(traded(MAKER, EVE, [slot_of(BEHIND[1].id)]))
    assert not knows.accepts(CARD, ANN.public) and knows.counter_evidence(CARD, ANN.public) == ()


def test_type_signed_twice_by_creator_is_refused() -> None:
    loose = sign_record(
        CardType(MAKER.public, None, 0, None, "Newt", "First", None, (), False, ""), MAKER
    )
    both = [
        sign_record(
            CardType(
                MAKER.public,
                loose.id,
                1,
                loose.id,
                "Newt",
                "First",
                None,
                (("fire", value),),
                False,
                "",
            ),
            MAKER,
        )
        for value in (1, 9)
    ]
    copy = card(1, loose)
    given = traded(MAKER, ANN, free(evaluate([loose, copy]), copy))
    mine = Owned(copy.raw, (loose.raw, both[0].raw), (given.raw,))
    records = [loose, copy, given, both[0]]
    assert LedgerOwnership(*_knowing(records)).accepts(mine, ANN.public)
    known, seen = _knowing([*records, both[1]])
    assert not LedgerOwnership(RecordSet(), seen).accepts(mine, ANN.public)
    assert objection(mine, ANN.public, known, seen, frozenset()) == "twice"


def test_card_without_a_proof_that_fits_is_not_brought() -> None:
    """Ann swapped her card for one that came to Carol by a trade which is dead. The proof is a
    chain of trades, which grows with every hand that the other card went through.
    """
    theirs = card(900)
    records = [*BEHIND, theirs]
    hands = (MAKER, CAROL, EVE)
    steps = 1 + MAX_DISPUTE // len(SOLD.raw)
    steps += -(steps - 1) % 3  # Carol has the card last
    chain = []
    for number in range(steps):
        index = 0 if number == 0 else number
        one = CardTransfer(theirs.id, 0, index, chain[-1].id if chain else None, None)
        chain.append(traded(hands[number % 3], hands[(number + 1) % 3], [one]))
    came = CardTransfer(theirs.id, 0, steps, chain[-1].id, None)
    swap = traded(ANN, CAROL, free(evaluate(BEHIND), BEHIND[1]), [came])
    dead = waive(chain[0], CAROL)
    known = _knowing([*records, *chain, swap, dead])
    assert objection(CARD, ANN.public, *known, frozenset()) == "unproven"
    near = _knowing([*records, *chain, swap, dead, waive(chain[-2], EVE)])
    assert objection(CARD, ANN.public, *near, frozenset()) is None
    assert len(LedgerOwnership(*near).defence(CARD, [swap.raw])) == 3


def test_card_of_a_distrusted_creator_is_not_accepted() -> None:
    known = _knowing(BEHIND)
    assert not LedgerOwnership(*known, {MAKER.public}).accepts(CARD, ANN.public)
    assert LedgerOwnership(*known, {ANN.public}).accepts(CARD, ANN.public)
    assert objection(CARD, ANN.public, *known, frozenset()) is None


def test_card_of_another_owner_is_not_accepted() -> None:
    """Bob has the very copy that Ann shows: its creator gave it to both."""
    bobs = traded(MAKER, BOB, [slot_of(BEHIND[1].id)])
    known = _knowing([*BEHIND[:2], bobs])
    assert known[1].holding(BEHIND[1].id).owner == BOB.public  # type: ignore[union-attr]
    assert not LedgerOwnership(*known).accepts(CARD, ANN.public)
    assert LedgerOwnership(*known).counter_evidence(CARD, ANN.public) == ()


def test_card_by_waived_trade_is_not_accepted() -> None:
    last = traded(ANN, EVE, free(evaluate(BEHIND), BEHIND[1]))
    shown = replace(CARD, trades=(*CARD.trades, last.raw))
    known = [*BEHIND[:2], waive(BEHIND[2], MAKER)]
    assert LedgerOwnership(*_knowing(BEHIND)).accepts(shown, EVE.public)
    assert not LedgerOwnership(*_knowing(known)).accepts(shown, EVE.public)


def test_trade_undone_by_its_receiver_is_disputed() -> None:
    denial = waive(BEHIND[2], ANN)
    assert _knows(denial).counter_evidence(CARD, ANN.public) == (denial.raw,)
    assert _knows(waive(BEHIND[2], MAKER)).counter_evidence(CARD, ANN.public) == ()


def test_card_is_brought_with_the_waives_that_show_it() -> None:
    """Carol refused the card, and Bob got it by a trade that lists her waive."""
    refused = waive(SOLD, CAROL)
    last = traded(ANN, BOB, free(evaluate([*BEHIND, refused]), BEHIND[1]), waives=[refused])
    records, view = _knowing([*BEHIND, refused, last])
    types = TypeRevisions()
    types.add(BEHIND[0])
    mine = card_of(BEHIND[1].id, records, view, types.newest)
    assert mine is not None
    assert (mine.trades, mine.beside) == ((*CARD.trades, last.raw), (refused.raw,))
    assert objection(mine, BOB.public, records, view, frozenset()) is None
    bare = replace(mine, beside=())
    assert objection(bare, BOB.public, records, view, frozenset()) == "unshown"


def test_card_too_long_to_open_is_not_brought() -> None:
    loose = sign_record(replace(BEHIND[0].content, frozen=False), MAKER)  # type: ignore[type-var]
    types = [loose]
    for number in range(1, 200):
        content = replace(
            loose.content,  # type: ignore[type-var]
            type=loose.id,
            revision=number,
            previous=types[-1].id,
        )
        types.append(sign_record(content, MAKER))
    copy = card(5, loose)
    given = traded(MAKER, ANN, [slot_of(copy.id)])
    known = _knowing([*types, copy, given])
    revisions = TypeRevisions()
    for record in types:
        revisions.add(record)
    mine = card_of(copy.id, *known, revisions.newest)
    assert mine is not None
    assert objection(mine, ANN.public, *known, frozenset()) == "long"
    first = replace(mine, types=mine.types[:17])
    assert objection(first, ANN.public, *known, frozenset()) is None


def test_defence_is_the_refuting_record() -> None:
    frees = waive(SOLD, CAROL)
    assert _knows(SOLD, frees).defence(CARD, [SOLD.raw]) == (frees.raw,)
    assert _knows(SOLD).defence(CARD, [SOLD.raw]) == ()


def test_doubtful_own_cards_are_reported_before_playing() -> None:
    known = _knowing(BEHIND)
    mine = BEHIND[1].id
    assert objection(CARD, ANN.public, *known, frozenset()) is None
    assert objection(CARD, BOB.public, *known, frozenset()) == "unowned"
    assert objection(CARD, ANN.public, *known, frozenset({mine})) == "reserved"
    assert objection(CARD, ANN.public, *_knowing([*BEHIND, SOLD]), frozenset()) == "unowned"
    burnt = _knowing([*BEHIND, SOLD, traded(ANN, EVE, free(evaluate(BEHIND), BEHIND[1]))])
    assert objection(CARD, ANN.public, *burnt, frozenset()) == "burnt"


def test_card_brings_newest_type_and_last_trade() -> None:
    records, seen = _knowing(BEHIND)
    types = TypeRevisions()
    for record in BEHIND:
        types.add(record)
    assert card_of(BEHIND[1].id, records, seen, types.newest) == CARD
    assert card_of(bytes(32), records, seen, types.newest) is None


def test_knowing_program_disputes_sold_card_and_honest_one_answers() -> None:
    said = DeckTerms(Mode.OPEN, lambda faces: True)
    theirs = tuple(one for one, _ in cards_of(1))
    frees = waive(SOLD, CAROL)
    own = [
        OwnDeck(BOUND, 0, Random(0), (CARD,), _knows(SOLD, frees)),
        OwnDeck(BOUND, 1, Random(1), theirs, _knows(SOLD)),
    ]
    decks = run(new_decks(BOUND), own, said, DeckPhase.DONE)
    # cleared; Bob's program, which does not know the defence, refuses to play
    assert decks.disputed == {(1, 0)} and decks.declined == 1
