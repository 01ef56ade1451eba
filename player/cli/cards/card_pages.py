"""The cards of a data folder for pages: those of `fairdeal cards binder --web`, and of the app."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from player.cards.creator.mint import Mint
from player.cards.creator.starter import Starter
from player.cards.shops.shop_visit import ShopBuyer
from player.cards.trades.table_trade import TableTrade, TableTradeFile
from player.cards.trades.trader import Tell, Trader, in_a_later_turn
from player.cli import arguments
from player.cli.cards import arguments as card_arguments
from player.cli.cards.card_program import Program, open_program
from player.client.connection import Connect, connect
from player.storage.known_tables import KnownTables
from player.storage.resumable_matches import ResumableMatches
from player.ui.web.cards.cards_screen import CardsScreen
from player.ui.web.cards.trade_connections import TradeConnections
from player.ui.web.cards.trade_place import TradePlace
from player.ui.web.messages import RunWork
from protocol.identity.keys import JoinLink


def cards_screen(
    program: Program,
    place: TradePlace | None = None,
    run_work: RunWork = asyncio.to_thread,
    connect: Connect = connect,
) -> CardsScreen:
    """Return the screen of an open collection, with its connections. `connect` reaches tables and
    people.
    """
    args = program.args

    def name() -> str:
        # the person may choose another one while the cards are open
        return arguments.name_of(args, program.rng)

    def trader(tell: Tell) -> Trader:
        return Trader(
            program.collection,
            program.identity,
            name(),
            program.rng,
            program.contacts,
            tell,
            in_a_later_turn,
        )

    usual = args.listen == card_arguments.HERE
    spare = card_arguments.FREE if usual else None
    data = arguments.data_of(args)
    matches = ResumableMatches(data, program.identity)
    lines = TradeConnections(
        program.identity,
        program.rng,
        args.listen,
        trader,
        connect,
        spare=spare,
        in_match=lambda link: matches.at(link) is not None,
    )
    buyer = ShopBuyer(program.identity, program.collection, program.rng, data)
    starter = Starter(Mint(program.collection, program.identity), data, program.rng, name())
    screen = CardsScreen(
        program.collection, program.showing, lines, buyer, starter, place, run_work
    )
    lines.changed = screen.changed
    return screen


class AppCards:
    """The person's cards in the app. A trade or a purchase goes on while the page shows something
    else.
    """

    def __init__(
        self,
        data: Path,
        passphrase: Callable[[], bytes | None],
        run_work: RunWork,
        connect: Connect = connect,
        *,
        calls: bool = True,
        leave: Callable[[JoinLink], None] = lambda link: None,
    ) -> None:
        """`passphrase`: that of the key, if it has one. `run_work` reads the cards, which takes a
        while. `connect` reaches tables and people. `calls`, `leave`: see `TradePlace`.
        """
        self._data = data
        self._connect = connect
        self._file = TableTradeFile(data)
        self._place = TradePlace(calls, self._file, leave)
        self._passphrase = passphrase
        self._run_work = run_work
        self._opened = ExitStack()
        self.screen: CardsScreen | None = None

    def unfinished_trade(self) -> TableTrade | None:
        """Return the trade through a table that is not over, with the key that the table has now.
        Raises: LocalError.
        """
        trade = self._file.read()
        if trade is None:
            return None
        return replace(trade, link=KnownTables(self._data).resolved(trade.link))

    async def open(self) -> CardsScreen:
        """Return the screen of the cards, with a new stream to pages. The cards are read anew, for
        other programs may have changed them; not so while a trade or a shop is open. Raises:
        LocalError.
        """
        if self.screen is None or not self.screen.in_use:
            await self.close()
            words = ["binder", "--web", "--data", str(self._data)]
            args = card_arguments.parser().parse_args(words)
            args.passphrase = self._passphrase()
            opened = ExitStack()
            program = await self._run_work(lambda: opened.enter_context(open_program(args)))
            self._opened = opened
            self.screen = cards_screen(program, self._place, self._run_work, self._connect)
        self.screen.begin()
        return self.screen

    async def close(self) -> None:
        """Close the cards. Whatever is signed stays in the journal."""
        screen = self.screen
        self.screen = None
        if screen is not None:
            await screen.close()
        self._opened.close()
