"""Steps that many calls of a rule file may take together: what one seat's word costs all programs is bounded."""

from typing import Any

from protocol.games.scripted.reading.contract import Contract
from protocol.limits import RULE_CALL_STEPS
from protocol.rules import RuleError, Value


class Spent(Exception):
    """There is nothing left for another call; the same for every program that asks the same."""


class Budget:
    """What is left for calls of a file's functions. The last one may take all that a call may."""

    def __init__(self, contract: Contract, steps: int) -> None:
        self._contract, self._left = contract, steps

    def spend(self, steps: int) -> None:
        """For work besides calls. Raises: Spent."""
        if self._left <= 0:
            raise Spent
        self._left -= steps

    def call(self, name: str, *args: Any) -> Value:
        """What a function gives. Raises: Spent; RuleError, which costs as much as a call may take."""
        self.spend(1)
        try:
            found, steps = self._contract.module.counted(name, *args)
        except RuleError:
            self._left -= RULE_CALL_STEPS
            raise
        self._left -= steps
        return found
