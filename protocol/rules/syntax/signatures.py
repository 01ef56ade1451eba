"""Which arguments a call may have."""

from dataclasses import dataclass

from protocol.rules.errors import RuleFault
from protocol.rules.syntax.nodes import FunctionCall, Name, Parameter

ANY = 64  # arguments of `min` and `max`, and of any call


@dataclass(frozen=True)
class Signature:
    """A function of a file: what it takes, and how high and deep its calls reach. Or a built-in
    one.
    """

    parameters: tuple[Parameter, ...] = ()
    height: int = 0
    depth: int = 0
    least: int = 0  # of a built-in function, by their places
    most: int = -1
    named: tuple[str, ...] = ()

    @property
    def is_built_in(self) -> bool:
        """Whether the language has it."""
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
    """The function that `sorted`, `min` or `max` is given by name."""
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
    """Raises: Fault if this is not a function of a file that takes one value."""
    needed = (
        [] if signature is None else [one for one in signature.parameters if one.default is None]
    )
    if signature is None or not signature.parameters or len(needed) > 1:
        raise RuleFault(key.at, "rules.key")


def check_arguments(node: FunctionCall, signature: Signature) -> None:
    """Raises: Fault for arguments that the function does not take, or that are missing."""
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
