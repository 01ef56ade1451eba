"""Cost of work in steps, and its limits. The cost is the same for every program.

The limits bound the work that one entry causes for all programs (docs/protocol, 33.7).
"""

from protocol.fast_replace import replace
from protocol.games.operations import Card
from protocol.games.scripted.engine.public_state import public_state
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.rule_file.contract import CALL_STEPS, RuleContract, refused
from protocol.limits import MAX_SCRIPT_STEPS, RULE_CALL_STEPS, SCRIPT_ENTRY_STEPS
from protocol.rules import RuleError, Value

ARGUMENT_STEPS = 50  # steps for building the argument `g`, in addition to one for each item in it
EFFECT_STEPS = 60  # steps of an effect, in addition to those for its cards
QUEUED_EFFECT_STEPS = 10  # steps of an effect that a call returns, in addition to its size
PLACE_STEPS = 2  # steps for a place or counter in `g`
OPENED_SLOT_STEPS = 3  # steps for an opened slot in `g`, in addition to one for its card
CALL_EFFECTS = 20  # number of effects that a call counts as
# keys of the errors for too much work, or for too much that would have to be stored
COST_ERRORS = ("script.steps", "script.costly", "script.queue", "script.marks")


class RuleBudgetSpent(Exception):
    """End of a budget. Programs that ask the same questions reach it at the same call."""


class RuleBudget:
    """Budget of steps for calls of a file's functions. Nothing exceeds it."""

    def __init__(self, contract: RuleContract, steps: int) -> None:
        self._contract, self._left = contract, steps

    def spend(self, steps: int) -> None:
        """Pay for work other than calls. Raises: RuleBudgetSpent if the rest does not suffice."""
        if steps > self._left:
            raise RuleBudgetSpent
        self._left -= steps

    def call(self, name: str, *args: object) -> Value:
        """Call a function with what is left, at most the steps of a call. Raises: RuleBudgetSpent;
        RuleError, which costs as many steps as a call may take.
        """
        self.spend(CALL_STEPS)
        most = min(self._left, RULE_CALL_STEPS)
        try:
            found, steps = self._contract.counted(name, *args, most=most)
        except RuleError:
            # With fewer steps than a call may take, nobody can tell an error from their end.
            self.spend(RULE_CALL_STEPS)
            raise
        self._left -= steps
        return found


def argument_cost(table: ScriptContext, state: ScriptState) -> int:
    """Count the steps for building `g`: its cards, opened slots, marks, places, counters and
    options. Effects that wait count too, because each step of the engine copies them.
    """
    opened = 0 if state.decks is None else OPENED_SLOT_STEPS * len(state.decks.opened)
    return (
        ARGUMENT_STEPS
        + len(state.pieces)
        + opened
        + sum(map(len, state.marks))
        + PLACE_STEPS * (len(table.places) + len(table.contract.counters))
        + len(table.options)
        + len(state.queue)
    )


def judgement_size(table: ScriptContext, before: ScriptState, hand: tuple[Card, ...]) -> int:
    """Size of an action that is to be judged: the least number of steps that its judgement takes,
    and the cards of the hand.
    """
    return CALL_STEPS + argument_cost(table, before) + len(hand)


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
    table: ScriptContext, state: ScriptState, seen: ScriptState, name: str, *args: object
) -> tuple[ScriptState, Value]:
    """Call a function of the file with what was public in `seen`, and count it in `state`. Raises:
    RuleError.
    """
    state = pay(state, CALL_STEPS + argument_cost(table, seen), CALL_EFFECTS)
    found, steps = table.contract.counted(name, public_state(table, seen), *args)
    return pay(state, steps), found
