"""Two people with cards, one at a page, the other in the test, and a line between them."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from net.http.server import open_listener, serve
from player.cards.card_presenter import CardPresenter
from player.cards.collection import Collection
from player.cards.creator.element_set.cards import CARDS, EDITION
from player.cards.shops.shop_visit import ShopBuyer
from player.cards.storage.ledger_store import LedgerStore
from player.cards.trades.trader import Trader
from player.ui.web.cards.cards_screen import CardsScreen
from player.ui.web.cards.cards_server import page_of
from player.ui.web.cards.trade_connections import Tell, TradeConnections
from player.ui.web.cards.trade_window import TradeWindow
from player.ui.web.http.access import HEADERS, Access
from player.ui.web.http.app import make_app
from protocol.identity.keys import Identity, JoinLink
from protocol.ledger.record_contents import CardType, Creator, Instance
from protocol.ledger.records import LedgerRecord, image_digest, sign_record
from protocol.ledger.trading import events
from protocol.ledger.view import evaluate
from tests.support.ledger import ANN, BOB, MAKER, free, maker, traded
from tests.support.pages import PATIENT

NAMES = ("Ember", "Old Oak", "<img onerror=alert(1)>", "Anvil")
FACE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 5 7"><script>alert(1)</script>'
    b'<rect width="5" height="7" fill="#c40"/></svg>'
)


@dataclass
class Person:
    """A person with cards."""

    identity: Identity
    collection: Collection
    cards: tuple[bytes, ...]
    data: Path

    def showing(self) -> CardPresenter:
        """Return the presenter of the person's cards."""
        return CardPresenter(self.collection, {})

    def trader(self, tell: Tell) -> Trader:
        """Return a trader for the person."""
        name = "Ann" if self.identity is ANN else "Bob"
        return Trader(self.collection, self.identity, name, Random(1), {}, tell)

    def buyer(self, data: Path) -> ShopBuyer:
        """Return the person as a buyer in shops, with the data folder `data`."""
        return ShopBuyer(self.identity, self.collection, Random(4), data)


def starter() -> tuple[list[LedgerRecord], dict[Identity, tuple[bytes, ...]]]:
    """Make a creator, and a card type for each name. Ann owns a card of the first two types, Bob of
    the others.
    """
    pictures = (image_digest(FACE), None)
    kinds = [
        CardType(
            MAKER.public,
            None,
            0,
            None,
            name,
            "First light",
            pictures[at % 2],
            (("fire", at),),
            True,
            "",
        )
        for at, name in enumerate(NAMES)
    ]
    types = [sign_record(kind, MAKER) for kind in kinds]
    copies = [sign_record(Instance(MAKER.public, kind.id, 1, bytes(16)), MAKER) for kind in types]
    made = [maker(), *types, *copies]
    halves = {ANN: copies[:2], BOB: copies[2:]}
    gifts = [traded(MAKER, one, free(evaluate(made), *cards)) for one, cards in halves.items()]
    return [*made, *gifts], {one: tuple(card.id for card in cards) for one, cards in halves.items()}


@contextmanager
def people(
    data: Path, pictured: Iterable[Identity] = (ANN, BOB)
) -> Iterator[tuple[Person, Person]]:
    """Make Ann and Bob, each with a data folder. `pictured` lists the people that have the images
    of cards.
    """
    records, owned = starter()
    with ExitStack() as stack:
        made = []
        for identity, name in ((ANN, "ann"), (BOB, "bob")):
            (data / name).mkdir()
            store = stack.enter_context(closing(LedgerStore(data / name, identity.public, None)))
            if identity in pictured:
                store.add_image(FACE)
            collection = Collection(store, identity.public)
            collection.add(records)
            store.journal.mend()  # their cards were given before the journal existed
            made.append(Person(identity, collection, owned[identity], data / name))
        yield made[0], made[1]


@contextmanager
def collector(data: Path) -> Iterator[Person]:
    """Make Ann with one of each of the fifty element cards. She trusts their creator."""
    press = sign_record(Creator(MAKER.public, 0, None, "The Press", None, "", (), 0), MAKER)
    kinds = [
        CardType(
            MAKER.public,
            None,
            0,
            None,
            one.name,
            EDITION,
            image_digest(one.face),
            one.values,
            True,
            "",
        )
        for one in CARDS
    ]
    types = [sign_record(kind, MAKER) for kind in kinds]
    copies = [sign_record(Instance(MAKER.public, kind.id, 1, bytes(16)), MAKER) for kind in types]
    made = [press, *types, *copies]
    gifts = [
        traded(MAKER, ANN, free(evaluate(made), *copies[at : at + 10]))
        for at in range(0, len(copies), 10)
    ]
    with closing(LedgerStore(data, ANN.public, None)) as store:
        for one in CARDS:
            store.add_image(one.face)
        collection = Collection(store, ANN.public)
        collection.add([*made, *gifts])
        store.journal.mend()  # her cards were given before the journal existed
        store.mark(MAKER.public, True)
        yield Person(ANN, collection, tuple(card.id for card in copies), data)


class Caller:
    """Bob's program, which calls a link and accepts every proposal."""

    def __init__(self, person: Person, link: JoinLink) -> None:
        self.person, self._link = person, link
        self._lines = TradeConnections(person.identity, Random(3), "127.0.0.1:0", person.trader)
        self.window = TradeWindow(self._hear)
        self.heard: asyncio.Queue[events.TradeEvent] = asyncio.Queue()

    def _hear(self, event: events.TradeEvent) -> None:
        self.heard.put_nowait(event)

    async def come(self) -> None:
        """Call."""
        await self._lines.call(self.window, self._link)

    async def until(self, kind: type[events.TradeEvent]) -> events.TradeEvent:
        """Return the next event of this kind."""
        async with asyncio.timeout(90):
            while not isinstance(event := await self.heard.get(), kind):
                """Something else has happened."""
            return event

    def leave(self) -> None:
        """Disconnect."""
        self._lines.hang_up()


@asynccontextmanager
async def album(person: Person) -> AsyncIterator[tuple[CardsScreen, str]]:
    """Serve a person's cards on a page. Yield the screen and a link."""
    lines = TradeConnections(person.identity, Random(2), "127.0.0.1:0", person.trader)
    screen = CardsScreen(person.collection, person.showing, lines, person.buyer(person.data))
    lines.changed = screen.changed
    access, listener = Access(), open_listener()
    port = listener.getsockname()[1]
    async with serve(make_app(page_of(screen, access), port), listener, HEADERS, PATIENT):
        try:
            yield screen, f"http://127.0.0.1:{port}/#t={access.ticket(time.monotonic())}"
        finally:
            screen.end()
