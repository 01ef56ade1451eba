"""Cards that their players never had, or cannot show: the log names who plays them, and an unchanged
program does not bring them.
"""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from bots.random_bot import random_bot
from player.cards.collection import Collection
from player.cards.decks.deck_check import check_deck
from player.cards.decks.deck_models import CardProblem
from player.cards.decks.loadout import FolderLoadouts
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.cards.storage.rollback_guard import default_marks
from player.client.seat import Seat
from player.storage.locked_cards import read_locked_cards
from protocol import wire
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import LocalError, ProtocolViolation
from protocol.games import Action
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.games.operations import OpenCard
from protocol.i18n import load_translator
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import CardTransfer, CardType
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.limits import MAX_CARD_KEY, MAX_CARD_TEXT, MAX_CARD_VALUE, MAX_OPENED_CARD
from protocol.match.state import Match
from protocol.view.text import translate_phrase
from tests.support.collectors import STATE
from tests.support.ledger import DAN, EVE, MAKER, card, maker, slot_of, traded, waive
from tests.support.offline import Offline, make_offline

SEED = 7
MODES = ("open", "closing", "hidden")
DECK = 10
CHOICE = 6  # parts of a choice; steps of programs have others


def _people() -> tuple[Identity, Identity]:
    """Return the people at `make_offline`'s table."""
    rng = Random(SEED)
    rng.randbytes(32)
    return Identity(rng.randbytes(32)), Identity(rng.randbytes(32))


ANN, BOB = _people()


def _kind(text: str = "", values: tuple[tuple[str, int | str], ...] = ()) -> CardType:
    shown = tuple(sorted((("element", "fire"), ("strength", 3), *values)))
    return CardType(MAKER.public, None, 0, None, "Spark", "First", None, shown, False, text)


KIND = sign_record(_kind(), MAKER)
COPIES = [card(serial, KIND) for serial in range(2 * DECK)]
DEALT = [traded(MAKER, ANN if n < DECK else BOB, [slot_of(c.id)]) for n, c in enumerate(COPIES)]


def _owned(copy: LedgerRecord, *trades: LedgerRecord, types=(KIND,), beside=()) -> Owned:
    return Owned(copy.raw, *(tuple(one.raw for one in part) for part in (types, trades, beside)))


BOBS = tuple(_owned(COPIES[n], DEALT[n]) for n in range(DECK, 2 * DECK))


class Brazen(Seat):
    """Program that posts what names its seat. An unchanged one leaves before it does so."""

    def move(self, match: Match, action: Action) -> Post:
        try:
            return super().move(match, action)
        except ProtocolViolation:
            half = self._private_half(match) if len(action) == CHOICE else None
            parts = [half.part(match.deal, OpenCard(action[1] - 1, action[4] - 1))] if half else []
            return Post("move", [list(action), parts])


def _played(mode: str, ann: tuple[Owned, ...], bob: tuple[Owned, ...] = BOBS) -> Offline:
    options = {"cards": "owned", "mode": mode}
    found = make_offline(2, SEED, "element-duel", options, dealing="seeded")
    found.seats = [Brazen(ANN, 0, Random(0), Loadout(ann)), Seat(BOB, 1, Random(1), Loadout(bob))]
    found.bots = (random_bot, random_bot)
    found.play()
    return found


def _faults(found: Offline) -> list[tuple[int, Code]]:
    return [(fault.seat, fault.code) for fault in found.live.match.faults]


def _from_a_stranger(copy: LedgerRecord, dealt: LedgerRecord) -> Owned:
    """Attack 15. A key of one's own gives the card as if it had made it."""
    return _owned(copy, traded(DAN, ANN, [slot_of(copy.id)]))


def _from_nowhere(copy: LedgerRecord, dealt: LedgerRecord) -> Owned:
    """Attack 15. A key of one's own gives the card, as received by a trade that does not exist."""
    return _owned(copy, traded(DAN, ANN, [slot_of(copy.id, bytes(32))]))


def _from_another_owner(copy: LedgerRecord, dealt: LedgerRecord) -> Owned:
    """A key of one's own goes on from the trade by which the owner was given the card."""
    return _owned(copy, dealt, traded(DAN, ANN, [slot_of(copy.id, dealt.id)]))


def _over_nothing(copy: LedgerRecord, dealt: LedgerRecord) -> Owned:
    """The creator replaces a trade that does not exist, so no other trade conflicts with this."""
    return _owned(copy, traded(MAKER, ANN, [slot_of(copy.id, None, bytes(32))]))


def _over_the_owner(copy: LedgerRecord, dealt: LedgerRecord) -> Owned:
    """The creator replaces the owner's trade, which holds."""
    again = traded(MAKER, ANN, [CardTransfer(copy.id, 0, 1, None, dealt.id)])
    return _owned(copy, dealt, again)


def _lists_what_is_missing(copy: LedgerRecord, dealt: LedgerRecord) -> Owned:
    """The creator lists a waive that nobody has, so the trade conflicts with none."""
    refused = waive(traded(MAKER, EVE, [slot_of(copy.id)]), EVE)
    return _owned(copy, traded(MAKER, ANN, [slot_of(copy.id)], waives=[refused]))


def _waived(copy: LedgerRecord, dealt: LedgerRecord) -> Owned:
    """The trade is shown together with its waive."""
    given = traded(MAKER, ANN, [slot_of(copy.id)])
    return _owned(copy, given, beside=[waive(given, MAKER)])


FORGERS = (
    _from_a_stranger,
    _from_nowhere,
    _from_another_owner,
    _over_nothing,
    _over_the_owner,
    _lists_what_is_missing,
    _waived,
)


@pytest.mark.match
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("forge", FORGERS, ids=lambda forge: forge.__name__)
def test_card_without_its_chain_names_who_plays_it(forge, mode) -> None:
    """Ann plays the very copies that Bob has; his own program plays on and does not matter."""
    false = tuple(forge(COPIES[n], DEALT[n]) for n in range(DECK, 2 * DECK))
    found = _played(mode, false)
    assert _faults(found) == [(0, Code.NOT_OWNED)]
    assert found.live.match.winner == 1


def _revised(count: int) -> list[LedgerRecord]:
    """Return a type with this many revisions, all records of it."""
    kind = _kind()
    found = [sign_record(kind, MAKER)]
    for number in range(1, count + 1):
        previous = found[-1].id
        later = replace(kind, type=found[0].id, revision=number, previous=previous)
        found.append(sign_record(later, MAKER))
    return found


def _cards(types: list[LedgerRecord], owner: Identity) -> tuple[list[LedgerRecord], list[Owned]]:
    copies = [card(serial, types[0]) for serial in range(DECK)]
    trades = [traded(MAKER, owner, [slot_of(copy.id)]) for copy in copies]
    shown = [_owned(c, t, types=types) for c, t in zip(copies, trades, strict=True)]
    return [maker(), *types, *copies, *trades], shown


ACE = "\U0001f0a1"  # four bytes, as no character has more
BIG = _kind(
    ACE * MAX_CARD_TEXT,
    tuple((f"{number:2}" + ACE * (MAX_CARD_KEY - 2), ACE * MAX_CARD_VALUE) for number in range(30)),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    return tmp_path / "ann"


def _brings(folder: Path, records: list[LedgerRecord]) -> Loadout:
    """Load Ann's deck of all her cards, as her program does when she chooses it."""
    with closing(LedgerStore(folder, ANN.public, default_marks())) as store:
        store.add(records)
        cards = tuple(one.id for one in records if type(one.content).__name__ == "Instance")
        store.decks.make(NamedDeck("first", "element-duel", True, cards))
    return FolderLoadouts(folder).load(ANN.public, "first")


@pytest.mark.match
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "types", [_revised(16), [sign_record(BIG, MAKER)]], ids=["revised", "large"]
)
def test_card_with_a_long_type_is_opened(folder: Path, types, mode: str) -> None:
    """Attack 16. Seventeen records of a type, or one with the largest values, fit into a match."""
    records, _ = _cards(types, ANN)
    ann = _brings(folder, records)
    found = _played(mode, ann.cards)
    assert _faults(found) == []
    assert found.live.match.over
    assert found.live.match.game.error is None


@pytest.mark.parametrize("language", ["en", "de"])
def test_card_too_long_for_a_match_is_refused_when_chosen(folder: Path, language: str) -> None:
    """Attack 16, with more revisions than fit. Nothing is signed, and trades stay possible."""
    records, (shown, *_) = _cards(_revised(200), ANN)
    assert len(wire.encode([shown.instance, list(shown.types)])) > MAX_OPENED_CARD
    with pytest.raises(LocalError) as refused:
        _brings(folder, records)
    assert refused.value.phrase.key == "wrong.deck.card.now"
    said = translate_phrase(refused.value.phrase, load_translator(language))
    assert "Spark" in said
    assert {"en": "too long for a match", "de": "zu lang für eine Partie"}[language] in said
    with closing(LedgerStore(folder, ANN.public, default_marks())) as store:
        checked = check_deck(store.decks.named("first"), Collection(store, ANN.public))
    assert {one.wrong for one in checked.cards} == {CardProblem.LONG}
    assert not checked.legal
    assert read_locked_cards(folder) == frozenset()
