"""The cost of work in steps, which is the same for every program, and its limits.

These limits bound the work that one entry makes for all programs (docs/protocol, 33.7).
"""

from typing import Any

from protocol.fast_replace import replace
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.rule_file.contract import CALL, RuleContract, refused
from protocol.limits import MAX_SCRIPT_STEPS, RULE_CALL_STEPS, SCRIPT_ENTRY_STEPS
from protocol.rules import RuleError, Value

TELL = 50  # steps of making the argument `g`, besides one for each thing in it
EFFECT = 60  # steps of an effect, besides those for its cards
CALL_EFFECTS = 20  # effects that a call counts as
COSTLY = ("script.steps", "script.costly")  # keys of the errors for too much work


class RuleBudgetSpent(Exception):
    """The end of a budget; it comes at the same call for every program that asks the same."""


class RuleBudget:
    """Steps for calls of a file's functions. The last call may take all that a call may."""

    def __init__(self, contract: RuleContract, steps: int) -> None:
        self._contract, self._left = contract, steps

    def spend(self, steps: int) -> None:
        """Pay for work besides calls. Raises: Spent."""
        if self._left <= 0:
            raise RuleBudgetSpent
        self._left -= steps

    def call(self, name: str, *args: Any) -> Value:
        """Call a function. Raises: Spent; RuleError, which costs as much as a call may take."""
        self.spend(CALL)
        try:
            found, steps = self._contract.counted(name, *args)
        except RuleError:
            self._left -= RULE_CALL_STEPS
            raise
        self._left -= steps
        return found


def tell_cost(table: ScriptContext, state: ScriptState) -> int:
    """Count the steps of making `g`: its cards, marks, parts of regions and counters."""
    marks = sum(map(len, state.marks))
    return TELL + len(state.pieces) + marks + len(table.places) + len(table.contract.counters)


def work_limit(acts: int) -> int:
    """Give the most steps for all work until somebody acts again.

    `acts`: choices that are done at once; 0 where no choice is. The limit is higher than that of a
    trial: a choice that was taken has room for what it brings after the dealing.
    """
    return (1 + max(acts, 1)) * SCRIPT_ENTRY_STEPS


def pay(state: ScriptState, steps: int, effects: int = 0) -> ScriptState:
    """Count work. Raises: RuleError if it is more than there may be."""
    return check_work(replace(state, spent=state.spent + steps, steps=state.steps + effects))


def check_work(state: ScriptState) -> ScriptState:
    """Give the state back. Raises: RuleError if more work is counted in it than there may be."""
    if state.steps > MAX_SCRIPT_STEPS:
        raise refused("script.steps", most=MAX_SCRIPT_STEPS)
    if state.spent > state.most:
        raise refused("script.costly", most=state.most)
    return state


def call(
    table: ScriptContext, state: ScriptState, g: dict[str, Any], name: str, *args: Any
) -> tuple[ScriptState, Value]:
    """Call a function of the file and pay for it. Raises: RuleError."""
    state = pay(state, CALL + tell_cost(table, state), CALL_EFFECTS)
    found, steps = table.contract.counted(name, g, *args)
    return pay(state, steps), found
