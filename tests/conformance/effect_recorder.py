"""Effects that the rules of a rule file give, and its functions that are called, in one log."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.limits import RULE_CALL_STEPS
from protocol.match.log_reader import LogReader
from protocol.rules import Module, Value

# names since `clear`; a reader makes its own game, so no other place is left for them
_EFFECTS: set[str] = set()
_CALLS: set[str] = set()


class RecordingModule:
    """Stand-in for the module of a rule file."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.constants, self.functions = module.constants, module.functions

    def call(self, name: str, *args: Value) -> Value:
        """Call a function of the file."""
        return self.call_with_steps(name, *args)[0]

    def call_with_steps(
        self, name: str, *args: Value, most: int = RULE_CALL_STEPS
    ) -> tuple[Value, int]:
        """Call a function of the file, and note its name and the effects in its result."""
        found, steps = self._module.call_with_steps(name, *args, most=most)
        _CALLS.add(name)
        if isinstance(found, list):
            _EFFECTS.update(str(one[0]) for one in found if isinstance(one, list) and one)
        return found, steps


class RecordingGame(ScriptGame):
    """Game by a rule file that notes all effects."""

    def table(self, state: ScriptState) -> ScriptContext:
        """Return the same context with a module that notes effects."""
        table = super().table(state)
        module: Any = RecordingModule(table.contract.module)
        return dataclasses.replace(
            table, contract=dataclasses.replace(table.contract, module=module)
        )


def _games() -> Games:
    where = f"{RecordingGame.__module__}:{RecordingGame.__name__}"
    return Games(
        {
            name: dataclasses.replace(spec, rules=where)
            if spec.rules.startswith("protocol.games.scripted")
            else spec
            for name, spec in BUILT_IN.specs.items()
        }
    )


def recorded(records: Sequence[tuple[bytes, bytes]]) -> tuple[set[str], set[str]]:
    """Read a log. Return the names of all effects that its rules gave, and of the functions that
    were called.
    """
    _EFFECTS.clear()
    _CALLS.clear()
    reader = LogReader(*records[0], _games())
    for record in records[1:]:
        reader.feed(*record)
    return set(_EFFECTS), set(_CALLS)
