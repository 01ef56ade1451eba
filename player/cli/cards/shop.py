"""Command `fairdeal creator sell`: a shop at a link, which sells packs of sealed runs to
callers.
"""

import asyncio
from typing import Any

from commandline.stop_signals import call_when_stopped
from net.addresses import make_link, parse_address
from player.cards.creator.run_store import DiskSaleStore
from player.cli.cards.card_program import CLEAN, Program
from player.client.connection import Connection
from player.multipath.acceptor import Acceptor
from player.ui.terminal.cards import card_text
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.ledger.runs.seller import SellerSession, unsold_packs
from protocol.limits import SALE_SECONDS
from protocol.view.phrase import phrase


class Shop:
    """Visits of all buyers (a `player.multipath.acceptor.AcceptorListener`)."""

    def __init__(
        self, program: Program, till: DiskSaleStore, patience: float = SALE_SECONDS
    ) -> None:
        """`patience`: limit of a sale in seconds, from the first message to the last."""
        self._program = program
        self._till = till
        self._patience = patience
        self._visits: dict[Connection, SellerSession] = {}
        self._timers: dict[Connection, asyncio.TimerHandle] = {}
        self.closed = asyncio.Event()
        # done when the shop is open
        self.link: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def serve(self, listen: str) -> int:
        """Sell until the person stops the program. A buyer may come back for a lost answer. Raises:
        LocalError.
        """
        program = self._program
        host, port = parse_address(listen)
        callers = Acceptor(self, program.identity, program.rng)
        link = make_link(
            host, await callers.listen(host, port), program.identity.public, direct=True
        )
        program.tell(phrase("creator.selling", link=str(link)))
        self.link.set_result(str(link))
        call_when_stopped(self.closed.set)
        ended = asyncio.create_task(self.closed.wait())
        ends: set[asyncio.Future[Any]] = {ended, callers.failed}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            await callers.close()
        if callers.failed.done():
            callers.failed.result()
        return CLEAN

    def established(self, connection: Connection, peer: bytes) -> None:
        """Begin the visit of a buyer."""
        program = self._program
        journal = program.collection.store.journal
        self._visits[connection] = SellerSession(
            program.identity, peer, program.collection, journal, self._till, program.rng
        )

    def received(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """Handle a message of a buyer. Raises: RemoteError; the caller then closes the
        connection.
        """
        visit = self._visits[connection]
        try:
            visit.received(payload)
        except LocalError as error:
            self._program.tell(error.phrase)
            connection.close(Code.NOT_NOW)
            return
        for answer in visit.outgoing():
            connection.send(answer)
        for record in visit.finished_trades():
            self._program.tell(
                *card_text.trade_lines(self._program.showing().trade(record.id), self._program.say)
            )
            self._tell_left()
        self._watch(connection, visit)

    def gone(self, connection: Connection, code: Code | None) -> None:
        """End the visit of a buyer."""
        visit = self._visits.pop(connection, None)
        if visit is not None:
            if visit.buying:
                self._program.tell(
                    phrase(
                        "creator.unfinished",
                        who=card_text.marked(self._program.showing().person(visit.buyer)),
                    )
                )
            visit.close()
        self._still(connection)

    def _watch(self, connection: Connection, visit: SellerSession) -> None:
        """Limit the time of a sale: a silent buyer must not keep other buyers waiting."""
        if visit.buying and connection not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[connection] = loop.call_later(
                self._patience, connection.close, Code.TOO_SLOW
            )
        elif not visit.buying:
            self._still(connection)

    def _still(self, connection: Connection) -> None:
        timer = self._timers.pop(connection, None)
        if timer is not None:
            timer.cancel()

    def _tell_left(self) -> None:
        view = self._program.collection.view
        left = sum(len(unsold_packs(stock.sealed, view)) for stock in self._till.stock())
        self._program.tell(phrase("creator.left", count=left))
