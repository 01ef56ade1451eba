"""Messages as terms: atoms, pairs, encryptions, functions and exponentials, in the free algebra of
Dolev and Yao.

Cryptography is perfect: two terms are the same message exactly when they are equal here, the order
of exponents apart. After D. Dolev, A. Yao, "On the security of public key protocols", IEEE Trans.
Inf. Theory 29 (1983).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from operator import attrgetter, is_
from typing import Final


class TermKind(Enum):
    """What a term is made of; `args` of each in brackets."""

    CONSTANT = "constant"  # the same for everybody: lower-case names, agents, functions
    FRESH = "fresh"  # made by one strand, number `index`, and by nobody else
    VARIABLE = "variable"  # stands for any term of its sort
    PAIR = "pair"  # (first, second); longer lists are pairs in their second place
    SYMMETRIC = "symmetric"  # (message, key): {|m|}k
    ASYMMETRIC = "asymmetric"  # (message, key): {m}k, opened with inv(k); {m}inv(k) is a signature
    INVERSE = "inverse"  # (key,): inv(k)
    APPLY = "apply"  # (function, argument): f(x); f(x, y) has the pair as its argument
    EXPONENT = "exponent"  # (base, exponent, …): the exponents sorted, the base none of this kind

    __hash__ = object.__hash__  # there is one of each, and a search looks them up all the time


class Sort(Enum):
    """An atom's type, as `Types:` declares it. A variable stands for atoms of its own sort;
    untyped, for any term.
    """

    AGENT = "Agent"
    NUMBER = "Number"
    SYMMETRIC_KEY = "Symmetric_key"
    PUBLIC_KEY = "PublicKey"
    FUNCTION = "Function"
    FORMAT = "Format"  # a function that everybody can apply and take apart
    UNTYPED = "Untyped"
    # of variables alone, for parts that a role cannot look into: what kind of thing they are
    SEALED = "{|…|}k"
    BOXED = "{…}k"
    IMAGE = "f(…)"
    POWER = "exp(…)"
    PRIVATE_KEY = "inv(…)"

    __hash__ = object.__hash__  # as above


CONSTANT: Final = TermKind.CONSTANT
FRESH: Final = TermKind.FRESH
VARIABLE: Final = TermKind.VARIABLE
PAIR: Final = TermKind.PAIR
SYMMETRIC: Final = TermKind.SYMMETRIC
ASYMMETRIC: Final = TermKind.ASYMMETRIC
INVERSE: Final = TermKind.INVERSE
APPLY: Final = TermKind.APPLY
EXPONENT: Final = TermKind.EXPONENT


DECLARED: Final = (  # what a text may declare
    Sort.AGENT,
    Sort.NUMBER,
    Sort.SYMMETRIC_KEY,
    Sort.PUBLIC_KEY,
    Sort.FUNCTION,
    Sort.FORMAT,
    Sort.UNTYPED,
)
OF_KIND: Final = {  # the sort that stands for a kind
    SYMMETRIC: Sort.SEALED,
    ASYMMETRIC: Sort.BOXED,
    APPLY: Sort.IMAGE,
    EXPONENT: Sort.POWER,
    INVERSE: Sort.PRIVATE_KEY,
}


class Term:
    """A message or a part of one. Never changed after it is made; equal terms have equal hashes.

    Make terms with the functions below, which keep them in normal form, and not with the class.
    """

    __slots__ = ("_hash", "_text", "args", "ground", "index", "kind", "name", "sort")

    def __init__(
        self, kind: TermKind, name: str, sort: Sort, index: int, args: tuple["Term", ...]
    ) -> None:
        """`name`, `sort` and `index` (the strand that an atom is of, 0: of the description) are an
        atom's alone.
        """
        self.kind = kind
        self.name = name
        self.sort = sort
        self.index = index
        self.args = args
        self.ground = kind is not VARIABLE  # no variable in it
        for arg in args:
            if not arg.ground:
                self.ground = False
        self._hash = hash((name, index, args))
        self._text = ""  # once it is asked for: exponents are sorted by it again and again

    @property
    def text(self) -> str:
        """The term as `text` has it."""
        if not self._text:
            self._text = _written(self)
        return self._text

    @property
    def order(self) -> tuple[str, int]:
        """The key by which exponents are sorted."""
        if self.args:
            return (self.text, 0)
        return (self.name, self.index)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Term)
            and self._hash == other._hash
            and self.kind is other.kind
            and self.args == other.args
            and (self.name, self.sort, self.index) == (other.name, other.sort, other.index)
        )

    def __repr__(self) -> str:
        return text(self)


# --- making terms ---

_ORDER = attrgetter("order")
# the same atom is mostly the same object, which is what comparing is quickest at
_kept = lru_cache(1 << 14)


@_kept
def constant(name: str, sort: Sort = Sort.UNTYPED) -> Term:
    """What has this name for everybody: an agent, a function, a number."""
    return Term(CONSTANT, name, sort, 0, ())


@_kept
def variable(name: str, sort: Sort, index: int = 0) -> Term:
    """A name that stands for any term of its sort; in a description: every capital name, whoever
    chooses its value.
    """
    return Term(VARIABLE, name, sort, index, ())


@_kept
def fresh(name: str, sort: Sort, index: int) -> Term:
    """What strand number `index` has made new."""
    return Term(FRESH, name, sort, index, ())


def pair(first: Term, *others: Term) -> Term:
    """`x,y,z` as x,(y,z); one term alone is itself."""
    *before, found = first, *others
    for term in reversed(before):
        found = _compound(PAIR, term, found)
    return found


def symmetric(message: Term, key: Term) -> Term:
    """{|message|}key."""
    return _compound(SYMMETRIC, message, key)


def asymmetric(message: Term, key: Term) -> Term:
    """{message}key: opened with inv(key); with a key inv(k), a signature that k opens."""
    return _compound(ASYMMETRIC, message, key)


def inverse(key: Term) -> Term:
    """inv(key); the inverse of an inverse is the key."""
    if key.kind is INVERSE:
        return key.args[0]
    return _compound(INVERSE, key)


def application(function: Term, first: Term, *others: Term) -> Term:
    """function(first, …)."""
    return _compound(APPLY, function, pair(first, *others))


def exponent(base: Term, *exponents: Term) -> Term:
    """base to the power of all the exponents, in whatever order: exp(exp(g,x),y) is
    exp(exp(g,y),x).
    """
    if base.kind is EXPONENT:
        base, exponents = base.args[0], base.args[1:] + exponents
    if len(exponents) > 1:
        exponents = tuple(sorted(exponents, key=_ORDER))
    if exponents:
        return _compound(EXPONENT, base, *exponents)
    return base


def _compound(kind: TermKind, *args: Term) -> Term:
    return Term(kind, "", Sort.UNTYPED, 0, args)


def rebuilt(term: Term, args: tuple[Term, ...]) -> Term:
    """The same kind of term with other arguments, in normal form."""
    if term.kind is INVERSE:
        return inverse(*args)
    if term.kind is EXPONENT:
        return exponent(*args)
    return _compound(term.kind, *args)


# --- looking into terms ---


def substitute(term: Term, values: Mapping[Term, Term]) -> Term:
    """The term with values in the place of variables; values are looked into as well, so there must
    be no circle.
    """
    if term.ground:
        return term
    if term.kind is VARIABLE:
        value = values.get(term)
        return term if value is None else substitute(value, values)
    new = tuple([arg if arg.ground else substitute(arg, values) for arg in term.args])
    if all(map(is_, new, term.args)):
        return term
    return rebuilt(term, new)


def subterms(term: Term) -> Iterator[Term]:
    """The term itself, then all there is in it, from left to right."""
    yield term
    for arg in term.args:
        yield from subterms(arg)


def variables(term: Term) -> Iterator[Term]:
    """The variables in it, from left to right, each as often as it is there."""
    return (part for part in subterms(term) if part.kind is VARIABLE)


def count_names(term: Term, values: Mapping[Term, Term], counted: dict[Term, int]) -> int:
    """Count the names in a term with values in the place of variables, each as often as it stands
    there.

    `counted`: the number for each variable, as far as it is known; others are noted there.
    """
    if term.args:
        return sum([count_names(arg, values, counted) for arg in term.args])
    if term.kind is not VARIABLE or term not in values:
        return 1
    if term not in counted:
        counted[term] = count_names(values[term], values, counted)
    return counted[term]


def between(least: Sequence[Term], some: Sequence[Term], most: Sequence[Term]) -> bool:
    """Compare three collections of terms: the first is a part of the second, and that of the
    third.
    """
    if not len(least) <= len(some) <= len(most):
        return False
    if not frozenset(least) <= frozenset(some) <= frozenset(most):
        return False
    return Counter(least) <= Counter(some) <= Counter(most)


def compositions(term: Term) -> Iterator[tuple[Term, ...]]:
    """What a term can be composed of: its arguments; an exponential, of one with an exponent less
    and that exponent.
    """
    if term.kind is not EXPONENT:
        yield term.args
        return
    for power in dict.fromkeys(term.args[1:]):
        powers = list(term.args[1:])
        powers.remove(power)
        yield exponent(term.args[0], *powers), power


def listed(term: Term) -> tuple[Term, ...]:
    """What a list in notation consists of: x, y and z for `x,y,z`; a term that is no pair,
    alone.
    """
    items = []
    while term.kind is PAIR:
        items.append(term.args[0])
        term = term.args[1]
    return (*items, term)


def depth(term: Term) -> int:
    """1 for an atom, one more than the deepest argument else."""
    return 1 + max(map(depth, term.args), default=0)


def text(term: Term) -> str:
    """The term in Alice-and-Bob notation; what a strand has made or chosen shows its number:
    `NA(1)`.
    """
    return term.text


def _written(term: Term) -> str:
    match term.kind:
        case TermKind.PAIR:
            return ",".join(_item(part) for part in listed(term))
        case TermKind.SYMMETRIC:
            return f"{{|{text(term.args[0])}|}}{_item(term.args[1])}"
        case TermKind.ASYMMETRIC:
            return f"{{{text(term.args[0])}}}{_item(term.args[1])}"
        case TermKind.INVERSE:
            return f"inv({text(term.args[0])})"
        case TermKind.APPLY:
            return f"{_item(term.args[0])}({text(term.args[1])})"
        case TermKind.EXPONENT:
            written = text(term.args[0])
            for power in term.args[1:]:
                written = f"exp({written},{text(power)})"
            return written
        case _:
            if term.index:
                return f"{term.name}({term.index})"
            return term.name


def _item(term: Term) -> str:
    return f"({text(term)})" if term.kind is PAIR else text(term)
