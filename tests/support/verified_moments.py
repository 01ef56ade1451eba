"""All states of a verified deal, and the result of an entry in each."""

from functools import cache
from typing import Any

from protocol.codes import Code
from protocol.dealing.verified import fold
from protocol.dealing.verified.stages import ENTRY_SHAPES, VerifiedStage
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import ProtocolViolation, Refused
from protocol.games.operations import Look
from tests.support.verified import DEALING, VerifiedDeal, begin


@cache
def moments(
    options: tuple[tuple[str, Any], ...] = (),
) -> tuple[tuple[VerifiedDeal, VerifiedState], ...]:
    """Run a deal and return its states: before every entry, and at a draw, a reshuffle and the
    close.
    """
    deal = begin(3, 6, 1, 1, dict(options))
    states = []

    def run() -> None:
        while any(step(seat) for seat in range(3)):
            pass

    def step(seat: int) -> bool:
        states.append(deal.state)
        return deal.step(seat)

    run()
    deal.state = fold.apply_operation(deal.state, 1, Look(1, 1), [], deal.at)
    run()
    deal.show(0, deal.hands[0][0])
    deal.state = fold.reshuffle_cards(deal.state, [0, 1], deal.at)
    run()
    deal.state = fold.close(deal.state, None, deal.at)
    run()
    return tuple((deal, state) for state in states)


def posted_by(deal: VerifiedDeal, state: VerifiedState, author: int, kind: str) -> list:
    """Return the body that this seat honestly posted in this stage."""
    later = deal.entries[max(state.duties_since - 1, 0) :]
    return next(body for who, posted, body in later if (who, posted) == (author, kind))


def offer(
    state: VerifiedState, author: int, kind: str, body: Any, at: int = 999
) -> VerifiedState | Refused | ProtocolViolation:
    """Check and apply an entry as the match does: shape, then duty, then fold."""
    if not ENTRY_SHAPES[kind](body) or (author, kind) not in state.duties():
        return Refused(Code.BAD_ENTRY)
    try:
        return DEALING.apply(state, author, kind, body, at)
    except (Refused, ProtocolViolation) as error:
        return error


def honest(stage: VerifiedStage, author: int) -> tuple[VerifiedDeal, VerifiedState, list]:
    """Return a state in which this seat has to post, with its honest post."""
    for deal, state in moments():
        if state.stage is stage and author in [seat for seat, _ in state.duties()]:
            kind = state.duties()[0].kind
            return deal, state, posted_by(deal, state, author, kind)
    raise AssertionError(stage)
