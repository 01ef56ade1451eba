"""What the page of a match may ask for, with a token."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from net.http.requests import HttpError, file_response, query_number, read_body, read_json_body
from player.presenter.presenter import StaleChoice
from player.ui.console_lines import MAX_LINE
from player.ui.web.http.image_types import kind_of
from player.ui.web.lobby.forms import WrongField
from player.ui.web.page_screen import PageScreen
from protocol.audit.compare import compare, comparison_lines
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_PAGE_LOG
from protocol.view.text import translate_phrase

DONE = 204
T = TypeVar("T")
LOBBY = {
    "do": str,
    "name": str,
    "table": str,
    "terms": str,
    "link": str,
    "game": str,
    "seats": int,
    "options": dict,
    "dealing": str,
    "dealing_options": dict,
    "clock": dict,
    "deck": str,
}


class MatchRequests:
    """The handlers, over one screen."""

    def __init__(self, screen: PageScreen, games: Games) -> None:
        self._screen = screen
        self._games = games

    def routes(self) -> list[Route]:
        """All of them."""
        posts = {
            "do": self.do,
            "sit": self.sit,
            "say": self.say,
            "leave": self.leave,
            "again": self.again,
            "command": self.command,
            "hint": self.hint,
            "compare": self.compare,
            "lobby": self.lobby,
            "rules": self.rules,
        }
        gets = {
            "events": self.events,
            "deeds": self.deeds,
            "log": self.log,
            "invitation": self.invitation,
            "face": self.face,
        }
        return [
            *(Route(f"/api/{name}", handler, methods=["POST"]) for name, handler in posts.items()),
            *(Route(f"/api/{name}", handler, methods=["GET"]) for name, handler in gets.items()),
        ]

    async def events(self, request: Request) -> Response:
        """The stream."""
        stream = self._screen.news.stream(self._screen.newest, request.headers.get("last-event-id"))
        return StreamingResponse(stream, media_type="text/event-stream")

    async def deeds(self, request: Request) -> Response:
        """The deeds of some entries."""
        first = query_number(request, "from")
        end = query_number(request, "to")
        return JSONResponse([deed for deed in self._screen.deeds if first <= deed["entry"] < end])

    async def do(self, request: Request) -> Response:
        """Take an offer."""
        asked = await read_json_body(
            request, {"serial": int, "offer": int, "numbers": list}, optional=("numbers",)
        )
        return self._done(
            lambda: self._screen.do(asked["serial"], asked["offer"], asked.get("numbers", []))
        )

    async def sit(self, request: Request) -> Response:
        """Sit out, or in."""
        asked = await read_json_body(request, {"serial": int})
        return self._done(lambda: self._screen.sit(asked["serial"]))

    async def say(self, request: Request) -> Response:
        """Talk to the others."""
        asked = await read_json_body(request, {"text": str})
        return self._done(lambda: self._screen.say_it(asked["text"]))

    async def leave(self, request: Request) -> Response:
        """Leave the match for good."""
        asked = await read_json_body(request, {"yes": bool})
        return self._done(self._screen.leave if asked["yes"] else lambda: None)

    async def again(self, request: Request) -> Response:
        """Whether there shall be another match."""
        asked = await read_json_body(request, {"yes": bool})
        return self._done(lambda: self._screen.answer_again(asked["yes"]))

    async def command(self, request: Request) -> Response:
        """A line as at the terminal."""
        asked = await read_json_body(request, {"line": str, "serial": int}, optional=("serial",))
        line, serial = asked["line"][:MAX_LINE], asked.get("serial")
        return JSONResponse({"lines": self._obeyed(lambda: self._screen.command(line, serial))})

    async def hint(self, request: Request) -> Response:
        """A good move, or what every move is worth."""
        asked = await read_json_body(request, {"why": bool})
        try:
            return JSONResponse({"lines": await self._screen.hint(why=asked["why"])})
        except LocalError as error:
            raise HttpError(
                422, text=translate_phrase(error.phrase, self._screen.translate)
            ) from None

    async def lobby(self, request: Request) -> Response:
        """What a person wants to see in the lobby, or to do."""
        asked = await read_json_body(request, LOBBY, optional=set(LOBBY) - {"do"})
        lobby = self._screen.lobby
        if lobby is None:
            raise HttpError(409, "web.stale")
        try:
            return JSONResponse(lobby.asked(asked))
        except WrongField as error:
            raise HttpError(
                422,
                content={
                    "error": translate_phrase(error.phrase, self._screen.translate),
                    "field": error.field,
                },
            ) from None
        except LocalError as error:
            raise HttpError(
                422, text=translate_phrase(error.phrase, self._screen.translate)
            ) from None

    async def rules(self, request: Request) -> Response:
        """The rules of the match, or, in the lobby, of a table or of what is in the form."""
        asked = await read_json_body(request, LOBBY, optional=LOBBY)
        return JSONResponse(self._obeyed(lambda: self._screen.rules(asked)))

    async def log(self, request: Request) -> Response:
        """The log so far, as a file."""
        path = self._log()
        data = await asyncio.to_thread(path.read_bytes)  # at once: it grows
        return file_response(path.name, data)

    async def face(self, request: Request) -> Response:
        """The picture of an owned card, if it is stored here: nobody else is asked for it."""
        try:
            digest = bytes.fromhex(request.query_params.get("digest", ""))
        except ValueError:
            raise HttpError(400, "web.wrong") from None
        client = self._screen.client
        if client is None:
            raise HttpError(404, "web.nothing")
        data = await asyncio.to_thread(client.environment.loadouts.picture, digest)
        kind = None if data is None else kind_of(data)
        if data is None or kind is None:
            raise HttpError(404, "web.nothing")
        return Response(data, media_type=kind)

    async def compare(self, request: Request) -> Response:
        """Somebody else's log beside our own."""
        path, theirs = self._log(), await read_body(request, MAX_PAGE_LOG)
        result = await asyncio.to_thread(lambda: compare(path.read_bytes(), theirs, self._games))
        names = (
            self._screen.presenter.words("web.own_log"),
            self._screen.presenter.words("web.other_log"),
        )
        return JSONResponse({"lines": comparison_lines(result, names, self._screen.translate)})

    async def invitation(self, request: Request) -> Response:
        """With what others come to the same table."""
        if self._screen.presenter.link is None:
            raise HttpError(404, "web.nothing")
        link = JoinLink.parse(self._screen.presenter.link)
        return JSONResponse(
            {"link": str(link), "fingerprint": link.fingerprint, "qr": squares(str(link))}
        )

    def _log(self) -> Path:
        if self._screen.client:
            playing = self._screen.client.playing
        else:
            playing = None
        if playing is None or playing.store is None:
            raise HttpError(404, "web.no_log")
        return playing.store.path

    def _done(self, what: Callable[[], None]) -> Response:
        self._obeyed(what)
        return Response(status_code=DONE)

    def _obeyed(self, what: Callable[[], T]) -> T:
        try:
            return what()
        except StaleChoice:
            content = {
                "error": self._screen.presenter.words("web.stale"),
                "snapshot": self._screen.newest().data,
            }
            raise HttpError(409, content=content) from None
        except LocalError as error:
            raise HttpError(
                422, text=translate_phrase(error.phrase, self._screen.translate)
            ) from None


def squares(text: str) -> dict[str, Any]:
    """A QR code: the path of its dark squares, each one unit, and how many there are on a side."""
    rows = segno.make(text, micro=False).matrix
    dark = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, bit in enumerate(row) if bit)
    return {"path": "".join(dark), "size": len(rows)}
