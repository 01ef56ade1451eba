"""Messages of a page over HTTP: a request is a GET or a POST, and its answer has a status.

A refusal is `{"error": SENTENCE}`. Events are server-sent events.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from net.http.requests import HttpError, file_response, query_number, read_body
from player.ui.web.messages import (
    File,
    Refusal,
    RefusalCode,
    Reply,
    Request,
    RequestSpec,
    Responder,
    Value,
)
from player.ui.web.stream import StreamEvent
from protocol.limits import MAX_PAGE_BODY

DONE = 204
BEAT = b":\n\n"  # a comment
STATUS = {
    RefusalCode.WRONG: 400,
    RefusalCode.NOTHING: 404,
    RefusalCode.STALE: 409,
    RefusalCode.TOO_LARGE: 413,
    RefusalCode.REFUSED: 422,
    RefusalCode.BUSY: 503,
}
# requests that change nothing, and have their fields in the query; `READS` in
# static/http_transport.js is the same set
READS = frozenset(
    {
        *("deeds", "log", "invitation", "replay", "frame"),
        *("binder", "creators", "alarms", "card", "face", "decks", "deck"),
    }
)
Handler = Callable[[HttpRequest], Awaitable[Response]]
SESSION = "session"  # over HTTP it needs a ticket: `player.ui.web.http.app` answers it


def message_routes(responder: Responder) -> list[Route]:
    """Return the routes to all requests of a page but the session."""
    specs = {name: spec for name, spec in responder.requests.items() if name != SESSION}
    return [
        Route(
            f"/api/{name}",
            _handler(responder, name, spec),
            methods=[_method(name)],
        )
        for name, spec in specs.items()
    ]


def event_route(responder: Responder) -> Route:
    """Return the route to the event stream."""

    async def events(request: HttpRequest) -> Response:
        stream = event_stream(responder, request.headers.get("last-event-id"))
        return StreamingResponse(stream, media_type="text/event-stream")

    return Route("/api/events", events, methods=["GET"])


def changing_routes(responder: Responder) -> list[Route]:
    """Return routes to a responder whose requests change: they are looked up for each message."""

    async def handle(request: HttpRequest) -> Response:
        name = request.path_params["name"]
        spec = responder.requests.get(name)
        if spec is None or name == SESSION or request.method != _method(name):
            raise HttpError(404, "web.nothing")
        return await _handler(responder, name, spec)(request)

    return [
        event_route(responder),
        Route("/api/{name}", handle, methods=["GET", "POST"]),
    ]


def _method(name: str) -> str:
    return "GET" if name in READS else "POST"


async def event_stream(responder: Responder, last: str | None) -> AsyncIterator[bytes]:
    """Encode the events for a page whose last event had the id `last`."""
    async with aclosing(responder.events(last)) as events:
        async for event in events:
            yield BEAT if event is None else encode_event(event)


def encode_event(event: StreamEvent) -> bytes:
    """Encode a server-sent event."""
    written = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    text = f"id: {event.mark}\nevent: {event.name}\ndata: {written}\n\n"
    return text.encode(errors="replace")


def _handler(responder: Responder, name: str, spec: RequestSpec) -> Handler:
    async def handle(request: HttpRequest) -> Response:
        if name in READS:
            message = Request(name, _query_fields(request, spec))
        elif spec.most_file:
            fields = _query_fields(request, spec)
            message = Request(name, fields, await read_body(request, spec.most_file))
        else:
            message = Request(name, _json(await read_body(request, MAX_PAGE_BODY)))
        return response(await responder.answer(message))

    return handle


def response(reply: Reply) -> Response:
    """Return a reply as an answer of HTTP."""
    match reply:
        case Value(None):
            return Response(status_code=DONE)
        case Value(data):
            return JSONResponse(data)
        case File("", data, kind):
            return Response(data, media_type=kind)
        case File(name, data):
            return file_response(name, data)
        case Refusal():
            return JSONResponse(reply.body(), STATUS[reply.code])


def _json(body: bytes) -> Any:
    """Parse the fields of a POST. Raises: HttpError."""
    try:
        return json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise HttpError(400, "web.wrong") from None


def _query_fields(request: HttpRequest, spec: RequestSpec) -> dict[str, Any]:
    """Return the fields in the address. Raises: HttpError for a field that is missing or occurs twice."""
    fields: dict[str, Any] = {}
    for name, kind in spec.fields.items():
        if kind is int:
            fields[name] = query_number(request, name)
            continue
        given = request.query_params.getlist(name)
        if len(given) != 1:
            raise HttpError(400, "web.wrong")
        fields[name] = given[0]
    return fields
