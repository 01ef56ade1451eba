"""What can be wrong with a rule file, and where."""

from protocol.errors import LocalError
from protocol.view.phrase import Value, phrase


class RuleError(LocalError):
    """A rule file that cannot be read, or that did wrong when it ran: where, and what to do about
    it.
    """

    def __init__(self, line: int, column: int, key: str, /, **values: Value) -> None:
        """`line` and `column` count from 1, a column is a character; 0: of no line. `key` is of the
        catalogue.
        """
        what = phrase(key, **values)
        super().__init__(
            phrase("rules.wrong", line=line, column=column, what=what) if line else what
        )
        self.line, self.column, self.key, self.values = line, column, key, values


class RuleFault(Exception):
    """The same while the place is only known as an offset in the text, or not known yet."""

    def __init__(self, at: int | None, key: str, **values: Value) -> None:
        super().__init__(key)
        self.at, self.key, self.values = at, key, values

    def at_offset(self, at: int) -> "RuleFault":
        """The same, at this offset unless it has one."""
        if self.at is None:
            self.at = at
        return self

    def rule_error(self, text: str) -> RuleError:
        """What is told outside."""
        return RuleError(*line_and_column(text, self.at or 0), self.key, **self.values)


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """Where an offset of a text is, both counted from 1."""
    at = min(at, len(text))
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
