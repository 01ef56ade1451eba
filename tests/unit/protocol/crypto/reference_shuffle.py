"""Second implementation of the shuffle argument, from the paper and for any group, for comparison
with the protocol's own.

It uses multiplicative notation and shows t, as the paper does, and nothing from
`protocol.crypto.shuffle`. There are three groups: the squares modulo 11 in plain integers; formal
products of independent generators with exponents modulo 5, where a commitment opens in one way
only, even for an exhaustive search; and ristretto255.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

from protocol.crypto.group import GENERATOR, IDENTITY, ORDER, scalar_from_int

Element = Any
Card = tuple[Element, Element]  # the paper's (a, b) = (m·pk^r, g^r)


@dataclass(frozen=True)
class Group:
    q: int
    g: Element
    one: Element
    times: Callable[[Element, Element], Element]
    power: Callable[[Element, int], Element]

    def product(self, elements: Sequence[Element], powers: Sequence[int]) -> Element:
        result = self.one
        for element, k in zip(elements, powers, strict=True):
            result = self.times(result, self.power(element, k))
        return result


SQUARES = Group(5, 3, 1, lambda x, y: x * y % 11, lambda x, k: pow(x, k % 5, 11))
RISTRETTO = Group(
    ORDER, GENERATOR, IDENTITY, lambda x, y: x + y, lambda x, k: scalar_from_int(k) * x
)


def formal(width: int) -> tuple[Group, list[Element]]:
    """Return formal products of `width` generators, exponents modulo 5, and the generators; the
    first is g.
    """
    axes = [tuple(int(i == k) for i in range(width)) for k in range(width)]

    def times(x: Element, y: Element) -> Element:
        return tuple([(a + b) % 5 for a, b in zip(x, y, strict=True)])

    def power(x: Element, k: int) -> Element:
        return tuple([a * k % 5 for a in x])

    return Group(5, axes[0], (0,) * width, times, power), axes


@dataclass(frozen=True)
class Public:
    h: Element
    h_i: tuple[Element, ...]
    pk: Element
    e: tuple[Card, ...]
    e_prime: tuple[Card, ...]


@dataclass(frozen=True)
class Commitments:
    c: tuple[Element, ...]
    c_hat: tuple[Element, ...]
    t: tuple[Element, ...]  # t1, t2, t3, t41, t42, t_hat...


@dataclass(frozen=True)
class Answers:
    s: tuple[int, ...]  # s1 to s4
    s_hat: tuple[int, ...]
    s_prime: tuple[int, ...]


def t_from_answers(
    group: Group, x: Public, c: Any, c_hat: Any, u: Any, y: int, a: Answers
) -> tuple[Element, ...]:
    """Compute the t for which the answers `a` to the challenge y are right."""
    N, s1, s2, s3, s4 = len(u), *a.s
    product = prod(u) % group.q
    c_bar = group.product([*c, *x.h_i], [1] * N + [-1] * N)
    c_end = group.product([c_hat[-1], x.h], [1, -product])
    c_tilde = group.product(c, u)
    halves = []
    for half, base in ((0, x.pk), (1, group.g)):
        e_tilde = group.product([e[half] for e in x.e], u)
        bases = [e_tilde, base, *(e[half] for e in x.e_prime)]
        halves.append(group.product(bases, [-y, -s4, *a.s_prime]))
    return (
        group.product([c_bar, group.g], [-y, s1]),
        group.product([c_end, group.g], [-y, s2]),
        group.product([c_tilde, group.g, *x.h_i], [-y, s3, *a.s_prime]),
        *halves,
        *(
            group.product([after, group.g, before], [-y, a.s_hat[i], a.s_prime[i]])
            for i, (before, after) in enumerate(pairwise([x.h, *c_hat]))
        ),
    )


class Prover:
    """Prover that follows the protocol with any matrix M in place of a permutation: c_j commits to
    column j of M.
    """

    def __init__(
        self,
        group: Group,
        x: Public,
        M: Sequence[Sequence[int]],
        r_prime: Sequence[int],
        coins: Any,
    ) -> None:
        self.group, self.x, self.M, self.r_prime = group, x, M, r_prime
        self.N = len(M)
        draw = iter(coins)
        self.r, self.r_hat, self.omega_hat, self.omega_prime = (
            [next(draw) for _ in range(self.N)] for _ in range(4)
        )
        self.omega = [next(draw) for _ in range(4)]
        columns = ([M[i][j] for i in range(self.N)] for j in range(self.N))
        self.c = tuple(
            group.product([group.g, *x.h_i], [self.r[j], *column])
            for j, column in enumerate(columns)
        )

    def commit(self, u: Sequence[int]) -> Commitments:
        group, x, w = self.group, self.x, self.omega
        self.u = u
        self.u_prime = [sum(m * v for m, v in zip(row, u, strict=True)) % group.q for row in self.M]
        c_hat = []
        for r, v in zip(self.r_hat, self.u_prime, strict=True):
            c_hat.append(group.product([group.g, c_hat[-1] if c_hat else x.h], [r, v]))
        t4 = (
            group.product([base, *(e[half] for e in x.e_prime)], [-w[3], *self.omega_prime])
            for half, base in ((0, x.pk), (1, group.g))
        )
        t_hat = (
            group.product([group.g, before], [a, b])
            for a, b, before in zip(
                self.omega_hat, self.omega_prime, [x.h, *c_hat[:-1]], strict=True
            )
        )
        t3 = group.product([group.g, *x.h_i], [w[2], *self.omega_prime])
        t = (group.power(group.g, w[0]), group.power(group.g, w[1]), t3, *t4, *t_hat)
        return Commitments(self.c, tuple(c_hat), t)

    def answer(self, y: int) -> Answers:
        q = self.group.q
        tails = [prod(self.u_prime[i + 1 :]) for i in range(self.N)]
        hidden = (
            sum(self.r),
            sum(a * b for a, b in zip(self.r_hat, tails, strict=True)),
            sum(a * b for a, b in zip(self.r, self.u, strict=True)),
            sum(a * b for a, b in zip(self.r_prime, self.u, strict=True)),
        )
        return Answers(
            tuple((w + y * v) % q for w, v in zip(self.omega, hidden, strict=True)),
            tuple((w + y * v) % q for w, v in zip(self.omega_hat, self.r_hat, strict=True)),
            tuple((w + y * v) % q for w, v in zip(self.omega_prime, self.u_prime, strict=True)),
        )


def permutation_matrix(psi: Sequence[int]) -> list[list[int]]:
    """M with M·u = (u_{j_1}, …): row i has its one in column j_i."""
    return [[int(j == k) for k in range(len(psi))] for j in psi]


def mask(group: Group, pk: Element, card: Card, r: int) -> Card:
    return group.product([card[0], pk], [1, r]), group.product([card[1], group.g], [1, r])
