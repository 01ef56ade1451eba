"""The engine: it runs what rules ask for, one effect after the other, until the dealing or a seat
is waited for.
"""

from collections.abc import Callable
from typing import Any

from protocol.fast_replace import replace
from protocol.games.decks.match_decks import close
from protocol.games.operations import RevealCards
from protocol.games.scripted.engine.budget import EFFECT, call, check_work, work_limit
from protocol.games.scripted.engine.effects import (
    CARDS,
    apply_effect,
    move_cards,
    parse_effects,
    shuffle_cards,
)
from protocol.games.scripted.engine.moves import LEAVE, bounded, describe_action
from protocol.games.scripted.engine.public_state import public_state
from protocol.games.scripted.engine.state import (
    ChoiceRequest,
    Effect,
    ScriptContext,
    ScriptPhase,
    ScriptState,
)
from protocol.games.scripted.rule_file.contract import refused
from protocol.rules import RuleError

# what is open must be seen before these
WITH_FACES = (".call", ".act", ".ended", "toss", "ask", "take")


def begin_match(table: ScriptContext, state: ScriptState) -> ScriptState:
    """The state once the cards are laid, in an order that everybody knows. Who was to begin may
    have left since.
    """
    cards = len(state.pieces)
    counters = tuple((0,) * (table.seats if each else 1) for _, each in table.contract.counters)
    queue = (Effect(".call", ("start",)), Effect(".begin"))
    turn = state.first if state.first not in state.out else table.after(state, state.first)
    state = replace(
        state,
        phase=ScriptPhase.PLAY,
        counters=counters,
        marks=((),) * cards,
        queue=queue,
        turn=turn,
    )
    return run(
        table,
        replace(
            state, seen=(frozenset[int](),) * cards, acted=0, steps=0, spent=0, most=work_limit(0)
        ),
    )


def run(table: ScriptContext, state: ScriptState) -> ScriptState:
    """The state in which somebody, or the dealing, is waited for. An error of the rules ends the
    match.
    """
    try:
        while not _waits(state):
            state = bounded(table, _step(table, state))
    except RuleError as error:
        return end_by_error(table, state, error)
    return state


def end_by_error(table: ScriptContext | None, state: ScriptState, error: RuleError) -> ScriptState:
    """The rules did wrong: nobody has won, and nobody is in the wrong; but a card that no deck may
    have could have made them, so decks of which nothing has been judged yet are opened as after any
    game."""
    state = replace(state, error=error.phrase, noted=(), wanted=(), showing=(), toss=None)
    if table is not None and state.decks is not None and state.phase is ScriptPhase.PLAY:
        return end_with_winners(table, state, ())
    return replace(state, phase=ScriptPhase.OVER, winners=(), queue=(), ask=None)


def end_with_winners(
    table: ScriptContext, state: ScriptState, winners: tuple[int, ...]
) -> ScriptState:
    """The game has been won: what only its owner could judge comes out, if anything is to be
    judged.

    Not of who has left: it has lost already, and too few may be here to open its hand.
    """
    noted = tuple(one for one in state.noted if one.seat not in state.out)
    decks = None if state.decks is None else close(state.decks, table.terms)
    state = replace(
        state,
        phase=ScriptPhase.CLOSE,
        winners=winners,
        queue=(),
        ask=None,
        toss=None,
        decks=decks,
        noted=noted,
    )
    hidden = {card for one in noted for card in one.hand if state.pieces[card] is None}
    return replace(
        state,
        wanted=(RevealCards(tuple(sorted(hidden))),) if hidden else (),
        showing=tuple(sorted(hidden)),
    )


def end_as_last(table: ScriptContext, state: ScriptState, winners: tuple[int, ...]) -> ScriptState:
    """The others have left: there is nobody any more to whom a hand must be shown, but decks are
    still to be.
    """
    return end_with_winners(
        table, replace(state, noted=(), wanted=(), showing=(), error=None), winners
    )


def _waits(state: ScriptState) -> bool:
    if (
        state.phase is not ScriptPhase.PLAY
        or state.toss is not None
        or (state.decks is not None and state.decks.seats_due)
    ):
        return True
    if state.ask is not None:  # who looks through a pile must have seen it
        return True
    if not state.queue:
        return bool(state.wanted)
    first = state.queue[0].name
    return bool(state.wanted) and (
        first in WITH_FACES or (first == "shuffle" and bool(state.showing))
    )


def _step(table: ScriptContext, state: ScriptState) -> ScriptState:
    if not state.queue:
        return _whose(table, state)
    effect, queue = state.queue[0], state.queue[1:]
    own = OWN.get(effect.name)
    if own is not None:
        return own(table, replace(state, queue=queue), *effect.args)
    spent = state.spent + EFFECT + (len(state.pieces) if effect.name in CARDS else 0)
    return apply_effect(
        table, check_work(replace(state, queue=queue, steps=state.steps + 1, spent=spent)), effect
    )


def _whose(table: ScriptContext, state: ScriptState) -> ScriptState:
    """Nothing is left to be done: who is to act."""
    if not table.contract.has("to_act"):
        return replace(state, ask=ChoiceRequest((state.turn,)))
    state, seats = call(table, state, public_state(table, state), "to_act")
    named: list[Any] = seats if type(seats) is list else [seats]
    if not named or not all(type(seat) is int and seat in table.present(state) for seat in named):
        raise refused("script.to_act")
    return replace(state, ask=ChoiceRequest(tuple(sorted(set(named)))))


def apply_answers(table: ScriptContext, state: ScriptState) -> ScriptState:
    """The state when all who were asked have chosen: what they did is done in the order of their
    seats.
    """
    ask = state.ask
    if ask is None or ask.seats:
        return state
    acts = tuple(
        Effect(".act", (seat, action))
        for seat, action in sorted(ask.chosen, key=lambda chosen: chosen[0])
    )
    ends = (Effect(".close", (state.turns,)),) if ask.turn and table.contract.one_action else ()
    if ask.search is not None:
        acts = tuple(Effect(".found", (*act.args, ask.search)) for act in acts)
        acts = acts or (Effect(".found", (0, ("leave",), ask.search)),)
    return run(table, replace(state, ask=None, queue=(*acts, *ends, *state.queue)))


def _call(table: ScriptContext, state: ScriptState, name: str, *args: Any) -> ScriptState:
    state, found = call(table, state, public_state(table, state), name, *args)
    try:
        effects = parse_effects(found)
    except RuleError as error:
        # of this function; what an effect does wrong later stands in no line
        raise RuleError(*table.contract.module.place(name), error.key, **error.values) from None
    return replace(state, queue=(*effects, *state.queue))


def _act(
    table: ScriptContext, state: ScriptState, seat: int, action: tuple[Any, ...]
) -> ScriptState:
    if action == LEAVE and not table.contract.has("lapsed"):
        ends = seat == state.turn and not table.contract.one_action
        return replace(state, queue=((Effect(".end"),) if ends else ()) + state.queue)
    if action == LEAVE or action[0] == "timeout":
        return _call(table, state, "lapsed", seat)
    return _call(table, state, "apply", seat, describe_action(table, state, action))


def _found(
    table: ScriptContext, state: ScriptState, seat: int, action: tuple[Any, ...], search: Any
) -> ScriptState:
    """A search is over: what was taken goes where it belongs, and what is left is hidden anew."""
    card = action[1] - 1 if action[0] == "take" else None
    rest = tuple(other for other in state.lies[search.source] if other != card)
    state = state if card is None else move_cards(table, state, (card,), search.to)
    return shuffle_cards(state, rest)


def _begin(table: ScriptContext, state: ScriptState) -> ScriptState:
    state = replace(state, turns=state.turns + 1)
    return (
        _call(table, state, "turn_begins", state.turn)
        if table.contract.has("turn_begins")
        else state
    )


def _close(table: ScriptContext, state: ScriptState, turns: int) -> ScriptState:
    return replace(state, queue=(Effect(".end"), *state.queue)) if state.turns == turns else state


def _end(table: ScriptContext, state: ScriptState) -> ScriptState:
    """The turn is over: the rules say what that brings, and whether somebody has won. What stood
    after it is void, but what others have chosen at the same time is done before."""
    if any(effect.name == ".act" for effect in state.queue):
        rest = tuple(effect for effect in state.queue if effect.name != ".end")
        return replace(state, queue=(*rest, Effect(".end")))
    ends = (Effect(".call", ("turn_ends", state.turn)),) if table.contract.has("turn_ends") else ()
    left = tuple(effect for effect in state.queue if effect.name == ".left")
    return replace(state, queue=(*ends, Effect(".ended"), *left))


def _ended(table: ScriptContext, state: ScriptState) -> ScriptState:
    state, won = call(table, state, public_state(table, state), "winner")
    if won is not None:
        return end_with_winners(table, state, _winners(table, state, won))
    return replace(
        state, turn=table.after(state, state.turn), queue=(Effect(".begin"), *state.queue)
    )


def _winners(table: ScriptContext, state: ScriptState, won: object) -> tuple[int, ...]:
    """Those who have won by the rules and are still there: who has left has lost, whatever they
    say.
    """
    named = won if type(won) is list else [won]
    if not all(type(seat) is int and 0 <= seat < table.seats for seat in named):
        raise refused("script.winner")
    return tuple(sorted(set(named) - state.out))


def _left(table: ScriptContext, state: ScriptState, seat: int) -> ScriptState:
    """A seat has left: the rules may say what that does; if it was its turn, it is the next
    one's.
    """
    state = _call(table, state, "left", seat) if table.contract.has("left") else state
    return replace(state, queue=(*state.queue, Effect(".skip", (seat, state.turns))))


def _skip(table: ScriptContext, state: ScriptState, seat: int, turns: int) -> ScriptState:
    if state.turn != seat or state.turns != turns:
        return state
    return replace(state, turn=table.after(state, seat), queue=(Effect(".begin"), *state.queue))


OWN: dict[str, Callable[..., ScriptState]] = {
    ".call": _call,
    ".act": _act,
    ".found": _found,
    ".begin": _begin,
    ".close": _close,
    ".end": _end,
    ".ended": _ended,
    ".left": _left,
    ".skip": _skip,
}
