"""Command line of `fairdeal simulate`: settings of each model, and forms of the report."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from net.http.policy import HOST
from protocol.i18n import english_text
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import add_language_flag
from protocol.limits import (
    MAX_CLUSTER_PROCESSES,
    MAX_NAME,
    MAX_SIMULATION_SECONDS,
    SIMULATED_ROUNDS,
    SIMULATION_HOURS,
    SIMULATION_SECONDS,
)
from protocol.view.phrase import phrase
from simulation.models import CARDS
from simulation.task import KINDS
from simulation.task.settings import (
    Setting,
    check_yes,
    check_yes_list,
    number,
    numbers,
    texts,
    whole,
)
from simulation.task.task_parser import settings_of

DESCRIPTION = """\
Play rounds of Ligretto by models, thousands of them, and say what came of them: who stops how often and with how many
points, what being faster, nearer or first in the order is worth, how long a round takes, how many lays come too late.

  fairdeal simulate table       people round a table, whose order of arrival decides
  fairdeal simulate machines    players that are programs on many machines, each asking its neighbours
  fairdeal simulate --web 8000  a service: asked by a form or by JSON, it answers with a link
"""
EPILOG = f"""\
examples:
  fairdeal simulate table --seats 4 --rounds 10000 --seed 1
  fairdeal simulate table --seats 2 --row 5 --rescues 40        two often get stuck; what rescues do about it
  fairdeal simulate table --think "1 1 1 0.8"                   the fourth is faster by a quarter
  fairdeal simulate table --latency "0.1 0.1 0.1 0" --level 0.1  the fourth is nearer, and it is made up for
  fairdeal simulate machines --players 100 --delta 60           the first in the order win
  fairdeal simulate machines --players 100 --instants --look    nobody does, and it takes a fifth of the calls
  fairdeal simulate table --decks decks.txt --report out/       decks of your own; a page, data and text into a folder
  curl -i http://127.0.0.1:8000/simulations -H 'Content-Type: application/json' -d '{{"model": "table", "seats": 4}}'

The same settings and the same seed give the same report, on every machine. A file of decks has a line for each
seat: {CARDS} different numbers from 0 to {CARDS - 1} (10 · colour + number − 1): the stock, the row, then the hand in
the order in which it is turned.

exit status: 0 all rounds were played, 1 stopped before (what was played is told), 2 wrong usage
"""
WEB = f"""\
By POST to /simulations, in JSON or from the form at /, a simulation is asked for. The answer (202) has a link, under
which it says "in progress", and then, for {SIMULATION_HOURS} hours, what came of it: a page in XHTML, or JSON for who
asks for application/json.
"""
NATS = """\
Each round is played for once, and not by the model: by processes that talk over a NATS server (the extra `cluster`).
What takes how long is theirs, and chance; a round takes seconds, and one is played unless --rounds says more.
"""
PAGES = (".html", ".xhtml")


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made: argparse.ArgumentParser = HelpParser(
        prog="fairdeal simulate",
        description=DESCRIPTION,
        epilog=EPILOG,
        allow_abbrev=False,
    )
    _add_web(made)
    add_language_flag(made)
    models = made.add_subparsers(dest="model", metavar="MODEL")
    for kind, about in (
        ("table", "people round a table"),
        ("machines", "programs on many machines"),
    ):
        one = models.add_parser(kind, help=about, description=DESCRIPTION, epilog=EPILOG)
        for field in settings_of(kind):
            _add_setting(one, kind, field)
        _add_ways(one)
        if kind == "machines":
            _add_nats(one)
        add_language_flag(one)
    return made


def _add_web(made: argparse.ArgumentParser) -> None:
    web = made.add_argument_group("as a service", WEB)
    web.add_argument(
        "--web", type=_port, metavar="PORT", help="serve at this port; 0: any that is free"
    )
    web.add_argument(
        "--web-host",
        metavar="ADDRESS",
        default=HOST,
        help="the address of this machine to serve at (default: %(default)s, this machine alone)",
    )
    web.add_argument(
        "--web-name",
        metavar="NAME",
        action="append",
        default=[],
        help="what else browsers call it, with the port unless it is 80 or 443; again for more",
    )
    web.add_argument(
        "--seconds",
        type=_number(MAX_SIMULATION_SECONDS),
        metavar="N",
        default=SIMULATION_SECONDS,
        help=f"that one simulation may take, 1 to {MAX_SIMULATION_SECONDS:,} (default: %(default)s)",
    )
    web.add_argument("--web-fast", action="store_true", help="do them as --fast does")


def _add_setting(made: argparse.ArgumentParser, kind: str, field: Setting) -> None:
    about = english_text(phrase(field.about))
    if field.check is check_yes:
        usual = getattr(KINDS[kind](), field.name)
        flag, const = (f"--no-{field.flag[2:]}", "no") if usual else (field.flag, "yes")
        made.add_argument(
            flag,
            dest=field.name,
            action="store_const",
            const=const,
            help=f"not: {about}" if usual else about,
        )
        return
    usual = {"rounds": SIMULATED_ROUNDS, "seed": 0}.get(
        field.name, getattr(KINDS[kind](), field.name, None)
    )
    ends = f"{field.least:g} to {field.most:,}"
    ways: dict[Callable[[Any, Setting], Any], tuple[str, str]] = {
        whole: ("N", f", {ends} (default: {usual})"),
        number: ("X", f", {ends} (default: {usual})"),
        numbers: ("X,X,…", f", {ends}; one for all, or one for each seat"),
        check_yes_list: ("yes,no,…", "; one yes or no for all, or one for each seat"),
        texts: ("A,B,…", f"; one for each, 1 to {MAX_NAME} characters"),
    }
    metavar, said = ways[field.check]
    made.add_argument(field.flag, dest=field.name, metavar=metavar, help=about + said)


def _add_ways(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--decks", metavar="FILE", help="deal these in every round; as many seats as it has lines"
    )
    made.add_argument("--json", action="store_true", help="print the report as one JSON object")
    made.add_argument(
        "--report",
        type=_report,
        metavar="OUT.html|DIR",
        help="write it as one page, or into a folder as page, data and text",
    )
    made.add_argument(
        "--fast",
        action="store_true",
        help="the same rounds, compiled; needs what `pip install 'fairdeal[science]'` brings",
    )


def _add_nats(made: argparse.ArgumentParser) -> None:
    nats = made.add_argument_group("by real processes", NATS)
    nats.add_argument(
        "--nats", metavar="URL", help="play over this NATS server, say nats://127.0.0.1:4222"
    )
    nats.add_argument(
        "--processes",
        type=_number(MAX_CLUSTER_PROCESSES),
        default=2,
        metavar="N",
        help=f"for all players, 1 to {MAX_CLUSTER_PROCESSES} (default: %(default)s)",
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65_535):
        raise WrongArgument("usage.port", word=text)
    return int(text)


def _number(most: int) -> Callable[[str], int]:
    def number_(text: str) -> int:
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most):
            raise WrongArgument("usage.range", least=1, most=f"{most:,}", word=text)
        return int(text)

    return number_


def _report(text: str) -> Path:
    """Check the path of a report: a typing error must not overwrite another file."""
    path = Path(text)
    if path.suffix.lower() not in PAGES and path.exists() and not path.is_dir():
        raise WrongArgument("usage.report", word=text)
    return path
