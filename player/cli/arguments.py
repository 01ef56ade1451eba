"""The command line of `fairdeal join`: what can be asked for, and what it comes to."""

import argparse
import getpass
import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from textwrap import indent
from typing import TYPE_CHECKING

from bots.pace import SPREAD
from bots.registry import available_bots, bots_help
from commandline.game_plugins import add_plugin_flag
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import (
    FLAGS,
    add_terms_flags,
    named_rule_file,
    parse_terms,
    terms_help,
)
from player.storage.data_directory import default_data
from player.storage.files import own_folder, sole_player
from player.storage.own_name import read_name, store_name
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, DEFAULT_GAME, Games
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpParser, HelpText, help_renderer
from protocol.i18n.language_choice import add_language_flag, environment_translator
from protocol.identity.keys import JoinLink
from protocol.identity.names import name_problem, tidy_name
from protocol.limits import (
    BOT_GAMES,
    BOT_NODES,
    BOT_SOLVER_NODES,
    MAX_BOT_GAMES,
    MAX_BOT_NODES,
    MAX_SEATS,
)
from protocol.options import number_in_range
from protocol.text_files import plain_text
from protocol.view.phrase import phrase

MAX_PAUSE_SECONDS = 60  # of a bot's mean think time: longer, and people take it for lost
NOBODY = "Player"  # name of a person whose login has none that fits
MAX_SPREAD = 3  # of think times; more, and a few of them are nearly all of the time

# what a match needs takes a while to load, and not every command line comes to one
if TYPE_CHECKING:
    from player.client.requirements import Requirements
    from player.client.table_client import Plan
    from protocol.match.terms import Terms

EXAMPLES = (
    ("fairdeal join fairdeal://example.org:7500/FINGERPRINT", "help.join.example.play"),
    ("fairdeal join LINK --name Ann --bot greedy", "help.join.example.bot"),
    ("fairdeal join LINK --list", "help.join.example.list"),
    (f"fairdeal join LINK --create --game {DEFAULT_GAME}", "help.join.example.create"),
    ("fairdeal join LINK --table NAME --spectate", "help.join.example.spectate"),
    ("fairdeal join", "help.join.example.again"),
)


def parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """Return the parser of `fairdeal join` for a table; `contacts` and `identity` have
    `side_parser`.
    """
    made = HelpParser(
        prog="fairdeal join",
        description="help.join.about",
        examples=EXAMPLES,
        ending=partial(_ending, games),
    )
    made.add_argument("link", metavar="LINK", nargs="?", help="help.join.link")
    seat = made.add_argument_group("help.group.table")
    seat.add_argument("--list", action="store_true", help="help.join.list")
    seat.add_argument("--find", metavar="WORDS", default="", help="help.join.find")
    seat.add_argument("--table", metavar="ID", help="help.join.table")
    seat.add_argument("--spectate", action="store_true", help="help.join.spectate")
    player = add_player(made, games)
    player.add_argument("--again", action="store_true", help="help.join.again")
    back = made.add_argument_group("help.group.back")
    back.add_argument("--keep-trying", type=patience, metavar="SECONDS", help="help.keep_trying")
    back.add_argument("--forget", action="store_true", help="help.join.forget")
    required = made.add_argument_group("help.group.requirements")
    add_requirements(required)
    required.add_argument("--older", action="store_true", help="help.flag.older")
    new = made.add_argument_group("help.group.create")
    new.add_argument("--create", action="store_true", help="help.join.create")
    add_terms_flags(new, has_table=True)
    made.set_defaults(games=games)
    files = made.add_argument_group("help.group.files")
    files.add_argument("--log", type=Path, metavar="FILE", help="help.join.log")
    add_identity_options(files)
    add_plugin_flag(made)
    add_language_flag(made)
    return made


def _ending(games: Games) -> str:
    say = help_renderer()
    return "\n".join(
        [
            f"{say(phrase('help.bots'))}:",
            indent(bots_help(games), "  "),
            "",
            terms_help(games, has_table=True),
            "",
            say(phrase("help.join.while")),
            "",
            say(phrase("help.join.next")),
            "",
            say(phrase("help.join.exits")),
        ]
    )


def side_parser(command: str) -> argparse.ArgumentParser:
    """The parser of `contacts` and `identity`."""
    about = {"contacts": "help.command.contacts", "identity": "help.command.identity"}
    more = {"contacts": "help.contacts.more", "identity": "help.identity.more"}
    made = HelpParser(
        prog=f"fairdeal {command}",
        about=about[command],
        description=more[command],
        examples=[(f"fairdeal {command}", "")],
    )
    add_identity_options(made)
    add_language_flag(made)
    return made


def add_player(made: argparse.ArgumentParser, games: Games) -> "argparse._ArgumentGroup":
    """Add the flags of a player, of bots and of the page; return the player's group."""
    player = made.add_argument_group("help.group.player")
    player.add_argument("--name", help="help.flag.name")
    # a host who plays says `--as`, because there `--name` is the table's
    made.add_argument("--as", dest="name", help=argparse.SUPPRESS)
    add_deck(player)
    add_rule_file_flag(player)
    bots = made.add_argument_group("help.group.bots")
    bots.add_argument(
        "--bot", choices=sorted(available_bots(games)), metavar="BOT", help="help.flag.bot"
    )
    bots.add_argument("--pace", type=seconds, default=0.0, metavar="SECONDS", help="help.flag.pace")
    add_spread(bots)
    add_strength(bots)
    bots.add_argument("--quiet", action="store_true", help="help.flag.quiet")
    add_web(made.add_argument_group("help.group.page"))
    return player


def add_spread(made: "argparse._ActionsContainer") -> None:
    """Add the flag for the spread of a bot's think times."""
    made.add_argument(
        "--spread",
        type=_spread,
        default=SPREAD,
        metavar="X",
        help=HelpText(phrase("help.flag.spread", usual=str(SPREAD))),
    )


def _spread(text: str) -> float:
    return _number(text, MAX_SPREAD, "usage.spread")


def add_strength(made: "argparse._ActionsContainer") -> None:
    """Add the flags for the strength of bots that look ahead."""
    made.add_argument(
        "--nodes",
        type=number_in_range(1, MAX_BOT_NODES),
        metavar="N",
        help=HelpText(
            phrase("help.flag.nodes", usual=f"{BOT_NODES:,}", solver=f"{BOT_SOLVER_NODES:,}")
        ),
    )
    made.add_argument(
        "--simulations",
        type=number_in_range(1, MAX_BOT_GAMES),
        metavar="N",
        help=HelpText(phrase("help.flag.simulations", usual=f"{BOT_GAMES:,}")),
    )


def add_deck(made: "argparse._ActionsContainer") -> None:
    """Add the flag for the deck of a seat."""
    made.add_argument("--deck", metavar="NAME", help="help.flag.deck")


def add_web(made: "argparse._ActionsContainer") -> None:
    """Add the flags of screens, and of the page in the browser."""
    made.add_argument("--web", action="store_true", help="help.flag.web")
    add_page_choice(made)


def add_page_choice(made: "argparse._ActionsContainer") -> None:
    """Add the flags of another screen, and of another name of the page."""
    made.add_argument("--screen", metavar="SCREEN", help="help.flag.screen")
    made.add_argument("--web-name", metavar="NAME", help="help.flag.web_name")


def add_requirements(made: "argparse._ActionsContainer") -> None:
    """Add the flags for terms without which the program does not sit down or accept."""
    made.add_argument(
        "--min-quorum", type=_quorum, default=0, metavar="N", help="help.flag.min_quorum"
    )
    made.add_argument("--only-verified", action="store_true", help="help.flag.only_verified")
    made.add_argument("--breakable-keys", action="store_true", help="help.flag.breakable_keys")


def rules_text(args: argparse.Namespace) -> str:
    """The text of the rule file that was named; nothing if none was."""
    rules = named_rule_file(args)
    return rules.text if rules else ""


def requirements_of(args: argparse.Namespace) -> "Requirements":
    """Return the requirements for the terms."""
    from player.client.requirements import Requirements

    return Requirements(
        args.min_quorum, args.only_verified, args.breakable_keys, _trusted_creators(args)
    )


def _trusted_creators(args: argparse.Namespace) -> frozenset[str] | None:
    """Return the creators whose cards the person plays against; None for any. Raises: LocalError."""
    from player.cards.storage import FILE

    # a bot that was given no folder has none yet
    if (getattr(args, "bot", None) and args.data is None) or not (data_of(args) / FILE).exists():
        return None
    from player.cards.decks.card_trust import trusted_creators

    return trusted_creators(data_of(args))


def terms_of(args: argparse.Namespace, *, has_table: bool) -> "Terms":
    """Make the terms from the flags, with creators by the names that this person knows. Raises:
    LocalError.
    """
    if args.cards is not None:
        from player.cards.decks.card_trust import name_creators

        args.cards = name_creators(args.cards, data_of(args))
    return parse_terms(args, args.games, has_table=has_table)


def _quorum(text: str) -> int:
    if not re.fullmatch("[0-9]{1,2}", text) or not 1 <= int(text) < MAX_SEATS:
        raise WrongArgument("usage.quorum", most=MAX_SEATS - 1, word=text)
    return int(text)


def add_identity_options(made: "argparse._ActionsContainer") -> None:
    """Add options for the place of the identity, and for its passphrase."""
    made.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=HelpText(phrase("help.flag.data", usual=str(default_data()))),
    )
    add_passphrase(made)


def add_passphrase(made: "argparse._ActionsContainer") -> None:
    """Add the options for the passphrase of the identity."""
    secret = made.add_mutually_exclusive_group()
    secret.add_argument("--passphrase", action="store_true", help="help.flag.passphrase")
    secret.add_argument(
        "--passphrase-file", type=Path, metavar="F", help="help.flag.passphrase_file"
    )


def seconds(text: str) -> float:
    """Read a pause. Raises: WrongArgument."""
    return _number(text, MAX_PAUSE_SECONDS, "usage.seconds")


def _number(text: str, most: int, wrong: str) -> float:
    """Read a number from 0 to `most`. `wrong` is the key of the error. Raises: WrongArgument."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise WrongArgument(wrong, most=most, word=text)
    return value


def patience(text: str) -> float:
    """Read the time to keep trying a lost table. Raises: WrongArgument."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise WrongArgument("usage.patience", word=text)
    return value


def add_lines(made: "argparse._ActionsContainer") -> None:
    """Add the flags for other lines of two people without a table."""
    made.add_argument("--lines", action="store_true", help="help.lines")
    made.add_argument("--through", type=_whole_table, metavar="LINK", help="help.through")


def _whole_table(text: str) -> JoinLink:
    """Read the whole link of a table. Raises: WrongArgument."""
    try:
        link = JoinLink.parse(text)
    except LocalError as error:
        raise WrongArgument(error.phrase) from None
    if link.direct or link.fingerprint is None:
        raise WrongArgument("usage.whole_link")
    return link


def data_of(args: argparse.Namespace) -> Path:
    """The data folder. Raises: LocalError if it is a file."""
    folder: Path = args.data or default_data()
    if folder.exists() and not folder.is_dir():
        raise LocalError("wrong.folder.file", folder=str(folder))
    return folder


@contextmanager
def held_data(args: argparse.Namespace) -> Iterator[Path]:
    """Hold the data folder: the person's or, for a bot that was given none, one of its own, which
    `data_of` then is.

    Raises: LocalError if another program plays from it.
    """
    if args.bot and args.data is None:
        with own_folder(default_data() / "bots") as args.data:
            yield args.data
    else:
        with sole_player(data_of(args)):
            keep_given_name(args)
            yield data_of(args)


def keep_given_name(args: argparse.Namespace) -> None:
    """Keep the name that a person has given in the data folder, for later commands."""
    given = getattr(args, "name", None)
    if given is not None and not getattr(args, "bot", None):
        name = tidy_name(given)
        if name_problem(name) is None:
            store_name(data_of(args), name)


def plan_of(args: argparse.Namespace, rng: Random) -> "Plan":
    """Return the purpose of the visit. Raises: LocalError for options that contradict each other."""
    from player.client.table_client import Plan

    chosen = [flag for flag in ("list", "spectate", "create") if getattr(args, flag)]
    if len(chosen) > 1:
        raise LocalError("wrong.together", one=chosen[0], other=chosen[1])
    needless = [name for name in FLAGS if getattr(args, name) is not None]
    if needless and not args.create:
        raise LocalError("wrong.needs_create", flag=needless[0].replace("_", "-"))
    if args.create and args.table:
        raise LocalError("wrong.table_or_create")
    if args.find and not args.list:
        raise LocalError("wrong.find_list")
    if args.again and args.log:
        raise LocalError("wrong.log_or_again")
    if args.create:
        terms = terms_of(args, has_table=True)
    else:
        terms = None
    requires = requirements_of(args)
    if terms is not None:
        requires.check(terms)
    return Plan(
        name_of(args, rng),
        args.table,
        terms,
        args.spectate,
        args.list,
        args.keep_trying,
        args.log,
        requires,
    )


def name_of(args: argparse.Namespace, rng: Random) -> str:
    """The name to play under: the one given, else the newest one of this data folder, else the
    login's. Raises: LocalError if it is not fit to be one.
    """
    if args.bot:
        usual = f"{args.bot}-{rng.randrange(1000):03}"
    else:
        usual = read_name(data_of(args)) or _login()
    name = tidy_name(usual if args.name is None else args.name)
    if (why := name_problem(name)) is not None:
        raise LocalError("wrong.name", why=why)
    return name


def _login() -> str:
    try:
        name = tidy_name(getpass.getuser())
    except (ImportError, KeyError, OSError):
        return NOBODY
    return NOBODY if name_problem(name) else name


def passphrase_of(args: argparse.Namespace) -> bytes | None:
    """The passphrase that was asked for, or that the program already has (`args.passphrase` as
    bytes). Raises: LocalError.
    """
    if isinstance(args.passphrase, bytes):
        return args.passphrase
    if args.passphrase:
        try:
            return getpass.getpass(environment_translator(os.environ)("keyfile.ask", None)).encode()
        except EOFError:
            raise LocalError("wrong.no_passphrase") from None
    if args.passphrase_file is None:
        return None
    try:
        raw: bytes = args.passphrase_file.read_bytes()
        return (plain_text(raw).splitlines() or [b""])[0]
    except OSError as error:
        raise LocalError(
            "wrong.read", path=str(args.passphrase_file), why=str(error.strerror)
        ) from None
