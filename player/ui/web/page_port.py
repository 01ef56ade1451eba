"""The program's end of a message port: the same messages as over HTTP, without a server.

Messages are values that a browser's `postMessage` copies:

| from | message | meaning |
| --- | --- | --- |
| page | `{id, name, fields, file?}` | a request; `id` is a number that the page chooses |
| program | `{id, value}` | the answer, null if there is nothing to return |
| program | `{id, file: {name, kind, data}}` | a file as the answer |
| program | `{id, refusal: {code, error, …}}` | a refusal, with its code and a sentence |
| page | `{subscribe: MARK}` | asks for events; MARK is that of the last event, or null |
| program | `{event, data, mark}` | an event |
| page | `{read: MARK}` | the page has taken the event in: the next one may come |

The program sends one event at a time, so a slow page gets only the newest snapshot.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

from player.ui.web.messages import File, Refusal, RefusalCode, Reply, Request, Responder, Value
from protocol.limits import MAX_PAGE_CONNECTIONS


class PagePort:
    """Answers one page over a port. `send` passes a message to the page."""

    def __init__(self, responder: Responder, send: Callable[[dict[str, Any]], None]) -> None:
        self._responder = responder
        self._send = send
        self._requests: set[asyncio.Task[None]] = set()
        self._stream: asyncio.Task[None] | None = None
        self._read = asyncio.Event()  # the page has taken in the event that was sent last
        self._mark = ""  # of that event

    def receive(self, message: object) -> None:
        """Take in a message of the page. A message without the right form is ignored."""
        match message:
            case {"subscribe": str() | None as last}:
                self._subscribe(last)
            case {"read": str() as mark} if mark == self._mark:
                self._read.set()
            case {"id": int() as number, "name": str() as name, **rest}:
                request = Request(name, rest.get("fields", {}), rest.get("file"))
                self._request(number, request)

    def close(self) -> None:
        """End the stream and all requests: the page is gone."""
        for task in (*self._requests, self._stream):
            if task is not None:
                task.cancel()

    def _request(self, number: int, request: Request) -> None:
        if len(self._requests) >= MAX_PAGE_CONNECTIONS:
            self._reply(number, self._responder.refuse(RefusalCode.BUSY, "web.busy"))
            return
        task = _start(self._answer(number, request))
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)

    async def _answer(self, number: int, request: Request) -> None:
        try:
            reply = await self._responder.answer(request)
        except Exception as error:
            reply = self._responder.refuse(RefusalCode.REFUSED, "web.failed")
            report = {"message": f"request {request.name!r} failed", "exception": error}
            asyncio.get_running_loop().call_exception_handler(report)
        self._reply(number, reply)

    def _reply(self, number: int, reply: Reply) -> None:
        match reply:
            case Value(data):
                self._send({"id": number, "value": data})
            case File(name, data, kind):
                self._send({"id": number, "file": {"name": name, "kind": kind, "data": data}})
            case Refusal(code):
                self._send({"id": number, "refusal": {"code": code.value, **reply.body()}})

    def _subscribe(self, last: str | None) -> None:
        """Begin the stream. A page that has been loaded anew ends the stream of before."""
        if self._stream is not None:
            self._stream.cancel()
        self._stream = _start(self._send_events(last))

    async def _send_events(self, last: str | None) -> None:
        async with aclosing(self._responder.events(last)) as events:
            async for event in events:
                if event is None:
                    continue
                self._read.clear()
                self._mark = str(event.mark)
                self._send({"event": event.name, "data": event.data, "mark": self._mark})
                await self._read.wait()


def _start(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.get_running_loop().create_task(work)
