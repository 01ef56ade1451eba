"""Reader of tokens, the base of the parsers of expressions and statements."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NoReturn, TypeVar

from protocol.limits import MAX_RULE_NESTING
from protocol.rules.errors import RuleFault
from protocol.rules.syntax.nodes import Node
from protocol.rules.syntax.tokens import (
    DEDENT,
    END,
    INDENT,
    KEYWORDS,
    LINE,
    NAME,
    NUMBER,
    TEXT,
    RuleToken,
)
from protocol.view.phrase import Phrase, phrase

N = TypeVar("N", bound=Node)
KINDS = {
    LINE: phrase("rules.a.line"),
    INDENT: phrase("rules.a.indent"),
    DEDENT: phrase("rules.a.dedent"),
    END: phrase("rules.a.end"),
    NAME: phrase("rules.a.name"),
    NUMBER: phrase("rules.a.number"),
    TEXT: phrase("rules.a.text"),
}


class TokenReader:
    """A position in a list of tokens. Methods raise `RuleFault` at an unexpected token."""

    def __init__(self, found: list[RuleToken]) -> None:
        self._tokens = found
        self._at = 0

    @property
    def next(self) -> RuleToken:
        """The next token."""
        return self._tokens[self._at]

    @property
    def after(self) -> RuleToken:
        """The token after the next one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> RuleToken:
        """Return the next token and move past it. The end token is returned again and again."""
        token = self._tokens[self._at]
        if self._at < len(self._tokens) - 1:
            self._at += 1
        return token

    def accept(self, kind: str) -> bool:
        """Take the next token if it is of this kind."""
        if self._tokens[self._at].kind != kind:
            return False
        self.take()
        return True

    def expect(self, kind: str) -> RuleToken:
        """Take the next token, which must be of this kind."""
        if self.next.kind != kind:
            self.wrong(token_phrase(kind))
        return self.take()

    def wrong(self, expected: Phrase) -> NoReturn:
        """Raise the fault for an unexpected token. The word before it may be a misspelt keyword."""
        found = self.next
        before = self._tokens[self._at - 1] if self._at else found
        if before.kind == NAME and found.kind != END:
            meant = nearest_word(str(before.value), KEYWORDS)
        else:
            meant = ""
        if meant:
            raise RuleFault(before.at, "rules.keyword", word=str(before.value), meant=meant)
        raise RuleFault(
            found.at, "rules.expected", expected=expected, found=token_phrase(found.kind)
        )


def token_phrase(kind: str) -> Phrase:
    """Describe a kind of token, as a part of a sentence."""
    return KINDS.get(kind) or phrase("rules.a.sign", sign=kind)


def nearest_word(word: str, known: Iterable[str]) -> str:
    """Return the known word most similar to `word`, or an empty text."""
    return next(iter(get_close_matches(word[:40], known, 1, 0.7)), "")


def checked_depth(depth: int, at: int) -> int:
    """Return the next depth. Raises: RuleFault if it is too deep."""
    if depth >= MAX_RULE_NESTING:
        raise RuleFault(at, "rules.nesting", most=MAX_RULE_NESTING)
    return depth + 1


def with_height(node: N, below: Sequence[Node]) -> N:
    """Set the height of a node from the nodes below it. Raises: RuleFault if it is too high."""
    node.height = checked_depth(max([one.height for one in below], default=0), node.at)
    return node
