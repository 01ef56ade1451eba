"""The rules of a match run a second time, by a Starlark that others wrote: every call is
compared.
"""

import dataclasses
from collections import Counter
from functools import lru_cache, partial
from typing import Any

import starlark

from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.rules import Module, Value
from protocol.rules.prelude import PRELUDE

CALLS = Counter[str]()  # that were compared, by function


class Compared:
    """A rule file that has run in both; stands in for a `Module`."""

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
        """What both say."""
        return self.call_with_steps(name, *args)[0]

    def call_with_steps(self, name: str, *args: Value) -> tuple[Value, int]:
        """The same, and the steps that ours took."""
        found, steps = self._ours.call_with_steps(name, *args)
        other = self._theirs.call(name, *map(_plain, args))
        assert _plain(other) == _plain(found), (name, args, found, other)
        CALLS[name] += 1
        return found, steps


def _plain(value: Any) -> Any:
    """With lists for tuples: their side hands over tuples as such or as lists."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


class OracleGame(ScriptGame):
    """A game by a rule file every call of which is held against the oracle."""

    def table(self, state: ScriptState) -> ScriptContext:
        """The same, with the rules run twice."""
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
    """The registry, in which games by rule files are of this kind."""
    where = f"{rules.__module__}:{rules.__name__}"
    scripted = [
        row for row in BUILT_IN.specs.values() if row.rules.startswith("protocol.games.scripted")
    ]
    return Games(
        BUILT_IN.specs | {row.name: dataclasses.replace(row, rules=where) for row in scripted}
    )


ORACLE = games_with(OracleGame)
