"""Vectors of chapters 33, 34 and 36: whole matches by small rule files that use every effect, every
action of the engine, owned cards with disputes, and residue dealing.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from conformance.auditor.matches import AuditedMatch, begin_match, lapse, leave, play
from conformance.player.kit_match import KitMatch
from protocol.dealing import Post
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.ledger_ownership import LedgerOwnership
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.identity.keys import Identity, fingerprint
from protocol.ledger.card_chain import find_chain
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import CardTransfer, CardType
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, record_id, sign_record
from protocol.ledger.view import evaluate
from protocol.wire import decode, encode
from tests.support.decks import cards_of
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    EVE,
    MAKER,
    TYPE,
    card,
    free,
    slot_of,
    traded,
    waive,
)
from tests.vectors.make.forms import Operation, Vector

# A seat chooses its first legal action. `PLAN` says which one is legal at each step.
EFFECTS = """\
RULES = {"name": "effects", "edition": 1, "seats": [2, 3], "decks": "shared", "turns": "free"}
CARDS = [{"name": "card %d" % n, "rank": n} for n in range(10)]
REGIONS = [
    region("deck", "one"),
    region("hand", "each", see = "owner", order = "hand", row = 2),
    region("pile", "one", see = "all", row = 1),
]
ACTIONS = [
    action("lay", card = "hand", face = "up"), action("slip", card = "hand", face = "down", target = "pile"),
    action("peek"), action("seek"), action("find"), action("poll"), action("roll"), action("mix"), action("end"),
    action("call", choice = ["low", "high"]),
]
COUNTERS = {"points": "each", "step": "one", "asked": "one"}
PLAN = ["lay", "peek", "seek", "find", "lay", "slip", "nothing", "poll", "roll", "peek", "mix", "end"]

def start(g):
    return [shuffle("deck")] + [draw("deck", "hand", s, 2) for s in range(g["seats"])]

def turn_begins(g, me):
    return [say("turn of seat %d" % (me + 1))]

def turn_ends(g, me):
    return [add("step", None, 1)]

def there(g):
    return [s for s in range(g["seats"]) if s not in g["out"]]

def to_act(g):
    return there(g) if g["counters"]["step"] == 0 else g["turn"]

def legal(g, me, act):
    return act["name"] == ("call" if g["counters"]["asked"] else PLAN[g["counters"]["step"]])

def judge(g, me, act, hand):
    return act["choice"] != "high" or max([c["rank"] for c in hand]) > 7

def apply(g, me, act):
    name, done = act["name"], [end_turn()]
    if name == "lay":
        return [move(act["card"], "pile"), mark(act["card"], "from", me + 1), add("points", me, 1)] + done
    if name == "slip":
        return [move(act["card"], "deck"), mark(act["target"], "from", 0), draw("deck", "hand", me)] + done
    if name == "peek": return [look(cards(g, "deck")[-2:], me)] + done
    if name == "seek": return [take("deck", "hand", me)] + done
    if name == "find": return [take("deck", "hand", me, "fits")] + done
    if name == "poll": return [put("asked", None, 1), ask(there(g), ["call"]), put("asked", None, 0)] + done
    if name == "call": return [say("seat %d: %s" % (me + 1, act["choice"]))]
    if name == "roll": return [toss(6, "rolled")] + done
    if name == "mix": return [shuffle(cards(g, "hand", me), None, me), show(top(g, "deck")), then("back")] + done
    return [put("points", me, 9)] + done

def fits(g, me, face):
    return face["rank"] < 9

def rolled(g, value):
    return [say("a %d" % (value + 1))]

def back(g):
    return [move_all("pile", "deck"), shuffle("deck")]

def lapsed(g, me):
    return [end_turn()]

def left(g, seat):
    return [move_all("hand", "deck", seat), shuffle("deck")]

def winner(g):
    return [s for s in there(g) if g["counters"]["points"][s] == 9] or None
"""

# Three cards, so that a shuffle of residues is short.
THREE = """\
RULES = {"name": "three", "edition": 1, "seats": 2, "decks": "shared", "turns": "alternate"}
CARDS = [{"name": "card %d" % n, "rank": n} for n in range(3)]
REGIONS = [
    region("deck", "one"),
    region("hand", "each", see = "owner", order = "hand", row = 2),
    region("pile", "one", see = "all", row = 1),
]
ACTIONS = [action("lay", card = "hand", face = "up")]

def start(g):
    return [shuffle("deck")] + [draw("deck", "hand", s) for s in (0, 1)]

def legal(g, me, act):
    return True

def apply(g, me, act):
    return [move(act["card"], "pile")]

def winner(g):
    if len(cards(g, "pile")) < 2: return None
    a, b = [face(g, card)["rank"] for card in cards(g, "pile")]
    return [0 if a > b else 1]
"""

# Two decks of their owners, of two cards each, of which each seat lays one; both have won then.
OWNED = """\
RULES = {"name": "owned", "edition": 1, "seats": 2, "decks": "own", "turns": "alternate"}
CARDS = [{"name": "card %d" % n, "fire": n} for n in range(3)]
STARTER = [0, 1]
REGIONS = [
    region("deck", "each", row = 2),
    region("hand", "each", see = "owner", order = "hand", row = 1),
    region("pile", "each", see = "all"),
]
ACTIONS = [action("lay", card = "hand", face = "up")]

def size_errors(count):
    return [] if count == 2 else ["a deck has 2 cards"]

def card_errors(card):
    return [] if type(card.get("fire")) == "int" else ["no fire"]

def deck_errors(cards):
    return []

def start(g):
    return [shuffle("deck", s) for s in (0, 1)] + [draw("deck", "hand", s) for s in (0, 1)]

def legal(g, me, act):
    return True

def apply(g, me, act):
    return [move(act["card"], "pile", me)]

def winner(g):
    return [0, 1] if cards(g, "pile", 1) else None
"""

Tamper = Callable[[int, Post], Post]


class ScriptLog(NamedTuple):
    """A match by a rule file."""

    match: AuditedMatch
    text: str
    tamper: Tamper | None = None
    knows: tuple[tuple[LedgerRecord, ...], ...] = ()  # by seat: records besides those of the cards
    # cards that a seat brings, each with its records
    brings: Callable[[int, int], list[tuple[Owned, list[LedgerRecord]]]] = cards_of


def make_match(wanted: ScriptLog) -> KitMatch:
    """Play a match to its end."""
    options = {"rules": rule_digest(wanted.text), **wanted.match.options}
    owned = options.get("cards") == "owned"
    match = begin_match(
        replace(wanted.match, options=options),
        [_loadout(wanted, seat, owned) for seat in range(wanted.match.seats)],
        (ANN, BOB) if owned else (),
    )
    match.tamper = wanted.tamper or match.tamper
    play(match, wanted.match.happens)
    return match


def _loadout(wanted: ScriptLog, seat: int, owned: bool) -> Loadout:
    if not owned:
        return Loadout(text=wanted.text)
    brought = wanted.brings(seat, 2)
    both = (*wanted.brings(0, 2), *wanted.brings(1, 2))
    known = [record for _, records in both for record in records]
    known += wanted.knows[seat] if wanted.knows else ()
    records = {record.id: record for record in known}.values()
    knows = LedgerOwnership(RecordSet(records), IncrementalLedgerView(records))
    return Loadout(tuple(one for one, _ in brought), wanted.text, knows)


def _liar(author: int, post: Post) -> Post:
    """Let seat 0 call "high", which no hand here allows."""
    if author == 0 and post.kind == "move" and post.body[0][0] == "call":
        return Post("move", [["call", 0, 0, 2, *post.body[0][4:]], *post.body[1:]])
    return post


def _wrong_salt(author: int, post: Post) -> Post:
    """Let seat 1 open a slot with another salt than it has committed to."""
    if author == 1 and post.kind == "move" and post.body[0][0] == "open":
        slot, salt, card = decode(post.body[0][1])
        opened = encode([slot, bytes([salt[0] ^ 1]) + salt[1:], card])
        return Post("move", [["open", opened, *post.body[0][2:]], *post.body[1:]])
    return post


def _from_a_stranger(author: int, post: Post) -> Post:
    """Let seat 1 open a slot with a trade by Eve, who has never had the card."""
    if author == 1 and post.kind == "move" and post.body[0][0] == "open":
        slot, salt, (instance, types, *_) = decode(post.body[0][1])
        false = traded(EVE, BOB, [slot_of(record_id(instance))])
        opened = encode([slot, salt, [instance, types, [false.raw], []]])
        return Post("move", [["open", opened, *post.body[0][2:]], *post.body[1:]])
    return post


def _with_a_past(seat: int, count: int) -> list[tuple[Owned, list[LedgerRecord]]]:
    """Return cards of which Ann's went through Carol's hands, each after a trade in vain."""
    if seat:
        return cards_of(seat, count)
    refused, swapped, other = card(0), card(1), card(901)
    to_carol = [traded(MAKER, CAROL, [slot_of(one.id)]) for one in (refused, swapped)]
    to_eve = traded(MAKER, EVE, [slot_of(other.id)])
    # Eve refuses the first card
    vain = traded(CAROL, EVE, [slot_of(refused.id, to_carol[0].id)])
    waived = waive(vain, EVE)
    first = traded(CAROL, ANN, [slot_of(refused.id, to_carol[0].id)], waives=[waived])
    # Eve swaps for the second one what she gives to Bob as well
    theirs = slot_of(other.id, to_eve.id)
    swap = traded(CAROL, EVE, [slot_of(swapped.id, to_carol[1].id)], [theirs])
    spent = traded(EVE, BOB, [theirs])
    again = CardTransfer(swapped.id, 0, 2, to_carol[1].id, swap.id)
    second = traded(CAROL, ANN, [again])
    records = [TYPE, refused, swapped, other, *to_carol, to_eve, waived, first, swap, spent, second]
    known = RecordSet(records)
    found = []
    for one, last in ((refused, first), (swapped, second)):
        shown = find_chain(known, one.id, last.id)
        raws = (tuple(record.raw for record in part) for part in shown)
        found.append((Owned(one.raw, (TYPE.raw,), *raws), records))
    return found


def _given(number: int, to: Identity) -> LedgerRecord:
    """Return a trade by which Ann gives one of her cards away."""
    _, records = cards_of(0, 2)[number]
    return traded(ANN, to, free(evaluate(records), records[1]))


def _both(to: Identity) -> tuple[LedgerRecord, ...]:
    return tuple(_given(number, to) for number in (0, 1))


def _waived(to: Identity) -> tuple[LedgerRecord, ...]:
    return tuple(waive(trade, to) for trade in _both(to))


def _revised_twice() -> tuple[LedgerRecord, ...]:
    """Return two revisions 1 of the type of all cards."""
    first = TYPE.content
    assert isinstance(first, CardType)
    return tuple(
        sign_record(replace(first, type=TYPE.id, revision=1, previous=TYPE.id, text=text), MAKER)
        for text in ("one", "two")
    )


def _script(name: str, dealing: str = "verified", seats: int = 2, **more: Any) -> AuditedMatch:
    return AuditedMatch(name, "script", dealing, seats, **more)


def _owned(name: str, mode: str, **accepts: str) -> AuditedMatch:
    """Describe a match with owned cards; `limit_01` stands for the option `limit-01`."""
    lists = {option.replace("_", "-"): text for option, text in accepts.items()}
    return _script(name, options={"cards": "owned", "mode": mode, **lists})


THRESHOLD = {"leavers": "threshold"}
WANTED = (
    (
        "33.3",
        "a rule file with every effect: a search, a coin, choices of all seats",
        "audit match",
        ScriptLog(_script("effects", seats=3, dealing_options=THRESHOLD), EFFECTS),
    ),
    (
        "33.2",
        "the same file: a false choice, a turn that lapses, a seat that leaves",
        "judge match",
        ScriptLog(
            _script(
                "effects with faults",
                seats=3,
                dealing_options=THRESHOLD,
                happens={16: lapse, 17: leave(2)},
            ),
            EFFECTS,
            _liar,
        ),
    ),
    (
        "36.13",
        "three cards dealt by residues of 512 bits",
        "audit match",
        ScriptLog(_script("residues", "residue", dealing_options={"bits": "breakable-512"}), THREE),
    ),
    (
        "34.2",
        "owned cards, mode closing",
        "audit match",
        ScriptLog(_owned("owned", "closing"), OWNED),
    ),
    (
        "34.4",
        "owned cards, mode open: a seat declines, whose program knows two revisions of their type",
        "audit match",
        ScriptLog(_owned("owned, declined", "open"), OWNED, knows=((), _revised_twice())),
    ),
    (
        "34.5",
        "owned cards, mode hidden: a dispute about a trade that was waived, answered by the waive",
        "audit match",
        ScriptLog(
            _owned("owned, answered", "hidden"),
            OWNED,
            knows=((*_both(CAROL), *_waived(CAROL)), _both(CAROL)),
        ),
    ),
    (
        "34.5",
        "owned cards: a dispute without an answer, so that the cards were given away",
        "judge match",
        ScriptLog(_owned("owned, disputed", "closing"), OWNED, knows=((), _both(CAROL))),
    ),
    (
        "34.5",
        "owned cards: a dispute with a conflict, which no answer refutes",
        "judge match",
        ScriptLog(
            _owned("owned, in conflict", "hidden"), OWNED, knows=((), (*_both(CAROL), *_both(EVE)))
        ),
    ),
    (
        "34.3",
        "owned cards: a slot is opened with another salt",
        "judge match",
        ScriptLog(_owned("owned, a wrong salt", "closing"), OWNED, _wrong_salt),
    ),
    (
        "34.3",
        "owned cards that went through other hands, after a refusal and over a dead trade",
        "audit match",
        ScriptLog(_owned("owned, with a past", "closing"), OWNED, brings=_with_a_past),
    ),
    (
        "34.3",
        "owned cards: one is shown by a trade of somebody who never had it",
        "judge match",
        ScriptLog(_owned("owned, from a stranger", "closing"), OWNED, _from_a_stranger),
    ),
    (
        "34.8",
        "owned cards: the terms accept no card with this value, and one is shown",
        "judge match",
        ScriptLog(_owned("owned, not accepted", "open", limit_01="fire<=2"), OWNED),
    ),
    (
        "34.8",
        "owned cards that fulfil lists of all three kinds; a seat declines them for another reason",
        "audit match",
        ScriptLog(
            _owned(
                "owned, accepted",
                "open",
                creator_01=fingerprint(MAKER.public),
                edition_01="First",
                limit_01="fire<=3",
                limit_02="fire>=3",
                limit_03="ice>=7",
            ),
            OWNED,
            knows=((), _revised_twice()),
        ),
    ),
)

OPERATIONS: dict[str, Operation] = {}  # those of `matches`


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [
        Vector(
            section,
            text,
            operation,
            {"records": [list(record) for record in make_match(wanted).records]},
        )
        for section, text, operation, wanted in WANTED
    ]
