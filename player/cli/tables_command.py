"""`fairdeal tables`: browse the tables that a directory lists, and sit down at one of them."""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from secrets import SystemRandom
from typing import Any, NamedTuple

from player.cli.arguments import data_of
from player.cli.tables_arguments import make_parser
from player.client.directory_list import check_list, read_list
from player.client.outcome import CLEAN, FAILED, USAGE
from protocol.directory.link import ListLink
from protocol.directory.reachable import is_callable
from protocol.directory.report import TableReport
from protocol.directory.selection import Order, first_valid, matching, ordered, seat_anywhere
from protocol.directory.table_list import TableList
from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator, take_language_flag
from protocol.identity.keys import short_letters
from protocol.limits import MAX_DIRECTORY_LIST, MAX_TABLES_SHOWN
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer, sanitize, translate_phrase

# joins the table of a link, with more words of a command line; returns the exit code
Join = Callable[[list[str]], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code: 0 fine, 1 there is no list to be trusted or no
    table, 2 the command line is wrong.
    """
    install_output_fallback()
    translate = environment_translator(os.environ)
    words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    asked = make_parser().parse_args(words)
    try:
        if not 1 <= asked.first <= MAX_TABLES_SHOWN:
            raise LocalError("wrong.directory.number", most=MAX_TABLES_SHOWN)
        link = _link(asked.source)
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, translate)}", file=sys.stderr)
        return USAGE
    try:
        browser = Browser(data_of(asked), phrase_renderer(translate, ()), time.time, SystemRandom())
        found = browser.read(link, asked.source)
        if asked.seat:
            return browser.seat(found, asked, _join)
        print(browser.listing(found, asked))
    except KeyboardInterrupt:
        return FAILED
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, translate)}", file=sys.stderr)
        return FAILED
    return CLEAN


def _link(source: str) -> ListLink | None:
    """Return the link of a list; None for the path of a file. Raises: LocalError."""
    is_url = source.lower().startswith(("http://", "https://"))
    return ListLink.parse(source) if is_url else None


def _join(words: list[str]) -> int:
    # what a match needs takes a while to load
    from player.cli.join_command import main as join
    from player.client.connection import connect
    from player.client.public_hosts import find_public_host

    return join(words, partial(connect, find=find_public_host))


class Browser(NamedTuple):
    """Somebody who looks at lists. `data`: the data folder; `now`: seconds since 1970."""

    data: Path
    say: Callable[[Phrase], str]
    now: Callable[[], float]
    rng: Random

    def read(self, link: ListLink | None, source: str) -> TableList:
        """Return a list that is whole, signed, not expired and not older than one seen before.
        Raises: LocalError.
        """
        if link is not None:
            return asyncio.run(read_list(link, self.data, self.now()))
        return check_list(_read_file(Path(source)), source, self.data, self.now())

    def listing(self, found: TableList, asked: argparse.Namespace) -> str:
        """Return the rows as text, or as JSON."""
        reports = matching(
            found.reports, self.now(), asked.game, only_free=not asked.all, name=asked.find
        )
        reports = ordered(reports, Order(asked.sort))
        shown, dropped = first_valid(reports, asked.first)
        if asked.json:
            return json.dumps(
                {
                    "directory": found.fingerprint,
                    "number": found.number,
                    "expires": found.expires,
                    "matching": len(reports),
                    "tables": [_values(report) for report in shown],
                },
                indent=1,
            )
        lines = [line for report in shown for line in self._row(report)]
        if not reports:
            lines.append(self.say(phrase("browse.none")))
        if dropped:
            lines.append(self.say(phrase("browse.dropped", number=dropped)))
        if len(reports) > asked.first:
            lines.append(self.say(phrase("browse.more", more=len(reports) - asked.first)))
        return "\n".join(lines)

    def _row(self, report: TableReport) -> tuple[str, str]:
        row = phrase("browse.row", **_texts(report), taken=report.taken, free=report.free)
        if is_callable(report.where):
            link = phrase("browse.row.link", link=str(report.link))
        else:
            link = phrase("browse.row.private")
        return self.say(row), self.say(link)

    def seat(
        self,
        found: TableList,
        asked: argparse.Namespace,
        join: Join,
        ask: Callable[[str], str] = input,
    ) -> int:
        """Choose a table by lot, show it, ask, and join; return the exit code. Raises: LocalError."""
        reports = matching(found.reports, self.now(), asked.game, name=asked.find)
        chosen = seat_anywhere(reports, self.rng)
        if chosen is None:
            raise LocalError("wrong.directory.none")
        where = phrase(
            "browse.seat.where",
            **_texts(chosen),
            taken=chosen.taken,
            free=chosen.free,
            where=str(chosen.where),
            short=short_letters(chosen.fingerprint),
        )
        print(self.say(where))
        try:
            answer = ask(self.say(phrase("browse.seat.ask")))
        except EOFError:
            raise LocalError("wrong.directory.ask") from None
        if answer.strip().lower() not in self.say(phrase("browse.seat.yes")).split():
            return CLEAN
        words = [str(chosen.link)]
        if asked.name is not None:
            words.append(f"--name={asked.name}")
        if asked.data is not None:
            words.append(f"--data={asked.data}")
        return join(words)


def _texts(report: TableReport) -> dict[str, str]:
    return {
        "name": sanitize(report.name),
        "games": ", ".join(map(sanitize, report.games)),
    }


def _values(report: TableReport) -> dict[str, Any]:
    callable_ = is_callable(report.where)
    return {
        "name": report.name,
        "games": list(report.games),
        "link": str(report.link) if callable_ else None,
        "fingerprint": report.fingerprint,
        "taken": report.taken,
        "free": report.free,
        "expires": report.expires,
    }


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_DIRECTORY_LIST + 1)
    except OSError as error:
        raise LocalError("wrong.directory.read", path=str(path), why=str(error.strerror)) from None
