"""Errors in rule files, with their places."""

from protocol.errors import LocalError
from protocol.view.phrase import Value, phrase


class RuleError(LocalError):
    """An error in a rule file or during its run, with its place and advice for the author."""

    def __init__(self, line: int, column: int, key: str, /, **values: Value) -> None:
        """Create the error. `line` and `column` (in characters) count from 1; line 0 means no
        place. `key` is a key of the catalogue.
        """
        what = phrase(key, **values)
        super().__init__(
            phrase("rules.wrong", line=line, column=column, what=what) if line else what
        )
        self.line = line
        self.column = column
        self.key = key
        self.values = values


class RuleFault(Exception):
    """An error whose place is an offset in the text, or is not known yet."""

    def __init__(self, at: int | None, key: str, **values: Value) -> None:
        super().__init__(key)
        self.at = at
        self.key = key
        self.values = values

    def at_offset(self, at: int) -> "RuleFault":
        """Set the offset unless it is set already, and return the fault."""
        if self.at is None:
            self.at = at
        return self

    def rule_error(self, text: str) -> RuleError:
        """Return the error with line and column for callers outside this package."""
        return RuleError(*line_and_column(text, self.at or 0), self.key, **self.values)


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    at = min(at, len(text))
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
