"""A seat that may do nothing at all: rules have left it without a choice, and nobody is named.

Its program says so, with `LEAVE`. Everybody sees that nothing can be chosen of what can be judged
in the open; what only its owner can judge is believed. Too many of these in a row are an error of
the rules: nobody has anything to do. But if only some were believed, the others have won.
"""

from enum import Enum
from typing import Any

from protocol.codes import Code
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Action
from protocol.games.scripted.engine.budget import RuleBudget, RuleBudgetSpent, tell_cost, work_limit
from protocol.games.scripted.engine.choice import take, try_choice
from protocol.games.scripted.engine.effect_loop import end_with_winners
from protocol.games.scripted.engine.moves import (
    LEAVE,
    action_argument,
    kinds,
    possible_choices,
    shows_face,
)
from protocol.games.scripted.engine.public_state import face, public_state
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.rule_file.contract import refused
from protocol.limits import MAX_SCRIPT_IDLE, SCRIPT_ENTRY_STEPS, SCRIPT_IDLE_STEPS
from protocol.rules import RuleError


class ChoiceLeft(Enum):
    """The knowledge of everybody about a seat for which nobody can name an action."""

    NOTHING = 1
    UNKNOWN = 2  # it could show a card that it alone knows, or to find out is too much work


def check_idle(table: ScriptContext, state: ScriptState, seat: int) -> None:
    """Check that, as far as all can see, this seat can choose nothing.

    Raises: Refused(ILLEGAL_MOVE).
    """
    if not isinstance(find_choice(table, state, seat), ChoiceLeft):
        raise Refused(Code.ILLEGAL_MOVE)


def find_choice(table: ScriptContext, state: ScriptState, seat: int) -> ChoiceLeft | Action:
    """Give an action that this seat can choose, as everybody sees, or else what they know.

    The answer is kept with the state: a seat may post `LEAVE` again and again.
    """
    if seat not in state.idlers:
        try:
            state.idlers[seat] = _search(
                table, state, seat, RuleBudget(table.contract, SCRIPT_IDLE_STEPS)
            )
        except RuleBudgetSpent:
            state.idlers[seat] = ChoiceLeft.UNKNOWN
    found: ChoiceLeft | Action = state.idlers[seat]
    return found


def _search(
    table: ScriptContext, state: ScriptState, seat: int, budget: RuleBudget
) -> ChoiceLeft | Action:
    budget.spend(tell_cost(table, state))
    g, ask = public_state(table, state), state.ask
    left = ChoiceLeft.NOTHING
    for kind in kinds(table, ask) if ask is not None else ():
        for choice in possible_choices(table, state, seat, kind):
            card = choice[0] - 1
            if kind.shows and state.pieces[card] is None:
                left = ChoiceLeft.UNKNOWN if seat in state.seen[card] else left
                continue
            action = (kind.name, *choice, 0, b"")
            shown = face(table, state, card) if card >= 0 and shows_face(table, kind) else None
            legal = _is_legal(budget, g, seat, action_argument(table, action, shown))
            if legal and can_afford(table, state, state, seat, action, budget):
                return action
    return left


def _is_legal(budget: RuleBudget, g: dict[str, Any], seat: int, act: dict[str, Any]) -> bool:
    try:
        return bool(budget.call("legal", g, seat, act))
    except RuleError:
        return True  # it is on offer


def can_afford(
    table: ScriptContext,
    before: ScriptState,
    shown: ScriptState,
    seat: int,
    action: Action,
    budget: RuleBudget,
) -> bool:
    """Tell whether a legal action is no more work than a choice may be; in `shown` its card is
    open.

    Raises: Spent.
    """
    budget.spend(SCRIPT_ENTRY_STEPS)
    try:
        try_choice(table, before, shown, seat, action)
    except Refused:
        return False
    return True


def idle(table: ScriptContext, state: ScriptState, seat: int) -> ScriptState:
    """Give the state after `LEAVE`. Raises: RuleError if there are too many in a row.

    Those who were not merely believed have won then: else a seat that loses could say so until the
    match is void. If that is nobody, or all, the rules are wrong.
    """
    only_believed = find_choice(table, state, seat) is not ChoiceLeft.NOTHING
    believed = state.believed | {seat} if only_believed else state.believed
    state = replace(state, idle=state.idle + 1, believed=believed)
    if state.idle <= MAX_SCRIPT_IDLE:
        assert state.ask is not None
        most = work_limit(1 + len(state.ask.chosen))
        return take(table, state, replace(state, spent=0, steps=0, most=most), seat, LEAVE)
    left = tuple(other for other in table.present(state) if other not in believed)
    if not left or not believed:
        raise refused("script.idle", most=MAX_SCRIPT_IDLE)
    return end_with_winners(table, state, left)
