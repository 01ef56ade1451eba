"""The hand that a seat held in a match that is not over, from the seed that is stored beside its log.

No log opens such a hand: its pieces are opened when the deal ends.
"""

from collections.abc import Mapping
from types import MappingProxyType

from player.client.deterministic_seat import DeterministicSeat
from player.client.seat import Seat
from player.storage.recovery_state import RecoveryState
from protocol.audit.history import MatchHistory
from protocol.audit.replay import Step
from protocol.errors import FairdealError
from protocol.games import Hand
from protocol.identity.keys import Identity
from protocol.match.state import Match

NO_HANDS: Mapping[int, Hand] = MappingProxyType({})


class _Reading:
    """A log of which all entries up to one step have been read."""

    def __init__(self, history: MatchHistory) -> None:
        reader = history.replay.reader
        assert reader is not None
        self._hashes = reader.log.chain_hashes
        self.step: Step = history.steps[0]
        self.over = False

    @property
    def log(self) -> "_Reading":
        """Return this reading, which knows the newest head."""
        return self

    @property
    def match(self) -> Match:
        """Return the state after the step."""
        return self.step.after

    @property
    def newest_head(self) -> tuple[int, bytes]:
        """Return number and hash of the step's entry."""
        return self.step.number, self._hashes[self.step.number]


def own_hands(
    history: MatchHistory, state: RecoveryState, identity: Identity
) -> Mapping[int, Hand]:
    """Return the hand of the stored seat after each entry of the deal that is under way. It is empty
    if no deal is, if the state belongs to another match or person, and in games with private halves.
    """
    deal = history.deals[-1] if history.deals else None
    if deal is None or deal.last is not None or not _belongs(history, state, identity):
        return NO_HANDS
    reading = _Reading(history)
    number = state.agreement.seat
    assert number is not None
    try:
        seat = DeterministicSeat(Seat, identity, number, state.seed, reading)
        hands = {}
        for step in history.steps[deal.first :]:
            reading.step = step
            seat.follow()
            hands[step.number] = seat.seat.held(step.after)
    except FairdealError:  # the log is not the one that the seed was made for
        return NO_HANDS
    return hands


def _belongs(history: MatchHistory, state: RecoveryState, identity: Identity) -> bool:
    """Check that the state is that of a seat in this match, and its identity this one."""
    match = history.steps[0].after
    agreement = state.agreement
    reader = history.replay.reader
    return (
        agreement.seat is not None
        and agreement.seat < match.setup.seats
        and not match.setup.spec.private_half
        and match.setup.people[agreement.seat].identity == identity.public
        and reader is not None
        and reader.log.match_id == agreement.match_id
    )
