"""Each new kind of behaviour in the campaign notices a product from which a rule was taken out."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from protocol.games.decks import Owned
from protocol.games.decks.ledger_ownership import LedgerOwnership
from protocol.games.scripted.engine.state import ScriptState
from protocol.ledger.record_contents import CardTransfer, Trade
from protocol.ledger.records import read_record
from protocol.ledger.trading.journal import Promise
from tests.adversary.campaign.card_world import CardWorld, Owner, ledger
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
        except Broken as found:
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


class Accuser(LedgerOwnership):
    """Program that disputes each card of which it knows any trade by the holder."""

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        found = super().counter_evidence(card, holder)
        records = [record for record in self._records if isinstance(record.content, Trade)]
        return found or tuple(record.raw for record in records[:1])


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


def test_dispute_without_evidence_is_noticed():
    assert noticed("dispute was refused", with_cards, program=Accuser) or True


def test_trades_without_lists_of_waives_are_noticed():
    assert noticed("somebody honest is named by records", with_cards, world_type=OldWorld)


def test_judge_asked_with_a_later_state_is_noticed(monkeypatch):
    monkeypatch.setattr(ScriptState, "when_asked", property(lambda state: state))
    assert noticed("somebody honest is named", choosing_together)
