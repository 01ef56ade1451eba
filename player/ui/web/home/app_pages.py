"""The pages of one program: they show Home, or what is open in its place.

One stream goes to each page. When something else opens, the stream goes on with it, and the page
draws it anew: no page is loaded again, and no other server is asked.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, NamedTuple

from player.ui.web.messages import Reply, Request, RequestSpec, Responder, Value
from player.ui.web.stream import News, Snapshot, StreamEvent
from protocol.view.text import Translate

ENDED = "ended"
DEEDS = {"from": int, "to": int}


class Shown(NamedTuple):
    """Something that pages show."""

    responder: Responder
    news: News
    newest: Callable[[], Snapshot]


class AppPages(Responder):
    """Answers pages with what they show at present. `ended`: the program ends."""

    def __init__(self, home: Responder, shown: Shown) -> None:
        self._home = home
        self._ended = False
        self.shown = shown
        self.show(shown)

    def show(self, shown: Shown) -> None:
        """Show something else from now on; the news of what was shown end."""
        before = self.shown
        self.shown = shown
        self.requests = {
            "deeds": RequestSpec(self._deeds, DEEDS),
            **self._home.requests,
            **shown.responder.requests,
        }
        if before is not shown:
            before.news.end()

    def end(self) -> None:
        """Tell every page that the program ends."""
        self._ended = True
        self.shown.news.end()

    def language(self) -> Translate:
        """Return the language of what is shown."""
        return self.shown.responder.language()

    async def answer(self, request: Request) -> Reply:
        """Answer a request to what is shown, or else to Home."""
        if request.name in self.shown.responder.requests:
            return await self.shown.responder.answer(request)
        if request.name in self._home.requests:
            return await self._home.answer(request)
        return await super().answer(request)

    async def events(self, last: str | None) -> AsyncGenerator[StreamEvent | None, None]:
        """Yield the events of what is shown, and of whatever is shown after that."""
        while True:
            shown = self.shown
            async with aclosing(shown.news.events(shown.newest, last)) as events:
                async for event in events:
                    if event is not None and event.name == ENDED and not self._ended:
                        break
                    yield event
            last = None

    async def _deeds(self, fields: dict[str, Any]) -> Reply:
        """Home and replays have no deeds of their own."""
        return Value([])
