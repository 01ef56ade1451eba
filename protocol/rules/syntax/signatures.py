"""Permitted arguments of calls."""

from dataclasses import dataclass

from protocol.rules.errors import RuleFault
from protocol.rules.syntax.nodes import FunctionCall, Name, Parameter

ANY = 64  # most arguments of `min` and `max`, and of any call


@dataclass(frozen=True)
class Signature:
    """Signature of a built-in function, or of a function of a rule file.

    Functions of a file have a `height` and a `depth`, as in `check_call_depth`: the sum of the
    heights of all functions in progress at once, and their number.
    """

    parameters: tuple[Parameter, ...] = ()
    height: int = 0
    depth: int = 0
    least: int = 0  # least and most positional arguments of a built-in function
    most: int = -1
    named: tuple[str, ...] = ()

    @property
    def is_built_in(self) -> bool:
        """Check that the function is built in."""
        return self.most >= 0


def _built_in(least: int, most: int, *named: str) -> Signature:
    return Signature(least=least, most=most, named=named)


BUILT_IN = {
    "bool": _built_in(1, 1),
    "enumerate": _built_in(1, 1),
    "len": _built_in(1, 1),
    "list": _built_in(0, 1),
    "max": _built_in(1, ANY, "key"),
    "min": _built_in(1, ANY, "key"),
    "range": _built_in(1, 3),
    "sorted": _built_in(1, 1, "key", "reverse"),
    "str": _built_in(1, 1),
    "type": _built_in(1, 1),
}


def key_of(node: FunctionCall) -> Name | None:
    """Return the function that `sorted`, `min` or `max` gets as `key`. Raises: RuleFault if it is
    no name.
    """
    signature = BUILT_IN.get(node.name)
    if signature is None or "key" not in signature.named:
        return None
    for argument in node.arguments:
        if argument.name == "key":
            if not isinstance(argument.value, Name):
                raise RuleFault(argument.at, "rules.key")
            return argument.value
    return None


def check_key(key: Name, signature: Signature | None) -> None:
    """Check that a key is a function of a file that takes one value. Raises: RuleFault."""
    if signature is None:
        needed = []
    else:
        needed = [one for one in signature.parameters if one.default is None]
    if signature is None or not signature.parameters or len(needed) > 1:
        raise RuleFault(key.at, "rules.key")


def check_arguments(node: FunctionCall, signature: Signature) -> None:
    """Check the arguments of a call. Raises: RuleFault for missing or unknown ones."""
    names = [argument.name for argument in node.arguments if argument.name is not None]
    places = len(node.arguments) - len(names)
    for argument in node.arguments:
        if argument.name is not None and names.count(argument.name) > 1:
            raise RuleFault(argument.at, "rules.argument.twice", name=argument.name)
    if signature.is_built_in:
        _check_built_in(node, signature, places)
    else:
        _check_own(node, signature, places)


def _check_built_in(node: FunctionCall, signature: Signature, places: int) -> None:
    for argument in node.arguments:
        if argument.name is not None and argument.name not in signature.named:
            raise RuleFault(
                argument.at, "rules.argument.unknown", name=argument.name, function=node.name
            )
    if not signature.least <= places <= signature.most:
        raise RuleFault(
            node.at,
            "rules.arguments",
            function=node.name,
            least=signature.least,
            most=signature.most,
        )


def _check_own(node: FunctionCall, signature: Signature, places: int) -> None:
    names = [parameter.name for parameter in signature.parameters]
    if places > len(names):
        least = len([one for one in signature.parameters if one.default is None])
        raise RuleFault(
            node.at, "rules.arguments", function=node.name, least=least, most=len(names)
        )
    given = set(names[:places])
    for argument in node.arguments:
        if argument.name is None:
            continue
        if argument.name not in names:
            raise RuleFault(
                argument.at, "rules.argument.unknown", name=argument.name, function=node.name
            )
        if argument.name in given:
            raise RuleFault(argument.at, "rules.argument.twice", name=argument.name)
        given.add(argument.name)
    for parameter in signature.parameters:
        if parameter.default is None and parameter.name not in given:
            raise RuleFault(
                node.at, "rules.argument.missing", name=parameter.name, function=node.name
            )
