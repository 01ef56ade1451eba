"""`fairdeal host --play`: a table on this machine, and the host's own seat at it.

Table and seat are ordinary programs: `fairdeal host` and `fairdeal join`. An error of the seat does
not end the table. The keys and the passphrase of the person are in the program of the seat alone.
This process starts both and reads neither's folder.
"""

import argparse
import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from secrets import SystemRandom
from urllib.parse import urlsplit

from commandline.console_text import console_text
from commandline.optional_packages import require_web
from commandline.stop_signals import call_when_stopped
from commandline.terminal_qr import terminal_code
from commandline.terms_flags import parse_terms, rule_file_arguments
from fairdeal.host_arguments import seat_words
from fairdeal.processes import OWN_TERMS, Programs
from net.addresses import is_loopback, reach_phrase
from player.cli.arguments import name_of
from player.storage.data_directory import command_text, default_data
from protocol.dealing.registry import DEALINGS, dealing_fits
from protocol.errors import LocalError
from protocol.games.registry import Games, create_game
from protocol.identity.address import HTTP_PORTS, Address
from protocol.identity.keys import JoinLink
from protocol.match.terms import Terms
from protocol.messages.lobby import make_remark
from protocol.messages.relay import guest_address
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import wrap_for
from table.__main__ import make_config
from table.lobby.tables import DEFAULT_TABLE
from table.net.listeners.arguments import parse_own_address, parse_page, parse_relays

HERE = "127.0.0.1"
STOPPED = 1  # exit code before a seat has ended, and after a table has stopped by itself
# the dealing in which the table knows nothing of hands
TRUSTLESS = "verified"


@dataclass(frozen=True)
class HostedSeat:
    """Arguments of the two programs, and the sentences for the host."""

    data: Path  # folder of the table
    table: tuple[str, ...]  # words of `fairdeal host`
    seat: tuple[str, ...]  # words of `fairdeal join`, after the link
    plugins: tuple[str, ...]
    dealing: tuple[Phrase, ...]  # sentences about a choice of the dealing
    player_data: Path  # folder of the seat
    relays: tuple[Address, ...] = ()  # at which guests find the table
    page: str = ""  # address of a page for browsers at a web server, through which guests come
    serves_page: bool = False  # the table itself serves such a page

    def join_command(self, link: str) -> str:
        """Return the command by which the host takes the seat again."""
        return command_text("join", self.player_data, link)


def prepare(
    options: argparse.Namespace, games: Games, plugins: Sequence[str], words: list[str]
) -> HostedSeat:
    """Choose the dealing, and check all options before anything is opened.

    `words` are those for the table. Raises: LocalError.
    """
    name = name_of(
        argparse.Namespace(name=options.player, bot=None, data=options.player_data), SystemRandom()
    )
    if options.web:
        with require_web():
            import_module("uvicorn")
    terms = parse_terms(options, games, has_table=True)
    notes: list[Phrase] = []
    if DEALINGS[terms.dealing.name].needs_table:
        usual = terms.dealing.name
        if options.deal is None and dealing_fits(
            TRUSTLESS, create_game(terms.game.name, terms.seats, dict(terms.game.options), games)
        ):
            words = [*words, f"--deal={TRUSTLESS}"]
            options.deal = TRUSTLESS
            notes.append(phrase("host.play.verified", usual=usual))
        else:
            greeting = _greeting(options.greeting, name, terms)
            words = [*words, f"--greeting={greeting}"]
            notes.append(phrase("host.play.told", line=greeting))
    make_config(options, games, plugins)
    if options.guests_web is not None:
        _, port = parse_own_address(options.guests_web, HERE)
        # if the system chooses the port of the page, it also chooses the port for its WebSockets
        words = [*words, f"--web={options.guests_web}", *([] if port else ["--ws=0"])]
    seat = ("--table", DEFAULT_TABLE, OWN_TERMS, *seat_words(options))
    return HostedSeat(
        options.data,
        tuple(words),
        (*seat, *rule_file_arguments(options)),
        tuple(plugins),
        tuple(notes),
        options.player_data or default_data(),
        parse_relays(options.relay),
        "" if options.page is None else parse_page(options.page),
        options.guests_web is not None,
    )


def _greeting(own: str | None, name: str, terms: Terms) -> str:
    """Return the greeting that warns everybody that the host could read hands. `own`: the host's
    own greeting, which comes first. Raises: LocalError if the two together are too long.
    """
    key = "host.play.greeting.two" if terms.seats == 2 else "host.play.greeting"
    warning = console_text(phrase(key, name=name))
    return make_remark(f"{own} {warning}" if own else warning)


def run(hosted: HostedSeat) -> int:
    """Open the table, seat the host, and return the exit code of the seat. Raises: LocalError."""
    try:
        hosted.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        programs = Programs(hosted.data, hosted.plugins)
        return asyncio.run(_Host(hosted, programs).run())
    except OSError as error:
        raise LocalError("wrong.write", path=str(hosted.data), why=str(error.strerror)) from None


class _Host:
    """One run. The first Ctrl-C leaves the seat, the next one ends the table."""

    def __init__(self, hosted: HostedSeat, programs: Programs) -> None:
        self._hosted = hosted
        self._programs = programs
        self._seat: Process | None = None
        self._interrupted = False  # Ctrl-C has reached the seat
        self._end = asyncio.Event()

    async def run(self) -> int:
        """Host until a signal ends the table, and return the exit code. Raises: LocalError."""
        call_when_stopped(self._end.set, hangup=True, interrupt=self._interrupt)
        # a long journal takes a while to read: Ctrl-C ends a table that never opens
        opening = asyncio.create_task(self._programs.open_table(*self._hosted.table, patience=None))
        try:
            await self._wait_for_first(opening)
            if self._end.is_set():
                return STOPPED
            link = opening.result()
            has_page = self._hosted.serves_page or self._hosted.page
            self._welcome(link, await self._programs.read_page_link() if has_page else None)
            return await self._host(link)
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
            await self._programs.stop()

    async def _host(self, link: str) -> int:
        """Run the seat, and then the table alone, until its end. Raises: LocalError."""
        table = asyncio.create_task(self._programs.wait_for_end("table"))
        self._seat = await self._programs.start_in_terminal("join", link, *self._hosted.seat)
        seat = asyncio.create_task(self._seat.wait())
        await self._wait_for_first(seat, table)
        if not seat.done():
            self._leave()
            await seat
        code = seat.result()
        self._seat = None
        if not table.done() and not self._end.is_set():
            _print(phrase("host.play.left", command=self._hosted.join_command(link)))
            await self._wait_for_first(table)
        if table.done() and not self._end.is_set():
            raise LocalError("wrong.host_stopped", file=str(self._hosted.data / "table.txt"))
        _print(phrase("host.play.closed"))
        return code if code >= 0 else STOPPED

    async def _wait_for_first(self, *tasks: "asyncio.Task[object]") -> None:
        """Wait until one of these tasks is done, or a signal has ended the table."""
        end = asyncio.create_task(self._end.wait())
        await asyncio.wait([*tasks, end], return_when=asyncio.FIRST_COMPLETED)
        end.cancel()

    def _interrupt(self) -> None:
        """Act on Ctrl-C: leave the seat; without a seat, or for the second time, end the table."""
        if self._seat is None or self._interrupted:
            self._end.set()
        self._interrupted = True
        self._leave()

    def _leave(self) -> None:
        """Ask the seat to end and to keep its match. A second request does no harm: the terminal may
        have sent the first.
        """
        if self._seat is not None and self._seat.returncode is None:
            self._seat.terminate()

    def _welcome(self, link: str, page: JoinLink | None) -> None:
        """Print the link for the others as the first line, who can reach it, and what happens next.
        `page`: the link to the page for browsers.
        """
        links = guest_links(link, self._hosted.relays)
        print(next(iter(links)), flush=True)
        for guest_link, reach in links.items():
            _print(phrase("host.play.give", link=guest_link))
            _print(reach)
        if page is not None:
            _print(phrase("host.page"))
            print(f"  {page}\n{terminal_code(str(page), sys.stdout)}", end="", flush=True)
            self._print_page_notes(page)
        for note in self._hosted.dealing:
            _print(note)
        _print(phrase("host.play.now"))

    def _print_page_notes(self, page: JoinLink) -> None:
        """Print who could change the page, and which ports it needs."""
        if not self._hosted.serves_page:
            _print(phrase("host.page.elsewhere", server=urlsplit(page.page).netloc))
            return
        _print(phrase("host.page.trust"))
        if not is_loopback(page.host):
            _print(page_reach(page))


def page_port(page: JoinLink) -> int:
    """Return the port at which the page of this link is served."""
    return urlsplit(page.page).port or HTTP_PORTS["http"]


def page_reach(page: JoinLink) -> Phrase:
    """Return a sentence about the ports that guests must reach to come through a page."""
    return phrase("host.page.ports", web=page.port, page=page_port(page))


def guest_links(link: str, relays: Sequence[Address]) -> dict[str, Phrase]:
    """Return the links for the others, each with a sentence about who can reach it: a link at each
    relay or, without relays, the table's own.
    """
    own = JoinLink.parse(link)
    assert own.fingerprint is not None
    links = {
        str(own.with_address(guest_address(relay, own.fingerprint))): phrase(
            "host.play.relay", relay=str(relay)
        )
        for relay in relays
    }
    return links or {link: reach_phrase(own.host, own.port)}


def _print(sentence: Phrase) -> None:
    print(wrap_for(sys.stdout, console_text(sentence)), flush=True)
