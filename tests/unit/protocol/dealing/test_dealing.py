"""Defaults of `Dealing`, and the methods that no protocol replaces."""

from dataclasses import dataclass, field
from random import Random

import pytest

from protocol.codes import Code
from protocol.dealing import Dealing, DealLoss, Post
from protocol.dealing.registry import DEALINGS
from protocol.errors import Refused
from protocol.games.operations import Look, Operation, Reveal, Turn

NO_KINDS = {}


@dataclass(frozen=True)
class BareState:
    """A state that records what was done, and shows one loose card."""

    operations: tuple[Operation, ...] = ()
    public_faces: dict[int, int] = field(default_factory=lambda: {4: 7})


class BareDealing(Dealing):
    """A dealing that defines the abstract methods alone. It draws and shows, and no more."""

    name = "bare"
    entry_shapes = NO_KINDS
    entry_meanings = NO_KINDS

    def supports(self, operation):
        return isinstance(operation, Look | Reveal | Turn)

    def secrecy(self, options, seats, with_own_decks):
        raise NotImplementedError

    def begin(self, context, at):
        return BareState()

    def apply(self, state, author, kind, body, at):
        return state

    def apply_operation(self, state, seat, operation, part, at):
        return BareState((*state.operations, operation))

    def close(self, state, show, at):
        return state

    def revealed_hands(self, states):
        return lambda state, seat: None

    def seat_half(self, context, seat, key, rng):
        raise NotImplementedError


class DeckDealing(BareDealing):
    """A dealing in which place n of an own deck turns out to be piece n + 10."""

    def turned_pieces(self, state, turn):
        return tuple(place + 10 for place in turn.places)


BARE = BareDealing()
STATE = BARE.begin(None, 0)


def test_dealing_without_protest_refuses_it():
    with pytest.raises(Refused) as refused:
        BARE.protest(STATE, 0, 1)
    assert refused.value.code is Code.NOT_NOW


def test_dealing_without_leavers_is_void():
    assert BARE.leave(STATE, 0, 1) is DealLoss.VOID


def test_dealing_without_stand_in_opens_no_silent_hand():
    assert BARE.stand_in(STATE, 0) is None


def test_dealing_without_table_half_has_none():
    assert not BARE.needs_table and BARE.table_half(None, Random(1)) is None


def test_dealing_of_any_size_fits_by_default():
    BARE.check_size({}, 16, 1000)
    assert BARE.pending_log_bytes(STATE) == 0


def test_dealing_without_facts_tells_none():
    assert BARE.facts(STATE, 0, Post("commit", []), STATE) == ()


def test_seen_cards_are_the_public_ones_by_default():
    assert BARE.seen_cards([STATE])(STATE, 0) == {4: 7}


def test_dealing_that_lacks_an_abstract_method_is_no_dealing():
    class Incomplete(BareDealing):
        close = Dealing.close

    with pytest.raises(TypeError, match="close"):
        Incomplete()


def test_apply_operations_performs_them_in_order():
    wanted = [Look(1, 0), Reveal(3)]
    assert BARE.apply_operations(STATE, 0, wanted, [[], [3]], 1).operations == tuple(wanted)


@pytest.mark.parametrize("parts", [[], [[]], [[], [], []]])
def test_apply_operations_with_wrong_number_of_parts_refuses(parts):
    with pytest.raises(Refused) as refused:
        BARE.apply_operations(STATE, 0, [Look(1, 0), Look(1, 0)], parts, 1)
    assert refused.value.code is Code.BAD_ENTRY


def test_apply_operations_without_deal_refuses_parts_alone():
    nothing = DEALINGS["none"]
    assert nothing.apply_operations(None, 0, (), [], 1) is None
    with pytest.raises(Refused) as refused:
        nothing.apply_operations(None, 0, (), [[]], 1)
    assert refused.value.code is Code.BAD_ENTRY


def test_apply_operations_with_unsupported_one_refuses():
    nothing = DEALINGS["none"]
    with pytest.raises(Refused) as refused:
        nothing.apply_operations(None, 0, [Look(1, 0)], [[]], 1)
    assert refused.value.code is Code.NOT_NOW


def test_turned_pieces_of_joins_those_of_all_turns():
    turned = [Turn(0, (2, 0)), Look(1, 0), Turn(1, (5,))]
    assert BARE.turned_pieces_of(STATE, turned) == ()
    assert DeckDealing().turned_pieces_of(STATE, turned) == (12, 10, 15)


@pytest.mark.parametrize("name", DEALINGS)
def test_dealing_is_listed_under_its_own_name(name):
    dealing = DEALINGS[name]
    assert dealing.name == name
    assert dealing.entry_shapes.keys() == dealing.entry_meanings.keys()
