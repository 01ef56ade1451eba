"""Requests of the cards page."""

import dataclasses
import re
from collections.abc import AsyncGenerator
from typing import Any

from net.addresses import is_loopback, reach_phrase
from player.ui.web.cards.cards_screen import CardsScreen, to_json
from player.ui.web.image_types import kind_of
from player.ui.web.messages import (
    File,
    Refusal,
    RefusalCode,
    Reply,
    RequestSpec,
    Responder,
    Value,
)
from player.ui.web.qr_code import qr_code
from player.ui.web.stream import StreamEvent
from protocol.errors import LocalError
from protocol.ledger.bundle import SUFFIX
from protocol.limits import MAX_BUNDLE
from protocol.view.phrase import phrase
from protocol.view.text import Translate, phrase_renderer, sanitize

DONE = Value()
EXPORTED = f"my-cards{SUFFIX}"
DIGEST = re.compile("[0-9a-f]{64}")
DECK = {"to": str, "rules": str, "id": str, "owned": bool}
TRADE = {"link": str, "text": str, "id": str, "warned": bool}
SHOP = {"link": str, "run": str, "packs": int, "pay": str, "key": str}


class CardsRequests(Responder):
    """Answers the pages of one screen."""

    def __init__(self, screen: CardsScreen) -> None:
        self._screen = screen
        self.requests = {
            "look": RequestSpec(self._look),
            "import": RequestSpec(self._import, {"name": str}, most_file=MAX_BUNDLE),
            "export": RequestSpec(self._export),
            "binder": RequestSpec(self._binder),
            "creators": RequestSpec(self._creators),
            "alarms": RequestSpec(self._alarms),
            "card": RequestSpec(self._card, {"id": str}),
            "face": RequestSpec(self._face, {"digest": str}),
            "invitation": RequestSpec(self._invitation),
            "decks": RequestSpec(self._decks),
            "deck": RequestSpec(self._deck, {"name": str}),
            "edit": RequestSpec(self._edit, {"do": str, "name": str}, DECK),
            "trust": RequestSpec(self._trust, {"key": str, "mark": str}),
            "policy": RequestSpec(self._policy, {"policy": str}),
            "trade": RequestSpec(self._trade, {"do": str}, TRADE),
            "starter": RequestSpec(self._start, {"name": str}),
            "mend": RequestSpec(self._mend),
            "unfinished": RequestSpec(self._unfinished),
            "theirs": RequestSpec(self._theirs),
            "shops": RequestSpec(self._shops),
            "shop": RequestSpec(self._shop, {"do": str}, SHOP),
        }

    def language(self) -> Translate:
        """Return the language of the newest page."""
        return self._screen.translate

    def events(self, last: str | None) -> AsyncGenerator[StreamEvent | None, None]:
        """Return snapshots of the screen."""
        return self._screen.news.events(self._screen.newest, last)

    async def _look(self, fields: dict[str, Any]) -> Reply:
        """Read what other programs have changed; the stream says whether anything has."""
        await self._screen.refresh()
        return DONE

    async def _import(self, fields: dict[str, Any]) -> Reply:
        """Take in a file of cards."""
        name = sanitize(fields["name"])
        return self._shown(await self._screen.import_file(name, fields["file"]))

    async def _export(self, fields: dict[str, Any]) -> Reply:
        """Return a file with the person's cards."""
        return File(EXPORTED, await self._screen.export_file())

    async def _binder(self, fields: dict[str, Any]) -> Reply:
        """Return the person's cards, and those that are burnt in their hands."""
        showing = await self._screen.settled()
        binder = showing.binder()
        return self._shown(
            {one.name: getattr(binder, one.name) for one in dataclasses.fields(binder)}
            | {"lost": showing.lost()}
        )

    async def _creators(self, fields: dict[str, Any]) -> Reply:
        """Return the known creators and the acceptance policies."""
        return self._shown(
            {"creators": await self._screen.creators(), "policies": self._screen.policies()}
        )

    async def _alarms(self, fields: dict[str, Any]) -> Reply:
        """Return all known alarms."""
        return self._shown({"alarms": await self._screen.alarms()})

    async def _card(self, fields: dict[str, Any]) -> Reply:
        """Return one card with its trades."""
        card = self._digest(fields["id"])
        await self._screen.settled()
        found = self._screen.details(card)
        return self._nothing() if found is None else self._shown(found)

    async def _face(self, fields: dict[str, Any]) -> Reply:
        """Return an image."""
        data = self._screen.picture(self._digest(fields["digest"]))
        kind = None if data is None else kind_of(data)
        if data is None or kind is None:
            return self._nothing()
        return File("", data, kind)

    async def _invitation(self, fields: dict[str, Any]) -> Reply:
        """Return the link by which a partner comes to trade."""
        link = self._screen.link
        if link is None:
            return self._nothing()
        reach = self.say(reach_phrase(link.host, link.port))
        if self._screen.port_is_fixed and not is_loopback(link.host):
            reach = f"{reach} {self.say(phrase('cardpage.trade.port'))}"
        return Value(
            {
                "link": str(link),
                "fingerprint": link.fingerprint,
                "qr": qr_code(str(link)),
                "note": reach,
            }
        )

    async def _trust(self, fields: dict[str, Any]) -> Reply:
        """Set the trust mark of a creator."""
        self._screen.trust(fields["key"], fields["mark"])
        return DONE

    async def _policy(self, fields: dict[str, Any]) -> Reply:
        """Set the acceptance policy."""
        self._screen.policy(fields["policy"])
        return DONE

    async def _trade(self, fields: dict[str, Any]) -> Reply:
        """Carry out an action in the trade window."""
        await self._screen.trade(fields)
        return DONE

    async def _start(self, fields: dict[str, Any]) -> Reply:
        """Make first cards, and return them."""
        return self._shown(await self._screen.start(fields["name"]))

    async def _mend(self, fields: dict[str, Any]) -> Reply:
        """Go on with an old copy of the data folder."""
        self._screen.mend()
        return DONE

    async def _unfinished(self, fields: dict[str, Any]) -> Reply:
        """Return the trades that only this person has signed, and finished ones."""
        return self._shown(await self._screen.unfinished())

    async def _theirs(self, fields: dict[str, Any]) -> Reply:
        """Return the cards of the partner that are known here."""
        return self._shown({"cards": await self._screen.theirs()})

    async def _shops(self, fields: dict[str, Any]) -> Reply:
        """Return the known shops, and the purchases that no shop has answered."""
        await self._screen.settled()
        return self._shown(self._screen.shop.listed())

    async def _shop(self, fields: dict[str, Any]) -> Reply:
        """Carry out an action in the shop window."""
        self._screen.visit_shop(fields)
        return DONE

    async def _decks(self, fields: dict[str, Any]) -> Reply:
        """Return all decks, and the rules for decks."""
        return self._shown(self._screen.decks.listed())

    async def _deck(self, fields: dict[str, Any]) -> Reply:
        """Return one deck, checked."""
        await self._screen.settled()
        try:
            return self._shown(self._screen.decks.checked(fields["name"]))
        except LocalError:
            return self._nothing()

    async def _edit(self, fields: dict[str, Any]) -> Reply:
        """Change a deck."""
        self._screen.decks.edit(fields)
        return DONE

    def _shown(self, value: object) -> Value:
        return Value(to_json(value, phrase_renderer(self._screen.translate, ())))

    def _nothing(self) -> Refusal:
        return self.refuse(RefusalCode.NOTHING, "web.nothing")

    def _digest(self, text: str) -> bytes:
        """Return the bytes of a digest. Raises: BadRequest."""
        if not DIGEST.fullmatch(text):
            raise self.wrong()
        return bytes.fromhex(text)
