"""Module: a rule file whose top level has run once, and whose functions can be called."""

from collections.abc import Mapping, Sequence
from typing import Any, Union

from protocol.limits import RULE_CALL_STEPS, RULE_LOAD_STEPS
from protocol.rules.errors import RuleError, RuleFault, line_and_column
from protocol.rules.interpreter.scope import UNSET, Function, NameScope
from protocol.rules.interpreter.statements import bind_function, compile_top_level
from protocol.rules.interpreter.step_meter import StepMeter
from protocol.rules.interpreter.value_operations import measure
from protocol.rules.syntax.nodes import Assign, ExpressionStatement, FunctionDefinition, Name
from protocol.rules.syntax.parser import RuleProgram
from protocol.rules.syntax.signatures import Signature

Value = Union[None, bool, int, str, "list[Value]", "tuple[Value, ...]", "dict[Any, Value]"]


class Module:
    """A rule file after its top level has run. Its constants and functions never change."""

    def __init__(
        self,
        program: RuleProgram,
        constants: Mapping[str, Value],
        functions: Mapping[str, Function],
    ) -> None:
        self.program = program
        self.constants = constants
        self._functions = functions
        self.steps = 0  # steps of the last call, or of loading

    @property
    def functions(self) -> frozenset[str]:
        """Names of the file's own functions."""
        return frozenset(self.program.functions)

    @property
    def signatures(self) -> Mapping[str, Signature]:
        """Signatures of its functions, with the depth of their calls."""
        return self.program.functions

    def functions_of_file(self) -> Mapping[str, Function]:
        """Return its functions for a file that may use them."""
        return {name: self._functions[name] for name in self.program.functions}

    def accepts(self, name: str, given: int) -> bool:
        """Check that a function can be called with `given` values. Raises: KeyError."""
        function = self._functions[name]
        return function.needed <= given <= len(function.parameters)

    def place(self, name: str) -> tuple[int, int]:
        """Return line and column of the definition of a name, from 1; (0, 0) for an unknown
        name.
        """
        for node in self.program.statements:
            if isinstance(node, FunctionDefinition) and node.name == name:
                return line_and_column(self.program.text, node.at)
            if (
                isinstance(node, Assign)
                and isinstance(node.target, Name)
                and node.target.name == name
            ):
                return line_and_column(self.program.text, node.target.at)
        return 0, 0

    def call(self, name: str, *args: Value) -> Value:
        """Call a function of the file. Its arguments are not changed, and the caller must not
        change the result.

        Raises: RuleError for all errors of the file; KeyError for an unknown function.
        """
        found, self.steps = self.call_with_steps(name, *args)
        return found

    def call_with_steps(
        self, name: str, *args: Value, most: int = RULE_CALL_STEPS
    ) -> tuple[Value, int]:
        """Call a function with at most `most` steps, and also return the steps. Raises: as in
        `call`.
        """
        meter = StepMeter(most)
        function = self._functions[name]
        if not self.accepts(name, len(args)):
            raise RuleError(*self.place(name), "rules.takes", name=name, given=len(args))
        try:
            found = function.call(meter, args)
            measure(meter, found)
        except RuleFault as fault:
            raise fault.rule_error(self.program.text) from None
        result: Value = found
        return result, most - meter.left


def load_module(program: RuleProgram, base: Module | None) -> Module:
    """Run the top level of a file once. The file may call the functions of `base`. Raises:
    RuleError.
    """
    constants: dict[str, Any] = {}
    own = {
        node.name: Function(node.name, tuple(node.parameters))
        for node in program.statements
        if isinstance(node, FunctionDefinition)
    }
    if base is None:
        functions = own
    else:
        functions = {**base.functions_of_file(), **own}
    meter = StepMeter(RULE_LOAD_STEPS)
    try:
        for node in program.statements:
            scope = NameScope(constants, functions)
            if isinstance(node, FunctionDefinition):
                bind_function(node, own[node.name], scope)
            elif isinstance(node, Assign | ExpressionStatement):
                run = compile_top_level(node, scope)
                run([meter, None, *[UNSET] * scope.size[0]])
        _check_constants(meter, constants, program.statements)
    except RuleFault as fault:
        raise fault.rule_error(program.text) from None
    module = Module(program, constants, functions)
    module.steps = RULE_LOAD_STEPS - meter.left
    return module


def _check_constants(
    meter: StepMeter, constants: Mapping[str, Any], statements: Sequence[object]
) -> None:
    """Check that the constants of a file are trees of limited size and depth."""
    last = max((node.at for node in statements if isinstance(node, Assign)), default=0)
    try:
        for value in constants.values():
            measure(meter, value)
    except RuleFault as fault:
        raise fault.at_offset(last) from None


__all__ = ["Module", "RuleError", "Value", "load_module"]
