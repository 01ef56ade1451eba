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
from commandline.help_parser import HelpParser
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import (
    FLAGS,
    add_terms_flags,
    examples,
    named_rule_file,
    parse_terms,
    terms_help,
)
from player.disk.files import own_folder, sole_player
from player.disk.place import default_data
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import BUILT_IN, DEFAULT_FOR_TWO, DEFAULT_GAME, Games
from protocol.i18n.language_choice import add_language_flag, environment_translator
from protocol.identity.keys import JoinLink
from protocol.identity.names import check_name
from protocol.limits import (
    BOT_GAMES,
    BOT_NODES,
    BOT_SOLVER_NODES,
    MAX_BOT_GAMES,
    MAX_BOT_NODES,
    MAX_SEATS,
)
from protocol.options import number_in_range

# what a match needs takes a while to load, and not every command line comes to one
if TYPE_CHECKING:
    from player.at_table.client import Plan
    from player.requirements import Requirements

EXAMPLES = """\
the bots:
{bots}

{terms}

examples:
  fairdeal join fairdeal://example.org:7500/<fingerprint>          play yourself
  fairdeal join LINK --name Ann --bot greedy                       let a bot play
  fairdeal join LINK --list                                        which tables there are
  fairdeal join LINK --create --seats 3                            open a table ({usual}), and sit down at it
  fairdeal join LINK --table NAME --spectate                       watch
  fairdeal join                                                    go on with the match that was interrupted
  fairdeal contacts                                                whom you have played with
  fairdeal identity                                                your own fingerprint
{examples}

two people without a table (each command has its own --help):
  fairdeal mail new --with ADDRESS                                 by e-mail: {for_two}; then mail read, move, ...
  fairdeal invite                                                  wait for one other player, who types:
  fairdeal join LINK

While you play: type a choice as it is offered (its number, or in words); "say TEXT" talks to
the others (sealed: the table cannot read it), "/mute NAME" and "/unmute NAME" choose whom you hear; "leave" gives
the match up, if you say yes. Ctrl-C, Ctrl-D and SIGTERM stop the program and keep the match: the same command goes
on with it, while the others' clock waits. TERM=dumb in the environment gives plain lines without a prompt. The log of
every match is kept; anybody can check it: fairdeal audit FILE

exit codes: 0 a clean match, 1 a fault, or the match did not end, 2 wrong usage, 3 not the table you know, 4 not what
you ask for (--min-quorum, --only-verified)
"""


def parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """The parser for playing; `contacts` and `identity` have `side_parser`."""
    made = HelpParser(
        prog="fairdeal join",
        description="Join a table and play a match. Every entry of the table's log is checked as it comes.",
        ending=partial(_ending, games),
    )
    made.add_argument("link", metavar="LINK", nargs="?", help="the table's join link")
    add_player(made, games)
    add_deck(made)
    made.add_argument("--again", action="store_true", help="keep playing, match after match")
    back = made.add_argument_group(
        "coming back to a match that was interrupted: the same command, or no LINK at all"
    )
    back.add_argument(
        "--keep-trying", type=patience, metavar="SECONDS", help="for a lost table (default 600)"
    )
    back.add_argument(
        "--forget", action="store_true", help="drop the unfinished match at this table, and go"
    )
    seat = made.add_argument_group("which table")
    seat.add_argument("--list", action="store_true", help="list the tables and go")
    seat.add_argument(
        "--table", metavar="ID", help="the table to join (default: the manager's own)"
    )
    seat.add_argument(
        "--spectate", action="store_true", help="watch a running match instead of playing"
    )
    terms = made.add_argument_group(
        "what must be, or you do not sit down (nobody is named for that; exit code 4)"
    )
    add_requirements(terms)
    new = made.add_argument_group("a table of your own")
    new.add_argument("--create", action="store_true", help="open a table and sit down at it")
    add_terms_flags(new, has_table=True)
    add_plugin_flag(made)
    add_language_flag(made)
    made.set_defaults(games=games)
    files = made.add_argument_group("files")
    files.add_argument(
        "--log", type=Path, metavar="FILE", help="where the log goes (default: in the data folder)"
    )
    add_identity_options(files)
    return made


def _ending(games: Games) -> str:
    return EXAMPLES.format(
        bots=indent(bots_help(games), "  "),
        terms=terms_help(games, has_table=True),
        usual=DEFAULT_GAME,
        for_two=DEFAULT_FOR_TWO.name,
        examples=examples("fairdeal join LINK --create --game", games),
    )


def side_parser(command: str) -> argparse.ArgumentParser:
    """The parser of `contacts` and `identity`."""
    about = {
        "contacts": "List the people you have played with.",
        "identity": "Show your own fingerprint.",
    }
    made = argparse.ArgumentParser(prog=f"fairdeal {command}", description=about[command])
    add_identity_options(made)
    add_language_flag(made)
    return made


def add_player(made: "argparse._ActionsContainer", games: Games) -> None:
    """Who plays: a person under a name, or a bot."""
    made.add_argument("--name", help="the name the others see (default: your login name)")
    made.add_argument(
        "--bot",
        choices=sorted(available_bots(games)),
        help="let a bot play; without --data it has a folder of its own",
    )
    made.add_argument(
        "--pace",
        type=seconds,
        default=0.0,
        metavar="SECONDS",
        help="how long a bot thinks on average, if its turn has twice that (default 0)",
    )
    add_spread(made)
    add_strength(made)
    made.add_argument("--quiet", action="store_true", help="a bot says only the verdict")
    add_web(made)
    add_rule_file_flag(made)


def add_spread(made: "argparse._ActionsContainer") -> None:
    """How much the think times of a bot differ."""
    made.add_argument(
        "--spread",
        type=_spread,
        default=SPREAD,
        metavar="X",
        help="how much its think times differ: "
        "standard deviation over mean, 0 to 3 (default %(default)s)",
    )


def _spread(text: str) -> float:
    return _number(
        text,
        3,
        "a spread is a number, 0 to 3: the standard deviation of think times over their mean",
    )


def add_strength(made: "argparse._ActionsContainer") -> None:
    """How far a bot thinks that does."""
    made.add_argument(
        "--nodes",
        type=number_in_range(1, MAX_BOT_NODES),
        metavar="N",
        help="positions that the bots search and perfect look at for a move (default "
        f"{BOT_NODES:,}, "
        f"and before {BOT_SOLVER_NODES:,} by a game's own solver)",
    )
    made.add_argument(
        "--simulations",
        type=number_in_range(1, MAX_BOT_GAMES),
        metavar="N",
        help=f"games that the bot mcts plays for a move (default {BOT_GAMES:,})",
    )


def add_deck(made: "argparse._ActionsContainer") -> None:
    """What a seat plays with, where decks are brought."""
    made.add_argument(
        "--deck",
        metavar="NAME",
        help="the deck to play with, of those that `fairdeal cards deck list` "
        "shows (default: the one that the rules have for who brings none)",
    )


def add_web(made: "argparse._ActionsContainer") -> None:
    """Whether a person plays on a page in the browser."""
    made.add_argument(
        "--web",
        action="store_true",
        help="play on a page in your browser, which this program serves to "
        "this machine alone (needs fairdeal[web])",
    )
    made.add_argument(
        "--web-name", metavar="NAME", help="what a proxy of your own calls the page, from afar"
    )


def add_requirements(made: "argparse._ActionsContainer") -> None:
    """What the terms must be, or the program does not sit down or accept."""
    made.add_argument(
        "--min-quorum",
        type=_quorum,
        default=0,
        metavar="N",
        help="decline where fewer than N other "
        "players together, with the table's help, can know your hand (counted before anybody "
        "has left)",
    )
    made.add_argument(
        "--only-verified",
        action="store_true",
        help="decline what is not dealt `verified` or `residue`",
    )
    made.add_argument(
        "--breakable-keys",
        action="store_true",
        help="sit down also where keys are so short that "
        "anybody can read your hand (`residue` with bits=breakable-512), for tests",
    )


def rules_text(args: argparse.Namespace) -> str:
    """The text of the rule file that was named; nothing if none was."""
    rules = named_rule_file(args)
    return rules.text if rules else ""


def requirements_of(args: argparse.Namespace) -> "Requirements":
    """What is asked of the terms."""
    from player.requirements import Requirements

    return Requirements(args.min_quorum, args.only_verified, args.breakable_keys)


def _quorum(text: str) -> int:
    if not re.fullmatch("[0-9]{1,2}", text) or not 1 <= int(text) < MAX_SEATS:
        raise argparse.ArgumentTypeError(
            f"a quorum is a number of other players, 1 to {MAX_SEATS - 1}"
        )
    return int(text)


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    about: str,
    more: str = "",
) -> argparse.ArgumentParser:
    """The parser of one command. `about`: a line, without a full stop; `more`: what its own help
    says beside that.
    """
    return commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.{more}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_identity_options(made: "argparse._ActionsContainer") -> None:
    """Where the identity is, and how it is opened."""
    made.add_argument(
        "--data", type=Path, metavar="DIR", help=f"the data folder (default: {default_data()})"
    )
    secret = made.add_mutually_exclusive_group()
    secret.add_argument(
        "--passphrase",
        action="store_true",
        help="ask for the passphrase that protects the identity",
    )
    secret.add_argument(
        "--passphrase-file", type=Path, metavar="F", help="read it from the first line of a file"
    )


def seconds(text: str) -> float:
    """A pause. For argparse: raises ArgumentTypeError."""
    return _number(text, 60, "a pause is a number of seconds, 0 to 60")


def _number(text: str, most: float, wrong: str) -> float:
    """A number from 0 to `most`, nothing else. For argparse: raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise argparse.ArgumentTypeError(wrong)
    return value


def patience(text: str) -> float:
    """How long a lost table is tried again. For argparse: raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError("how long to keep trying is a number of seconds")
    return value


def add_lines(made: "argparse._ActionsContainer", what: str) -> None:
    """Over which lines two people without a table do something: `what` it is, a match or a
    trade.
    """
    made.add_argument(
        "--lines",
        action="store_true",
        help="tell the other player (and nobody else) where else your "
        f"computer can be called: the {what} then moves to a better line, and back, while it runs",
    )
    made.add_argument(
        "--through",
        type=_whole_table,
        metavar="LINK",
        help="a table that the other player names, too: "
        f"if no other line is left, the {what} goes on through it (it cannot read along)",
    )


def _whole_table(text: str) -> JoinLink:
    """The link of a table. For argparse: raises ArgumentTypeError."""
    try:
        link = JoinLink.parse(text)
    except LocalError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if link.direct or link.fingerprint is None:
        raise argparse.ArgumentTypeError(
            "it is the whole link of a table, with its fingerprint: fairdeal://..."
        )
    return link


def data_of(args: argparse.Namespace) -> Path:
    """The data folder."""
    return args.data or default_data()


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
            yield data_of(args)


def plan_of(args: argparse.Namespace, rng: Random) -> "Plan":
    """What to do at the table. Raises: LocalError for options that do not go together."""
    from player.at_table.client import Plan

    chosen = [flag for flag in ("list", "spectate", "create") if getattr(args, flag)]
    if len(chosen) > 1:
        raise LocalError("wrong.together", one=chosen[0], other=chosen[1])
    for other in ("bot", "list"):
        if args.web and getattr(args, other):  # nobody would look at the page
            raise LocalError("wrong.together", one="web", other=other)
    needless = [name for name in FLAGS if getattr(args, name) is not None]
    if needless and not args.create:
        raise LocalError("wrong.needs_create", flag=needless[0].replace("_", "-"))
    if args.create and args.table:
        raise LocalError("wrong.table_or_create")
    if args.again and args.log:
        raise LocalError("wrong.log_or_again")
    terms = parse_terms(args, args.games, has_table=True) if args.create else None
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
    """The name to play under. Raises: LocalError if it is not fit to be one."""
    usual = f"{args.bot}-{rng.randrange(1000):03}" if args.bot else _login()
    name: str = usual if args.name is None else args.name
    try:
        check_name(name)
    except RemoteError as error:
        raise LocalError("wrong.name", why=error.phrase) from None
    return name


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "Player"


def passphrase_of(args: argparse.Namespace) -> bytes | None:
    """The passphrase that was asked for. Raises: LocalError."""
    if args.passphrase:
        try:
            return getpass.getpass(environment_translator(os.environ)("keyfile.ask", None)).encode()
        except EOFError:
            raise LocalError("wrong.no_passphrase") from None
    if args.passphrase_file is None:
        return None
    try:
        raw: bytes = args.passphrase_file.read_bytes()
        return (raw.splitlines() or [b""])[0]
    except OSError as error:
        raise LocalError(
            "wrong.read", path=str(args.passphrase_file), why=str(error.strerror)
        ) from None
