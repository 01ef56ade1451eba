"""Command line of `fairdeal simulate`: settings of each model, and forms of the report."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from net.http.policy import HOST
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, add_commands
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

PROGRAM = "fairdeal simulate"
EXAMPLES = {
    "": (
        (f"{PROGRAM} table --seats 4 --rounds 10000", "help.simulate.example.table"),
        (f"{PROGRAM} machines --players 100 --delta 60", "help.simulate.example.machines"),
        (f"{PROGRAM} --web 8000", "help.simulate.example.web"),
    ),
    "table": (
        (f"{PROGRAM} table --seats 4 --rounds 10000 --seed 1", ""),
        (f'{PROGRAM} table --think "1 1 1 0.8"', "help.simulate.example.think"),
        (
            f'{PROGRAM} table --latency "0.1 0.1 0.1 0" --level 0.1',
            "help.simulate.example.latency",
        ),
        (f"{PROGRAM} table --seats 2 --row 5 --rescues 40", "help.simulate.example.rescues"),
        (f"{PROGRAM} table --decks decks.txt --report out/", "help.simulate.example.decks"),
    ),
    "machines": (
        (f"{PROGRAM} machines --players 100 --delta 60", "help.simulate.example.first"),
        (f"{PROGRAM} machines --players 100 --instants --look", "help.simulate.example.look"),
        (
            f"{PROGRAM} machines --players 10 --nats nats://127.0.0.1:4222",
            "help.simulate.example.nats",
        ),
    ),
}
# what an empty value means
USUAL = {"rounds": SIMULATED_ROUNDS, "seed": 0, "think": 1, "latency": 0}
STOP = "help.simulate.stop"  # about the only setting that is usually on
ABOUT = {"table": "help.simulate.table", "machines": "help.simulate.machines"}
PAGES = (".html", ".xhtml")


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made = HelpParser(
        prog="fairdeal simulate",
        about="help.command.simulate",
        description="help.simulate.more",
        examples=EXAMPLES[""],
        epilog=_ending(),
        allow_abbrev=False,
    )
    models = add_commands(made, "model", required=False)
    for kind in KINDS:
        one = add_command(models, kind, ABOUT[kind], examples=EXAMPLES[kind], epilog=_ending())
        settings = one.add_argument_group("help.group.settings")
        for field in settings_of(kind):
            _add_setting(settings, kind, field)
        _add_ways(settings, one.add_argument_group("help.group.output"))
        if kind == "machines":
            _add_nats(one.add_argument_group("help.group.processes", "help.simulate.nats.more"))
        add_language_flag(one)
    _add_web(
        made.add_argument_group(
            "help.group.service",
            HelpText(phrase("help.simulate.web.more", hours=SIMULATION_HOURS)),
        )
    )
    add_language_flag(made)
    return made


def _ending() -> HelpText:
    return HelpText(phrase("help.simulate.next", cards=CARDS, most=CARDS - 1))


def _add_web(web: "argparse._ActionsContainer") -> None:
    web.add_argument("--web", type=_port, metavar="PORT", help="help.simulate.web")
    web.add_argument(
        "--web-host",
        metavar="ADDRESS",
        default=HOST,
        help=HelpText(phrase("help.simulate.web.host", usual=HOST)),
    )
    web.add_argument(
        "--web-name", metavar="NAME", action="append", default=[], help="help.simulate.web.name"
    )
    web.add_argument(
        "--seconds",
        type=_number(MAX_SIMULATION_SECONDS),
        metavar="N",
        default=SIMULATION_SECONDS,
        help=HelpText(
            phrase(
                "help.simulate.web.seconds",
                most=f"{MAX_SIMULATION_SECONDS:,}",
                usual=SIMULATION_SECONDS,
            )
        ),
    )
    web.add_argument("--web-fast", action="store_true", help="help.simulate.web.fast")


def _add_setting(made: "argparse._ActionsContainer", kind: str, field: Setting) -> None:
    if field.check is check_yes:
        usual = getattr(KINDS[kind](), field.name)
        flag, const = (f"--no-{field.flag[2:]}", "no") if usual else (field.flag, "yes")
        if usual:
            said = phrase(STOP)
        else:
            said = phrase("help.simulate.set", about=phrase(field.about))
        made.add_argument(
            flag,
            dest=field.name,
            action="store_const",
            const=const,
            help=HelpText(said),
        )
        return
    usual = USUAL.get(field.name, getattr(KINDS[kind](), field.name, None))
    ways: dict[Callable[[Any, Setting], Any], tuple[str, str]] = {
        whole: ("N", "help.simulate.number"),
        number: ("X", "help.simulate.number"),
        numbers: ("X,X,…", "help.simulate.numbers"),
        check_yes_list: ("yes,no,…", "help.simulate.yes"),
        texts: ("A,B,…", "help.simulate.texts"),
    }
    metavar, key = ways[field.check]
    said = phrase(
        key,
        about=phrase(field.about),
        least=f"{field.least:g}",
        most=f"{MAX_NAME if field.check is texts else field.most:,}",
        usual=str(usual),
    )
    made.add_argument(field.flag, dest=field.name, metavar=metavar, help=HelpText(said))


def _add_ways(settings: "argparse._ActionsContainer", output: "argparse._ActionsContainer") -> None:
    settings.add_argument("--decks", metavar="FILE", help="help.simulate.decks")
    output.add_argument("--json", action="store_true", help="help.simulate.json")
    output.add_argument(
        "--report", type=_report, metavar="OUT.html|DIR", help="help.simulate.report"
    )
    output.add_argument("--fast", action="store_true", help="help.simulate.fast")


def _add_nats(nats: "argparse._ActionsContainer") -> None:
    nats.add_argument("--nats", metavar="URL", help="help.simulate.nats")
    nats.add_argument(
        "--processes",
        type=_number(MAX_CLUSTER_PROCESSES),
        default=2,
        metavar="N",
        help=HelpText(phrase("help.simulate.processes", most=MAX_CLUSTER_PROCESSES, usual=2)),
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
