"""What both halves of the grammar take from a rule file token by token."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NoReturn, TypeVar

from protocol.limits import MAX_RULE_NESTING
from protocol.rules.errors import Fault
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
    Token,
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


class Reader:
    """A reader at some token. Every method raises `Fault` at what it did not expect."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens, self._at = found, 0

    @property
    def next(self) -> Token:
        """What comes next."""
        return self._tokens[self._at]

    @property
    def after(self) -> Token:
        """What comes behind that."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """What comes next, which is then past; the end comes again and again."""
        token = self._tokens[self._at]
        if self._at < len(self._tokens) - 1:
            self._at += 1
        return token

    def accept(self, kind: str) -> bool:
        """Take it if it comes next."""
        if self._tokens[self._at].kind != kind:
            return False
        self.take()
        return True

    def expect(self, kind: str) -> Token:
        """Take what must come next."""
        if self.next.kind != kind:
            self.wrong(shown(kind))
        return self.take()

    def wrong(self, expected: Phrase) -> NoReturn:
        """Something else must come next; a word just before it may be a keyword misspelt."""
        found = self.next
        before = self._tokens[self._at - 1] if self._at else found
        meant = (
            misspelt(str(before.value), KEYWORDS)
            if before.kind == NAME and found.kind != END
            else ""
        )
        if meant:
            raise Fault(before.at, "rules.keyword", word=str(before.value), meant=meant)
        raise Fault(found.at, "rules.expected", expected=expected, found=shown(found.kind))


def shown(kind: str) -> Phrase:
    """A kind of token, as a part of a sentence."""
    return KINDS.get(kind) or phrase("rules.a.sign", sign=kind)


def misspelt(word: str, known: Iterable[str]) -> str:
    """The known word that this one is most like, or nothing."""
    return next(iter(get_close_matches(word[:40], known, 1, 0.7)), "")


def nested(depth: int, at: int) -> int:
    """One level deeper. Raises: Fault."""
    if depth >= MAX_RULE_NESTING:
        raise Fault(at, "rules.nesting", most=MAX_RULE_NESTING)
    return depth + 1


def over(node: N, below: Sequence[Node]) -> N:
    """The node, which stands one level above these. Raises: Fault."""
    node.height = nested(max([one.height for one in below], default=0), node.at)
    return node
