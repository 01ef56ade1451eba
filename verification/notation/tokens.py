"""The text of a protocol in words and signs, each with its place."""

import re
from dataclasses import dataclass

from protocol.errors import LocalError
from protocol.limits import MAX_PROTOCOL_NAME, MAX_PROTOCOL_TEXT
from protocol.view.phrase import Phrase, phrase

SIGNS = ("*->*", "*->", "->*", "->", "!=", "{|", "|}", *"{}()[],;:")
_TOKEN = re.compile("|".join(map(re.escape, SIGNS)) + "|[A-Za-z][A-Za-z0-9_]*")
_GROUND = re.compile(
    "|".join(map(re.escape, SIGNS)) + r"|[A-Za-z][A-Za-z0-9_]*\*?|[0-9]+"
)  # names of channels' keys end in *
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")


class NotationError(LocalError):
    """A text that is no protocol: where, and what was expected there."""

    def __init__(self, line: int, column: int, expected: Phrase, found: Phrase) -> None:
        """`line` and `column` count from 1; a column is a character."""
        super().__init__("notation.wrong", line=line, column=column, expected=expected, found=found)
        self.line, self.column = line, column


@dataclass(frozen=True)
class Token:
    """A name, a keyword or a sign; the empty text at the end."""

    text: str
    line: int
    column: int

    @property
    def is_name(self) -> bool:
        """A name, or a keyword."""
        return self.text[:1].isalpha()

    def wrong(self, expected: Phrase) -> NotationError:
        """The error that something else was expected in this place."""
        found = phrase("notation.sign", sign=self.text) if self.text else phrase("notation.end")
        return NotationError(self.line, self.column, expected, found)


def tokenize(text: str) -> list[Token]:
    """All of a protocol, and the end. Raises: NotationError."""
    return _tokens(text, _TOKEN)


def ground_tokens(text: str) -> list[Token]:
    """All of a message with numbers of strands in it, and the end. Raises: NotationError."""
    return _tokens(text, _GROUND)


def _tokens(text: str, kinds: re.Pattern[str]) -> list[Token]:
    found: list[Token] = []
    lines, at = _Lines(), _after_space(text, 0)
    if len(text) > MAX_PROTOCOL_TEXT:
        end = lines.place(text, MAX_PROTOCOL_TEXT)
        raise NotationError(
            *end, phrase("notation.an.end", most=MAX_PROTOCOL_TEXT), phrase("notation.more")
        )
    while at < len(text):
        line, column = lines.place(text, at)
        match = kinds.match(text, at)
        if match is None:
            raise Token(text[at], line, column).wrong(phrase("notation.a.token"))
        if len(match[0]) > MAX_PROTOCOL_NAME:
            raise NotationError(
                line,
                column,
                phrase("notation.short", most=MAX_PROTOCOL_NAME),
                phrase("notation.more"),
            )
        found.append(Token(match[0], line, column))
        at = _after_space(text, match.end())
    return [*found, Token("", *lines.place(text, at))]


def _after_space(text: str, at: int) -> int:
    """Where the next token begins: behind blanks and comments."""
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()


class _Lines:
    """Lines and columns of ascending places, counted once."""

    def __init__(self) -> None:
        self.line, self.start, self.seen = 1, 0, 0

    def place(self, text: str, at: int) -> tuple[int, int]:
        self.line += text.count("\n", self.seen, at)
        self.start = max(self.start, text.rfind("\n", self.seen, at) + 1)
        self.seen = at
        return self.line, at - self.start + 1
