"""Program of `fairdeal cards binder --web`: serves the cards page until the person stops it."""

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

from commandline.stop_signals import call_when_stopped
from net.http.server import open_listener, serve
from player.ui.console_lines import read_lines
from player.ui.web.browser import Links, Opener, open_browser
from player.ui.web.cards.card_requests import CardsRequests
from player.ui.web.cards.cards_screen import CardsScreen
from player.ui.web.http.access import HEADERS, Access
from player.ui.web.http.app import Page, make_app
from player.ui.web.http.assets import CARDS
from player.ui.web.http.message_routes import event_route, message_routes
from player.ui.web.messages import PageLanguage
from protocol.i18n import best_language, labels, load_translator
from protocol.i18n.language_choice import environment_translator, page_languages
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer

MODE = "cards"


@dataclass(frozen=True)
class ServerSettings:
    """Settings of the server. `name`: host name under which the person's own proxy serves the
    page.
    """

    name: str | None = None
    opener: Opener = open_browser
    say: Callable[[str], None] = lambda text: print(text, flush=True)


async def serve_cards(screen: CardsScreen, serving: ServerSettings) -> None:
    """Serve the page until the person stops the program. Raises: LocalError."""
    listener = open_listener()
    access = Access()
    stopped = asyncio.Event()
    port = listener.getsockname()[1]
    links = Links(access, port, serving.name, serving.opener)
    say = phrase_renderer(environment_translator(os.environ), ())

    def link() -> str:
        return say(phrase("web.link", link=links.new()))

    def typed(line: str | None) -> None:
        if line is not None:
            serving.say(link())
        elif sys.stdin.isatty():
            stopped.set()

    loop = asyncio.get_running_loop()
    call_when_stopped(stopped.set, hangup=True)
    async with serve(
        make_app(page_of(screen, access, links.remove_file), port, serving.name), listener, HEADERS
    ):
        serving.say(say(phrase("replay.open")) if await links.open() else link())
        read_lines(loop, typed)
        await stopped.wait()
        screen.end()
        links.remove_file()


def page_of(screen: CardsScreen, access: Access, used: Callable[[], None] = lambda: None) -> Page:
    """Return the page. Each visitor gets the page in the language of the request."""

    def speak(header: str) -> PageLanguage:
        languages = page_languages(os.environ, header)
        screen.translate = load_translator(*languages)
        return PageLanguage(
            best_language(*languages),
            labels(*languages, area="page") | labels(*languages, area="cardpage"),
        )

    requests = CardsRequests(screen)
    return Page(
        MODE,
        speak,
        requests.language,
        [event_route(requests), *message_routes(requests)],
        used,
        access,
        parts=CARDS,
    )
