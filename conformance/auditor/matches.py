"""Whole matches of every game and dealing, made from a seed without a socket.

The kit owns all keys of a match, so it can change any entry, sign it as its author would, and sign
all heads as the table would.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from conformance.mutations import flip_bit, replace_point, swap_blocks
from conformance.owned_decks import BAD_CARDS, DISPUTES, WEAK_CARDS, OwnedPlan, too_strong
from conformance.player.kit_match import KitMatch
from conformance.seat import NO_LOADOUT, HonestSeat
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games.decks.deck_hand import Loadout
from protocol.identity.keys import Identity
from protocol.limits import MAX_DOMINO_TARGET
from protocol.match.clock import LAPSE, Allowance
from protocol.match.log import decode_entry
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.state import MatchStage
from protocol.match.terms import make_terms
from protocol.options import Selection

NAMES = ("Ann", "Bob", "Cleo", "Dan")
CREATED = 1_700_000_000  # Unix time in every first entry
MOST_ENTRIES = 2_000  # of one match; the kit's seats choose the first legal action

Values = Mapping[str, int | str]
Happening = Callable[[KitMatch], None]


@dataclass(frozen=True)
class Lie:
    """A lie of seat 1, in the first entry of a kind in which it can tell it."""

    kind: str
    change: Callable[[list[Any]], list[Any] | None]  # of the body; None: not in this one


@dataclass(frozen=True)
class AuditedMatch:
    """A match to be made. `happens` are events by the number of moves that stand before them."""

    name: str
    game: str
    dealing: str
    seats: int = 2
    options: Values = field(default_factory=dict)
    dealing_options: Values = field(default_factory=dict)
    happens: Mapping[int, Happening] = field(default_factory=dict)
    lie: "Lie | None" = None
    owned: OwnedPlan | None = None  # decks of owned cards
    # names with which the cases of changed logs begin; empty: every change has a case
    changes: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The dealing and the game, by which cases are selected."""
        return f"{self.dealing}-{self.game}"


def make_match(wanted: AuditedMatch) -> KitMatch:
    """Play a match to its end. The same `wanted` always gives the same bytes."""
    brings: tuple[Loadout, ...] = ()
    people: list[Identity] = []
    if wanted.owned is not None:
        rng = Random(f"fairdeal auditors cards {wanted.name}")
        people = [Identity(rng.randbytes(32)) for _ in range(wanted.seats)]
        brings = wanted.owned.loadouts(rng, people)
    match = begin_match(wanted, brings, people)
    try:
        play(match, wanted.happens)
    except Refused:
        _force(match)
    return match


def _force(match: KitMatch) -> None:
    """Let the table sign an entry of the first seat with something due, which must be refused."""
    seat, due = next((seat, due) for seat in match.others if (due := seat.due(match.match)))
    match.records.append(match.signed(seat.entry(match.log, due)))


def begin_match(
    wanted: AuditedMatch, brings: Sequence[Loadout] = (), people: Sequence[Identity] = ()
) -> KitMatch:
    """Return a match with its first entry. `brings` are the seats' loadouts; `people` are the
    owners of the cards in them.
    """
    rng = Random(f"fairdeal auditors {wanted.name}")
    table = Identity(rng.randbytes(32))
    drawn = [Identity(rng.randbytes(32)) for _ in range(wanted.seats)]
    people = people or drawn
    terms = make_terms(
        Selection(wanted.game, tuple(sorted(wanted.options.items()))),
        Selection(wanted.dealing, tuple(sorted(wanted.dealing_options.items()))),
        Allowance(extensions=1).options(),
        wanted.seats,
    )
    setup = Setup(
        TableIdentity(table.public, "A table", "main"),
        rng.randbytes(32),
        CREATED,
        terms,
        tuple(Person(name, who.public) for name, who in zip(NAMES, people, strict=False)),
    )
    seats = [
        HonestSeat(
            who,
            number,
            Random(rng.randbytes(32)),
            brings[number] if brings else NO_LOADOUT,
        )
        for number, who in enumerate(people)
    ]
    match = KitMatch(table, setup, rng, seats)
    if wanted.lie is not None:
        match.tamper = _liar(match, wanted.lie)
    return match


def play(match: KitMatch, happens: Mapping[int, Happening]) -> None:
    """Play a match to its end, with events by the number of moves that stand before them."""
    moves, happens = 0, dict(happens)
    while not match.match.over and len(match.records) < MOST_ENTRIES:
        if match.match.stage is MatchStage.PLAYING:
            happening = happens.pop(moves, None)
            if happening is not None:
                happening(match)
                continue
        if not match.step():
            return
        moves += decode_entry(match.records[-1].entry).kind == "move"


# --- lies, which are found later in the match ---


def _liar(match: KitMatch, lie: Lie) -> Callable[[int, Post], Post]:
    told = False

    def tamper(author: int, post: Post) -> Post:
        nonlocal told
        if told or (author, post.kind) != (1, lie.kind):
            return post
        body = lie.change(post.body)
        if body is None or (post.kind == "move" and not _may_do(match, author, body[0])):
            return post
        told = True
        return Post(post.kind, body)

    return tamper


def _may_do(match: KitMatch, seat: int, action: list[Any]) -> bool:
    """Check that the rules take an action, by what everybody knows."""
    game = match.match.setup.game
    try:
        game.check(match.match.game, seat, game.parse(action))
    except Refused:
        return False
    return True


def _instead_of_play(*body: Any) -> Callable[[list[Any]], list[Any] | None]:
    """Return a change of a move that plays a tile: another action, with its parts."""
    return lambda honest: list(body) if honest[0][0] == "play" else None


def _swapped(body: list[Any]) -> list[Any]:
    """Swap the first two points of a list."""
    return [swap_blocks(32)(body[0])]


def _other_give(body: list[Any]) -> list[Any]:
    return [flip_bit(body[0])]


# --- events ---


def leave(seat: int) -> Happening:
    """Return an event: a seat leaves."""
    return lambda match: _post(match, seat, Post("leave", []))


def sit(seat: int, kind: str) -> Happening:
    """Return an event: a seat sits out, or takes its turns again."""
    return lambda match: _post(match, seat, Post(kind, []))


def end(match: KitMatch) -> None:
    """Let the table end the match."""
    match.post(Post("ended", []))


def lapse(match: KitMatch) -> None:
    """Let the time of the seat run out for which the match waits; another seat doubts it."""
    seat = match.match.duties()[0].author
    kind = ""
    while kind != LAPSE:
        due = match.match.next_clock_entry(seat)
        assert due is not None
        kind = due.kind
        match.post(Post(kind, [seat, due.after]))
    number = match.log.next_number - 1
    others = sorted(match.match.present - {seat})
    if others and not match.match.over:
        _post(match, others[0], Post("doubt", [number, 1]))


def _post(match: KitMatch, seat: int, post: Post) -> None:
    match.offer(match.others[seat].entry(match.log, post), seat)


SHARED = {"leavers": "threshold"}
SMALL = {"hand": 3, "target": 10}
HANDS = {"hands": 2, "stack": 40}


# of matches with owned cards: the others are those of matches with other cards
ENOUGH_MOVES = 40  # of a match whose decks are all seen before the game begins
OWNED_CHANGES = ("honest", "move-deck", "move-open", "move-dispute", "move-answer", "move-decline")


def owned_match(
    name: str, mode: str, plan: OwnedPlan, accepts: Iterable[tuple[str, str]] = ()
) -> AuditedMatch:
    """Return a duel with decks of owned cards; `accepts` are conditions on the cards."""
    options = {"cards": "owned", "mode": mode, **dict(accepts)}
    return AuditedMatch(
        f"owned-{mode}-{name}",
        "element-duel",
        "seeded",
        options=options,
        happens={ENOUGH_MOVES: end} if mode == "open" else {},
        owned=plan,
        changes=OWNED_CHANGES,
    )


OWNED_MATCHES = (
    *(owned_match("honest", mode, OwnedPlan()) for mode in ("open", "closing", "hidden")),
    *(owned_match(name, "open", OwnedPlan(bad=bad)) for name, bad in BAD_CARDS.items()),
    owned_match("given-away", "closing", OwnedPlan(bad=BAD_CARDS["given-away"])),
    owned_match("with-a-gap", "hidden", OwnedPlan(bad=BAD_CARDS["with-a-gap"])),
    owned_match("twice", "open", OwnedPlan(twice=True)),
    owned_match("short", "hidden", OwnedPlan(short=True)),
    owned_match("declined", "open", OwnedPlan(refuses=True)),
    *(owned_match(f"dispute-{name}", "open", OwnedPlan(dispute=name)) for name in DISPUTES),
    owned_match("dispute-answered", "hidden", OwnedPlan(dispute="answered")),
    owned_match("dispute-lost", "closing", OwnedPlan(dispute="lost")),
    owned_match("accepted", "closing", OwnedPlan(), WEAK_CARDS),
    *(
        owned_match("not-accepted", mode, OwnedPlan(bad=too_strong), WEAK_CARDS)
        for mode in ("open", "closing", "hidden")
    ),
    owned_match("strong", "open", OwnedPlan(bad=too_strong)),
)

MATCHES: tuple[AuditedMatch, ...] = (
    AuditedMatch("nim", "nim", "none"),
    AuditedMatch("nim-misere", "nim", "none", options={"rows": "2-5-2", "misere": "yes"}),
    AuditedMatch("nim-lapse", "nim", "none", happens={2: lapse}),
    AuditedMatch("nim-ended", "nim", "none", happens={2: end}),
    AuditedMatch("nim-leaver", "nim", "none", happens={1: leave(0)}),
    AuditedMatch("matches", "matches", "none"),
    AuditedMatch("hexapawn", "hexapawn", "none"),
    AuditedMatch("connect-four", "connect-four", "none", options={"width": 4, "height": 4}),
    AuditedMatch(
        "popout", "connect-four", "none", options={"width": 4, "height": 4, "popout": "yes"}
    ),
    AuditedMatch(
        "intruder", "intruder", "none", seats=1, options={"protocol": "wide-mouthed-frog"}
    ),
    *(
        AuditedMatch(f"{kind}-{dealing}", f"{kind}-dominoes", dealing, seats, SMALL)
        for kind in ("block", "draw")
        for dealing, seats in (("layered", 3), ("verified", 3), ("commutative", 2))
    ),
    AuditedMatch(
        "block-residue",
        "block-dominoes",
        "residue",
        options=SMALL | {"target": 1},
        dealing_options={"bits": "breakable-512"},
    ),
    AuditedMatch(
        "block-fives",
        "block-dominoes",
        "commutative",
        options={"scoring": "fives", "spinner": "no", "hand": 5, "target": 40},
    ),
    # arms of a spinner, and passes before the last two tiles of the stock
    AuditedMatch(
        "draw-spinner",
        "draw-dominoes",
        "commutative",
        options={"hand": 10, "length": 1, "reserve": 2, "scoring": "fives", "target": 500},
        changes=("honest", "move-"),
    ),
    AuditedMatch(
        "block-length",
        "block-dominoes",
        "verified",
        options={"hand": 4, "length": 1, "target": MAX_DOMINO_TARGET},
    ),
    AuditedMatch("block-partners", "block-dominoes", "commutative", 4, SMALL | {"partners": "yes"}),
    AuditedMatch("draw-leaver", "draw-dominoes", "verified", 3, SMALL, SHARED, {3: leave(1)}),
    AuditedMatch("block-lapse", "block-dominoes", "layered", 3, SMALL, happens={4: lapse}),
    *(
        AuditedMatch(f"{game}-{dealing}", game, dealing, 3, HANDS)
        for game in ("texas-holdem", "five-card-draw")
        for dealing in ("verified", "commutative")
    ),
    AuditedMatch(
        "holdem-sits-out",
        "texas-holdem",
        "verified",
        3,
        HANDS,
        happens={3: sit(2, "sit_out"), 12: sit(2, "sit_in")},
    ),
    AuditedMatch(
        "holdem-options",
        "texas-holdem",
        "commutative",
        3,
        HANDS | {"blind": 6, "small": 1, "limit": "pot", "button": "dead", "folds": "free"},
    ),
    AuditedMatch("omaha", "omaha", "commutative", 2, HANDS),
    AuditedMatch("holdem-lapse", "texas-holdem", "commutative", 3, HANDS, happens={2: lapse}),
    AuditedMatch("holdem-leaver", "texas-holdem", "verified", 3, HANDS, SHARED, {3: leave(2)}),
    AuditedMatch("ligretto", "ligretto", "verified", 2, {"rounds": 1, "rescues": 1}, SHARED),
    AuditedMatch(
        "blitz", "ligretto", "verified", 2, {"blitz": "yes"}, SHARED, happens={ENOUGH_MOVES: end}
    ),
    AuditedMatch("duel-open", "element-duel", "verified", 2, {"mode": "open"}, SHARED),
    AuditedMatch("duel-closing", "element-duel", "seeded", 2, {"mode": "closing"}),
    AuditedMatch("duel-hidden", "element-duel", "seeded", 2, {"mode": "hidden"}),
    AuditedMatch("mau-mau-shared", "mau-mau-shared", "verified", 2, {}, SHARED),
    AuditedMatch("mau-mau", "mau-mau", "seeded", 2),
    AuditedMatch(
        "block-false-pass",
        "block-dominoes",
        "layered",
        3,
        SMALL,
        lie=Lie("move", _instead_of_play(["pass"], [])),
    ),
    AuditedMatch(
        "draw-false-draw",
        "draw-dominoes",
        "verified",
        3,
        SMALL | {"hand": 6},
        SHARED,
        lie=Lie("move", _instead_of_play(["draw"], [[]])),
    ),
    AuditedMatch(
        "block-denies",
        "block-dominoes",
        "commutative",
        2,
        {"hand": 7, "target": 1},
        lie=Lie("move", _instead_of_play(["deny"], [])),
    ),
    AuditedMatch(
        "draw-bad-pack",
        "draw-dominoes",
        "commutative",
        2,
        SMALL,
        lie=Lie("pack", lambda body: [replace_point(body[0])]),
    ),
    AuditedMatch(
        "block-bad-unwrap", "block-dominoes", "commutative", 2, SMALL, lie=Lie("unwrap", _swapped)
    ),
    AuditedMatch("duel-bad-give", "element-duel", "seeded", 2, lie=Lie("give", _other_give)),
    AuditedMatch("crazy-eights", "crazy-eights", "verified", 2, {}, SHARED),
    *OWNED_MATCHES,
)
