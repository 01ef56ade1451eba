"""Screen of the cards page: a person looks at their cards, and trades them."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from player.cards.card_files import export_own_cards, import_lines, read_cards
from player.cards.card_models import (
    AlarmShown,
    CardShown,
    CreatorShown,
    OwnershipState,
    TradeShown,
    TrustMark,
)
from player.cards.card_presenter import MARKS, CardPresenter, by_name
from player.cards.collection import Collection, read_all
from player.cards.creator.element_set.images import element_face
from player.cards.creator.starter import PACKS, Starter
from player.cards.shops.shop_visit import ShopBuyer, received
from player.cards.trade_warnings import POLICIES, policy_of
from player.cards.trades.table_trade import TableTrade
from player.cards.trades.trade_letter import MAGIC as LETTER
from player.ui.web.cards.deck_shelf import DeckShelf
from player.ui.web.cards.shop_window import ShopWindow
from player.ui.web.cards.trade_place import TradePlace
from player.ui.web.cards.trade_window import TradeWindow, direct_link
from player.ui.web.messages import RunWork
from player.ui.web.stream import News, Snapshot
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator
from protocol.identity.keys import JoinLink
from protocol.ledger.trading import events
from protocol.ledger.witness.acceptance_policy import AcceptancePolicy
from protocol.limits import LEDGER_STEPS
from protocol.steps import Steps
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize

PAST = 50  # finished trades that the page lists, the newest
MOST_OF_PARTNER = 200  # cards of a partner that the page shows
Item = TypeVar("Item")
Shown = TypeVar("Shown")
TRUST = {mark: trusted for trusted, mark in MARKS.items()}
# events that change the collection
CHANGES = (
    events.RecordsReceived,
    events.ImagesReceived,
    events.TradeFinished,
    events.CardsReleased,
    events.TradeSigned,
)


class Lines(Protocol):
    """Connections between the two sides of a trade."""

    async def listen(self, window: TradeWindow) -> None:
        """Wait for a partner, who comes by the link of `window`. Raises: LocalError."""

    async def call(self, window: TradeWindow, link: JoinLink) -> None:
        """Call a partner who waits at `link`. Raises: LocalError."""

    async def meet(
        self, window: TradeWindow, trade: TableTrade, failed: Callable[[Phrase], None]
    ) -> None:
        """Meet the partner of a trade through its table. `failed` gets the reason if the two do not
        meet.
        """

    def hang_up(self) -> None:
        """Close all connections."""

    async def settle(self) -> None:
        """Wait until the connections that are hung up have ended."""

    async def close(self) -> None:
        """Close all connections, and wait until they have ended."""


class CardsScreen:
    """State of the cards page. `showing` returns the presenter of the collection as it is now."""

    def __init__(
        self,
        collection: Collection,
        showing: Callable[[], CardPresenter],
        lines: Lines,
        buyer: ShopBuyer,
        starter: Starter | None = None,
        place: TradePlace | None = None,
        run_work: RunWork = asyncio.to_thread,
    ) -> None:
        """`starter` makes first cards; None: nobody can make any from here. `place`: the ways to
        other people; None: by links, and nothing is stored. `run_work` checks signatures, which
        takes a while.
        """
        self.showing = showing
        self.news = News()
        self.translate: Translate = environment_translator(os.environ)
        self._collection = collection
        self._store = collection.store
        self._newest: Snapshot | None = None
        self._lines = lines
        self._buyer = buyer
        self.decks = DeckShelf(collection)
        self.shop = ShopWindow(
            buyer, lambda: self.showing(), lambda known: self.changed(known=known)
        )
        self._window: TradeWindow | None = None
        self._serial = self._known = 0
        self._starter = starter
        self._made: int | None = None  # card types that are made so far; None: none is being made
        self._place = place or TradePlace()
        self._run_work = run_work

    @property
    def open_table_trade(self) -> TableTrade | None:
        """Return the trade through a table whose window is open."""
        return None if self._window is None else self._window.table

    @property
    def link(self) -> JoinLink | None:
        """Link by which a partner comes to trade; None without a trade."""
        return None if self._window is None else self._window.link

    @property
    def port_is_fixed(self) -> bool:
        """Return True if the port of the link is that of all trades."""
        return self._window is not None and self._window.port_is_fixed

    @property
    def in_use(self) -> bool:
        """Return True while a trade or a shop is open: both go on without a page."""
        return self._window is not None or self.shop.is_open

    def begin(self) -> None:
        """Begin a new stream to pages, after the stream of before has ended."""
        self.news = News()

    def end(self) -> None:
        """Close the connections and the streams to pages."""
        self._lines.hang_up()
        self.news.end()

    async def close(self) -> None:
        """End all that `end` ends, and wait for it: nothing uses the collection after that."""
        self.end()
        await self.shop.close()
        await self._lines.close()

    # --- views ---

    def newest(self) -> Snapshot:
        """Return a snapshot for open pages. A page requests the collection again when `known` has
        grown. While records are taken in, the snapshot of before stands.
        """
        if self._newest is not None and not self._collection.view.ready:
            return self._newest
        say = phrase_renderer(self.translate, ())
        if self._window is None:
            trade = None
        else:
            trade = to_json(self._window.shown(), say)
        shown = {
            "stage": "cards",
            "view": None,
            "serial": self._serial,
            "known": self._known,
            "alarms": len(self._collection.view.alarms),
            "trade": trade,
            "calls": self._place.calls,
            "shop": to_json(self.shop.shown(), say),
            "starter": self._starter_shown(),
            "old": self._store.journal.is_outdated(),
        }
        self._newest = Snapshot(self._serial, 0, shown)
        return self._newest

    async def settled(self) -> CardPresenter:
        """Return the presenter once all records are taken in, those of other programs too. Other
        work of the loop goes on meanwhile.
        """
        await self.refresh()
        # each round does some of the work: it waits for nothing
        while not self._collection.view.update(LEDGER_STEPS):  # noqa: ASYNC110
            await asyncio.sleep(0)
        return self.showing()

    async def refresh(self) -> None:
        """Read what other programs have changed in the data folder, and let open pages request the
        collection again. Raises: LocalError.
        """
        if await _in_turns(self._collection.refresh_steps()):
            self.changed(known=True)

    async def alarms(self) -> list[AlarmShown]:
        """Return all known alarms."""
        showing = await self.settled()
        return [await _pause(showing.alarm, alarm) for alarm in self._collection.view.alarms]

    async def creators(self) -> list[CreatorShown]:
        """Return all known creators, by name."""
        showing = await self.settled()
        creators = tuple(self._collection.index.creators)
        found = [await _pause(showing.creator, creator) for creator in creators]
        return sorted(found, key=by_name)

    def details(
        self, card: bytes
    ) -> dict[str, CardShown | tuple[TradeShown, ...] | Phrase | int | None] | None:
        """Return a card with its trades, the number of copies in known runs, and a note if its
        picture is missing or was changed; None if the card is unknown.
        """
        showing = self.showing()
        index = showing.collection.index
        if card not in index.instances:
            return None
        shown = showing.card(card)
        lacks = shown.image is not None and self.picture(bytes.fromhex(shown.image)) is None
        return {
            "card": shown,
            "trades": showing.history(card),
            "note": phrase("cardpage.card.picture") if lacks else None,
            "printed": showing.printed(card),
        }

    def picture(self, digest: bytes) -> bytes | None:
        """Return the image with this digest, from the data folder or from the element set that comes
        along; None if neither has it.
        """
        return self._store.image(digest) or element_face(digest)

    def policies(self) -> list[dict[str, Any]]:
        """Return all acceptance policies, with the person's own one marked."""
        chosen = policy_of(self._store)
        return [
            {"name": one, "about": phrase(POLICIES[one]), "chosen": one is chosen}
            for one in AcceptancePolicy
        ]

    async def theirs(self) -> list[CardShown]:
        """Return the cards that the partner of the trade has, as far as this computer knows."""
        showing = await self.settled()
        trader = None if self._window is None else self._window.trader
        if trader is None or not trader.partner:
            return []
        held = showing.collection.view.held_by(trader.partner)
        cards = [await _pause(showing.card, card) for card in held[:MOST_OF_PARTNER]]
        return [card for card in cards if card.state is not OwnershipState.BURNT]

    async def unfinished(self) -> dict[str, Any]:
        """Return the own fingerprint, the trades that only this person has signed, and the newest
        finished ones.
        """
        showing = await self.settled()
        purchases = {promise.id for promise in self._buyer.unanswered()}
        trades = [
            {
                "id": promise.id.hex(),
                "partner": showing.person(promise.partner),
                "gives": tuple(map(showing.card, promise.cards)),
                "gets": tuple(map(showing.card, received(promise))),
            }
            for promise in self._store.journal.reserved()
            if promise.id not in purchases
        ]
        me = self._collection.me
        mine = [key for key, one in self._collection.index.trades.items() if me in (one.a, one.b)]
        past = [await _pause(showing.trade, trade) for trade in mine[: -PAST - 1 : -1]]
        return {"own": showing.person(me).fingerprint, "trades": trades, "past": past}

    # --- first cards, and an old copy ---

    def _starter_shown(self) -> dict[str, Any] | None:
        if self._starter is None:
            return None
        return {
            "name": sanitize(self._starter.name),
            "done": self._made,
            "of": self._starter.types,
        }

    async def start(self, name: str) -> dict[str, Any]:
        """Make first cards, with the person `name` as their creator. Return the cards in their
        packs. Raises: LocalError.
        """
        if self._starter is None or self._made is not None:
            raise LocalError("web.not_offered")
        await self.settled()
        made: tuple[bytes, ...] = ()
        self._made = 0
        try:
            for step in self._starter.make(name):
                self._made, made = step
                self.changed()
                await asyncio.sleep(0)
        finally:
            self._made = None
            self.changed(known=True)
        showing = await self.settled()
        size = len(made) // PACKS
        return {"opened": [showing.card(card) for card in made], "packs": [size] * PACKS}

    def mend(self) -> None:
        """Give up the signatures that an old copy of the data folder lacks. Raises: LocalError if
        this is no old copy.
        """
        if not self._store.journal.is_outdated():
            raise LocalError("cards.mend.needless")
        self._store.journal.mend()
        self.changed()

    # --- files ---

    async def import_file(self, name: str, data: bytes) -> dict[str, Any]:
        """Take in a file of cards, and return sentences about it. `alarms`: number of new alarms.

        Raises: LocalError.
        """
        if data.startswith(LETTER):
            raise LocalError("wrong.cards.letter.here", path=name)
        bundle = read_cards(data, name)
        read, refused = await self._run_work(partial(read_all, bundle.raws))
        await self.settled()
        before = len(self._collection.view.alarms)
        taken = self._collection.take_read(read, refused, bundle.images)
        await self.settled()
        lines = import_lines(name, taken)
        if self._store.journal.is_outdated():
            lines.append(phrase("wrong.trade.old"))
        self.changed(known=True)
        return {"lines": lines, "alarms": len(self._collection.view.alarms) - before}

    async def export_file(self) -> bytes:
        """Return a file that proves whose the person's cards are. Raises: LocalError."""
        await self.settled()
        return export_own_cards(self._collection)

    # --- actions of the person ---

    def visit_shop(self, asked: dict[str, Any]) -> None:
        """Carry out an action in the shop window. Raises: LocalError."""
        if not self._place.calls:
            raise LocalError("cardpage.shops.tab")
        self.shop.act(asked)

    def trust(self, key: str, mark: str) -> None:
        """Set the trust mark of a creator. `key`: full fingerprint. Raises: LocalError."""
        showing = self.showing()
        found = [one for one, (whole, _) in showing.people().items() if whole == key]
        if mark not in list(TrustMark) or not found or found[0] == showing.collection.me:
            raise LocalError("web.not_offered")
        self._store.mark(found[0], TRUST[TrustMark(mark)])
        self.changed(known=True)

    def policy(self, name: str) -> None:
        """Set the acceptance policy. Raises: LocalError."""
        if name not in list(AcceptancePolicy):
            raise LocalError("web.not_offered")
        self._store.policy = name
        self.changed(known=True)

    async def trade(self, asked: dict[str, Any]) -> None:
        """Carry out an action in the trade window. Raises: LocalError."""
        match asked:
            case {"do": "listen"} if self._window is None and self._place.calls:
                await self._begin(None)
            case {"do": "call", "link": text} if self._window is None and self._place.calls:
                await self._begin(direct_link(text))
            case {"do": "meet"} if self.open_table_trade is not None:
                await self.meet(self.open_table_trade)
            case {"do": "exit"}:
                await self._exit()
            case _ if self._window is not None:
                self._window.act(asked)
            case _:
                raise LocalError("web.not_offered")
        self.changed()

    async def meet(self, trade: TableTrade) -> None:
        """Trade with somebody at the same table, or go on with this trade. Raises: LocalError."""
        self._place.store(trade)

        def heard(event: events.TradeEvent) -> None:
            # the partner has left, so a program that is started anew does not go on with this trade
            if isinstance(event, events.SessionEnded) and self._window is window:
                self._place.forget()
            self._heard(event)

        window = self._window = TradeWindow(heard, trade)
        window.show_meeting()

        def failed(why: Phrase) -> None:
            window.show_not_met(why)
            self.changed()

        await self._lines.meet(window, trade, failed)
        self.changed()

    async def _exit(self) -> None:
        """End the trade. From a trade through a table the person goes back there."""
        window = self._window
        if window is not None and window.ending:
            await self._lines.close()  # it is said a second time: at once
            return
        self._lines.hang_up()
        if window is None or window.table is None:
            self._window = None
            return
        self._place.forget()
        window.show_ending()
        self.changed()
        # a table keeps one connection of a key, so that of the trade ends first
        await self._lines.settle()
        if self._window is window:  # else the person has begun another trade meanwhile
            self._window = None
            self._place.leave(window.table.link)

    async def _begin(self, link: JoinLink | None) -> None:
        window = TradeWindow(self._heard)
        self._window = window
        try:
            await (self._lines.listen(window) if link is None else self._lines.call(window, link))
        except LocalError:
            if self._window is window:
                self._window = None
            raise
        finally:
            self.changed()

    def _heard(self, event: events.TradeEvent) -> None:
        """Handle an event of the trade."""
        self.changed(known=isinstance(event, CHANGES))

    def changed(self, *, known: bool = False) -> None:
        """Send a new snapshot to open pages. `known`: the collection has changed."""
        self._serial += 1
        self._known += known
        self.news.changed()


async def _in_turns(steps: Steps[Shown]) -> Shown:
    """Run steps to their result, after the loop had its turn now and then."""
    while True:
        for _ in range(LEDGER_STEPS):
            try:
                next(steps)
            except StopIteration as ended:
                return cast("Shown", ended.value)
        await asyncio.sleep(0)


async def _pause(make: Callable[[Item], Shown], item: Item) -> Shown:
    """Make one of many views, after the loop had its turn."""
    await asyncio.sleep(0)
    return make(item)


def to_json(value: object, say: Say) -> Any:
    """Translate a value of `player.cards.card_models` into JSON: fields by name, phrases as sentences.

    Texts of other people lose the characters that a screen must not get.
    """
    if isinstance(value, Phrase):
        return say(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return sanitize(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_json(getattr(value, one.name), say) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: to_json(one, say) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [to_json(one, say) for one in value]
    return value
