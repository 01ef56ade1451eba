"""Messages as terms of the free algebra of Dolev and Yao: atoms, pairs, encryptions, functions and
exponentials.

Cryptography is perfect: two terms are the same message exactly when they are equal. Exponents are
kept sorted, so their order does not matter. After D. Dolev, A. Yao, "On the security of public key
protocols", IEEE Trans. Inf. Theory 29 (1983).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from operator import attrgetter, is_
from typing import Final


class TermKind(Enum):
    """Kind of a term. The comments give the arguments in brackets."""

    CONSTANT = "constant"  # same value in all strands: lower-case names, agents, functions
    FRESH = "fresh"  # made by strand number `index`, different from all other values
    VARIABLE = "variable"  # stands for any term that fits its sort
    PAIR = "pair"  # (first, second); the second of a longer list is a pair again
    SYMMETRIC = "symmetric"  # (message, key): {|m|}k
    ASYMMETRIC = "asymmetric"  # (message, key): {m}k, opened with inv(k); {m}inv(k) is a signature
    INVERSE = "inverse"  # (key,): inv(k)
    APPLY = "apply"  # (function, argument): f(x); the argument of f(x,y) is a pair
    EXPONENT = "exponent"  # (base, exponent, …): exponents sorted; the base is no exponential

    # faster than the hash of an Enum, and a search needs it all the time
    __hash__ = object.__hash__


class Sort(Enum):
    """Type of an atom, as declared in `Types:`. A variable stands for atoms of its sort, an untyped
    variable for any term.
    """

    AGENT = "Agent"
    NUMBER = "Number"
    SYMMETRIC_KEY = "Symmetric_key"
    PUBLIC_KEY = "PublicKey"
    FUNCTION = "Function"
    FORMAT = "Format"  # function that everybody can apply and undo
    UNTYPED = "Untyped"
    # The sorts from here on belong to variables for parts that a role cannot open: the kind of the
    # part.
    SEALED = "{|…|}k"
    BOXED = "{…}k"
    IMAGE = "f(…)"
    POWER = "exp(…)"
    PRIVATE_KEY = "inv(…)"

    __hash__ = object.__hash__  # as in `TermKind`


CONSTANT: Final = TermKind.CONSTANT
FRESH: Final = TermKind.FRESH
VARIABLE: Final = TermKind.VARIABLE
PAIR: Final = TermKind.PAIR
SYMMETRIC: Final = TermKind.SYMMETRIC
ASYMMETRIC: Final = TermKind.ASYMMETRIC
INVERSE: Final = TermKind.INVERSE
APPLY: Final = TermKind.APPLY
EXPONENT: Final = TermKind.EXPONENT


DECLARABLE_SORTS: Final = (  # sorts that a text can declare
    Sort.AGENT,
    Sort.NUMBER,
    Sort.SYMMETRIC_KEY,
    Sort.PUBLIC_KEY,
    Sort.FUNCTION,
    Sort.FORMAT,
    Sort.UNTYPED,
)
SORT_OF_KIND: Final = {  # kind -> sort of a variable for a term of this kind
    SYMMETRIC: Sort.SEALED,
    ASYMMETRIC: Sort.BOXED,
    APPLY: Sort.IMAGE,
    EXPONENT: Sort.POWER,
    INVERSE: Sort.PRIVATE_KEY,
}


class Term:
    """A message or a part of a message. A term never changes; equal terms have equal hashes.

    The functions below make terms in normal form. Do not call the class directly.
    """

    __slots__ = ("_hash", "_text", "args", "ground", "index", "kind", "name", "sort")

    def __init__(
        self, kind: TermKind, name: str, sort: Sort, index: int, args: tuple["Term", ...]
    ) -> None:
        """Set the fields. `name`, `sort` and `index` matter for atoms only. `index` is the number
        of a strand, or 0 in a protocol.
        """
        self.kind = kind
        self.name = name
        self.sort = sort
        self.index = index
        self.args = args
        self.ground = kind is not VARIABLE  # True if the term has no variable
        for arg in args:
            if not arg.ground:
                self.ground = False
        self._hash = hash((name, index, args))
        self._text = ""  # cache of `text`, by which exponents are sorted again and again

    @property
    def text(self) -> str:
        """Term in Alice-and-Bob notation, as returned by the function `text`."""
        if not self._text:
            self._text = _text_of(self)
        return self._text

    @property
    def order(self) -> tuple[str, int]:
        """Sort key of exponents."""
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
# Equal atoms are mostly the same object. Comparing identical objects is fastest.
_cached = lru_cache(1 << 14)


@_cached
def constant(name: str, sort: Sort = Sort.UNTYPED) -> Term:
    """Make a constant: an agent, a function or a number with the same name for everybody."""
    return Term(CONSTANT, name, sort, 0, ())


@_cached
def variable(name: str, sort: Sort, index: int = 0) -> Term:
    """Make a variable for terms of a sort. In a protocol (index 0) every capital name is a
    variable.
    """
    return Term(VARIABLE, name, sort, index, ())


@_cached
def fresh(name: str, sort: Sort, index: int) -> Term:
    """Make the fresh value `name` of strand number `index`."""
    return Term(FRESH, name, sort, index, ())


def pair(first: Term, *others: Term) -> Term:
    """Make the list `x,y,z` as the pair x,(y,z). A single term is returned as it is."""
    *before, found = first, *others
    for term in reversed(before):
        found = _compound(PAIR, term, found)
    return found


def symmetric(message: Term, key: Term) -> Term:
    """Make the symmetric encryption {|message|}key."""
    return _compound(SYMMETRIC, message, key)


def asymmetric(message: Term, key: Term) -> Term:
    """Make the encryption {message}key, which inv(key) decrypts. With a key inv(k) it is a
    signature that k verifies.
    """
    return _compound(ASYMMETRIC, message, key)


def inverse(key: Term) -> Term:
    """Make inv(key). The inverse of an inverse is the key itself."""
    if key.kind is INVERSE:
        return key.args[0]
    return _compound(INVERSE, key)


def application(function: Term, first: Term, *others: Term) -> Term:
    """Make the function application function(first, …)."""
    return _compound(APPLY, function, pair(first, *others))


def exponent(base: Term, *exponents: Term) -> Term:
    """Make `base` to the power of all exponents, in any order: exp(exp(g,x),y) equals
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


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """Make a term of the same kind with other arguments, in normal form."""
    if term.kind is INVERSE:
        return inverse(*args)
    if term.kind is EXPONENT:
        return exponent(*args)
    return _compound(term.kind, *args)


# --- functions of terms ---


def substitute(term: Term, values: Mapping[Term, Term]) -> Term:
    """Replace variables by their values. Values may contain variables with values, but no cycle."""
    if term.ground:
        return term
    if term.kind is VARIABLE:
        value = values.get(term)
        return term if value is None else substitute(value, values)
    new = tuple([arg if arg.ground else substitute(arg, values) for arg in term.args])
    if all(map(is_, new, term.args)):
        return term
    return rebuild(term, new)


def subterms(term: Term) -> Iterator[Term]:
    """Yield the term itself, then all its parts from left to right."""
    yield term
    for arg in term.args:
        yield from subterms(arg)


def variables(term: Term) -> Iterator[Term]:
    """Yield the variables of a term from left to right, with repetitions."""
    return (part for part in subterms(term) if part.kind is VARIABLE)


def count_names(term: Term, values: Mapping[Term, Term], counted: dict[Term, int]) -> int:
    """Count the names in a term after substitution of `values`, with repetitions.

    `counted` is a cache: variable -> number of names in its value.
    """
    if term.args:
        return sum([count_names(arg, values, counted) for arg in term.args])
    if term.kind is not VARIABLE or term not in values:
        return 1
    if term not in counted:
        counted[term] = count_names(values[term], values, counted)
    return counted[term]


def is_between(least: Sequence[Term], some: Sequence[Term], most: Sequence[Term]) -> bool:
    """Check that `least` is contained in `some`, and `some` in `most`, with repetitions counted."""
    if not len(least) <= len(some) <= len(most):
        return False
    if not frozenset(least) <= frozenset(some) <= frozenset(most):
        return False
    return Counter(least) <= Counter(some) <= Counter(most)


def compositions(term: Term) -> Iterator[tuple[Term, ...]]:
    """Yield the argument lists from which a term can be composed. An exponential is composed of one
    with an exponent less, and this exponent.
    """
    if term.kind is not EXPONENT:
        yield term.args
        return
    for power in dict.fromkeys(term.args[1:]):
        powers = list(term.args[1:])
        powers.remove(power)
        yield exponent(term.args[0], *powers), power


def list_items(term: Term) -> tuple[Term, ...]:
    """Split a list: return x, y and z for `x,y,z`. A term that is no pair gives a tuple of one."""
    items = []
    while term.kind is PAIR:
        items.append(term.args[0])
        term = term.args[1]
    return (*items, term)


def depth(term: Term) -> int:
    """Return the depth of a term: 1 for an atom, otherwise one more than that of its deepest
    argument.
    """
    return 1 + max(map(depth, term.args), default=0)


def text(term: Term) -> str:
    """Return the term in Alice-and-Bob notation. Variables and fresh values of a strand show its
    number, as in `NA(1)`.
    """
    return term.text


def _text_of(term: Term) -> str:
    match term.kind:
        case TermKind.PAIR:
            return ",".join(_item(part) for part in list_items(term))
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
