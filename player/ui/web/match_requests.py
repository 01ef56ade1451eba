"""Requests of the page of a match over HTTP. Each needs the token of the page."""

import asyncio

from starlette.routing import Route

from player.ui.web.http.message_routes import event_route, message_routes
from player.ui.web.page_messages import PageMessages
from player.ui.web.page_screen import PageScreen
from protocol.games.registry import Games


def match_routes(screen: PageScreen, games: Games) -> list[Route]:
    """Return the routes to all requests about one screen, and to its event stream."""
    messages = PageMessages(screen, games, asyncio.to_thread)
    return [event_route(messages), *message_routes(messages)]
