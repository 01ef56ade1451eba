"""Messages of the page of a match and of its lobby: all that a page may ask for.

No HTTP and no socket is known here, so the same messages work between a page and a worker.
"""

import os
import re
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from player.presenter.presenter import StaleChoice
from player.ui.console_lines import MAX_LINE
from player.ui.web.image_types import kind_of
from player.ui.web.lobby.forms import WrongField
from player.ui.web.messages import (
    File,
    PageLanguage,
    Refusal,
    RefusalCode,
    Reply,
    Request,
    RequestSpec,
    Responder,
    RunWork,
    Value,
)
from player.ui.web.page_screen import PageScreen
from player.ui.web.qr_code import qr_code
from player.ui.web.replay.serving import LogFile, ReplayRequests
from player.ui.web.stream import StreamEvent
from protocol.audit.compare import compare, comparison_lines
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.i18n import best_language, labels, load_translator
from protocol.i18n.language_choice import page_languages
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_PAGE_LOG
from protocol.view.text import Translate

PLAY = "play"
DONE = Value()
LOBBY = {
    "do": str,
    "name": str,
    "table": str,
    "terms": str,
    "link": str,
    "game": str,
    "seats": int,
    "options": dict,
    "dealing": str,
    "dealing_options": dict,
    "clock": dict,
    "deck": str,
    "pace": str,
    "invited": list,
    "number": int,
    "target": str,
    "text": str,
    "games": list,
}


async def run_here(work: Callable[[], Any]) -> Any:
    """Do work at once, where no threads exist."""
    return work()


class PageMessages(Responder):
    """Answers the pages of one screen."""

    def __init__(self, screen: PageScreen, games: Games, run_work: RunWork = run_here) -> None:
        """`run_work` does work that takes a while: reading and comparing logs."""
        self._screen = screen
        self._games = games
        self._run_work = run_work
        self._replay: tuple[Path, ReplayRequests] | None = None
        yes = {"yes": bool}
        self.requests = {
            "session": RequestSpec(self._session, optional={"languages": str}),
            "deeds": RequestSpec(self._deeds, {"from": int, "to": int}),
            "do": RequestSpec(self._do, {"serial": int, "offer": int}, {"numbers": list}),
            "sit": RequestSpec(self._sit, {"serial": int}),
            "say": RequestSpec(self._say, {"text": str}),
            "mute": RequestSpec(self._mute, {"seat": int, "on": bool}),
            "report": RequestSpec(self._report, {"seat": int}),
            "leave": RequestSpec(self._leave, yes),
            "again": RequestSpec(self._again, yes),
            "answer": RequestSpec(self._answer, {"number": int, **yes}),
            "command": RequestSpec(self._command, {"line": str}, {"serial": int}),
            "hint": RequestSpec(self._hint, {"why": bool}),
            "lobby": RequestSpec(self._lobby, {"do": str}, LOBBY),
            "rules": RequestSpec(self._rules, optional=LOBBY),
            "log": RequestSpec(self._log),
            "replay": RequestSpec(self._replayed, {"marks": int}),
            "frame": RequestSpec(self._replayed, {"entry": int, "seat": str}),
            "compare": RequestSpec(self._compare, most_file=MAX_PAGE_LOG),
            "invitation": RequestSpec(self._invitation, optional={"address": str}),
            "face": RequestSpec(self._face, {"digest": str}),
        }

    def language(self) -> Translate:
        """Return the language of the newest page."""
        return self._screen.translate

    def events(self, last: str | None) -> AsyncGenerator[StreamEvent | None, None]:
        """Return the events for a page whose last event had the mark `last`."""
        return self._screen.news.events(self._screen.newest, last)

    async def answer(self, request: Request) -> Reply:
        """Check a request, and answer it. A choice from an old snapshot gets the newest one."""
        try:
            return await super().answer(request)
        except StaleChoice:
            stale = self.refuse(RefusalCode.STALE, "web.stale")
            return Refusal(stale.code, stale.error, {"snapshot": self._screen.newest().data})

    async def _session(self, fields: dict[str, Any]) -> Reply:
        """Choose the language of a page that begins."""
        spoken = speak(self._screen, fields.get("languages", ""))
        return Value({"mode": PLAY, "language": spoken.language, "labels": dict(spoken.labels)})

    async def _deeds(self, fields: dict[str, Any]) -> Reply:
        """Return the deeds of some entries."""
        first = fields["from"]
        end = fields["to"]
        return Value([deed for deed in self._screen.deeds if first <= deed["entry"] < end])

    async def _do(self, fields: dict[str, Any]) -> Reply:
        """Take an offer."""
        self._screen.do(fields["serial"], fields["offer"], fields.get("numbers", []))
        return DONE

    async def _sit(self, fields: dict[str, Any]) -> Reply:
        """Sit out, or in."""
        self._screen.sit(fields["serial"])
        return DONE

    async def _say(self, fields: dict[str, Any]) -> Reply:
        """Talk to the others."""
        self._screen.say_it(fields["text"])
        return DONE

    async def _mute(self, fields: dict[str, Any]) -> Reply:
        """Hear somebody no more, or again."""
        self._screen.mute(fields["seat"], on=fields["on"])
        return DONE

    async def _report(self, fields: dict[str, Any]) -> Reply:
        """Return a report about somebody, as a file for the host."""
        lines = self._screen.presenter.report(fields["seat"])
        return File(f"report-{fields['seat'] + 1}.txt", ("\n".join(lines) + "\n").encode())

    async def _leave(self, fields: dict[str, Any]) -> Reply:
        """Leave the match for good."""
        if fields["yes"]:
            self._screen.leave()
        return DONE

    async def _again(self, fields: dict[str, Any]) -> Reply:
        """Accept or decline another match."""
        self._screen.answer_again(fields["yes"])
        return DONE

    async def _answer(self, fields: dict[str, Any]) -> Reply:
        """Answer the question that the program asks."""
        self._screen.answer_question(fields["number"], yes=fields["yes"])
        return DONE

    async def _command(self, fields: dict[str, Any]) -> Reply:
        """Obey a line as at the terminal."""
        lines = self._screen.command(fields["line"][:MAX_LINE], fields.get("serial"))
        return Value({"lines": lines})

    async def _hint(self, fields: dict[str, Any]) -> Reply:
        """Return a good move, or the value of every move."""
        lines, move = await self._screen.hint(why=fields["why"])
        return Value({"lines": lines, "move": move})

    async def _lobby(self, fields: dict[str, Any]) -> Reply:
        """Do something in the lobby, or fill in its form."""
        lobby = self._screen.lobby
        if lobby is None:
            return self.refuse(RefusalCode.STALE, "web.stale")
        try:
            answer = lobby.answer(fields)
        except WrongField as error:
            return Refusal(RefusalCode.REFUSED, self.say(error.phrase), {"field": error.field})
        if fields.get("do") == "trust_rules":
            # all tables by rules of this author look different now
            self._screen.changed()
        return Value(answer)

    async def _rules(self, fields: dict[str, Any]) -> Reply:
        """Return the rules of the match, or, in the lobby, of a table or of the form."""
        return Value(self._screen.rules(fields))

    async def _log(self, fields: dict[str, Any]) -> Reply:
        """Return the log so far, as a file."""
        path = self._log_path()
        if path is None:
            return self.refuse(RefusalCode.NOTHING, "web.no_log")
        # in one read, because the log grows
        return File(path.name, await self._run_work(path.read_bytes))

    async def _replayed(self, fields: dict[str, Any]) -> Reply:
        """Return a part of the replay of the match, once it is over."""
        path = self._log_path()
        client = self._screen.client
        if path is None or client is None or client.playing is None or not client.playing.over:
            return self.refuse(RefusalCode.NOTHING, "web.no_log")
        if self._replay is None or self._replay[0] != path:
            log = LogFile(path.name, await self._run_work(path.read_bytes))
            own = client.playing.own
            replay = ReplayRequests(log, self._games, self.language(), own=lambda match: own)
            self._replay = path, replay
        replay = self._replay[1]
        replay.say_in(self.language())
        return await replay.answer(Request("replay" if "marks" in fields else "frame", fields))

    async def _compare(self, theirs: bytes) -> Reply:
        """Compare somebody else's log with our own."""
        path = self._log_path()
        if path is None:
            return self.refuse(RefusalCode.NOTHING, "web.no_log")
        result = await self._run_work(lambda: compare(path.read_bytes(), theirs, self._games))
        words = self._screen.presenter.words
        names = (words("web.own_log"), words("web.other_log"))
        return Value({"lines": comparison_lines(result, names, self._screen.translate)})

    async def _invitation(self, fields: dict[str, Any]) -> Reply:
        """Return the link by which others come to the same table. `address`: by which people from
        elsewhere reach it, as HOST or HOST:PORT.
        """
        text = self._screen.presenter.link
        if text is None:
            return self.refuse(RefusalCode.NOTHING, "web.nothing")
        link = JoinLink.parse(text)
        page = self._screen.page_link
        if (address := fields.get("address", "").strip()) != "":
            link = _from_elsewhere(link, address)
            page = None if page is None else _page_at(page, link.host)
        given = link if page is None else page
        return Value(
            {
                "link": str(link),
                "page": None if page is None else str(page),
                "fingerprint": link.fingerprint,
                "qr": qr_code(str(given)),
            }
        )

    async def _face(self, fields: dict[str, Any]) -> Reply:
        """Return the picture of an owned card, if it is stored here: nobody else is asked."""
        try:
            digest = bytes.fromhex(fields["digest"])
        except ValueError:
            raise self.wrong() from None
        client = self._screen.client
        if client is None:
            return self.refuse(RefusalCode.NOTHING, "web.nothing")
        data = await self._run_work(lambda: client.environment.loadouts.picture(digest))
        kind = None if data is None else kind_of(data)
        if kind is None:
            return self.refuse(RefusalCode.NOTHING, "web.nothing")
        return File("", data, kind)

    def _log_path(self) -> Path | None:
        """Return the path of the log; None before a match."""
        client = self._screen.client
        playing = None if client is None else client.playing
        if playing is None or playing.store is None:
            return None
        return playing.store.path


def speak(screen: PageScreen, languages: str) -> PageLanguage:
    """Choose the language of a screen for a browser with these languages (in the form of
    `Accept-Language`).
    """
    chosen = page_languages(os.environ, languages)
    screen.translate = load_translator(*chosen)
    return PageLanguage(best_language(*chosen), labels(*chosen, area="page"))


def _from_elsewhere(link: JoinLink, address: str) -> JoinLink:
    """Return the link with another address, as HOST or HOST:PORT. Raises: LocalError."""
    place = address if re.search(r":[0-9]+$", address) else f"{address}:{link.port}"
    try:
        found = JoinLink.parse(f"fairdeal://{place}")
    except LocalError:
        raise LocalError("web.address") from None
    if found.fingerprint is not None or found.other_hosts:
        raise LocalError("web.address")
    return replace(link, host=found.host, port=found.port, other_hosts=())


def _page_at(page: JoinLink, host: str) -> JoinLink:
    """Return the link to a page at another host, with the same ports."""
    named = f"[{host}]" if ":" in host else host
    port = urlsplit(page.page).port
    return replace(page, host=host, page=f"http://{named}:{port}/")
