"""What two people play without a table, on the command line."""

import argparse

from player.arguments import option
from protocol.dealing.operations import can_deal
from protocol.dealing.registry import create_dealing
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import GAMES, create_game
from protocol.match.setup import Terms
from protocol.messages.parcel import SEATS

USUAL_DEAL = "commutative"
USUAL_GAME = "five-card-draw"


def add_terms(made: argparse.ArgumentParser) -> None:
    """The options that say what is played."""
    made.add_argument("--game", choices=sorted(GAMES), default=USUAL_GAME, help=f"default: {USUAL_GAME}")
    made.add_argument(
        "--deal",
        choices=("commutative", "verified"),
        default=USUAL_DEAL,
        help=f"how pieces are dealt; default: {USUAL_DEAL}",
    )
    made.add_argument("--target", type=int, metavar="N", help="points that win at dominoes")
    made.add_argument("--option", action="append", type=option, metavar="NAME=VALUE", help="an option of the game")


def terms_of(args: argparse.Namespace) -> Terms:
    """The terms that were asked for. Raises: LocalError."""
    options = dict(args.option or ())
    if args.target is not None:
        options["target"] = args.target
    try:
        game = create_game(args.game, SEATS, options)
        dealing = create_dealing(args.deal, {})
    except RemoteError as error:
        raise LocalError(f"{args.game} cannot be played like this: {error}.") from None
    if not can_deal(dealing, game):
        raise LocalError(f"{args.game} with these options cannot be dealt {args.deal}.")
    return Terms(args.game, tuple(sorted(options.items())), args.deal, (), (), SEATS)
