"""Command `fairdeal cards trade` over direct connections: one side waits and prints a link, the
other calls it.
"""

import sys
from contextlib import nullcontext

from commandline.stop_signals import call_when_stopped
from net.addresses import is_loopback, make_link, parse_address
from net.lan.announcement import Announcement, AnnouncementKind
from player.cards.trades.trade_line import TradeCallbacks, TradeOverLines
from player.cards.trades.trade_reach import TradeReach
from player.cards.trades.trader import Trader, in_a_later_turn
from player.cli import arguments
from player.cli.cards.card_program import CLEAN, FAILED, Program
from player.client.environment import Environment
from player.client.reconnect import KEEP_TRYING_SECONDS
from player.client.seat import Seat
from player.multipath.announcement import found_on_lan
from player.multipath.dialer import Route
from player.multipath.discovery import MOVED, route_to
from player.multipath.line_set import LineKind
from player.storage.resumable_matches import ResumableMatches
from player.ui.console_lines import Lines, PlainLines
from player.ui.terminal.cards.scripted_trade import ScriptedTrade
from player.ui.terminal.cards.trade_prompt import TradePrompt
from player.ui.terminal.cards.trade_text import TradeTable, lines_of
from player.ui.terminal.prompt import Prompt, can_prompt
from protocol.codes import code_phrase
from protocol.errors import LocalError
from protocol.i18n.language_choice import own_language
from protocol.identity.keys import JoinLink
from protocol.ledger.trading.messages import TradePhase
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import wrap_for

EVERYWHERE = {True: "127.0.0.1", False: "0.0.0.0"}  # noqa: S104  # where who calls this machine, or another, is called


async def trade(program: Program) -> int:
    """Trade with one partner. Return 1 if no trade was finished. Raises: LocalError,
    RemoteError.
    """
    args = program.args
    own = program.collection.view.held_by(program.collection.me)
    give = tuple(program.card(text, own) for text in args.give)
    link = None if args.link is None else JoinLink.parse(args.link)
    if link is not None and not link.direct:
        raise LocalError("wrong.table_link", link=str(link))
    session = Session(program, give, link is not None)
    lines = session.lines
    call_when_stopped(session.leave)
    async with nullcontext() if args.yes else lines.open(session.talker):
        return await (session.wait(args.listen) if link is None else session.call(link))


class Session:
    """A trade from the first message to the last, over any lines."""

    def __init__(
        self, program: Program, give: tuple[bytes, ...], calling: bool, lines: Lines | None = None
    ) -> None:
        """`lines`: lines of an open screen; None: open a screen for this trade."""
        self._program = program
        self._give = give
        self._table = TradeTable(program.say, self.tell, asks=not program.args.yes)
        name = arguments.name_of(program.args, program.rng)
        trader = Trader(
            program.collection,
            program.identity,
            name,
            program.rng,
            program.contacts,
            self._table.hear,
            in_a_later_turn,
        )
        self._trader = self._table.trader = trader
        self._ride = TradeOverLines(
            trader,
            program.identity.public,
            TradeCallbacks(self._heard, self._away, self._moved, self._anew),
        )
        self._reach: TradeReach | None = None
        self._lost = False  # true while the connection is lost
        self.talker = TradePrompt(self._table, own_language(), self.tell, self.leave)
        self.lines = lines or self._own_lines()
        wanted = tuple(program.args.want)
        self._agreed = (
            ScriptedTrade(self._table, give, wanted, calling, self.leave, self.tell)
            if program.args.yes
            else None
        )

    def _own_lines(self) -> Lines:
        asks = can_prompt() and not self._program.args.yes
        if asks:
            return Prompt(completer=self.talker.completing())
        return PlainLines()

    def tell(self, *said: str | Phrase) -> None:
        """Print lines and phrases for the person."""
        for one in said:
            for line in lines_of((one,), self._program.say):
                whole = wrap_for(sys.stdout, line) if isinstance(one, Phrase) else line
                self.lines.print(whole + "\n")

    # --- connections ---

    def _reaching(self, *routes: Route) -> TradeReach:
        args = self._program.args
        matches = ResumableMatches(arguments.data_of(args), self._program.identity)
        self._reach = TradeReach(
            self._ride,
            self._environment(),
            routes,
            share=args.lines,
            table=args.through,
            in_match=lambda link: matches.at(link) is not None,
        )
        return self._reach

    def _environment(self) -> Environment:
        return Environment(
            self._program.identity, self._program.rng, Seat, None, lambda event: None
        )

    async def wait(self, listen: str) -> int:
        """Wait for a partner, and trade. Raises: LocalError."""
        host, port = parse_address(listen)
        reach = self._reaching()
        try:
            link = make_link(
                host, await reach.listen(host, port), self._program.identity.public, direct=True
            )
            self.tell(phrase("cards.trade.waiting", link=str(link)))
            if self._program.args.lan:
                announcement = Announcement(AnnouncementKind.TRADE, link.fingerprint or "", "", 2)
            else:
                announcement = None
            async with found_on_lan(
                announcement, (host, link.port), lambda: not self._ride.begun, self.tell
            ):
                await reach.see_through(self._patience)
        finally:
            await reach.close()
        return self._result()

    async def call(self, link: JoinLink) -> int:
        """Trade with the partner who waits at this link. Raises: LocalError, RemoteError."""
        return await self.over(
            route_to(self._environment(), link), EVERYWHERE[is_loopback(link.host)]
        )

    async def over(self, route: Route, listen: str = "") -> int:
        """Trade with one partner over a route. `listen`: address for the partner's own calls;
        empty: none.

        Raises: LocalError, RemoteError, as the route's call.
        """
        reach = self._reaching(route)
        try:
            if listen and self._program.args.lines:
                await reach.listen(listen, 0)
            await reach.see_through(self._patience)
        finally:
            await reach.close()
        return self._result()

    @property
    def _patience(self) -> float:
        asked: float | None = self._program.args.keep_trying
        return KEEP_TRYING_SECONDS if asked is None else asked

    def _away(self, away: bool) -> None:
        if away or self._lost:
            self.tell(phrase("notice.lost" if away else "notice.back"))
        self._lost = away

    def _moved(self, kind: LineKind) -> None:
        self.tell(phrase(MOVED[kind]))

    def _anew(self) -> None:
        self._table.anew()
        if self._agreed is not None:
            self._agreed.anew()

    # --- trade ---

    def _heard(self) -> None:
        """Take all steps that a new payload makes possible."""
        self._table.settle()
        if self._agreed is not None:
            while self._agreed.go_on(self._trader):
                self._table.settle()
        elif (
            self._give
            and self._trader.trading is not None
            and self._trader.trading.phase is TradePhase.TALKING
        ):
            give = self._give
            self._give = ()
            self.talker.offer(self._trader, give, ())
        self.lines.refresh()

    def leave(self) -> None:
        """Leave the trade."""
        (self._reach or self._ride).leave()

    def _result(self) -> int:
        """Tell the result, and return the exit code."""
        if self._ride.code is not None:
            self.tell(phrase("cards.trade.cut", why=code_phrase(self._ride.code)))
        pending = [
            one
            for one in self._program.collection.store.journal.reserved()
            if one.partner == self._trader.partner
        ]
        if pending:
            self.tell(phrase("cards.trade.pending", count=len(pending)))
        if not self._table.traded:
            self.tell(phrase("cards.trade.none"))
        return CLEAN if self._table.traded else FAILED
