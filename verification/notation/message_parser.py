"""What a reader of protocols takes word by word: signs, names, messages."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NoReturn

from protocol.limits import MAX_PROTOCOL_DEPTH
from protocol.view.phrase import Phrase, phrase
from verification.notation.tokens import Token
from verification.terms import (
    DECLARED,
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

SORTS = tuple(sort.value for sort in DECLARED)
SECTIONS = ("Protocol", "Types", "Knowledge", "Actions", "Goals")
WORDS = ("where", "authenticates", "weakly", "on", "secret", "guessable", "between")
KEYWORDS = frozenset((*SECTIONS, *SORTS, *WORDS))
# functions that every protocol has
INVERSE = "inv"
EXPONENT = "exp"
_NO_NAMES = KEYWORDS | {INVERSE, EXPONENT}
UNKNOWN_ALGEBRA = ("xor",)  # functions that are more than names: no search here knows their laws


def names_in(found: Iterable[Token]) -> int:
    """Count the names in a text, each as often as it stands there; words of the notation are
    none.
    """
    return sum(token.is_name and token.text not in _NO_NAMES for token in found)


def sign(text: str) -> Phrase:
    """A sign or a keyword, as a part of a sentence."""
    return phrase("notation.sign", sign=text)


class MessageParser:
    """A reader at some token of a text. Every method raises `NotationError` at what it did not
    expect.
    """

    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._at = 0
        self.sorts: dict[str, Sort] = {}  # of the names that have been declared
        self.roles: set[str] = set()  # whose knowledge has been told
        self.unsupported = ""  # the first function whose laws nobody knows here
        followed = pairwise(found)
        self._applied = {token.text for token, after in followed if after.text == "("}

    @property
    def next(self) -> Token:
        """What comes next."""
        return self._tokens[self._at]

    @property
    def after(self) -> Token:
        """What comes behind that."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def at(self, *texts: str) -> bool:
        """Whether one of these comes next."""
        return self.next.text in texts

    def take(self) -> Token:
        """What comes next, which is then past; the end comes again and again."""
        token = self.next
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def accept(self, text: str) -> bool:
        """Take it if it comes next."""
        return self.at(text) and bool(self.take())

    def expect(self, text: str) -> None:
        """Take what must come next."""
        if not self.accept(text):
            self.wrong(sign(text))

    def wrong(self, expected: Phrase) -> NoReturn:
        """Something else must come next."""
        raise self.next.wrong(expected)

    def section(self, name: str) -> None:
        """The head of a section."""
        self.expect(name)
        self.expect(":")

    def separated(self) -> Iterator[None]:
        """Once, and once more as long as a comma follows."""
        yield
        while self.accept(","):
            yield

    def name(self, expected: Phrase) -> Token:
        """A name that is no keyword."""
        if not self.next.is_name or self.next.text in KEYWORDS:
            self.wrong(expected)
        return self.take()

    def agent(self) -> Term:
        """A declared agent."""
        if self.sorts.get(self.next.text) is not Sort.AGENT:
            self.wrong(phrase("notation.an.agent"))
        return self._atom(self.take())

    def role(self) -> Term:
        """An agent whose knowledge has been told."""
        if self.next.text not in self.roles:
            self.wrong(phrase("notation.a.role"))
        return self._atom(self.take())

    def message(self, depth: int = 0) -> Term:
        """A message; a sequence is a pair of the first and the rest."""
        return pair(*[self.single(depth + at) for at, _ in enumerate(self.separated())])

    def single(self, depth: int) -> Term:
        """A message that is no bare sequence."""
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
        """A name in a message: what is chosen anew must be declared, constants need not."""
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
    """The arguments of a function that takes so many, none of them a pair."""
    if len(arguments) != count or any(argument.kind is PAIR for argument in arguments):
        raise token.wrong(phrase("notation.arguments", function=token.text, count=count))
    return arguments
