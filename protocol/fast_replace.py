"""Frozen values that change by being made anew, a few times for each entry."""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # its checker knows the fields of what is replaced
    from dataclasses import replace as replace
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """As `dataclasses.replace`, in a third of its time, for dataclasses that check nothing when
        they are made.

        What a value has worked out for itself (`cached_property`) is not carried over. Raises:
        TypeError for a field that it has not, and for another kind of value.
        """
        kind = type(value)
        names, of = _field_names(kind), value.__dict__
        made = object.__new__(kind)
        new = made.__dict__
        new.update(of if len(of) == len(names) else {name: of[name] for name in names})
        new.update(changes)
        if len(new) != len(names):
            raise TypeError(f"{kind.__name__} has no {changes.keys() - names}")
        return made


@cache
def _field_names(kind: type) -> frozenset[str]:
    """The fields of such a class. Raises: TypeError for one that is not made by setting them, and
    nothing else.
    """
    if not is_dataclass(kind) or hasattr(kind, "__post_init__") or "__slots__" in vars(kind):
        raise TypeError(f"{kind.__name__} is more than its fields")
    return frozenset(field.name for field in fields(kind))
