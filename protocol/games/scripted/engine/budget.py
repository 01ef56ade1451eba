"""Cost of work in steps, and its limits. The cost is the same for every program.

The limits bound the work that one entry causes for all programs (docs/protocol, 33.7).
"""

from protocol.fast_replace import replace
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.rule_file.contract import CALL_STEPS, RuleContract, refused
from protocol.limits import MAX_SCRIPT_STEPS, RULE_CALL_STEPS, SCRIPT_ENTRY_STEPS
from protocol.rules import RuleError, Value

ARGUMENT_STEPS = 50  # steps for building the argument `g`, in addition to one for each item in it
EFFECT_STEPS = 60  # steps of an effect, in addition to those for its cards
CALL_EFFECTS = 20  # number of effects that a call counts as
COST_ERRORS = ("script.steps", "script.costly")  # keys of the errors for too much work


class RuleBudgetSpent(Exception):
    """End of a budget. Programs that ask the same questions reach it at the same call."""


class RuleBudget:
    """Budget of steps for calls of a file's functions. The last call may exceed it, up to the limit
    of a single call.
    """

    def __init__(self, contract: RuleContract, steps: int) -> None:
        self._contract, self._left = contract, steps

    def spend(self, steps: int) -> None:
        """Pay for work other than calls. Raises: RuleBudgetSpent."""
        if self._left <= 0:
            raise RuleBudgetSpent
        self._left -= steps

    def call(self, name: str, *args: object) -> Value:
        """Call a function. Raises: RuleBudgetSpent; RuleError, which costs as many steps as a call
        may take.
        """
        self.spend(CALL_STEPS)
        try:
            found, steps = self._contract.counted(name, *args)
        except RuleError:
            self._left -= RULE_CALL_STEPS
            raise
        self._left -= steps
        return found


def argument_cost(table: ScriptContext, state: ScriptState) -> int:
    """Count the steps for building `g`: its cards, marks, places and counters."""
    marks = sum(map(len, state.marks))
    return (
        ARGUMENT_STEPS
        + len(state.pieces)
        + marks
        + len(table.places)
        + len(table.contract.counters)
    )


def work_limit(acts: int) -> int:
    """Limit for all work until a seat acts again.

    `acts` is the number of choices that are applied at once; 0 if there is none. The limit is
    higher than that of a trial, which leaves room for consequences after the dealing.
    """
    return (1 + max(acts, 1)) * SCRIPT_ENTRY_STEPS


def pay(state: ScriptState, steps: int, effects: int = 0) -> ScriptState:
    """Count work. Raises: RuleError if the work exceeds its limit."""
    return check_work(replace(state, spent=state.spent + steps, steps=state.steps + effects))


def check_work(state: ScriptState) -> ScriptState:
    """Check that the work counted in the state is within its limits, and return the state. Raises:
    RuleError.
    """
    if state.steps > MAX_SCRIPT_STEPS:
        raise refused("script.steps", most=MAX_SCRIPT_STEPS)
    if state.spent > state.most:
        raise refused("script.costly", most=state.most)
    return state


def call(
    table: ScriptContext, state: ScriptState, g: dict[str, object], name: str, *args: object
) -> tuple[ScriptState, Value]:
    """Call a function of the file and pay for it. Raises: RuleError."""
    state = pay(state, CALL_STEPS + argument_cost(table, state), CALL_EFFECTS)
    found, steps = table.contract.counted(name, g, *args)
    return pay(state, steps), found
