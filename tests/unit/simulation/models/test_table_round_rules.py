"""The table's model follows the rules of the game: whole rounds are replayed in the game, action by
action.
"""

from random import Random

import pytest

from protocol.games.ligretto.state import LigrettoPhase
from simulation.models import TableModel
from simulation.models.random_draws import shuffled
from simulation.models.run import run_rounds
from simulation.models.table_round import TableRound
from tests.support.ligretto import DECK, Dealer, ligretto

TABLES = (
    TableModel(),
    TableModel(seats=2, row=5, rescues=3),
    TableModel(seats=3, row=3, latency=(0.4,), think=(1.0, 3.0)),
    TableModel(seats=6, windows=0.5, latency=(0.0, 0.5), late_news=True),
    TableModel(seats=2, row=3, rescues=1, careful=(True, True), ahead=(True,)),
)


class Replayed(TableRound):
    """A round whose actions are also done in the game when they arrive."""

    def __init__(self, table, decks, random):
        self.dealer = Dealer.of(
            ligretto(table.seats, row=table.row, rescues=table.rescues, target=9999)
        )
        self.dealer.deal([[DECK * seat + card for card in deck] for seat, deck in enumerate(decks)])
        self.seen = [(0, 0)] * table.seats
        super().__init__(table, decks, random)

    def choose_slot(self, seat):
        """Choose among the lays that a player of the game has."""
        state, holding = self.dealer.state, self.holdings[seat]
        self.seen[seat] = state.actions, self.rescues
        visible = holding.visible()
        mine = {(slot, pile) for slot, card in enumerate(visible) for pile in self.fits[card]}
        legal = self.dealer.game.legal(state, seat)
        assert mine == {
            (slot, *(pile or [-1]))
            for word, slot, *pile in (act for act in legal if act != ("flip",))
        }
        assert (("flip",) in legal) == holding.may_flip()
        return super().choose_slot(seat)

    def take_lay(self, seat):
        slot, pile, late = self.slot[seat], self.pile[seat], self.late[seat]
        actions, rescues = self.seen[seat]
        action = ("open", slot) if pile < 0 else ("lay", slot, pile)
        if rescues == self.rescues:
            done = self.dealer.act(seat, action, actions)
        else:
            done = action in self.dealer.game.legal(self.dealer.state, seat) and self.dealer.act(
                seat, action
            )
        over = super().take_lay(seat)
        assert done == (self.late[seat] == late)
        self.rescued()
        return over

    def take_flip(self, seat):
        if self.holdings[seat].may_flip():
            self.dealer.act(seat, ("flip",))
        over = super().take_flip(seat)
        self.rescued()
        return over

    def rescued(self):
        while self.dealer.state.phase is LigrettoPhase.RESCUE:
            self.dealer.go_on()
        for own, holding in zip(self.dealer.state.seats, self.holdings, strict=True):
            assert [card % DECK for card in own.row if own.stock] == (
                holding.row if own.stock else []
            )
            assert (own.stock, own.mark, len(own.hand)) == (
                len(holding.stock),
                holding.mark,
                len(holding.hand),
            )


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_every_model_action_is_legal_in_game(table):
    random = Random(7)
    for expected in run_rounds(table, 7, 5):
        played = Replayed(table, [shuffled(random) for _ in range(table.seats)], random)
        found, dealer = played.play(), played.dealer
        assert found == expected
        assert dealer.state.phase is LigrettoPhase.SCORE
        dealer.go_on()
        result = dealer.state.result
        assert (result.stopped, result.points, result.laid) == (
            found.stop,
            found.points,
            found.laid,
        )
