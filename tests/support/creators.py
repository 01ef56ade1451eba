"""A creator and buyers with data folders, who type commands, and a shop that is open while somebody
buys.
"""

import asyncio
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from fairdeal.__main__ import main
from player.cards.creator.run_store import DiskSaleStore, stored_runs
from player.cards.shops.shop_visit import ShopVisit
from player.cli.cards import arguments as cards
from player.cli.cards import creator_arguments as creator
from player.cli.cards.buy_command import buy
from player.cli.cards.card_program import open_program
from player.cli.cards.shop import Shop
from tests.support.collectors import STATE

PATIENCE = 60  # seconds for a visit on a slow machine


class Creators:
    """People with data folders in `folder`."""

    def __init__(self, folder: Path, monkeypatch) -> None:
        self.folder = folder
        monkeypatch.setenv(STATE, str(folder / "computer"))

    def type(self, *words, who="maker") -> int:
        """Run `fairdeal creator …`. Return the exit code."""
        return main(["creator", *map(str, words), "--data", str(self.folder / who)])

    def cards(self, *words, who="ann") -> int:
        """Run `fairdeal cards …`. Return the exit code."""
        return main(["cards", *map(str, words), "--data", str(self.folder / who)])

    @contextmanager
    def program(self, *words, who="maker", parser=creator.parser):
        """Make the objects that a running command has."""
        with open_program(
            parser().parse_args([*map(str, words), "--data", str(self.folder / who)])
        ) as program:
            yield program

    @asynccontextmanager
    async def shop(self, price=0, patience=PATIENCE, selling=Shop, *, listen="127.0.0.1:0"):
        """Open the creator's shop. Yield its link."""
        with self.program("sell", "--listen", "127.0.0.1:0") as program:
            shop = selling(
                program,
                DiskSaleStore(stored_runs(self.folder / "maker"), price, program.collection),
                patience,
            )
            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
                group.create_task(shop.serve(listen))
                yield await shop.link
                shop.closed.set()

    async def buy(self, link, *words, who="ann", visit=ShopVisit) -> int:
        """Let somebody buy. Return the exit code."""
        with self.program("buy", link, *words, who=who, parser=cards.parser) as program:
            return await buy(program, visit)

    def owned(self, who) -> set[bytes]:
        """Return the cards of a person according to the person's own records."""
        with self.program("list", who=who, parser=cards.parser) as program:
            return set(program.collection.view.held_by(program.collection.me))
