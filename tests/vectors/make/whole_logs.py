"""Vectors of chapters 14, 18, 23 and 33 to 35: whole logs as the conformance kit for auditors makes
them. A whole residue deal (36) is too long for a file of vectors; the kit has one.
"""

from conformance.auditor.changes import make_source
from conformance.auditor.matches import MATCHES
from tests.vectors.make.forms import Operation, Vector

WANTED = (
    ("14.6", "a turn that lapses, and a doubt", "nim-lapse", "judge match"),
    ("6.6", "a match that the table ends", "nim-ended", "audit match"),
    ("18.8", "hold'em in which a seat sits out", "holdem-sits-out", "audit match"),
    ("18.6", "five-card draw, dealt commutative", "five-card-draw-commutative", "audit match"),
    ("23.4", "Ligretto of one round", "ligretto", "audit match"),
    ("34.2", "element-duel, mode closing, dealt seeded", "duel-closing", "audit match"),
    ("34.2", "element-duel, mode hidden, dealt seeded", "duel-hidden", "audit match"),
    ("35.5", "a number that is no seed's", "duel-bad-give", "judge match"),
    ("33.3", "mau-mau with a common deck, dealt verified", "mau-mau-shared", "audit match"),
    ("33.3", "crazy eights, dealt verified", "crazy-eights", "audit match"),
    ("16.5", "a pack that is none, found in the end", "draw-bad-pack", "judge match"),
)

OPERATIONS: dict[str, Operation] = {}  # those of `matches`


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    matches = {wanted.name: wanted for wanted in MATCHES}
    return [
        Vector(
            section,
            text,
            operation,
            {"records": [list(record) for record in make_source(matches[name]).records]},
        )
        for section, text, name, operation in WANTED
    ]
