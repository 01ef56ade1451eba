"""The command line of `fairdeal host`: a table, and with `--play` the seat of its host."""

import argparse
from pathlib import Path

from commandline.option_file import option_actions
from player.cli.arguments import add_deck, add_page_choice, add_passphrase
from player.storage.data_directory import default_data
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n.help_parser import HelpText
from protocol.view.phrase import phrase
from table.__main__ import make_parser as make_table_parser
from table.config import PAGE_PORT
from table.net.listeners.arguments import add_page

EXAMPLES = (
    ("fairdeal host --play --listen 0.0.0.0:7500", "help.host.example.play"),
    ("fairdeal host --play --web --listen 0.0.0.0:7500 --seats 3", "help.host.example.play.web"),
)
# the options of the seat, by their names in the parsed arguments
SEAT = ("guests_web", "player", "deck", "web_name", "player_data", "passphrase", "passphrase_file")
FLAGS = {"player": "as"}  # where the flag has another name


def make_parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal host`."""
    return make_table_parser(games, add_seat, EXAMPLES)


def add_seat(parser: argparse.ArgumentParser) -> None:
    """Add the group of the host's own seat."""
    add_seat_options(parser.add_argument_group("help.group.host_seat"))


def add_seat_options(made: "argparse._ActionsContainer") -> None:
    """Add the options of the host's own seat."""
    made.add_argument("--play", action="store_true", help="help.host.play")
    made.add_argument("--as", dest="player", metavar="NAME", help="help.host.as")
    add_deck(made)
    add_page(made)
    made.add_argument(
        "--guests-web",
        nargs="?",
        metavar="[HOST:]PORT",
        const=str(PAGE_PORT),
        help=HelpText(phrase("help.host.guests_web", port=PAGE_PORT)),
    )
    add_page_choice(made)
    made.add_argument(
        "--player-data",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.host.player_data", usual=str(default_data()))),
    )
    add_passphrase(made)


def _seat_parser() -> argparse.ArgumentParser:
    seat = argparse.ArgumentParser(add_help=False)
    add_seat_options(seat)
    return seat


def table_words(words: list[str]) -> list[str]:
    """Return the words without the options of the seat: no key and no passphrase of the person
    reaches the table.
    """
    return _seat_parser().parse_known_args(words)[1]


def seat_keys() -> tuple[str, ...]:
    """Return the keys of a configuration file that are for the seat, and not for the table's own
    program.
    """
    return tuple(option_actions(_seat_parser()))


def seat_words(options: argparse.Namespace) -> list[str]:
    """Return the options of the seat as arguments of `fairdeal join`."""
    words = []
    for name, flag in (("player", "name"), ("deck", "deck"), ("web_name", "web-name")):
        if (value := getattr(options, name)) is not None:
            words += [f"--{flag}={value}"]
    for name, flag in (("player_data", "data"), ("passphrase_file", "passphrase-file")):
        if (value := getattr(options, name)) is not None:
            words += [f"--{flag}={value}"]
    for flag in ("web", "passphrase"):
        if getattr(options, flag):
            words += [f"--{flag}"]
    return words


def check_seat(options: argparse.Namespace) -> None:
    """Raises: LocalError for options of the table and of the seat that do not go together."""
    # with `--ws` players have a second link, which the command for the table alone prints
    for other in ("once", "ws", "ws_link"):
        if options.play and getattr(options, other):
            raise LocalError("wrong.together", one="play", other=other.replace("_", "-"))
    given = [name for name in SEAT if getattr(options, name) not in (None, False)]
    if given and not options.play:
        flag = FLAGS.get(given[0], given[0]).replace("_", "-")
        raise LocalError("wrong.needs_play", flag=flag)
    if options.guests_web is not None and options.page is not None:
        raise LocalError("wrong.page.two")
    if options.web_name is not None and not options.web:
        raise LocalError("wrong.needs_web")
