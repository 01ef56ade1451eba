"""A fast `replace` for frozen dataclasses. The fold creates several changed copies for each
entry.
"""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # type checkers know the field types of `dataclasses.replace`
    from dataclasses import replace as replace
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """Return a changed copy like `dataclasses.replace`, in a third of the time.

        Only for dataclasses that check nothing on creation. Values of `cached_property` are not
        copied. Raises: TypeError for an unknown field, or another kind of value.
        """
        kind = type(value)
        names = _field_names(kind)
        of = value.__dict__
        made = object.__new__(kind)
        new = made.__dict__
        new.update(of if len(of) == len(names) else {name: of[name] for name in names})
        new.update(changes)
        if len(new) != len(names):
            raise TypeError(f"{kind.__name__} has no {changes.keys() - names}")
        return made


@cache
def _field_names(kind: type) -> frozenset[str]:
    """Return the names of a dataclass's fields.

    Raises: TypeError for a class whose objects are more than the values of their fields.
    """
    if not is_dataclass(kind) or hasattr(kind, "__post_init__") or "__slots__" in vars(kind):
        raise TypeError(f"{kind.__name__} is more than its fields")
    return frozenset(field.name for field in fields(kind))
