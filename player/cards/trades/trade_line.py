"""A trade that rides on a set of lines: each thing that is said arrives once and in order, whatever
line breaks.

A state machine without socket and clock. What is signed is on disk with the trader; what is on its
way is here, and lives as long as the two programs do.
"""

from collections.abc import Callable
from dataclasses import dataclass

from player.cards.trades.trader import Trader
from player.lines.lineset import PASSING, Kind
from player.lines.numbered import Numbered
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.ledger.trading.messages import TradePhase
from protocol.ledger.trading.trade_session import TradeSession
from protocol.limits import MAX_RUNS


def _nothing() -> None:
    """Nobody is told."""


@dataclass
class Told:
    """Whom a trade on lines tells what. `heard`: something was taken in; `away`: there is no line
    any more, or one; `moved`: over another kind of line; `anew`: the other program was started
    anew, and what lay on the table is gone.
    """

    heard: Callable[[], None] = _nothing
    away: Callable[[bool], None] = lambda _: None
    moved: Callable[[Kind], None] = lambda _: None
    anew: Callable[[], None] = _nothing


class TradeRide:
    """One side. `finished` with a `code`: not because somebody wanted it. A
    `player.lines.reaching.Party`.
    """

    def __init__(self, trader: Trader, own: bytes, told: Told) -> None:
        """`own`: our key."""
        self.trader, self._own, self._told = trader, own, told
        self.partner: bytes | None = None
        self.finished = False
        self.complaint: Code | None = None
        self.code: Code | None = None
        self.number = 0  # payloads that have come
        self._restarts = 0  # of the other program
        self.on_finish: Callable[[], None] = _nothing
        self._numbered = Numbered(self._take)
        self._leaving, self._away = False, True
        # leaving, and the other may still ask anew for what it has not heard
        self._answering = False

    @property
    def begun(self) -> bool:
        """Whether somebody is there, or has been."""
        return self.partner is not None

    @property
    def about(self) -> bytes | None:
        """These two, and their trade."""
        return (
            None
            if self.partner is None
            else digest("trade lines", *sorted((self._own, self.partner)))
        )

    # --- the lines ---

    def came(self, peer: bytes) -> None:
        """Somebody is there: the first one, who stays."""
        self.partner = peer

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """There is a line, or another one."""
        self._numbered.attach(send, peer)
        if self.trader.trading is None:
            self.trader.attach(self._say, peer)
        self._set_away(False)

    def detached(self, code: Code | None) -> None:
        """There is none any more: wait for the next one, unless the other side has ended it."""
        self._numbered.detached(code)
        if self.finished:
            return
        if not self.begun or code not in PASSING:
            self._end(None if self._leaving else code or Code.CUT_OFF)
        elif self._leaving and not self._owing:
            self._end(None)
        else:
            self._set_away(True)

    def received(self, payload: bytes) -> None:
        """A message of a line. Raises: RemoteError, LocalError as `Trader.received`."""
        if self.finished:
            return
        self._numbered.received(payload)
        self._see()

    def moved(self, kind: Kind) -> None:
        """The trade goes on over another kind of line."""
        self._told.moved(kind)

    def restarted(self) -> None:
        """The other program is another run: what was under way is over, and both begin anew
        (30.5.4).
        """
        self._restarts += 1
        # who claims that again and again keeps us busy, and a person reading
        if self._restarts > MAX_RUNS:
            self.complaint = Code.TOO_MANY
            self._end(Code.TOO_MANY)
        elif not self.finished and self.partner is not None:
            self._numbered, self._answering = Numbered(self._take), self._leaving
            self.trader.attach(self._say, self.partner)
            self._told.anew()

    def lost_for_good(self) -> None:
        """Nobody was reached for as long as the person wanted to wait."""
        self._end(None if self._leaving else Code.CUT_OFF)

    # --- the trade ---

    def _say(self, payload: bytes) -> None:
        try:
            self._numbered.send(payload)
        except RemoteError as error:  # it takes nothing: what is lost of it cannot be said again
            self._end(error.code)

    def _take(self, payload: bytes) -> None:
        self.number += 1
        try:
            self.trader.received(payload)
            self._told.heard()
        except RemoteError as error:
            self._end(error.code)
            raise
        if self.trader.over:
            self._end(None)

    # --- the person ---

    def leave(self) -> None:
        """End it from here, as soon as the other has heard all that was said before; at once if it
        was said twice.
        """
        trading = self.trader.trading
        again, owed = self._leaving, self._owing
        self._leaving = True
        if trading is not None and trading.phase is not TradePhase.CLOSED:
            self.trader.act(TradeSession.leave)
        if again or trading is None or (self._away and not owed):
            self._end(None)
        self._see()

    @property
    def leaving(self) -> bool:
        """Whether it was ended from here, and waits only for the other to have heard it."""
        return self._leaving

    @property
    def _owing(self) -> bool:
        return self._numbered.unheard > 0

    def _see(self) -> None:
        if self._leaving and not self._owing and not self._answering:
            self._end(None)

    def _set_away(self, away: bool) -> None:
        if self._away is not away:
            self._away = away
            self._told.away(away)

    def _end(self, code: Code | None) -> None:
        if not self.finished:
            self.finished, self.code = True, code
            self.trader.detached()
            self.on_finish()
