"""Facts about a finished match that its log proves: who sat there, who won, how it ended.

No fact depends on whose program reads the log, so a cache of facts stays good when the person
changes name or key. `own_result` says what the match was for one person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from protocol.audit.hand_format import HandFormat
from protocol.audit.replay import Replay
from protocol.audit.verdict import Verdict, replay_report
from protocol.codes import ABSENCES
from protocol.games.spec import load_object
from protocol.identity.keys import fingerprint
from protocol.limits import MAX_SEATS
from protocol.match.state import Match

# A seat that leaves, or whose time runs out, breaks no secret: the others play on, and one may win.


class Ending(StrEnum):
    """End of a match, by its log."""

    PLAYED = "played"  # the rules say who has won, or that nobody has
    STOPPED = "stopped"  # nobody could win any more, and nobody has cheated
    CHEATED = "cheated"  # somebody has broken a rule
    UNFINISHED = "unfinished"
    UNJUDGED = "unjudged"  # its rules are not installed here
    UNREADABLE = "unreadable"


class Result(StrEnum):
    """Result of a match for one person."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    STOPPED = "stopped"
    CHEATED = "cheated"
    UNFINISHED = "unfinished"
    UNJUDGED = "unjudged"
    UNREADABLE = "unreadable"
    WATCHED = "watched"  # the person had no seat


class Player(NamedTuple):
    """The person in a seat. The name is a stranger's text."""

    name: str
    fingerprint: str


class OwnPerson(NamedTuple):
    """Fingerprint and names of the person whose logs are read, the newest name first."""

    fingerprint: str | None
    names: tuple[str, ...]


def seat_of(players: Sequence[Player], own: OwnPerson, by_name: bool) -> int | None:
    """Return the seat of a person among players; None if there is none. `by_name`: whoever has one
    of the person's names is taken for the person, if nobody has the key.
    """
    for seat, player in enumerate(players):
        if player.fingerprint == own.fingerprint:
            return seat
    if by_name:
        for name in own.names:
            for seat, player in enumerate(players):
                if player.name == name:
                    return seat
    return None


def players_of(match: Match) -> tuple[Player, ...]:
    """Return the people of a match, by seat."""
    people = match.setup.people
    return tuple(Player(person.name, fingerprint(person.identity)) for person in people)


@dataclass(frozen=True)
class MatchFacts:
    """Facts about a match. Tuples are by seat; `winners` are seats."""

    ending: Ending
    game: str = ""
    created: int = 0  # seconds since 1970, by the table's clock
    players: tuple[Player, ...] = ()
    winners: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    teams: tuple[int, ...] = ()  # the least seat of each seat's team
    is_clean: bool = False  # nobody has broken a rule, left, or let the time run out
    gone: tuple[int, ...] = ()  # seats that left, or whose time ran out
    formats: tuple[str, ...] = ()  # in which other programs read the hands

    def own_seat(self, own: OwnPerson, by_name: bool) -> int | None:
        """Return the seat of a person; None if there is none. In a match against bots the person's
        key is used once, so a name says which seat it was (`by_name`).
        """
        return seat_of(self.players, own, by_name)

    def result(self, seat: int | None) -> Result:
        """Return the result for the person in this seat."""
        if self.ending is not Ending.PLAYED:
            return Result(self.ending.value)
        if seat is None:
            return Result.WATCHED
        if not self.winners:
            return Result.DRAWN
        return Result.WON if seat in self.winners else Result.LOST


def match_facts(replay: Replay) -> MatchFacts:
    """Return the facts of a log. All steps of `replay` have been taken."""
    report = replay_report(replay)
    reader = replay.reader
    if report.verdict is Verdict.UNJUDGED and report.unknown_rules is not None:
        return MatchFacts(Ending.UNJUDGED, report.unknown_rules.game)
    if reader is None:
        return MatchFacts(Ending.UNREADABLE)
    match = reader.match
    setup = match.setup
    ending = _ending(report.verdict, match)
    return MatchFacts(
        ending,
        setup.terms.game.name,
        setup.created,
        players_of(match),
        match.winners if ending is Ending.PLAYED else (),
        match.scores,
        _teams(match),
        report.verdict is Verdict.CLEAN,
        tuple(sorted(match.gone)),
        tuple(name for name, form in hand_formats(match).items() if form.fits(match)),
    )


def hand_formats(match: Match) -> Mapping[str, HandFormat]:
    """Return the formats in which other programs read hands of this game, by name."""
    where = match.setup.spec.hand_formats
    found: Mapping[str, HandFormat] = load_object(where) if where else {}
    return found


def _ending(verdict: Verdict, match: Match) -> Ending:
    if verdict is Verdict.UNREADABLE:
        return Ending.UNREADABLE
    if any(fault.code not in ABSENCES for fault in match.faults):
        return Ending.CHEATED
    if not match.over:
        return Ending.UNFINISHED
    if match.winners:
        return Ending.PLAYED
    by_rules = match.game is not None and match.deal is None and match.ended_at is None
    return Ending.STOPPED if match.gone or not by_rules else Ending.PLAYED


def _teams(match: Match) -> tuple[int, ...]:
    seats = range(match.setup.seats)
    if match.game is None:
        return tuple(seats)
    return tuple(min(match.setup.game.team(match.game, seat)) for seat in seats)


def encode_facts(facts: MatchFacts) -> dict[str, Any]:
    """Return facts as JSON."""
    return asdict(facts) | {"players": [list(player) for player in facts.players]}


def decode_facts(value: Any) -> MatchFacts:
    """Read facts. Raises: ValueError unless `encode_facts` returns exactly this value."""
    try:
        facts = MatchFacts(
            Ending(value["ending"]),
            _text(value["game"]),
            _numbers([value["created"]])[0],
            tuple(Player(*map(_text, player)) for player in _few(value["players"])),
            _numbers(value["winners"]),
            _numbers(value["scores"]),
            _numbers(value["teams"]),
            _truth(value["is_clean"]),
            _numbers(value["gone"]),
            tuple(map(_text, _few(value["formats"]))),
        )
    except (KeyError, TypeError, IndexError):
        raise ValueError("no facts") from None
    seats = len(facts.players)
    sizes = {len(facts.scores), len(facts.teams)}
    if value.keys() != encode_facts(facts).keys() or sizes != {seats}:
        raise ValueError("fields that do not fit together")
    if not all(0 <= seat < seats for seat in (*facts.winners, *facts.teams, *facts.gone)):
        raise ValueError("a seat that is not there")
    return facts


def _few(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MAX_SEATS:
        raise ValueError("no list of seats")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("no truth")
    return value


def _numbers(value: Any) -> tuple[int, ...]:
    if not all(type(each) is int for each in _few(value)):
        raise ValueError("no numbers")
    return tuple(value)
