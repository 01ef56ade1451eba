"""Each new kind of behaviour in the campaign notices a product from which a rule was taken out."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from protocol.errors import Refused
from protocol.games.decks import Owned, match_decks
from protocol.games.decks.ledger_ownership import LedgerOwnership
from protocol.games.decks.slot_commitments import read_owned
from protocol.games.scripted.engine.state import ScriptState
from protocol.ledger.record_contents import CardTransfer
from protocol.ledger.trading.journal import Promise
from tests.adversary.campaign.card_world import CardWorld, Owner
from tests.adversary.campaign.checks import Broken, check
from tests.adversary.campaign.match_plan import Plot, choosing_together, with_cards
from tests.adversary.campaign.play import begun
from tests.support.memo import memoised

pytestmark = [pytest.mark.match, pytest.mark.slow]
SEEDS = range(1, 60)


def failures(plots: Callable[[int], Plot], **broken: Callable) -> Iterator[str]:
    """Play matches with a broken product, and yield the promises that it breaks."""
    for seed in SEEDS:
        try:
            with memoised():
                match = begun(plots(seed), **broken)
                match.run()
                check(match)
        except (Broken, Refused, TypeError) as found:
            yield str(found)


def noticed(said: str, plots: Callable[[int], Plot], **broken: Callable) -> bool:
    """Play matches with a broken product until this promise is broken."""
    return any(said in found for found in failures(plots, **broken))


class OneRecord(LedgerOwnership):
    """Program that looks for one record against a dispute, and not for one for each trade."""

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        return super().defence(card, said)[:1]


class Silent(LedgerOwnership):
    """Program that answers no dispute."""

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        return ()


class Blamer(LedgerOwnership):
    """Program that holds the lies of a card's creator against the owner of the card."""

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        creator = read_owned(card).creator
        lies = [one for one in self._view.alarms if one.key == creator]
        return super().counter_evidence(card, holder) or tuple(
            record.raw for one in lies[:1] for record in one.records
        )


class NoList(Owner):
    """Person whose program lists no waives in its trades, as before decision 0096."""

    def uncovered(self, one: CardTransfer, waives: tuple[bytes, ...] = ()) -> tuple[Promise, ...]:
        return tuple(each for each in super().uncovered(one, waives) if not each.released)


class OldWorld(CardWorld):
    """World in which trades list no waives."""

    person = NoList


class Careless(Owner):
    """Person whose program brings every card that it once got."""

    def may_bring(self, card: Owned) -> bool:
        return True


class CarelessWorld(CardWorld):
    """World in which programs bring cards without a look at what was signed of them."""

    person = Careless


@pytest.mark.parametrize("program", [Silent, OneRecord])
def test_dispute_without_its_answer_is_noticed(program):
    assert noticed("somebody honest is named", with_cards, program=program)


def test_owner_blamed_for_the_creator_is_noticed():
    assert noticed("lacking", with_cards, program=Blamer)


def test_cards_brought_without_a_look_are_noticed():
    assert noticed("somebody honest is named", with_cards, world_type=CarelessWorld)


def test_trades_without_lists_of_waives_are_noticed():
    assert noticed("somebody honest is named by records", with_cards, world_type=OldWorld)


def test_entry_that_stops_its_readers_is_noticed(monkeypatch):
    def fails(*values):
        raise TypeError("no order")

    monkeypatch.setattr(match_decks, "gave_away", fails)
    assert noticed("stops its readers", with_cards)


def test_judge_asked_with_a_later_state_is_noticed(monkeypatch):
    monkeypatch.setattr(ScriptState, "when_asked", property(lambda state: state))
    assert noticed("somebody honest is named", choosing_together)
