"""HTTP requests of the cards page. Each needs the token of the page."""

import re
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from net.http.requests import HttpError, read_json_body
from player.ui.web.cards.cards_screen import CardsScreen, to_json
from player.ui.web.http.image_types import kind_of
from player.ui.web.match_requests import squares
from protocol.errors import LocalError
from protocol.view.text import phrase_renderer, translate_phrase

DONE = 204
DIGEST = re.compile("[0-9a-f]{64}")
DECK = {"do": str, "name": str, "to": str, "rules": str, "id": str, "owned": bool}
WISH = {"do": str, "link": str, "text": str, "id": str, "warned": bool}


class CardsRequests:
    """Handlers of the requests, for one screen."""

    def __init__(self, screen: CardsScreen) -> None:
        self._screen = screen

    def routes(self) -> list[Route]:
        """Return the routes to all handlers."""
        posts = {"trust": self.trust, "policy": self.policy, "trade": self.trade, "deck": self.edit}
        gets = {
            "events": self.events,
            "binder": self.binder,
            "creators": self.creators,
            "alarms": self.alarms,
            "card": self.card,
            "face": self.face,
            "invitation": self.invitation,
            "decks": self.decks,
            "deck": self.deck,
        }
        return [
            *(Route(f"/api/{name}", handler, methods=["POST"]) for name, handler in posts.items()),
            *(Route(f"/api/{name}", handler, methods=["GET"]) for name, handler in gets.items()),
        ]

    async def events(self, request: Request) -> Response:
        """Stream snapshots of the screen."""
        stream = self._screen.news.stream(self._screen.newest, request.headers.get("last-event-id"))
        return StreamingResponse(stream, media_type="text/event-stream")

    async def binder(self, request: Request) -> Response:
        """Return the person's cards."""
        return self._told((await self._screen.settled()).binder())

    async def creators(self, request: Request) -> Response:
        """Return the known creators and the acceptance policies."""
        return self._told(
            {"creators": await self._screen.creators(), "policies": self._screen.policies()}
        )

    async def alarms(self, request: Request) -> Response:
        """Return all known alarms."""
        return self._told({"alarms": await self._screen.alarms()})

    async def card(self, request: Request) -> Response:
        """Return one card with its trades."""
        await self._screen.settled()
        found = self._screen.details(_digest(request, "id"))
        if found is None:
            raise HttpError(404, "web.nothing")
        return self._told(found)

    async def face(self, request: Request) -> Response:
        """Return an image."""
        data = self._screen.picture(_digest(request, "digest"))
        kind = None if data is None else kind_of(data)
        if data is None or kind is None:
            raise HttpError(404, "web.nothing")
        return Response(data, media_type=kind)

    async def invitation(self, request: Request) -> Response:
        """Return the link by which a partner comes to trade."""
        link = self._screen.link
        if link is None:
            raise HttpError(404, "web.nothing")
        return JSONResponse(
            {"link": str(link), "fingerprint": link.fingerprint, "qr": squares(str(link))}
        )

    async def trust(self, request: Request) -> Response:
        """Set the trust mark of a creator."""
        asked = await read_json_body(request, {"key": str, "mark": str})
        return self._done(lambda: self._screen.trust(asked["key"], asked["mark"]))

    async def policy(self, request: Request) -> Response:
        """Set the acceptance policy."""
        asked = await read_json_body(request, {"policy": str})
        return self._done(lambda: self._screen.policy(asked["policy"]))

    async def trade(self, request: Request) -> Response:
        """Carry out an action in the trade window."""
        asked = await read_json_body(request, WISH, optional=set(WISH) - {"do"})
        try:
            await self._screen.trade(asked)
        except LocalError as error:
            raise HttpError(
                422, text=translate_phrase(error.phrase, self._screen.translate)
            ) from None
        return Response(status_code=DONE)

    async def decks(self, request: Request) -> Response:
        """Return all decks, and the rules for decks."""
        return self._told(self._screen.decks.listed())

    async def deck(self, request: Request) -> Response:
        """Return one deck, checked."""
        try:
            return self._told(self._screen.decks.checked(request.query_params.get("name", "")))
        except LocalError:
            raise HttpError(404, "web.nothing") from None

    async def edit(self, request: Request) -> Response:
        """Change a deck."""
        asked = await read_json_body(request, DECK, optional=set(DECK) - {"do", "name"})
        return self._done(lambda: self._screen.decks.edit(asked))

    def _told(self, value: object) -> Response:
        return JSONResponse(to_json(value, phrase_renderer(self._screen.translate, ())))

    def _done(self, what: Callable[[], Any]) -> Response:
        try:
            what()
        except LocalError as error:
            raise HttpError(
                422, text=translate_phrase(error.phrase, self._screen.translate)
            ) from None
        return Response(status_code=DONE)


def _digest(request: Request, name: str) -> bytes:
    text = request.query_params.get(name, "")
    if not DIGEST.fullmatch(text):
        raise HttpError(400, "web.wrong")
    return bytes.fromhex(text)
