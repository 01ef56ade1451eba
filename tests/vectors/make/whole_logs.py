"""Vectors of chapters 14, 18, 23 and 33 to 35: whole logs as the conformance kit for auditors makes
them. `script_logs` has smaller ones by rule files made for the purpose.
"""

from collections.abc import Callable
from dataclasses import replace

from conformance.auditor.changes import make_source
from conformance.auditor.matches import MATCHES, AuditedMatch, Lie, begin_match, make_match
from conformance.mutations import flip_bit
from conformance.player.kit_match import KitMatch
from protocol.dealing import TABLE, Post
from protocol.errors import Refused
from protocol.match.log import NO_HASH, EntryContent, decode_entry, make_entry
from protocol.match.setup import KIND
from tests.vectors.make.forms import Operation, Vector

WANTED = (
    ("14.6", "a turn that lapses, and a doubt", "nim-lapse", "judge match"),
    ("6.6", "a match that the table ends", "nim-ended", "audit match"),
    ("18.8", "hold'em in which a seat sits out", "holdem-sits-out", "audit match"),
    ("18.6", "five-card draw, dealt commutative", "five-card-draw-commutative", "audit match"),
    ("18.3", "Omaha, dealt commutative", "omaha", "audit match"),
    ("34.2", "element-duel, mode closing, dealt seeded", "duel-closing", "audit match"),
    ("33.3", "mau-mau with a common deck, dealt verified", "mau-mau-shared", "audit match"),
    ("33.3", "crazy eights, dealt verified", "crazy-eights", "audit match"),
    ("16.5", "a pack that is none, found in the end", "draw-bad-pack", "judge match"),
)

BAD_GIVE = AuditedMatch(
    "mau-mau, bad give",
    "mau-mau",
    "seeded",
    lie=Lie("give", lambda body: [flip_bit(body[0])]),
)
# a share of a key that does not open, for the first of the others
BAD_SHARE = AuditedMatch(
    "bad key share",
    "block-dominoes",
    "verified",
    3,
    {"hand": 1},
    {"leavers": "threshold"},
    lie=Lie("key", lambda body: [*body[:3], [flip_bit(body[3][0]), *body[3][1:]]]),
)
# one in which there is a rescue, and two actions of seat 1 come too late
LIGRETTO = AuditedMatch(
    "ligretto 3",
    "ligretto",
    "verified",
    options={"rounds": 1, "rescues": 1},
    dealing_options={"leavers": "threshold"},
)

Tamper = Callable[[int, Post], Post]

OPERATIONS: dict[str, Operation] = {}  # those of `matches`


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    matches = {wanted.name: wanted for wanted in MATCHES}
    return [
        *(
            _whole(section, text, operation, make_source(matches[name]).match)
            for section, text, name, operation in WANTED
        ),
        _whole("35.5", "mau-mau: a number that is no seed's", "judge match", make_match(BAD_GIVE)),
        _other_rules(),
        _whole("13.9", "a key share that fits is shown", "judge match", _accused(_honest)),
        _whole("13.9", "one that does not fit is shown", "judge match", _accused(_other_share)),
        _whole(
            "23.4",
            "Ligretto of one round, with a rescue and two late actions",
            "audit match",
            _at_once(LIGRETTO),
        ),
    ]


def _other_rules() -> Vector:
    """Return a log of one entry, which names the first version of the rules of Ligretto."""
    match = begin_match(LIGRETTO)
    setup = match.match.setup
    other = replace(setup, terms=setup.terms._replace(rules="1"))
    raw = make_entry(
        match.identity, NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), KIND, other.body())
    )
    record = [list(match.signed(raw, 0))]
    text = "rules of another version, not to be judged here"
    return Vector("10.3", text, "judge match", {"records": record})


def _accused(answers: Tamper) -> KitMatch:
    """Play a match until seat 1 has answered for a key share that does not open."""
    match = begin_match(BAD_SHARE)
    lies = match.tamper
    match.tamper = lambda author, post: answers(author, lies(author, post))
    while decode_entry(match.records[-1].entry).kind != "answer":
        assert match.step()
    return match


def _honest(author: int, post: Post) -> Post:
    return post


def _other_share(author: int, post: Post) -> Post:
    if post.kind == "answer":
        return Post(post.kind, [[flip_bit(share) for share in post.body[0]]])
    return post


def _whole(section: str, text: str, operation: str, match: KitMatch) -> Vector:
    return Vector(section, text, operation, {"records": [list(one) for one in match.records]})


def _at_once(wanted: AuditedMatch) -> KitMatch:
    """Play a match in which all seats sign their next entries before any is logged."""
    match = begin_match(wanted)
    while not match.match.over:
        due = match.table_due()
        if due is not None:
            match.post(due)
            continue
        signed = [
            (seat.number, seat.entry(match.log, post))
            for seat in match.others
            if (post := seat.due(match.match)) is not None
        ]
        for seat, raw in signed:
            try:
                match.offer(raw, seat)
            except Refused:
                continue  # the seat signs another one in the next round
    return match
