"""Signatures of trades: the journal first, the book before the second signature, no slot twice."""

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import Waive
from protocol.ledger.records import sign_content, sign_record, waive_of
from protocol.ledger.trading.journal import JournalRefusal
from protocol.ledger.trading.trade_signer import TradeSigner
from tests.support.ledger import ANN, BOB, CAROL, EVE, free, trade_of
from tests.support.trading import CARDS, Person, two


class Steps:
    """A journal or a book that notes its calls, and fails at one of them as a crash does."""

    def __init__(self, inner: object, notes: list[str], crash: str = "") -> None:
        self._inner, self._notes, self._crash = inner, notes, crash

    def __getattr__(self, name: str):
        found = getattr(self._inner, name)
        if name not in ("sign_once", "waive_once", "finish", "release", "add"):
            return found

        def noted(*values, **named):
            if name == self._crash:
                raise OSError(name)
            self._notes.append(name)
            return found(*values, **named)

        return noted


@pytest.fixture
def ann(tmp_path) -> Person:
    return two(tmp_path)[0]


def signer(person: Person, notes: list[str] | None = None, crash: str = "") -> TradeSigner:
    notes = [] if notes is None else notes
    return TradeSigner(
        person.me, Steps(person.book, notes, crash), Steps(person.journal, notes, crash)
    )


def gift(person: Person, to=BOB, card: int = 0):
    return trade_of(ANN, to, free(person.book.view, CARDS[card]))


def test_first_signature_reserves_the_cards(ann):
    promised = signer(ann).sign_first(gift(ann), warned=False)
    assert ann.journal.reserved() == (promised,)
    assert signer(ann).pending(BOB.public) == (promised,)
    assert signer(ann).pending(CAROL.public) == ()


def test_second_trade_of_a_slot_is_refused(ann):
    signer(ann).sign_first(gift(ann), warned=False)
    with pytest.raises(JournalRefusal):
        signer(ann).sign_first(gift(ann, CAROL), warned=False)
    signer(ann).sign_first(gift(ann, CAROL, card=1), warned=False)


def test_second_signature_is_in_journal_and_then_in_book(ann):
    notes: list[str] = []
    trade = gift(ann)
    record = signer(ann, notes).sign_second(trade, sign_content(BOB, trade), warned=False)
    assert notes == ["sign_once", "add"]
    assert ann.book.find(record.id) == record and not ann.owns(CARDS[0])


@pytest.mark.parametrize(("crash", "signed"), [("sign_once", False), ("add", True)])
def test_crash_between_journal_and_book_loses_only_a_message(ann, crash, signed):
    trade = gift(ann)
    theirs = sign_content(BOB, trade)
    with pytest.raises(OSError, match=crash):
        signer(ann, crash=crash).sign_second(trade, theirs, warned=False)
    ann.stop()
    ann.start()
    name = sign_record(trade, ANN, BOB).id
    answer = signer(ann).previous_answer(name)
    assert (answer == sign_content(ANN, trade)) is signed
    assert ann.owns(CARDS[0]) is not signed


def test_signature_of_somebody_else_is_never_journaled(ann):
    trade, before = gift(ann), ann.journal.standing()
    with pytest.raises(RemoteError) as raised:
        signer(ann).sign_second(trade, sign_content(EVE, trade), warned=False)
    assert raised.value.code is Code.BAD_SIGNATURE
    assert ann.journal.standing() == before and ann.owns(CARDS[0])


def test_answer_finishes_a_trade_once(ann):
    trade = gift(ann)
    promised = signer(ann).sign_first(trade, warned=False)
    theirs = sign_content(BOB, trade)
    record = signer(ann).finish(promised.id, BOB.public, theirs)
    assert record is not None and not ann.owns(CARDS[0])
    assert ann.journal.reserved() == ()
    assert signer(ann).finish(promised.id, BOB.public, theirs) is None


@pytest.mark.parametrize(("partner", "known"), [(CAROL, True), (BOB, False)])
def test_answer_to_trade_not_signed_with_partner_is_refused(ann, partner, known):
    trade = gift(ann)
    name = sign_record(trade, ANN, BOB).id
    if known:
        signer(ann).sign_first(trade, warned=False)
    with pytest.raises(RemoteError) as raised:
        signer(ann).finish(name, partner.public, sign_content(BOB, trade))
    assert raised.value.code is Code.NOT_NOW


def test_waive_of_a_signed_trade_is_refused(ann):
    trade = gift(ann)
    signer(ann).sign_first(trade, warned=False)
    with pytest.raises(JournalRefusal):
        signer(ann).waive(trade)


def test_waived_trade_is_never_signed(ann):
    trade = gift(ann)
    record = signer(ann).waive(trade)
    assert signer(ann).previous_answer(sign_record(trade, ANN, BOB).id) == record
    with pytest.raises(JournalRefusal):
        signer(ann).sign_first(trade, warned=False)


def test_waive_of_the_partner_frees_the_cards(ann):
    trade = gift(ann)
    promised = signer(ann).sign_first(trade, warned=False)
    theirs = sign_record(waive_of(trade, BOB.public), BOB)
    assert signer(ann).release(theirs, BOB.public) == promised.id
    assert ann.journal.reserved() == ()
    assert signer(ann).required_waives([CARDS[0].id]) == (theirs.id,)
    assert signer(ann).release(theirs, BOB.public) is None


def test_false_waive_frees_nothing(ann):
    promised = signer(ann).sign_first(gift(ann), warned=False)
    with pytest.raises(RemoteError) as raised:
        signer(ann).release(sign_record(Waive(EVE.public, promised.id), EVE), BOB.public)
    assert raised.value.code is Code.BAD_TRADE
    assert ann.journal.reserved() == (promised,)


def test_next_trade_must_list_the_waive_of_the_first(ann):
    """Both may be finished later, whatever the partner has waived."""
    signer(ann).sign_first(gift(ann), warned=False)
    frees = sign_record(waive_of(gift(ann), BOB.public), BOB)
    signer(ann).release(frees, BOB.public)
    with pytest.raises(JournalRefusal):
        signer(ann).sign_first(gift(ann, CAROL), warned=True)
    listing = trade_of(ANN, CAROL, free(ann.book.view, CARDS[0]), waives=[frees])
    signer(ann).sign_first(listing, warned=False)
