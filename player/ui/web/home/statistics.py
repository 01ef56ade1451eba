"""Statistics of a person's matches by game and by opponent.

A match that was stopped, or in which somebody cheated, counts as a match, and as neither won nor
lost. Series ignore it. An unfinished match, and a match without an own seat, count nowhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from player.ui.web.home.match_facts import MatchFacts, Player, Result

BOTS = ""  # key of all bots together: each has a new key in every match
COUNTED = (Result.WON, Result.LOST, Result.DRAWN, Result.STOPPED, Result.CHEATED)
DECIDED = COUNTED[:3]


class OwnMatch(NamedTuple):
    """A match of a person: its facts, the person's seat, and whether the others were bots."""

    log: str
    facts: MatchFacts
    seat: int | None
    bots: bool

    @property
    def result(self) -> Result:
        """The result for the person."""
        return self.facts.result(self.seat)

    @property
    def opponents(self) -> dict[str, Player]:
        """The people in other teams, by fingerprint; all bots are one."""
        facts = self.facts
        if self.seat is None:
            return {}
        others = [
            player
            for player, team in zip(facts.players, facts.teams, strict=True)
            if team != facts.teams[self.seat]
        ]
        if self.bots:
            return {BOTS: Player("", BOTS)} if others else {}
        return {player.fingerprint: player for player in others}


@dataclass
class Tally:
    """Numbers of matches by result, and series of wins and losses."""

    counts: dict[Result, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    series: int = 0  # newest series: positive for wins, negative for losses
    longest: int = 0  # longest series of wins

    def add(self, result: Result) -> None:
        """Add a match that is newer than all before."""
        self.counts[result] += 1
        if result not in DECIDED:
            return
        step = {Result.WON: 1, Result.LOST: -1}.get(result, 0)
        self.series = self.series + step if step * self.series > 0 else step
        self.longest = max(self.longest, self.series)

    def data(self) -> dict[str, int]:
        """Return the numbers as JSON."""
        counts = {result.value: count for result, count in self.counts.items()}
        sums = {"matches": sum(self.counts.values())}
        return sums | counts | {"series": self.series, "longest": self.longest}


@dataclass
class _GameTally:
    all: Tally = field(default_factory=Tally)
    opponents: dict[str, Tally] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # newest name by fingerprint


def statistics(matches: Iterable[OwnMatch]) -> list[dict[str, Any]]:
    """Return the statistics of each game, with those of each opponent in it. `matches`: the oldest
    first.
    """
    games: dict[str, _GameTally] = {}
    for match in matches:
        result = match.result
        if match.seat is None or result not in COUNTED:
            continue
        game = games.setdefault(match.facts.game, _GameTally())
        game.all.add(result)
        for key, player in match.opponents.items():
            game.opponents.setdefault(key, Tally()).add(result)
            game.names[key] = player.name
    return [
        {
            "game": name,
            **game.all.data(),
            "opponents": [
                {"key": key, "name": game.names[key], **tally.data()}
                for key, tally in sorted(
                    game.opponents.items(), key=lambda row: -sum(row[1].counts.values())
                )
            ],
        }
        for name, game in sorted(games.items())
    ]
