"""Rule language 2 (docs/protocol, 32), a strict subset of Starlark for games: bounded, and
everywhere the same.

This is its door: read a file, run its top, call its functions.
"""

from protocol.rules.errors import RuleError
from protocol.rules.module import Module, Value, load_module
from protocol.rules.prelude import prelude
from protocol.rules.syntax.name_resolution import KnownFunctions
from protocol.rules.syntax.parser import RuleProgram, parse_program

__all__ = ["Module", "RuleError", "RuleProgram", "Value", "load", "parse"]


def parse(text: str) -> RuleProgram:
    """The program that a rule file is, whatever the text. Raises: RuleError."""
    return parse_program(text, KnownFunctions(prelude().signatures))


def load(program: RuleProgram) -> Module:
    """The module that it becomes when its top has run once. Raises: RuleError."""
    return load_module(program, prelude())
