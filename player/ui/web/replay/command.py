"""`fairdeal replay FILE`: a log on a page in the browser, which this program serves to this machine
alone.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from commandline.console_text import print_error
from commandline.stop_signals import call_when_stopped
from net.http.server import open_listener, serve
from player.ui.console_lines import read_lines
from player.ui.web.browser import Links, Opener, open_browser
from player.ui.web.http.access import HEADERS, Access
from player.ui.web.http.app import Page, make_app
from player.ui.web.http.message_routes import message_routes
from player.ui.web.messages import PageLanguage
from player.ui.web.replay.serving import LogFile, ReplayRequests
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.i18n import best_language, labels, load_translator
from protocol.i18n.language_choice import (
    environment_translator,
    page_languages,
)
from protocol.local_files import read_log
from protocol.view.phrase import phrase
from protocol.view.text import Say, phrase_renderer, sanitize

# exit codes
CLEAN = 0
USAGE = 2
REPLAY = "replay"


@dataclass(frozen=True)
class Serving:
    """The address of the page. `name`: the name under which a proxy of the person reaches it."""

    name: str | None = None
    opener: Opener = open_browser


def run_command(asked: argparse.Namespace, games: Games) -> int:
    """Serve until the program is stopped, and return the exit code."""
    try:
        logs = [_log(path) for path in (asked.file, asked.compare) if path is not None]
        asyncio.run(replay(logs, games, Serving(asked.web_name)))
    except LocalError as error:
        print_error(error)
        return USAGE
    return CLEAN


def _log(path: Path) -> LogFile:
    return LogFile(sanitize(path.name), read_log(path))


async def replay(logs: Sequence[LogFile], games: Games, serving: Serving) -> None:
    """Serve a log, and if there are two a comparison, until somebody stops it. Raises:
    LocalError.
    """
    requests = ReplayRequests(
        logs[0], games, environment_translator(os.environ), logs[1] if len(logs) > 1 else None
    )
    listener = open_listener()
    access = Access()
    stopped = asyncio.Event()
    links = Links(access, listener.getsockname()[1], serving.name, serving.opener)
    app = make_app(
        page_of(requests, access, links.remove_file), listener.getsockname()[1], serving.name
    )
    loop = asyncio.get_running_loop()
    call_when_stopped(stopped.set, hangup=True)
    async with serve(app, listener, HEADERS):
        say = phrase_renderer(environment_translator(os.environ), ())
        print(say(phrase("replay.open")) if await links.open() else _link(links, say), flush=True)
        read_lines(loop, lambda line: _typed(line, links, say, stopped))
        await stopped.wait()
        links.remove_file()


def page_of(
    requests: ReplayRequests, access: Access, used: Callable[[], None] = lambda: None
) -> Page:
    """Return the served page of a replay, in the viewer's language."""

    def speak(header: str) -> PageLanguage:
        languages = page_languages(os.environ, header)
        requests.say_in(load_translator(*languages))
        return PageLanguage(best_language(*languages), labels(*languages, area="page"))

    return Page(REPLAY, speak, requests.language, message_routes(requests), used, access)


def _typed(line: str | None, links: Links, say: Say, stopped: asyncio.Event) -> None:
    """Enter gives a new link; the end of what a person types stops."""
    if line is not None:
        print(_link(links, say), flush=True)
    elif sys.stdin.isatty():
        stopped.set()


def _link(links: Links, say: Say) -> str:
    return say(phrase("web.link", link=links.new()))
