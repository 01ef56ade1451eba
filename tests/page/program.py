"""Program of a person in this process, with its page served as usual."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from net.http.server import open_listener, serve
from player.cards.decks.deck_choice import FolderDecks
from player.cards.decks.loadout import FolderLoadouts
from player.cli.table_browser import TableBrowser
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan
from player.ui.web.http.access import HEADERS, Access
from player.ui.web.http.app import Page, PageLanguage, make_app
from player.ui.web.match_page import PLAY
from player.ui.web.match_requests import match_routes
from player.ui.web.page_screen import PageScreen
from player.ui.web.replay.command import page_of
from player.ui.web.replay.serving import ReplayRequests
from protocol.games.registry import BUILT_IN
from protocol.i18n import labels, load_translator
from protocol.identity.keys import Identity
from tests.support.pages import PATIENT

ZOE = Identity(b"z" * 32)


@asynccontextmanager
async def served(screen: PageScreen, language: str = "en") -> AsyncIterator[str]:
    """Serve this screen. Yield a link."""
    access, listener, translate = Access(), open_listener(), load_translator(language)
    port, spoken = listener.getsockname()[1], PageLanguage(language, labels(language, area="page"))
    routes = match_routes(screen, BUILT_IN)
    page = Page(PLAY, lambda header: spoken, lambda: translate, routes, access=access)
    async with serve(make_app(page, port), listener, HEADERS, PATIENT):
        try:
            yield f"http://127.0.0.1:{port}/#t={access.ticket(time.monotonic())}"
        finally:
            screen.news.end()


@asynccontextmanager
async def replayed(requests: ReplayRequests) -> AsyncIterator[str]:
    """Serve a log. Yield a link."""
    access, listener = Access(), open_listener()
    port = listener.getsockname()[1]
    async with serve(make_app(page_of(requests, access), port), listener, HEADERS):
        yield f"http://127.0.0.1:{port}/#t={access.ticket(time.monotonic())}"


def browsing(data: Path, screen: PageScreen, look_seconds: float, text: str = "") -> TableBrowser:
    """Make the lobby program of a person called Zoe."""
    loadouts = FolderLoadouts(data)
    environment = Environment(ZOE, Random(1), Seat, None, screen.hear, loadouts=loadouts)
    decks = FolderDecks(data, environment.identity.public, text)
    return TableBrowser(environment, Plan("Zoe"), data, screen, decks, look_seconds)
