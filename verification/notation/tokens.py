"""Tokenizer for protocols and messages."""

import re
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.limits import MAX_PROTOCOL_NAME, MAX_PROTOCOL_TEXT
from protocol.view.phrase import Phrase, phrase

SIGNS = ("*->*", "*->", "->*", "->", "!=", "{|", "|}", *"{}()[],;:")
_SPACE = r"(?:[ \t\r\n]|#[^\n]*)*"  # blanks and comments
_SIGN = "|".join(map(re.escape, SIGNS))
_BEGIN = re.compile(_SPACE)
_TOKEN = re.compile(f"({_SIGN}|[A-Za-z][A-Za-z0-9_]*){_SPACE}")
# the names of keys for channels end in *
_GROUND = re.compile(f"({_SIGN}|[A-Za-z][A-Za-z0-9_]*\\*?|[0-9]+){_SPACE}")


class NotationError(LocalError):
    """Raised for a text that is no protocol. Its message gives the position and the expected
    token.
    """

    def __init__(self, line: int, column: int, expected: Phrase, found: Phrase) -> None:
        """Set the position: `line` and `column` count from 1, a column is a character."""
        super().__init__("notation.wrong", line=line, column=column, expected=expected, found=found)
        self.line = line
        self.column = column


class Token(NamedTuple):
    """A name, a keyword or a sign. The token at the end of a text is empty."""

    text: str
    at: int  # index of the first character in `source`
    source: str

    @property
    def is_name(self) -> bool:
        """Check for a name or a keyword."""
        return self.text[:1].isalpha()

    def wrong(self, expected: Phrase) -> NotationError:
        """Make the error that this token should be `expected`."""
        if self.text:
            found = phrase("notation.sign", sign=self.text)
        else:
            found = phrase("notation.end")
        return self.error(expected, found)

    def error(self, expected: Phrase, found: Phrase) -> NotationError:
        """Make an error at the position of this token."""
        before = self.source[: self.at]
        line = before.count("\n") + 1
        column = self.at - before.rfind("\n")
        return NotationError(line, column, expected, found)


def tokenize(text: str) -> list[Token]:
    """Split a protocol into tokens, with an empty one at the end. Raises: NotationError."""
    return _tokens(text, _TOKEN)


def ground_tokens(text: str) -> list[Token]:
    """Split a message into tokens, with an empty one at the end. Numbers of strands are tokens too.
    Raises: NotationError.
    """
    return _tokens(text, _GROUND)


def _tokens(text: str, kinds: re.Pattern[str]) -> list[Token]:
    if len(text) > MAX_PROTOCOL_TEXT:
        past = Token("", MAX_PROTOCOL_TEXT, text)
        raise past.error(phrase("notation.an.end", most=MAX_PROTOCOL_TEXT), phrase("notation.more"))
    found: list[Token] = []
    begin = _BEGIN.match(text)
    at = begin.end() if begin else 0
    while at < len(text):
        match = kinds.match(text, at)
        if match is None:
            raise Token(text[at], at, text).wrong(phrase("notation.a.token"))
        token = Token(match[1], at, text)
        if len(token.text) > MAX_PROTOCOL_NAME:
            raise token.error(
                phrase("notation.short", most=MAX_PROTOCOL_NAME), phrase("notation.more")
            )
        found.append(token)
        at = match.end()
    return [*found, Token("", at, text)]
