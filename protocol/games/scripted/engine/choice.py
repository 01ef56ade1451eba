"""Choices of seats: a trial before a choice is accepted, and its consequences.

The trial refuses a choice that causes more work than one entry may.
"""

from protocol.codes import Code
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Action
from protocol.games.decks.match_decks import show
from protocol.games.scripted.engine.budget import (
    CALL_EFFECTS,
    COST_ERRORS,
    argument_cost,
    call,
    judgement_size,
    pay,
    work_limit,
)
from protocol.games.scripted.engine.effect_loop import apply_answers, end_by_error
from protocol.games.scripted.engine.moves import LEAVE, describe_action, hand_of
from protocol.games.scripted.engine.public_state import face, public_state
from protocol.games.scripted.engine.state import (
    PendingJudgement,
    PileSearch,
    ScriptContext,
    ScriptState,
)
from protocol.games.scripted.rule_file.contract import CALL_STEPS
from protocol.limits import SCRIPT_ENTRY_STEPS, SCRIPT_NOTED_SIZE
from protocol.rules import RuleError
from protocol.seats import with_seat


def open_shown_card(
    table: ScriptContext, state: ScriptState, seat: int, action: Action
) -> ScriptState:
    """Show the card of an action to everybody.

    Raises: Refused; ProtocolViolation if a slot is opened as another card than the seat has
    committed to.
    """
    if len(action) != len(LEAVE) or not action[4]:
        return state
    card, piece, opening = action[1] - 1, action[4] - 1, action[5]
    decks = state.decks
    if decks is not None and opening:
        decks = show(decks, seat, (opening,), table.terms)
    return replace(state, pieces=with_seat(state.pieces, card, piece), decks=decks)


def is_alone(state: ScriptState, seat: int) -> bool:
    """Check whether nothing but the consequences of this seat's choice would happen next: no other
    seat is asked, and no leaving seat is pending.
    """
    others = any(effect.name == ".left" for effect in state.queue)
    return (
        state.ask is not None and state.ask.seats == (seat,) and not state.ask.chosen and not others
    )


def try_choice(
    table: ScriptContext, before: ScriptState, shown: ScriptState, seat: int, action: Action
) -> ScriptState:
    """Return the state after a choice, as if no other seat was asked and no seat had left.

    `shown` is the state in which the card of the choice is open. If others have chosen or left
    since the seats were asked, the trial begins in the state in which they were asked.

    Raises: Refused(ILLEGAL_MOVE, TOO_COSTLY).
    """
    if before.asked is not None:
        shown = _shown_when_asked(before.asked, shown, action)
        before = before.asked
    assert before.ask is not None
    ask = replace(before.ask, seats=(seat,), chosen=())
    before = replace(before, ask=ask)
    queue = tuple(effect for effect in shown.queue if effect.name != ".left")
    state = replace(shown, ask=ask, queue=queue, spent=0, steps=0, most=SCRIPT_ENTRY_STEPS)
    try:
        state, allowed = ask_rules(table, before, state, seat, action)
        if not allowed:
            raise Refused(Code.ILLEGAL_MOVE)
        after = take(table, before, state, seat, action)
    except RuleError as error:
        after = end_by_error(table, before, error)
    if after.error is not None and after.error.key in COST_ERRORS:
        raise Refused(Code.TOO_COSTLY)
    return replace(after, most=work_limit(1))


def _shown_when_asked(asked: ScriptState, shown: ScriptState, action: Action) -> ScriptState:
    """Open the card of a choice in the state in which the seats were asked."""
    card = action[1] - 1
    pieces = asked.pieces if card < 0 else with_seat(asked.pieces, card, shown.pieces[card])
    return replace(asked, pieces=pieces, decks=shown.decks)


def apply_choice(
    table: ScriptContext, before: ScriptState, seat: int, action: Action
) -> ScriptState:
    """Return the state after a checked choice, or after a lapse. Raises: RuleError."""
    assert before.ask is not None
    most = work_limit(1 + len(before.ask.chosen))
    state = replace(open_shown_card(table, before, seat, action), spent=0, steps=0, most=most)
    state, _ = ask_rules(table, before, state, seat, action)
    return take(table, before, state, seat, action)


def ask_rules(
    table: ScriptContext, before: ScriptState, state: ScriptState, seat: int, action: Action
) -> tuple[ScriptState, bool]:
    """Ask the rules whether a choice is legal, and count the work in `state`. Returns the state and
    the answer. Raises: RuleError.
    """
    assert before.ask is not None
    if action[0] in ("timeout", "leave"):
        return state, True
    if before.ask.search is not None:
        return _ask_rules_about_take(table, before, state, seat, before.ask.search, action)
    act = describe_action(table, state, action)
    state, found = call(table, state, before.when_asked, "legal", seat, act)
    return state, bool(found)


def _ask_rules_about_take(
    table: ScriptContext,
    before: ScriptState,
    state: ScriptState,
    seat: int,
    search: PileSearch,
    action: Action,
) -> tuple[ScriptState, bool]:
    """Ask the rules whether a card may be taken from a pile. If the function fails, the card may be
    taken.
    """
    if search.fits is None:
        return state, True
    seen = before.when_asked
    state = pay(state, CALL_STEPS + argument_cost(table, seen), CALL_EFFECTS)
    shown = face(table, state, action[1] - 1)
    try:
        found, steps = table.contract.counted(search.fits, public_state(table, seen), seat, shown)
    except RuleError:
        return state, True
    return pay(state, steps), bool(found)


def take(
    table: ScriptContext, before: ScriptState, state: ScriptState, seat: int, action: Action
) -> ScriptState:
    """Apply a choice after the rules have been asked about it. Raises: RuleError."""
    ask = before.ask
    assert ask is not None
    if ask.search is None and action[0] not in ("timeout", "leave"):
        state = replace(state, idle=0, believed=frozenset())
        if table.contract.has("judge"):
            state = _note(table, before.when_asked.to_keep(), state, seat, action)
    seats = tuple(other for other in ask.seats if other != seat)
    ask = replace(ask, seats=seats, chosen=(*ask.chosen, (seat, action)))
    asked = before.asked or before.to_keep() if seats else None
    return apply_answers(table, replace(state, ask=ask, asked=asked))


def _note(
    table: ScriptContext, before: ScriptState, state: ScriptState, seat: int, action: Action
) -> ScriptState:
    """Note an action that is to be judged at the end, unless too much is noted already. `before` is
    the state in which the seat was asked.
    """
    hand = hand_of(table, before, seat)
    size = judgement_size(table, before, hand)
    if size + sum(one.size for one in state.noted) > SCRIPT_NOTED_SIZE:
        return state
    act = describe_action(table, state, action)
    pieces = tuple(before.pieces[card] for card in hand)
    number = state.acted - 1  # `acted` counts this action too, and the fold counts from 0
    noted = PendingJudgement(seat, number, act, hand, size=size, pieces=pieces, before=before)
    return replace(state, noted=(*state.noted, noted))
