"""Parser for signs, names and messages, the parts of a protocol."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NoReturn

from protocol.limits import MAX_PROTOCOL_DEPTH
from protocol.view.phrase import Phrase, phrase
from verification.notation.tokens import Token
from verification.terms import (
    DECLARABLE_SORTS,
    PAIR,
    Sort,
    Term,
    application,
    asymmetric,
    constant,
    exponent,
    inverse,
    pair,
    symmetric,
    variable,
)

SORTS = tuple(sort.value for sort in DECLARABLE_SORTS)
SECTIONS = ("Protocol", "Types", "Knowledge", "Actions", "Goals")
WORDS = ("where", "authenticates", "weakly", "on", "secret", "guessable", "between")
KEYWORDS = frozenset((*SECTIONS, *SORTS, *WORDS))
# functions that every protocol has
INVERSE = "inv"
EXPONENT = "exp"
_NO_NAMES = KEYWORDS | {INVERSE, EXPONENT}
UNKNOWN_ALGEBRA = ("xor",)  # functions with laws that the engine does not know


def names_in(found: Iterable[Token]) -> int:
    """Count the names in a text, with repetitions. Keywords do not count."""
    return sum(token.is_name and token.text not in _NO_NAMES for token in found)


def sign(text: str) -> Phrase:
    """Make a phrase that quotes a sign or a keyword."""
    return phrase("notation.sign", sign=text)


class MessageParser:
    """Parser at a position in a list of tokens. Every method raises `NotationError` at an
    unexpected token.
    """

    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._at = 0
        self.sorts: dict[str, Sort] = {}  # declared names
        self.roles: set[str] = set()  # agents with a line in `Knowledge`
        self.unsupported = ""  # first function of `UNKNOWN_ALGEBRA` in the text
        followed = pairwise(found)
        self._applied = {token.text for token, after in followed if after.text == "("}

    @property
    def next(self) -> Token:
        """Next token."""
        return self._tokens[self._at]

    @property
    def after(self) -> Token:
        """Token after the next."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def at(self, *texts: str) -> bool:
        """Check that the next token is one of these."""
        return self.next.text in texts

    def take(self) -> Token:
        """Consume and return the next token. The end of the text is never consumed."""
        token = self.next
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def accept(self, text: str) -> bool:
        """Consume the next token if it is `text`. Return True if so."""
        return self.at(text) and bool(self.take())

    def expect(self, text: str) -> None:
        """Consume the next token, which must be `text`."""
        if not self.accept(text):
            self.wrong(sign(text))

    def wrong(self, expected: Phrase) -> NoReturn:
        """Raise the error that the next token should be `expected`."""
        raise self.next.wrong(expected)

    def section(self, name: str) -> None:
        """Consume the heading of a section."""
        self.expect(name)
        self.expect(":")

    def separated(self) -> Iterator[None]:
        """Yield once for each item of a list. The caller parses the item, and this method consumes
        the commas.
        """
        yield
        while self.accept(","):
            yield

    def name(self, expected: Phrase) -> Token:
        """Consume a name that is no keyword."""
        if not self.next.is_name or self.next.text in KEYWORDS:
            self.wrong(expected)
        return self.take()

    def agent(self) -> Term:
        """Consume a declared agent."""
        if self.sorts.get(self.next.text) is not Sort.AGENT:
            self.wrong(phrase("notation.an.agent"))
        return self._atom(self.take())

    def role(self) -> Term:
        """Consume an agent with a line in `Knowledge`."""
        if self.next.text not in self.roles:
            self.wrong(phrase("notation.a.role"))
        return self._atom(self.take())

    def message(self, depth: int = 0) -> Term:
        """Parse a message. A list `x,y,z` becomes the pair x,(y,z)."""
        return pair(*[self.single(depth + at) for at, _ in enumerate(self.separated())])

    def single(self, depth: int) -> Term:
        """Parse a message that is no list, unless the list has brackets."""
        if depth > MAX_PROTOCOL_DEPTH:
            self.wrong(phrase("notation.flatter", most=MAX_PROTOCOL_DEPTH))
        for begin, end in (("{|", "|}"), ("{", "}"), ("(", ")")):
            if self.accept(begin):
                body = self.message(depth + 1)
                self.expect(end)
                if end == ")":
                    return body
                return (symmetric if end == "|}" else asymmetric)(body, self.single(depth + 1))
        token = self.name(phrase("notation.a.message"))
        if self.at("("):
            return self._call(token, depth)
        return self._known(token)

    def _call(self, token: Token, depth: int) -> Term:
        if token.text[0].isupper() or self.sorts.get(token.text, Sort.FUNCTION) not in (
            Sort.FUNCTION,
            Sort.FORMAT,
        ):
            raise token.wrong(phrase("notation.a.function"))
        self.expect("(")
        arguments = [self.single(depth + 1 + at) for at, _ in enumerate(self.separated())]
        self.expect(")")
        if token.text in UNKNOWN_ALGEBRA:
            self.unsupported = self.unsupported or token.text
        if token.text == INVERSE:
            return inverse(*_exactly(1, token, arguments))
        if token.text == EXPONENT:
            return exponent(*_exactly(2, token, arguments))
        return application(self._atom(token), *arguments)

    def _known(self, token: Token) -> Term:
        """Make the atom of a name in a message. Capital names must be declared, constants need
        not.
        """
        if token.text in (INVERSE, EXPONENT) or (
            token.text not in self.sorts and token.text[0].isupper()
        ):
            raise token.wrong(phrase("notation.a.declared"))
        return self._atom(token)

    def _atom(self, token: Token) -> Term:
        if token.text in self._applied:
            undeclared = Sort.FUNCTION
        else:
            undeclared = Sort.UNTYPED
        return (variable if token.text[0].isupper() else constant)(
            token.text, self.sorts.get(token.text, undeclared)
        )


def _exactly(count: int, token: Token, arguments: list[Term]) -> list[Term]:
    """Check the arguments of a function: their number must be `count`, and none may be a pair."""
    if len(arguments) != count or any(argument.kind is PAIR for argument in arguments):
        raise token.wrong(phrase("notation.arguments", function=token.text, count=count))
    return arguments
