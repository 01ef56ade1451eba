"""A seat that may do nothing at all: rules have left it without a choice, and nobody is named for that.

Its program says so, with `LEAVE`. Everybody sees that nothing is legal of what can be judged in the open; what only
its owner can judge is believed. Too many of these in a row are an error of the rules: nobody has anything to do. But
if only some were believed, the others have won.
"""

from contextlib import suppress
from enum import Enum
from typing import Any

from protocol.codes import Code
from protocol.errors import Refused
from protocol.frozen import replace
from protocol.games import Action
from protocol.games.decks import Face
from protocol.games.scripted.engine.budget import Budget, Spent
from protocol.games.scripted.engine.moves import hand_of, kinds, possible, targets, tells, told
from protocol.games.scripted.engine.public import face, public
from protocol.games.scripted.engine.state import Ask, Effect, Noted, State, Table
from protocol.games.scripted.reading.constants import Kind
from protocol.games.scripted.reading.contract import refused
from protocol.limits import MAX_SCRIPT_CHOICES, MAX_SCRIPT_IDLE, SCRIPT_IDLE_STEPS
from protocol.rules import RuleError

LEAVE: Action = ("leave", 0, 0, 0, 0, b"")


class Left(Enum):
    """What everybody can say of what a seat may do."""

    CHOICE = 1  # something
    NOTHING = 2
    UNKNOWN = 3  # a card that it alone knows could be shown, or to find out is too much work


def bounded(table: Table, state: State) -> State:
    """The same, if nobody is asked to choose from more than programs can ask rules about. Raises: RuleError."""
    ask = state.ask
    if ask is not None and any(_count(table, state, seat, ask) > MAX_SCRIPT_CHOICES for seat in ask.seats):
        raise refused("script.choices", most=MAX_SCRIPT_CHOICES)
    return state


def _count(table: Table, state: State, seat: int, ask: Ask) -> int:
    return sum(
        len(targets(table, state, kind.card, seat))
        * len(targets(table, state, kind.target, None))
        * max(len(kind.choices), 1)
        for kind in kinds(table, ask)
    )


def check_idle(table: Table, state: State, seat: int) -> None:
    """Whether a seat can have nothing that it may do, as far as all can see. Raises: Refused(ILLEGAL_MOVE)."""
    if _left_with(table, state, seat) is Left.CHOICE:
        raise Refused(Code.ILLEGAL_MOVE)


def _left_with(table: Table, state: State, seat: int) -> Left:
    """What everybody can say of that. One state is asked of often, if a seat posts `LEAVE` again and again."""
    if seat not in state.idlers:
        try:
            state.idlers[seat] = _looked(table, state, seat, Budget(table.contract, SCRIPT_IDLE_STEPS))
        except Spent:
            state.idlers[seat] = Left.UNKNOWN
    found: Left = state.idlers[seat]
    return found


def _looked(table: Table, state: State, seat: int, budget: Budget) -> Left:
    g, ask = public(table, state), state.ask
    left = Left.NOTHING
    for kind in kinds(table, ask) if ask is not None else ():
        for choice in possible(table, state, seat, kind):
            card = choice[0] - 1
            if kind.shows and state.pieces[card] is None:
                left = Left.UNKNOWN if seat in state.seen[card] else left
                continue
            shown = face(table, state, card) if card >= 0 and tells(table, kind) else None
            if _legal(budget, g, seat, told(table, (kind.name, *choice), shown)):
                return Left.CHOICE
    return left


def _legal(budget: Budget, g: dict[str, Any], seat: int, act: dict[str, Any]) -> bool:
    try:
        return bool(budget.call("legal", g, seat, act))
    except RuleError:
        return True  # it is on offer


def counted(table: Table, state: State, seat: int, action: Action) -> State:
    """The state, in which is counted how often in a row seats have had nothing to do, this action included."""
    if action != LEAVE:
        return replace(state, idle=0, believed=frozenset())
    believed = state.believed if _left_with(table, state, seat) is Left.NOTHING else state.believed | {seat}
    return replace(state, idle=state.idle + 1, believed=believed)


def outlasted(table: Table, state: State) -> tuple[int, ...]:
    """Who has won if that has been so for too long; nobody, if it has not. One who was only believed has not: else a
    seat that loses could say so until the match is void.

    Raises: RuleError if it has, and that leaves nobody, or all: then the rules are wrong.
    """
    if state.idle <= MAX_SCRIPT_IDLE:
        return ()
    left = tuple(seat for seat in table.present(state) if seat not in state.believed)
    if not left or not state.believed:
        raise refused("script.idle", most=MAX_SCRIPT_IDLE)
    return left


def passed(table: Table, state: State, seat: int) -> tuple[Effect, ...]:
    """What comes of it where the file has no `lapsed`: its turn is over, if it is its turn."""
    return (Effect(".end"),) if seat == state.turn and not table.contract.one_action else ()


def had_choice(table: Table, noted: Noted, hand: list[Face], budget: Budget) -> bool:
    """Whether `judge` allowed anything with this hand that was legal, and that it surely could do. Raises: Spent."""
    before, seat = noted.before, noted.seat
    g, ask = public(table, before), before.ask
    faces = dict(zip(hand_of(table, before, seat), hand, strict=True))
    for kind in kinds(table, ask) if ask is not None else ():
        for choice in possible(table, before, seat, kind):
            card = choice[0] - 1
            if kind.shows and before.pieces[card] is None and card not in faces:
                continue  # most likely it could not show it; what was on it is not known any more
            act = told(table, (kind.name, *choice), _face(table, before, kind, card, faces))
            with suppress(RuleError):  # of such a thing nobody can say whether it was allowed
                if budget.call("legal", g, seat, act) and budget.call("judge", g, seat, act, hand):
                    return True
    return False


def _face(table: Table, state: State, kind: Kind, card: int, faces: dict[int, Face]) -> Face | None:
    return faces.get(card, face(table, state, card)) if card >= 0 and tells(table, kind) else None
