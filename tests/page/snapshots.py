"""Snapshots, as the program sends them, of real matches: what the page's modules are shown in
tests.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import count, takewhile
from typing import Any

from player.events import Happened
from player.page.snapshot import deeds_data, faults_data, people_data, view_data
from protocol.games import Hand
from protocol.i18n import english
from protocol.match.seat_view import ClientKnowledge, view_of
from protocol.match.state import Match, MatchStage
from protocol.view.text import phrase_renderer
from protocol.view.view import View
from tests.golden.play import Moment, play
from tests.golden.scenarios import SCENARIOS, Scenario
from tests.support.offline import NAMES

Json = dict[str, Any]
Wanted = Callable[[View], bool]
MATCHES = SCENARIOS | {
    "line": Scenario("line", "draw-dominoes", "layered", 4, {"hand": 6, "target": 60}, seed=3),
    "six": Scenario(
        "six",
        "texas-holdem",
        "commutative",
        6,
        {"hands": 3, "stack": 200},
        bots=("sensible",),
        seed=7,
    ),
}
LONG = (
    "Wilhelmina Featherstonehaugh-Cholmondeley of Upper Slaughter",
    "דניאלה בן־דוד",
    "<img onerror=alert(1)>",
    "李小龙",
)


@cache
def _played(name: str) -> tuple[list[Moment], Iterator[Moment]]:
    """A match as far as somebody has looked, and the rest of it."""
    return [], play(MATCHES[name])


def moments(name: str) -> Iterator[Moment]:
    """A whole match, which is played no further than somebody looks."""
    seen, rest = _played(name)
    for number in count():
        if number == len(seen):
            try:
                seen.append(next(rest))
            except StopIteration:
                return
        yield seen[number]


def snapshot(
    match: Match, you: int | None, hand: Hand, names: Sequence[str] = NAMES, **more: Any
) -> Json:
    """What one seat's page is sent at a moment. `more` replaces fields of it."""
    seats = match.setup.seats
    aside = ClientKnowledge(
        waited=21_000, connected=dict.fromkeys(range(seats), True), log_path="draw-2026.fairdeal"
    )
    view = view_of(match, you, hand, aside)
    view = replace(view, seats=tuple(replace(seat, name=names[seat.seat]) for seat in view.seats))
    say = phrase_renderer(english, names, you)
    people = [
        person._replace(name=name) for person, name in zip(match.setup.people, names, strict=False)
    ]
    plain = {
        "serial": 1,
        "stage": "match",
        "view": view_data(view, say),
        "connection": "Connected to the table.",
        "away": False,
        "behind": False,
        "status": "Your move is on its way.",
        "dealing": "Everybody shuffles in turn, and proves it.",
        "trust": ["Nobody else can know your hand.", "If somebody leaves, the others play on."],
        "verdict": None,
        "faults": faults_data(match.faults, phrase_renderer(english, names)),
        "people": people_data(people, you, {}, english),
        "missing": 0,
        "lobby": None,
        "again": False,
    }
    return plain | more


def found(
    name: str, wanted: Wanted, names: Sequence[str] = NAMES, watching: bool = False, **more: Any
) -> Json:
    """A match's first moment at which some seat has such a view: what that seat sees, or who looks
    on if `watching`.
    """
    for moment in moments(name):
        if moment.after.stage is not MatchStage.PLAYING:
            continue
        for seat, hand in moment.hands.items():
            if wanted(view_of(moment.after, seat, hand)):
                you, held = (None, ()) if watching else (seat, hand)
                return snapshot(moment.after, you, held, names, **more)
    raise LookupError(name)


def ended(name: str, you: int | None = 0, **more: Any) -> Json:
    """The snapshot at a match's end."""
    *_, last = moments(name)
    return snapshot(
        last.after, you, last.hands.get(you or 0, ()) if you is not None else (), **more
    )


def dealt(name: str) -> Json:
    """While a hand is being dealt."""
    moment = next(
        moment
        for moment in moments(name)
        if moment.after.stage is MatchStage.DEALING and moment.after.deal
    )
    return snapshot(moment.after, 0, ())


@cache
def story(name: str, entries: int, you: int | None = 0) -> list[Json]:
    """Deeds of a match's first entries, as the stream sends them."""
    happened = [
        Happened(moment.before, moment.entry, moment.after)
        for moment in takewhile(lambda moment: moment.before.next_number < entries, moments(name))
        if moment.entry is not None
    ]
    return [deed for event in happened for deed in deeds_data(event, you, english)]


def kinds(view: View) -> set[str]:
    """What is on offer."""
    return {offer.kind for offer in view.offers}


def both_ends(view: View) -> bool:
    """Whether some tile fits at both ends of a long line."""
    long = len(getattr(view.board, "tiles", ())) > 5
    return long and any(len(piece.offers) == 2 for piece in view.hand)


def stuck(view: View) -> bool:
    """Whether one can but draw."""
    return kinds(view) == {"draw"} and len(getattr(view.board, "tiles", ())) > 4


def on_the_flop(view: View) -> bool:
    """Whether one may raise with cards on the board."""
    return bool(getattr(view.board, "cards", ())) and bool(kinds(view) & {"bet", "raise"})


def exchanging(view: View) -> bool:
    """Whether cards are exchanged."""
    return "exchange" in kinds(view)


def waiting(view: View) -> bool:
    """Whether somebody else is to act while one is in a hand that has cards on the board."""
    own = view.seats[view.you or 0].game
    return not view.offers and len(getattr(view.board, "cards", ())) >= 3 and own.held > 0


OVER = {
    "verdict": {"clean": True, "lines": ["verdict: clean, winner Ann, 545 entries"]},
    "stage": "over",
}
SHOTS: dict[str, Callable[[], Json]] = {  # everything the match screen can look like
    "dominoes": lambda: found("line", both_ends),
    "drawing": lambda: found("line", stuck),
    "holdem": lambda: found("six", on_the_flop),
    "waiting": lambda: found("six", waiting),
    "exchange": lambda: found("five-card-draw verified", exchanging),
    "long": lambda: found("line", both_ends, LONG),
    "spectator": lambda: found("six", on_the_flop, watching=True),
    "behind": lambda: found("line", both_ends, behind=True),
    "away": lambda: found(
        "line", both_ends, away=True, connection="No connection to the table, 12 s."
    ),
    "dealing": lambda: dealt("draw verified"),
    "fault": lambda: ended("block false pass", stage="over"),
    "over": lambda: ended("draw layered", again=True, **OVER),
}


@cache
def shot(name: str) -> Json:
    """One of them, to look at and not to change. Its match is played only now: collecting tests
    plays none.
    """
    return SHOTS[name]()
