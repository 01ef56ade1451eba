"""The program behind the page of a tab: that of `fairdeal app`, in a worker of the browser."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from secrets import SystemRandom
from typing import Any, Protocol

from pyodide.ffi import JsException, to_js

from player.cli.app_program import MODE, AppProgram, Surroundings
from player.cli.screen_choice import Screens
from player.storage.own_key import OwnKey
from player.storage.own_name import read_name, store_name
from player.ui.web.home.app_pages import AppPages
from player.ui.web.home.home_messages import OpenRequest
from player.ui.web.messages import Reply, Request, RequestSpec, Responder, Value
from player.ui.web.page_messages import run_here
from player.ui.web.page_port import PagePort
from player.ui.web.stream import StreamEvent
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.i18n import labels, load_translator
from protocol.i18n.language_choice import page_languages
from protocol.identity.keyfile import Cost
from protocol.identity.keys import JoinLink
from protocol.identity.names import name_problem, tidy_name
from protocol.identity.typed_link import tidy_link
from protocol.view.text import Translate, translate_phrase
from web.tab.directories import tab_directories
from web.tab.timers import time_timers
from web.tab.websocket import Storage, TabConnect, check_reach

# of new passphrases: a telephone has no 256 MB for one tab
COST = Cost(passes=8, memory=64 * 1024 * 1024)
DATA = Path("/data")  # the browser stores the files below it
TAKEN_OVER = "TakenOver"  # name of the storage's error if another tab has taken it over
KEEP_SECONDS = 1.0  # between looks for files that are not stored yet
AREA = "tab"  # of the texts that only the page of a tab has


class PostText(Protocol):
    """The way of a message to the page: JSON, and the data of its file if it has one."""

    def __call__(self, text: str, data: Any = None, /) -> None:
        """Post a message."""


class TabMessages(Responder):
    """Answers the page of a tab. A page that begins names its languages; all else is the app's."""

    def __init__(self, program: AppProgram) -> None:
        self._program = program
        self.requests = {"session": RequestSpec(self._session, {"languages": str})}

    @property
    def _pages(self) -> AppPages:
        return self._program.pages

    def language(self) -> Translate:
        """Return the language of the newest page."""
        return self._pages.language()

    async def answer(self, request: Request) -> Reply:
        """Answer a request."""
        if request.name in self.requests:
            return await super().answer(request)
        return await self._pages.answer(request)

    def events(self, last: str | None) -> AsyncGenerator[StreamEvent | None, None]:
        """Return the events of whatever is shown."""
        return self._pages.events(last)

    async def _session(self, fields: dict[str, Any]) -> Reply:
        """Choose the language of a page that begins."""
        spoken = self._program.speak(fields["languages"])
        texts = {**spoken.labels, **labels(spoken.language, area=AREA)}
        return Value(
            {
                "mode": MODE,
                "language": spoken.language,
                "labels": texts,
                "settings": dict(spoken.settings),
            }
        )


class TabProgram:
    """The program of a tab. `post` sends a message to the page. `stopped` gets the reason, a part of
    a text's key, when the program has stopped by itself.
    """

    def __init__(self, storage: Storage, post: PostText, stopped: Callable[[str], None]) -> None:
        self._post = post
        self._stopped = stopped
        self._storage = storage
        self._connect = TabConnect(storage, self._fail)
        self._port: PagePort | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._early: list[tuple[str, Any]] = []  # messages of the page before the program begins
        self._replies: set[asyncio.Task[None]] = set()  # that wait for the storage

    def begin(self, link: str, name: str, languages: str) -> str:
        """Begin, at the table of a link, or at Home without one. Return "", or a sentence that says
        why the program cannot begin so.
        """
        try:
            where = _read_shown(link) if link else None
            store_name(DATA, _checked_name(name))
        except LocalError as error:
            return translate_phrase(error.phrase, load_translator(*page_languages({}, languages)))
        program = AppProgram(self._surroundings())
        self._port = PagePort(TabMessages(program), self._send)
        if where is not None:
            program.open(OpenRequest(link=where))
        loop = asyncio.get_running_loop()
        time_timers(loop)
        self._tasks = [loop.create_task(self._serve(program)), loop.create_task(self._keep())]
        for text, file in self._early:
            self.receive(text, file)
        self._early = []
        return ""

    def receive(self, text: str, file: Any = None) -> None:
        """Take in a message of the page, as JSON, and the file that came with it."""
        if self._port is None:
            self._early.append((text, file))
            return
        message = json.loads(text)
        if file is not None:
            message["file"] = file.to_bytes()
        self._port.receive(message)

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            DATA,
            BUILT_IN,
            lambda: read_name(DATA) or "",
            OwnKey(DATA, SystemRandom(), cost=COST),
            self._play,
            run_here,
            tab_directories(DATA, self._connect),
            connect=self._connect,
            calls=False,  # it has a WebSocket to a table, and nothing else
        )

    async def _play(self, words: tuple[str, ...], screens: Screens) -> int:
        """Play against bots, with the words of `fairdeal play` that Home has."""
        # a match at a table needs none of it
        from web.tab.own_table import BotMatch

        return await BotMatch.parse(DATA, read_name(DATA) or "", words).play(screens)

    async def _serve(self, program: AppProgram) -> None:
        try:
            await program.serve_requests()
        except Exception:
            self._stopped("program")
            raise

    async def _keep(self) -> None:
        """Store changed files for which no frame waits, such as settings and logs."""
        while True:
            await asyncio.sleep(KEEP_SECONDS)
            if self._storage.dirty():
                try:
                    await self._storage.flush()
                except JsException as error:
                    self._fail(error)

    def _fail(self, error: JsException) -> None:
        """Stop: what the program would sign now could be signed a second time after a reload."""
        for task in self._tasks:
            task.cancel()
        self._stopped("taken_over" if error.name == TAKEN_OVER else "storage")

    def _send(self, message: dict[str, Any]) -> None:
        """Send a message to the page. An answer waits until all files of this moment are stored: it
        may say that something is done, or be a file with a signature.
        """
        if "id" not in message or not self._storage.dirty():
            self._post_message(message)
            return
        reply = asyncio.get_running_loop().create_task(self._send_when_stored(message))
        self._replies.add(reply)
        reply.add_done_callback(self._replies.discard)

    async def _send_when_stored(self, message: dict[str, Any]) -> None:
        try:
            await self._storage.flush()
        except JsException as error:
            self._fail(error)
        else:
            self._post_message(message)

    def _post_message(self, message: dict[str, Any]) -> None:
        data = None
        if (file := message.get("file")) is not None:
            data = to_js(file["data"])
            message = {**message, "file": {**file, "data": None}}
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        if data is None:
            self._post(text)
        else:
            self._post(text, data)


def _read_shown(text: str) -> JoinLink:
    """Read a link as the page has shown it. A link that is hidden in another text is refused, because
    the page may have shown something else. Raises: LocalError.
    """
    link = JoinLink.parse(text)
    check_reach(link)
    if link.page or tidy_link(text) != text:
        raise LocalError("wrong.tab.link")
    return link


def _checked_name(name: str) -> str:
    """Raises: LocalError if nobody can be called so."""
    tidy = tidy_name(name)
    if (why := name_problem(tidy)) is not None:
        raise LocalError("wrong.name", why=why)
    return tidy
