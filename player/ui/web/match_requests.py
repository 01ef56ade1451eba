"""Requests of the page of a match over HTTP. Each needs the token of the page."""

import asyncio

from starlette.routing import Route

from player.ui.web.http.message_routes import event_route, message_routes
from player.ui.web.page_messages import PageMessages
from player.ui.web.page_screen import PageScreen
from protocol.games.registry import Games


class MatchRequests:
    """The routes to one screen."""

    def __init__(self, screen: PageScreen, games: Games) -> None:
        self._messages = PageMessages(screen, games, asyncio.to_thread)

    def routes(self) -> list[Route]:
        """Return the routes to all requests, and to the event stream."""
        return [event_route(self._messages), *message_routes(self._messages)]
