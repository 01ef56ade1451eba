"""The application: access, the page itself, the session, and the routes of a screen.

`Route`s beside those of this module are a parameter: `player.ui.web.match_requests` has those of a
match.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from net.http.policy import ADMITTED, is_own_host, is_own_page
from net.http.requests import HttpError, check_request_headers, read_json_body
from player.ui.web.http.access import Access, ReturnProof
from player.ui.web.http.assets import DOCUMENT, MATCH, Parts, assets, pictures
from player.ui.web.messages import PageLanguage
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer

SESSION = "/api/session"


@dataclass(frozen=True)
class Page:
    """A served page. `routes`: requests that need a token; `mode`: the screen with which the page
    begins.
    """

    mode: str
    speak: Callable[[str], PageLanguage]  # chooses the language by an Accept-Language
    translate: Callable[[], Translate]  # returns the present language
    routes: Sequence[Route]
    used: Callable[[], None] = lambda: None  # called after a link has been used
    access: Access = field(default_factory=Access)
    now: Callable[[], float] = time.monotonic
    parts: Parts = MATCH


def make_app(page: Page, port: int, name: str | None = None) -> ASGIApp:
    """Return the application for a server at this port. `name`: the name under which a proxy of the
    person reaches it.
    """

    async def session(request: Request) -> Response:
        return await _session(request, page)

    served = assets(page.parts)

    async def asset(request: Request) -> Response:
        path = request.path_params.get("path", DOCUMENT)
        found = served.get(path) or pictures().get(path)
        if found is None:
            raise HTTPException(404)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(found.data, media_type=found.kind)
        return Response(found.packed, media_type=found.kind, headers={"Content-Encoding": "gzip"})

    routes = [
        Route("/", asset, methods=["GET"]),
        Route("/static/{path:path}", asset, methods=["GET"]),
        Route(SESSION, session, methods=["POST"]),
        *page.routes,
    ]
    refuse = _Refusals(page.translate)
    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: refuse.of_missing_route, HttpError: refuse.of_handler},
    )
    return _Gate(app, page.access, refuse, lambda host: is_own_host(host, port, name))


async def _session(request: Request, page: Page) -> Response:
    """Answer a page that begins: with a token for a ticket, or for a page that comes back, and with
    the mode, the language and the settings. A page that has a token gets the rest.
    """
    fields = {"ticket": str, "nonce": str, "answer": str, "proof": str}
    asked = await read_json_body(request, fields, optional=tuple(fields))
    access = page.access
    token = None
    host = request.headers["host"]
    if asked.keys() == {"nonce"}:
        answer = access.challenge(host, asked["nonce"], page.now())
        if answer is None:
            raise HttpError(400, "web.wrong")
        return JSONResponse({"answer": answer[0], "proof": answer[1]})
    if "ticket" in asked:
        token = access.exchange(asked["ticket"], page.now())
    elif asked.keys() == {"nonce", "answer", "proof"}:
        token = access.readmit(host, ReturnProof(**asked), page.now())
    if token is not None:
        page.used()
    elif asked or not access.admits(request.headers.getlist("authorization")):
        raise HttpError(403, "web.stranger")
    spoken = page.speak(request.headers.get("accept-language", ""))
    return JSONResponse(
        {
            "token": token,
            "secret": access.secret,
            "mode": page.mode,
            "language": spoken.language,
            "settings": dict(spoken.settings),
            "labels": dict(spoken.labels),
        }
    )


class _Refusals:
    """Answers to refused requests, with a sentence."""

    def __init__(self, translate: Callable[[], Translate]) -> None:
        self._translate = translate

    def _say(self, told: Phrase) -> str:
        return phrase_renderer(self._translate(), ())(told)

    def __call__(self, status: int, key: str, **args: int) -> Response:
        """Return an answer with this sentence."""
        return JSONResponse({"error": self._say(phrase(key, **args))}, status)

    async def of_handler(self, request: Request, error: Exception) -> Response:
        """Answer a request that a handler refuses."""
        assert isinstance(error, HttpError)
        if error.content is not None:
            return JSONResponse(error.content, error.status)
        return JSONResponse(
            {"error": error.text or self._say(phrase(error.key, **error.args_))}, error.status
        )

    async def of_missing_route(self, request: Request, error: Exception) -> Response:
        """Answer a request without a handler."""
        return self(error.status_code if isinstance(error, HTTPException) else 500, "web.nothing")


class _Gate:
    """A filter that passes only requests for the own name, from the own page, with a token of this
    program.
    """

    def __init__(
        self, app: ASGIApp, access: Access, refuse: _Refusals, ours: Callable[[str], bool]
    ) -> None:
        self._app = app
        self._access = access
        self._refuse = refuse
        self._ours = ours

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass or refuse one request."""
        answer = self._refusal(scope, Headers(scope=scope)) or self._app
        await answer(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        refused = check_request_headers(headers, self._ours)
        if refused is not None:
            return self._refuse(refused.status, refused.key, **refused.args_)
        if not scope["path"].startswith("/api/"):
            return None
        if not is_own_page(
            headers["host"], headers.getlist("sec-fetch-site"), headers.getlist("origin")
        ):
            return self._refuse(403, "web.foreign")
        if scope["path"] == SESSION:
            return None
        if not self._access.admits(headers.getlist("authorization")):
            return self._refuse(401, "web.stranger")
        scope["state"][ADMITTED] = True
        return None
