"""The command line of `python -m player`: what can be asked for, and what it comes to."""

import argparse
import getpass
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import platformdirs

from bots.registry import BOTS, bots_help
from player.at_table.client import Plan
from player.disk.files import own_folder, sole_player
from protocol.codes import Code
from protocol.dealing.registry import create_dealing
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import GAMES, create_game, default_dealing, default_dealing_options
from protocol.identity.names import check_name
from protocol.match.clock import CLOCK_HELP, Allowance, parse_clock
from protocol.match.setup import OptionList, Terms

EXAMPLES = f"""\
the bots:
  {bots_help().replace(chr(10), chr(10) + "  ")}

options of the games: dominoes: hand=N (tiles dealt to each), highest=6 or 9 (the set);
  poker: stack=N (chips to begin with), hands=N (to play), ante=N, blind=N (the big one; at draw the smallest bet)
options of the deal, layered: take=PERCENT, swap=PERCENT; verified with --leavers threshold: quorum=N

examples:
  python -m player fairdeal://example.org:7500/<fingerprint>           play yourself
  python -m player LINK --name Ann --bot greedy                        let a bot play
  python -m player LINK --list                                         which tables there are
  python -m player LINK --create --game draw-dominoes --seats 2        open a table, and sit down at it
  python -m player LINK --create --game texas-holdem --seats 6         poker needs: pip install 'fairdeal[poker]'
  python -m player LINK --table NAME --spectate                        watch
  python -m player                                                     go on with the match that was interrupted
  python -m player contacts                                            whom you have played with
  python -m player identity                                            your own fingerprint

two people without a table (each command has its own --help):
  python -m player mail new --with ADDRESS --game five-card-draw       by e-mail; then mail read, move, send, status
  python -m player host --game draw-dominoes                           wait for one other player, who types:
  python -m player join LINK

While you play: type a choice as it is offered (its number; at poker "call", "raise 20"); "say TEXT" talks to
the others (sealed: the table cannot read it); "leave" gives the match up, if you say yes. Ctrl-C, Ctrl-D and
SIGTERM stop the program and keep the match: the same command goes on with it, while the others' clock waits.
The log of every match is kept; anybody can check it: python -m protocol audit FILE

exit codes: 0 a clean match, 1 a fault, or the match did not end, 2 wrong usage, 3 not the table you know
"""

CLOCK_FLAGS = ("extensions", "step_seconds", "turn_seconds")  # in the order of `Allowance`


def parser() -> argparse.ArgumentParser:
    """The parser for playing; `contacts` and `identity` have `side_parser`."""
    made = argparse.ArgumentParser(
        prog="python -m player",
        description="Join a table and play a match. Every entry of the table's log is checked as it comes.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "link", metavar="LINK", nargs="?", help="the table's join link, or: contacts, identity, mail, host, join"
    )
    made.add_argument("--name", help="the name the others see (default: your login name)")
    made.add_argument("--bot", choices=sorted(BOTS), help="let a bot play; without --data it has a folder of its own")
    made.add_argument("--pace", type=seconds, default=0.0, metavar="SECONDS", help="how long a bot thinks (default 0)")
    made.add_argument("--again", action="store_true", help="keep playing, match after match")
    made.add_argument("--quiet", action="store_true", help="a bot says only the verdict")
    back = made.add_argument_group("coming back to a match that was interrupted: the same command, or no LINK at all")
    back.add_argument("--keep-trying", type=patience, metavar="SECONDS", help="for a lost table (default 600)")
    back.add_argument("--forget", action="store_true", help="drop the unfinished match at this table, and go")
    seat = made.add_argument_group("which table")
    seat.add_argument("--list", action="store_true", help="list the tables and go")
    seat.add_argument("--table", metavar="ID", help="the table to join (default: the manager's own)")
    seat.add_argument("--spectate", action="store_true", help="watch a running match instead of playing")
    new = made.add_argument_group("a table of your own")
    new.add_argument("--create", action="store_true", help="open a table and sit down at it")
    new.add_argument("--game", choices=sorted(GAMES), help="default: block-dominoes")
    new.add_argument("--seats", type=int, metavar="N", help="default: 2")
    new.add_argument("--target", type=int, metavar="N", help="points that win at dominoes")
    new.add_argument(
        "--deal", metavar="PROTOCOL", help="how pieces are dealt; default: layered for dominoes, else verified"
    )
    new.add_argument(
        "--leavers",
        choices=("void", "threshold"),
        help="what becomes of the match when a seat leaves; poker: threshold",
    )
    new.add_argument("--turn-seconds", type=int, metavar="N", help="how long a seat may think about a move")
    new.add_argument("--extensions", type=int, metavar="N", help="how often a seat gets that time once more")
    new.add_argument("--step-seconds", type=int, metavar="N", help="how long a program may take for anything else")
    new.add_argument("--option", action="append", type=option, metavar="NAME=VALUE", help="an option of the game")
    new.add_argument("--deal-option", action="append", type=option, metavar="NAME=VALUE", help="one of the dealing")
    files = made.add_argument_group("files")
    files.add_argument("--log", type=Path, metavar="FILE", help="where the log goes (default: in the data folder)")
    add_identity_options(files)
    return made


def side_parser(command: str) -> argparse.ArgumentParser:
    """The parser of `contacts` and `identity`."""
    about = {"contacts": "List the people you have played with.", "identity": "Show your own fingerprint."}
    made = argparse.ArgumentParser(prog=f"python -m player {command}", description=about[command])
    add_identity_options(made)
    return made


def add_identity_options(made: "argparse._ActionsContainer") -> None:
    """Where the identity is, and how it is opened."""
    made.add_argument("--data", type=Path, metavar="DIR", help=f"the data folder (default: {default_data()})")
    secret = made.add_mutually_exclusive_group()
    secret.add_argument("--passphrase", action="store_true", help="ask for the passphrase that protects the identity")
    secret.add_argument("--passphrase-file", type=Path, metavar="F", help="read it from the first line of a file")


def default_data() -> Path:
    """The user's data folder for fairdeal."""
    return Path(platformdirs.user_data_dir("fairdeal", appauthor=False))


def seconds(text: str) -> float:
    """A pause. For argparse: raises ArgumentTypeError."""
    wrong = argparse.ArgumentTypeError("a pause is a number of seconds, 0 to 60")
    try:
        value = float(text)
    except ValueError:
        raise wrong from None
    if not 0 <= value <= 60:
        raise wrong
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


def option(text: str) -> tuple[str, int | str]:
    """`NAME=VALUE`, a number where it looks like one."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError("an option looks like NAME=VALUE, for example hand=5")
    return name, int(value) if re.fullmatch("[0-9]{1,9}", value) else value


def data_of(args: argparse.Namespace) -> Path:
    """The data folder."""
    return args.data or default_data()


@contextmanager
def held_data(args: argparse.Namespace) -> Iterator[Path]:
    """Hold the data folder: the person's or, for a bot that was given none, one of its own, which `data_of` then is.

    Raises: LocalError if another program plays from it.
    """
    if args.bot and args.data is None:
        with own_folder(default_data() / "bots") as args.data:
            yield args.data
    else:
        with sole_player(data_of(args)):
            yield data_of(args)


def plan_of(args: argparse.Namespace, rng: Random) -> Plan:
    """What to do at the table. Raises: LocalError for options that do not go together."""
    chosen = [flag for flag in ("list", "spectate", "create") if getattr(args, flag)]
    if len(chosen) > 1:
        raise LocalError(f"--{chosen[0]} and --{chosen[1]} do not go together.")
    of_new_table = ("game", "seats", "target", "deal", "leavers", *CLOCK_FLAGS, "option", "deal_option")
    needless = [name for name in of_new_table if getattr(args, name) is not None]
    if needless and not args.create:
        raise LocalError(f"--{needless[0].replace('_', '-')} is for a table of your own: add --create.")
    if args.create and args.table:
        raise LocalError("--table joins a table that is there; --create opens another. Leave one of them out.")
    if args.again and args.log:
        raise LocalError("--log names one file, and --again plays many matches: leave one of them out.")
    terms, name = _terms(args) if args.create else None, name_of(args, rng)
    return Plan(name, args.table, terms, args.spectate, args.list, args.keep_trying, args.log)


def _terms(args: argparse.Namespace) -> Terms:
    options = dict(args.option or ())
    if args.target is not None:
        options["target"] = args.target
    seats = 2 if args.seats is None else args.seats
    game = args.game or "block-dominoes"
    deal = args.deal or default_dealing(game)
    dealing_options = {**default_dealing_options(game, deal), **dict(args.deal_option or ())}
    if args.leavers is not None:
        dealing_options["leavers"] = args.leavers
    try:
        create_game(game, seats, options)
    except RemoteError as error:
        if error.code is Code.GAME_NOT_INSTALLED:
            raise LocalError(f"{game} cannot be played: {error}.") from None
        raise LocalError(f"{game} cannot be played with {seats} seats and these options. See --help.") from None
    if args.leavers == "threshold" and deal != "verified":
        raise LocalError("--leavers threshold needs --deal verified: add that, or leave it out.")
    try:
        create_dealing(deal, dealing_options)
    except RemoteError:
        raise LocalError(f"There is no dealing protocol {deal!r} with these options. See --help.") from None
    return Terms(game, _sorted(options), deal, _sorted(dealing_options), _clock(args), seats)


def _clock(args: argparse.Namespace) -> OptionList:
    given = [getattr(args, flag) for flag in CLOCK_FLAGS]
    usual = zip(given, Allowance(), strict=True)
    options = Allowance(*(default if value is None else value for value, default in usual)).options()
    try:
        parse_clock(options)
    except RemoteError:
        raise LocalError(CLOCK_HELP) from None
    return options


def _sorted(options: dict[str, int | str]) -> OptionList:
    return tuple(sorted(options.items()))


def name_of(args: argparse.Namespace, rng: Random) -> str:
    """The name to play under. Raises: LocalError if it is not fit to be one."""
    usual = f"{args.bot}-{rng.randrange(1000):03}" if args.bot else _login()
    name: str = usual if args.name is None else args.name
    try:
        check_name(name)
    except RemoteError as error:
        raise LocalError(f"This name cannot be used: {error}. Choose another with --name.") from None
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
            return getpass.getpass("Passphrase of your identity: ").encode()
        except EOFError:
            raise LocalError("No passphrase was typed. Where nobody can type, use --passphrase-file.") from None
    if args.passphrase_file is None:
        return None
    try:
        raw: bytes = args.passphrase_file.read_bytes()
        return (raw.splitlines() or [b""])[0]
    except OSError as error:
        raise LocalError(f"{args.passphrase_file} cannot be read ({error.strerror}).") from None
