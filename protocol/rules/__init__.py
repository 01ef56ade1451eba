"""Rule language 4 (docs/protocol, 32), a strict subset of Starlark for games: bounded, and the same
everywhere.

Public interface: parse a file, run its top level, call its functions.
"""

from protocol.rules.errors import RuleError
from protocol.rules.module import Module, Value, load_module
from protocol.rules.prelude import prelude
from protocol.rules.syntax.name_resolution import KnownFunctions
from protocol.rules.syntax.parser import RuleProgram, parse_program

__all__ = ["Module", "RuleError", "RuleProgram", "Value", "load", "parse"]


def parse(text: str) -> RuleProgram:
    """Parse the text of a rule file. Raises: RuleError."""
    return parse_program(text, KnownFunctions(prelude().signatures))


def load(program: RuleProgram) -> Module:
    """Run the top level of a program once, and return its module. Raises: RuleError."""
    return load_module(program, prelude())
