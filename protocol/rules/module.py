"""A rule file that has run once, and is called from then on."""

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
    """What a rule file is once its top has run: nothing of it changes any more."""

    def __init__(
        self,
        program: RuleProgram,
        constants: Mapping[str, Value],
        functions: Mapping[str, Function],
    ) -> None:
        self.program = program
        self.constants = constants
        self._functions = functions
        self.steps = 0  # that the last call took, or loading

    @property
    def functions(self) -> frozenset[str]:
        """The names of the file's own functions."""
        return frozenset(self.program.functions)

    @property
    def signatures(self) -> Mapping[str, Signature]:
        """What its functions take, and how far their calls reach."""
        return self.program.functions

    def functions_of_file(self) -> Mapping[str, Function]:
        """Its functions, for a file that may use them."""
        return {name: self._functions[name] for name in self.program.functions}

    def accepts(self, name: str, given: int) -> bool:
        """Whether a function of it can be called with so many values. Raises: KeyError."""
        function = self._functions[name]
        return function.needed <= given <= len(function.parameters)

    def place(self, name: str) -> tuple[int, int]:
        """The line and the column where the file says what this name is, counted from 1; 0 and 0 if
        it does not.
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
        """What a function of the file returns. Lists and dicts given to it are not changed, nor may
        the result be.

        Raises: RuleError, for whatever the file does wrong; KeyError for a function that it does
        not have.
        """
        found, self.steps = self.call_with_steps(name, *args)
        return found

    def call_with_steps(
        self, name: str, *args: Value, most: int = RULE_CALL_STEPS
    ) -> tuple[Value, int]:
        """The same, and the steps that it took, which are `most` at the most. Raises: as `call`."""
        meter, function = StepMeter(most), self._functions[name]
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
    """Run the top of a file, once, which may call the functions of `base`. Raises: RuleError."""
    constants: dict[str, Any] = {}
    own = {
        node.name: Function(node.name, tuple(node.parameters))
        for node in program.statements
        if isinstance(node, FunctionDefinition)
    }
    functions = own if base is None else {**base.functions_of_file(), **own}
    meter = StepMeter(RULE_LOAD_STEPS)
    try:
        for node in program.statements:
            scope = NameScope(constants, functions)
            if isinstance(node, FunctionDefinition):
                bind_function(node, own[node.name], scope)
            elif isinstance(node, Assign | ExpressionStatement):
                run = compile_top_level(node, scope)
                run([meter, None, *[UNSET] * scope.size[0]])
        _measured(meter, constants, program.statements)
    except RuleFault as fault:
        raise fault.rule_error(program.text) from None
    module = Module(program, constants, functions)
    module.steps = RULE_LOAD_STEPS - meter.left
    return module


def _measured(meter: StepMeter, constants: Mapping[str, Any], statements: Sequence[object]) -> None:
    """What a file gives away is a tree of bounded size and depth."""
    last = max((node.at for node in statements if isinstance(node, Assign)), default=0)
    try:
        for value in constants.values():
            measure(meter, value)
    except RuleFault as fault:
        raise fault.at_offset(last) from None


__all__ = ["Module", "RuleError", "Value", "load_module"]
