"""Built-in functions and methods. Each raises `RuleFault` for values of the wrong kind."""

from collections.abc import Callable, Sequence
from typing import Any

from protocol.limits import MAX_RULE_LIST
from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.operators import hashable, index_of
from protocol.rules.interpreter.step_meter import MAKE, StepMeter, kind
from protocol.rules.interpreter.value_operations import check_sortable, to_text

Key = Callable[[StepMeter, Any], Any]
BuiltIn = Callable[[StepMeter, Sequence[Any]], Any]
Method = Callable[[StepMeter, Any, Sequence[Any]], Any]


def elements(of: Any) -> Any:
    """Return a value that can be iterated: a list, tuple or range, or a dict for its keys. Raises:
    RuleFault.
    """
    if type(of) in (list, tuple, range, dict):
        return of
    raise RuleFault(None, "rules.iterate", kind=kind(of))


def _bool(_: StepMeter, given: Sequence[Any]) -> bool:
    return bool(given[0])


def _len(_: StepMeter, given: Sequence[Any]) -> int:
    return len(given[0] if type(given[0]) is str else elements(given[0]))


def _list(meter: StepMeter, given: Sequence[Any]) -> list[Any]:
    what = elements(given[0]) if given else ()
    meter.check_room(len(what))
    return meter.add_list(list(what))


def _enumerate(meter: StepMeter, given: Sequence[Any]) -> list[Any]:
    what = elements(given[0])
    meter.check_room(len(what))
    meter.spend(2 * len(what))
    return meter.add_list(list(enumerate(what)))


def _range(_: StepMeter, given: Sequence[Any]) -> range:
    for one in given:
        if type(one) is not int:
            raise RuleFault(None, "rules.range.kind", kind=kind(one))
    if len(given) == 3 and given[2] == 0:
        raise RuleFault(None, "rules.step")
    found = range(*given)
    if found and (abs(found[-1] - found[0]) // abs(found.step)) >= MAX_RULE_LIST:
        raise RuleFault(None, "rules.list.long", most=MAX_RULE_LIST)
    return found


def _str(meter: StepMeter, given: Sequence[Any]) -> str:
    return to_text(meter, given[0])


def _type(_: StepMeter, given: Sequence[Any]) -> str:
    return kind(given[0])


def min_or_max(meter: StepMeter, given: Sequence[Any], key: Key | None, *, least: bool) -> Any:
    """Compute `min` or `max`: the first of several equal results."""
    what = elements(given[0]) if len(given) == 1 else given
    meter.spend(MAKE)
    meter.check_room(len(what))
    found = list(what)
    if not found:
        raise RuleFault(None, "rules.empty")
    keys = _keys(meter, what, found, key)
    check_sortable(meter, keys)
    return found[keys.index((min if least else max)(keys))]


def sort_values(meter: StepMeter, given: Sequence[Any], key: Key | None, reverse: Any) -> list[Any]:
    """Compute `sorted`: equal elements keep their order."""
    if type(reverse) is not bool:
        raise RuleFault(None, "rules.reverse", kind=kind(reverse))
    what = elements(given[0])
    meter.spend(MAKE)
    meter.check_room(len(what))
    found = list(what)
    keys = _keys(meter, what, found, key)
    check_sortable(meter, keys)
    order = sorted(range(len(found)), key=keys.__getitem__, reverse=reverse)
    return meter.add_list([found[at] for at in order])


def _keys(meter: StepMeter, what: Any, found: list[Any], key: Key | None) -> list[Any]:
    if key is None:
        return found
    meter.busy.append(id(what))
    keys = [key(meter, one) for one in found]
    meter.busy.pop()
    return keys


def _append(meter: StepMeter, of: Any, given: Sequence[Any]) -> None:
    found = meter.check_may_grow(of)
    if len(found) >= MAX_RULE_LIST:
        raise RuleFault(None, "rules.list.long", most=MAX_RULE_LIST)
    found.append(given[0])


def extend(meter: StepMeter, of: Any, more: Any) -> Any:
    """Compute `of += more` for a list, which is extended in place."""
    if type(more) is not list:
        raise RuleFault(None, "rules.operands", sign="+=", left="list", right=kind(more))
    found = meter.check_may_grow(of)
    meter.check_room(len(more))
    if len(found) + len(more) > MAX_RULE_LIST:
        raise RuleFault(None, "rules.list.long", most=MAX_RULE_LIST)
    found += more
    return found


def _index(meter: StepMeter, of: Any, given: Sequence[Any]) -> int:
    if type(of) is not list:
        raise RuleFault(None, "rules.method.kind", name="index", needed="list", kind=kind(of))
    at = index_of(meter, given[0], of)
    if at < 0:
        raise RuleFault(None, "rules.index.none")
    return at


def _get(_: StepMeter, of: Any, given: Sequence[Any]) -> Any:
    if type(of) is not dict:
        raise RuleFault(None, "rules.method.kind", name="get", needed="dict", kind=kind(of))
    return of.get(hashable(given[0]), given[1] if len(given) > 1 else None)


def _keys_of(meter: StepMeter, of: Any, _: Sequence[Any]) -> list[Any]:
    if type(of) is not dict:
        raise RuleFault(None, "rules.method.kind", name="keys", needed="dict", kind=kind(of))
    meter.check_room(len(of))
    return meter.add_list(list(of))


FUNCTIONS: dict[str, BuiltIn] = {
    "bool": _bool,
    "enumerate": _enumerate,
    "len": _len,
    "list": _list,
    "range": _range,
    "str": _str,
    "type": _type,
}
METHODS: dict[str, Method] = {"append": _append, "get": _get, "index": _index, "keys": _keys_of}
