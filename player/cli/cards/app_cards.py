"""The person's cards in the app, which are read when somebody first opens them."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from player.cards.trades.table_trade import TableTrade, TableTradeFile
from player.client.connection import Connect, connect
from player.storage.known_tables import KnownTables
from player.ui.web.cards.trade_place import TradePlace
from player.ui.web.messages import RunWork
from protocol.identity.keys import JoinLink

if TYPE_CHECKING:
    from player.ui.web.cards.cards_screen import CardsScreen


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

    async def open(self) -> "CardsScreen":
        """Return the screen of the cards, with a new stream to pages. The cards are read anew, for
        other programs may have changed them; not so while a trade or a shop is open. Raises:
        LocalError.
        """
        if self.screen is None or not self.screen.in_use:
            # whoever only plays needs none of it, and a tab starts sooner
            from player.cli.cards import arguments
            from player.cli.cards.card_pages import cards_screen
            from player.cli.cards.card_program import open_program

            await self.close()
            words = ["binder", "--web", "--data", str(self._data)]
            args = arguments.parser().parse_args(words)
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
