"""Idle seats: the rules have left a seat without any choice, which is nobody's fault.

The seat's program posts `LEAVE`. All programs check that none of the choices that they can judge is
legal. About cards that only this seat knows, the seat is believed.

Too many `LEAVE` in a row are an error of the rules, because no seat can act. But if some of these
seats were only believed, the other seats have won.
"""

from enum import Enum

from protocol.codes import Code
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Action
from protocol.games.scripted.engine.budget import (
    RuleBudget,
    RuleBudgetSpent,
    argument_cost,
    work_limit,
)
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
from protocol.limits import (
    MAX_SCRIPT_IDLE,
    RULE_CALL_STEPS,
    SCRIPT_ENTRY_STEPS,
    SCRIPT_IDLE_STEPS,
)
from protocol.rules import RuleError


class ChoiceLeft(Enum):
    """Reason why no legal action of a seat is known to everybody."""

    NOTHING = 1
    # the seat could show a card that it alone knows, or finding out takes too much work
    UNKNOWN = 2


def check_idle(table: ScriptContext, state: ScriptState, seat: int) -> None:
    """Check that, by public knowledge, this seat has no choice.

    Raises: Refused(ILLEGAL_MOVE).
    """
    if not isinstance(find_choice(table, state, seat), ChoiceLeft):
        raise Refused(Code.ILLEGAL_MOVE)


def find_choice(table: ScriptContext, state: ScriptState, seat: int) -> ChoiceLeft | Action:
    """Return an action that this seat can choose by public knowledge, or a `ChoiceLeft` if none is
    known.

    The answer is cached with the state, because a seat may post `LEAVE` again and again.
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
    budget.spend(argument_cost(table, state.when_asked))
    g, ask = public_state(table, state.when_asked), state.ask
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


def _is_legal(budget: RuleBudget, g: dict[str, object], seat: int, act: dict[str, object]) -> bool:
    try:
        return bool(budget.call("legal", g, seat, act))
    except RuleError:
        return True  # an action for which `legal` fails is on offer


def can_afford(
    table: ScriptContext,
    before: ScriptState,
    shown: ScriptState,
    seat: int,
    action: Action,
    budget: RuleBudget,
) -> bool:
    """Check whether a legal action causes no more work than a choice may. `shown` is the state in
    which its card is open.

    A refused trial may have finished a call beyond the steps of a choice, so it costs these too.
    Raises: RuleBudgetSpent.
    """
    budget.spend(SCRIPT_ENTRY_STEPS)
    try:
        try_choice(table, before, shown, seat, action)
    except Refused:
        budget.spend(RULE_CALL_STEPS)
        return False
    return True


def idle(table: ScriptContext, state: ScriptState, seat: int) -> ScriptState:
    """Return the state after `LEAVE`. Raises: RuleError if there are too many in a row.

    After too many, the seats that were not merely believed have won. Otherwise a losing seat could
    repeat `LEAVE` until the match is void. If this applies to no seat, or to all, it is an error of
    the rules.
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
