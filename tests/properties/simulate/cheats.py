"""Cheats in a simulated world: seats of `tests.adversary.cheats` that the fold names, and a table
that lies about its wait.
"""

from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.limits import MAX_CLOCK_SECONDS
from protocol.match.clock import Allowance
from protocol.match.state import Match, MatchStage
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection
from table.lobby.matches import Matches
from table.match.live_match import LiveMatch
from tests.adversary.cheats import conduct, draws, hands, layers, play, selection, slots, verified
from tests.adversary.cheats.base import Cheat, When


class LeavesADuel(Cheat):
    """Seat that leaves a game by a rule file somewhere between its text and its end."""

    code, when, seats, game = Code.LEFT, When.ANY, 2, "element-duel"
    dealing_options = {"leavers": "threshold"}  # noqa: RUF012

    def respond(self, match: Match) -> Post | None:
        """Choose another moment in each match."""
        post = super().respond(match)
        since = 6 + match.match_id[0] % 60
        if match.next_number < since or match.stage not in (MatchStage.DEALING, MatchStage.PLAYING):
            return post
        self.acted = True
        return Post("leave", [])


class LeavesASeededDuel(LeavesADuel):
    """Seat that leaves a game by a rule file in which seeds are opened at the end."""

    dealing_options = {}  # noqa: RUF012


class LeavesMauMau(LeavesADuel):
    """Seat that leaves Mau-Mau; the others play on without seeing its hand."""

    seats, game = 4, "mau-mau-shared"


NAMED = (When.AT_ONCE, When.PROTEST, When.CLOSE, When.ANY)
_ALL = [
    *(
        ("layered", cheat)
        for module in (selection, layers, hands, slots, draws, play, conduct)
        for cheat in module.CHEATS
    ),
    *(("verified", cheat) for cheat in (*verified.CHEATS, LeavesADuel, LeavesMauMau)),
    ("seeded", LeavesASeededDuel),
]
CHEATS: dict[str, type[Cheat]] = {
    f"{dealing}.{cheat.__name__}": cheat
    for dealing, cheat in _ALL
    if cheat.when in NAMED and not hasattr(cheat, "friends")
}


def terms_of(name: str) -> Terms:
    """Return terms of a match in which this cheat has its opportunity."""
    cheat = CHEATS[name]
    short: dict[str, int | str] = {"target": 1} if cheat.game.endswith("dominoes") else {}
    options = tuple((short | cheat.options).items())
    clock = Allowance(0, MAX_CLOCK_SECONDS, MAX_CLOCK_SECONDS).options()
    dealing = name.partition(".")[0]
    return make_terms(
        Selection(cheat.game, options),
        Selection(dealing, tuple(cheat.dealing_options.items())),
        clock,
        cheat.seats,
    )


class LyingLiveMatch(LiveMatch):
    """Table match that once, during a deal or simultaneous play, falsely declares that a seat's
    time is over.
    """

    def _post_answers(self) -> None:
        super()._post_answers()
        self._lie()

    def _lie(self) -> None:
        match = self.match
        at_work = match.deal is not None or match.active_simultaneous is not None
        if match.clock.lapses or not at_work or match.next_number < 12 + self.seed[0] % 64:
            return
        seat = next((duty.author for duty in match.duties() if duty.author != TABLE), TABLE)
        while (due := self.match.next_clock_entry(seat)) and not self.match.clock.lapses:
            self._post(Post(due.kind, [seat, due.after]))
        super()._post_answers()


class LyingMatches(Matches):
    """Matches of a table with this lie."""

    match_type = LyingLiveMatch
