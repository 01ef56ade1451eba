"""Second run of the rules of a match with an independent Starlark: every call is compared."""

import dataclasses
from collections import Counter
from functools import lru_cache, partial
from typing import Any

import starlark

from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.limits import RULE_CALL_STEPS
from protocol.rules import Module, Value
from protocol.rules.prelude import PRELUDE

CALLS = Counter[str]()  # number of compared calls, by function


class Compared:
    """Rule file run by both interpreters; stands in for a `Module`."""

    def __init__(self, module: Module) -> None:
        self._ours = module
        theirs = starlark.Module()
        text = f"{PRELUDE}\n{module.program.text}"
        starlark.eval(theirs, starlark.parse("rules.star", text), starlark.Globals.standard())
        for name, value in module.constants.items():
            assert _plain(theirs[name]) == _plain(value), name
        self._theirs = theirs.freeze()
        self.constants, self.functions = module.constants, module.functions

    def call(self, name: str, *args: Value) -> Value:
        """Return the result on which both agree."""
        return self.call_with_steps(name, *args)[0]

    def call_with_steps(
        self, name: str, *args: Value, most: int = RULE_CALL_STEPS
    ) -> tuple[Value, int]:
        """Return this result, and the steps of our interpreter."""
        found, steps = self._ours.call_with_steps(name, *args, most=most)
        other = self._theirs.call(name, *map(_plain, args))
        assert _plain(other) == _plain(found), (name, args, found, other)
        CALLS[name] += 1
        return found, steps


def _plain(value: Any) -> Any:
    """Replace tuples by lists: the other interpreter returns either."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


class OracleGame(ScriptGame):
    """Game by a rule file that compares every call with the oracle."""

    def table(self, state: ScriptState) -> ScriptContext:
        """Return the same context with the rules run twice."""
        table = super().table(state)
        module = _compared(table.contract.module)
        contract = dataclasses.replace(table.contract, module=module)  # type: ignore[arg-type]
        terms = table.terms
        judges = {"allows": "deck_errors", "sized": "size_errors"}
        judged = {
            part: partial(_agrees, contract, name)
            for part, name in judges.items()
            if contract.has(name)
        }
        if contract.has("card_errors"):
            judged["fits"] = lambda cards: all(
                _agrees(contract, "card_errors", card) for card in cards
            )
        return dataclasses.replace(
            table, contract=contract, terms=dataclasses.replace(terms, **judged)
        )


def _agrees(contract: Any, name: str, what: Any) -> bool:
    return not contract.call(name, list(what) if isinstance(what, tuple) else what)


@lru_cache
def _compared(module: Module) -> Compared:
    return Compared(module)


def games_with(rules: type[ScriptGame]) -> Games:
    """Return the registry with this class for games by rule files."""
    where = f"{rules.__module__}:{rules.__name__}"
    scripted = [
        row for row in BUILT_IN.specs.values() if row.rules.startswith("protocol.games.scripted")
    ]
    return Games(
        BUILT_IN.specs | {row.name: dataclasses.replace(row, rules=where) for row in scripted}
    )


ORACLE = games_with(OracleGame)
