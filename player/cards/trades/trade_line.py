"""A trade over a set of lines. Each payload arrives once and in order, whichever line breaks.

This is a state machine without sockets and clock. The trader keeps signatures on disk; payloads
under way are in memory, and are lost when either program ends.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from player.cards.trades.trader import Trader
from player.multipath.line_set import PASSING, LineKind
from player.multipath.reliable_channel import ReliableChannel
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import LocalError, RemoteError
from protocol.ledger.trading.messages import TradePhase
from protocol.ledger.trading.trade_session import TradeSession
from protocol.limits import MAX_RUNS, MAX_TRADE_WAITING


def _nothing() -> None: ...


@dataclass
class TradeCallbacks:
    """Callbacks of a trade.

    - `heard`: a payload was taken in.
    - `away`: the last line was lost (True), or a line is back (False).
    - `moved`: the trade uses another kind of line.
    - `anew`: the other program was restarted, so that the current proposal is void.
    """

    heard: Callable[[], None] = _nothing
    away: Callable[[bool], None] = lambda _: None
    moved: Callable[[LineKind], None] = lambda _: None
    anew: Callable[[], None] = _nothing


class TradeOverLines:
    """Side of a trade over lines (a `player.multipath.discovery.Party`).

    `finished` with a `code`: neither person has ended the trade.
    """

    def __init__(self, trader: Trader, own: bytes, told: TradeCallbacks) -> None:
        """`own`: key of this side."""
        self.trader = trader
        self._own = own
        self._told = told
        self.partner: bytes | None = None
        self.finished = False
        self.complaint: Code | None = None
        self.code: Code | None = None
        self.number = 0  # received payloads
        self._restarts = 0  # restarts of the other program
        self.on_finish: Callable[[], None] = _nothing
        self._numbered = ReliableChannel(self._take)
        # payloads that wait until the records of earlier ones are taken in
        self._waiting: deque[bytes] = deque()
        self._scheduled = False
        # the reason why the last line was lost, while payloads from it wait
        self._gone: tuple[Code | None] | tuple[()] = ()
        self._news = False  # a payload was taken in, and `heard` is not called yet
        self._leaving = False
        self._away = True
        # true while this side leaves, and the restarted partner may still ask for lost payloads
        self._answering = False

    @property
    def begun(self) -> bool:
        """True once a partner has connected."""
        return self.partner is not None

    @property
    def about(self) -> bytes | None:
        """Digest of the two keys: names the trade to `player.lines`."""
        if self.partner is None:
            return None
        return digest("trade lines", *sorted((self._own, self.partner)))

    # --- the lines ---

    def came(self, peer: bytes) -> None:
        """Note the partner: the first to connect."""
        self.partner = peer

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """Use a first or another line."""
        self._gone = ()
        self._numbered.attach(send, peer)
        if self.trader.trading is None:
            self.trader.attach(self._say, peer)
        self._set_away(False)

    def detached(self, code: Code | None) -> None:
        """Handle the loss of the last line: wait for the next line, unless the partner has ended
        the trade. What has arrived is taken in first.
        """
        self._numbered.detached(code)
        self._gone = (code,)
        if not self._scheduled:
            self._lost(code)

    def _lost(self, code: Code | None) -> None:
        self._gone = ()
        if self.finished:
            return
        if not self.begun or code not in PASSING:
            self._end(None if self._leaving else code or Code.CUT_OFF)
        elif self._leaving and not self._owing:
            self._end(None)
        else:
            self._set_away(True)

    def received(self, payload: bytes) -> None:
        """Handle a message from a line. Raises: RemoteError, LocalError as `Trader.received`."""
        if self.finished:
            return
        self._numbered.received(payload)
        self._see()

    def moved(self, kind: LineKind) -> None:
        """Tell that the trade uses another kind of line."""
        self._told.moved(kind)

    def restarted(self) -> None:
        """Handle a restart of the partner's program: the session ends, and both sides begin a new
        one (docs/protocol, 30.5.4).
        """
        self._restarts += 1
        # a partner who restarts endlessly would keep the program and the person busy
        if self._restarts > MAX_RUNS:
            self.complaint = Code.TOO_MANY
            self._end(Code.TOO_MANY)
        elif not self.finished and self.partner is not None:
            self._numbered = ReliableChannel(self._take)
            self._waiting.clear()
            self._answering = self._leaving
            self.trader.attach(self._say, self.partner)
            self._told.anew()

    def lost_for_good(self) -> None:
        """Give up: the partner was out of reach for longer than the person wanted to wait."""
        self._end(None if self._leaving else Code.CUT_OFF)

    # --- the trade ---

    def _say(self, payload: bytes) -> None:
        try:
            self._numbered.send(payload)
        # the queue is full, and a dropped payload cannot be sent again
        except RemoteError as error:
            self._end(error.code)

    def _take(self, payload: bytes) -> None:
        self.number += 1
        if sum(map(len, self._waiting)) + len(payload) > MAX_TRADE_WAITING:
            self._end(Code.TOO_MANY)
            raise RemoteError(Code.TOO_MANY)
        self._waiting.append(payload)
        if not self._scheduled:
            self._work()

    def _work(self) -> None:
        """Take in payloads, as far as one turn of the loop allows. Raises: as `received`."""
        try:
            while not self.finished:
                if not self.trader.prepare():
                    self._work_later()
                    return
                if self._news:
                    self._news = False
                    self._told.heard()
                elif self.trader.over:
                    self._end(None)
                elif self._waiting:
                    self._news = True
                    self.trader.received(self._waiting.popleft())
                else:
                    return
        except RemoteError as error:
            self.complaint = error.code
            self._end(error.code)
            raise

    def _work_later(self) -> None:
        assert self.trader.later is not None, "all is done at once without it"
        self._scheduled = True
        self.trader.later(self._work_again)

    def _work_again(self) -> None:
        """Go on in a later turn. No line waits for an error now, so it is said when hanging up."""
        self._scheduled = False
        with suppress(RemoteError):
            try:
                self._work()
            except LocalError:  # the disk has failed, as if this program had
                self._end(Code.CUT_OFF)
        self._see()
        if self._gone and not self._scheduled:
            self._lost(*self._gone)

    # --- the person ---

    def leave(self) -> None:
        """Leave the trade once the partner has received all payloads; at once at the second
        call.
        """
        trading = self.trader.trading
        again = self._leaving
        owed = self._owing
        self._leaving = True
        if trading is not None and trading.phase is not TradePhase.CLOSED:
            self.trader.act(TradeSession.leave)
        if again or trading is None or (self._away and not owed):
            self._end(None)
        self._see()

    @property
    def leaving(self) -> bool:
        """True if this side has left, and waits for the partner to receive the last payloads."""
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
            self.finished = True
            self.code = code
            self.trader.detached()
            self.on_finish()
