"""Main loop of the engine: applies the effects that rules ask for one by one, until the dealing or
a seat has to act.
"""

from collections.abc import Callable

from protocol.fast_replace import replace
from protocol.games import Action
from protocol.games.decks.match_decks import close
from protocol.games.operations import RevealCards
from protocol.games.scripted.engine.budget import (
    EFFECT_STEPS,
    QUEUED_EFFECT_STEPS,
    call,
    check_work,
    pay,
    work_limit,
)
from protocol.games.scripted.engine.effects import (
    CARD_EFFECTS,
    apply_effect,
    move_cards,
    parse_effects,
    shuffle_cards,
)
from protocol.games.scripted.engine.moves import LEAVE, check_choice_count, describe_action
from protocol.games.scripted.engine.state import (
    ChoiceRequest,
    Effect,
    PileSearch,
    ScriptContext,
    ScriptPhase,
    ScriptState,
)
from protocol.games.scripted.rule_file.contract import refused
from protocol.limits import MAX_SCRIPT_QUEUE
from protocol.rules import RuleError

# Effects that need the faces of all shown cards, so the dealing must finish first.
FACE_EFFECTS = (".call", ".act", ".ended", "toss", "ask", "take")


def begin_match(table: ScriptContext, state: ScriptState) -> ScriptState:
    """Return the state once the cards are laid, in a public order. The seat that was to begin may
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
    """Run effects until a seat or the dealing has to act. An error of the rules ends the match."""
    try:
        while not _is_waiting(state):
            state = check_choice_count(table, _step(table, state))
    except RuleError as error:
        return end_by_error(table, state, error)
    return state


def end_by_error(table: ScriptContext | None, state: ScriptState, error: RuleError) -> ScriptState:
    """End the match because the rules failed: nobody has won, and nobody is at fault.

    A card that is not allowed in decks could have caused the error. Decks that have not been
    checked are therefore opened, as after any game.
    """
    state = replace(
        state, error=error.phrase, noted=(), wanted=(), showing=(), toss=None, asked=None
    )
    if table is not None and state.decks is not None and state.phase is ScriptPhase.PLAY:
        return end_with_winners(table, state, ())
    return replace(state, phase=ScriptPhase.OVER, winners=(), queue=(), ask=None)


def end_with_winners(
    table: ScriptContext, state: ScriptState, winners: tuple[int, ...]
) -> ScriptState:
    """End the game with these winners. Hidden hands are revealed if actions that depend on them are
    still to be judged.

    Hands of seats that have left are not revealed: these seats have lost already, and too few seats
    may be left to open the hands.
    """
    noted = tuple(one for one in state.noted if one.seat not in state.out)
    decks = None if state.decks is None else close(state.decks, table.terms)
    state = replace(
        state,
        phase=ScriptPhase.CLOSE,
        winners=winners,
        queue=(),
        ask=None,
        asked=None,
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
    """End the game because all other seats have left. No hand has to be shown to anybody, but decks
    are still opened.
    """
    return end_with_winners(
        table, replace(state, noted=(), wanted=(), showing=(), error=None), winners
    )


def _is_waiting(state: ScriptState) -> bool:
    if (
        state.phase is not ScriptPhase.PLAY
        or state.toss is not None
        or (state.decks is not None and state.decks.seats_due)
    ):
        return True
    if state.ask is not None:  # a seat that searches a pile must first see it
        return True
    if not state.queue:
        return bool(state.wanted)
    first = state.queue[0].name
    return bool(state.wanted) and (
        first in FACE_EFFECTS or (first == "shuffle" and bool(state.showing))
    )


def _step(table: ScriptContext, state: ScriptState) -> ScriptState:
    if not state.queue:
        return _ask_next_seats(table, state)
    effect, queue = state.queue[0], state.queue[1:]
    own = ENGINE_EFFECTS.get(effect.name)
    if own is not None:
        return own(table, replace(state, queue=queue), *effect.args)
    spent = state.spent + EFFECT_STEPS + (len(state.pieces) if effect.name in CARD_EFFECTS else 0)
    return apply_effect(
        table, check_work(replace(state, queue=queue, steps=state.steps + 1, spent=spent)), effect
    )


def _ask_next_seats(table: ScriptContext, state: ScriptState) -> ScriptState:
    """Ask the next seats to act, when no effect is left."""
    if not table.contract.has("to_act"):
        return replace(state, ask=ChoiceRequest((state.turn,)))
    state, seats = call(table, state, state, "to_act")
    named = seats if type(seats) is list else [seats]
    asked = [seat for seat in named if type(seat) is int and seat in table.present(state)]
    if not asked or len(asked) < len(named):
        raise refused("script.to_act")
    return replace(state, ask=ChoiceRequest(tuple(sorted(set(asked)))))


def apply_answers(table: ScriptContext, state: ScriptState) -> ScriptState:
    """Apply all choices, in the order of the seats, once every seat that was asked has chosen."""
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
    return run(table, replace(state, ask=None, asked=None, queue=(*acts, *ends, *state.queue)))


def _call(table: ScriptContext, state: ScriptState, name: str, *args: object) -> ScriptState:
    state, found = call(table, state, state, name, *args)
    try:
        effects = parse_effects(found)
    except RuleError as error:
        # an error in this result belongs to this function; errors of effects later have no line
        raise RuleError(*table.contract.module.place(name), error.key, **error.values) from None
    size = sum(effect.size for effect in effects)
    state = pay(state, QUEUED_EFFECT_STEPS * len(effects) + size)
    queue = (*effects, *state.queue)
    if sum(effect.size for effect in queue) > MAX_SCRIPT_QUEUE:
        raise refused("script.queue", most=MAX_SCRIPT_QUEUE)
    return replace(state, queue=queue)


def _act(table: ScriptContext, state: ScriptState, seat: int, action: Action) -> ScriptState:
    if action == LEAVE and not table.contract.has("lapsed"):
        ends = seat == state.turn and not table.contract.one_action
        return replace(state, queue=((Effect(".end"),) if ends else ()) + state.queue)
    if action == LEAVE or action[0] == "timeout":
        return _call(table, state, "lapsed", seat)
    return _call(table, state, "apply", seat, describe_action(table, state, action))


def _found(
    table: ScriptContext, state: ScriptState, seat: int, action: Action, search: PileSearch
) -> ScriptState:
    """Finish a search: move the card that was taken to its region, and shuffle the rest of the
    pile.
    """
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
    """End the turn: ask the rules for the consequences, and for winners.

    Effects queued after the end of the turn are dropped. Simultaneous choices of other seats are
    applied first.
    """
    if any(effect.name == ".act" for effect in state.queue):
        rest = tuple(effect for effect in state.queue if effect.name != ".end")
        return replace(state, queue=(*rest, Effect(".end")))
    ends = (Effect(".call", ("turn_ends", state.turn)),) if table.contract.has("turn_ends") else ()
    left = tuple(effect for effect in state.queue if effect.name == ".left")
    return replace(state, queue=(*ends, Effect(".ended"), *left))


def _ended(table: ScriptContext, state: ScriptState) -> ScriptState:
    state, won = call(table, state, state, "winner")
    if won is not None:
        return end_with_winners(table, state, _winners(table, state, won))
    return replace(
        state, turn=table.after(state, state.turn), queue=(Effect(".begin"), *state.queue)
    )


def _winners(table: ScriptContext, state: ScriptState, won: object) -> tuple[int, ...]:
    """Winners by the rules that have not left. A seat that has left has lost, whatever the rules
    say.
    """
    named = won if type(won) is list else [won]
    if not all(type(seat) is int and 0 <= seat < table.seats for seat in named):
        raise refused("script.winner")
    return tuple(sorted(set(named) - state.out))


def _left(table: ScriptContext, state: ScriptState, seat: int) -> ScriptState:
    """Let the rules react to a seat that has left. If it was the seat's turn, the turn passes
    on.
    """
    state = _call(table, state, "left", seat) if table.contract.has("left") else state
    return replace(state, queue=(*state.queue, Effect(".skip", (seat, state.turns))))


def _skip(table: ScriptContext, state: ScriptState, seat: int, turns: int) -> ScriptState:
    if state.turn != seat or state.turns != turns:
        return state
    return replace(state, turn=table.after(state, seat), queue=(Effect(".begin"), *state.queue))


ENGINE_EFFECTS: dict[str, Callable[..., ScriptState]] = {
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
