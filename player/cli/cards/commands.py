"""Commands of `fairdeal cards`: opens the data folder, and runs the command."""

import argparse
import asyncio
import sys
from collections.abc import Callable

from commandline.optional_packages import require_lan, require_web
from player.cards.shops.shop_visit import MAX_PACKS, ShopVisit
from player.cli.cards import bundle_files, list_commands, trust_commands
from player.cli.cards.buy_command import buy
from player.cli.cards.card_program import CLEAN, FAILED, USAGE, Program, open_program
from player.cli.cards.deck_commands import deck
from player.cli.cards.letter_command import trade_by_letter
from player.cli.cards.trade_command import trade
from protocol.errors import LocalError, RemoteError
from protocol.i18n.language_choice import own_language
from protocol.view.terminal_output import wrap_for
from protocol.view.text import phrase_renderer, translate_phrase


def _trade(program: Program) -> int:
    args = program.args
    ways = [args.link is not None, args.listen is not None, args.letter is not None]
    if sum(ways) != 1:
        raise LocalError("wrong.cards.way")
    if program.collection.store.journal.is_outdated():
        raise LocalError("wrong.trade.old")
    if args.letter is not None:
        return trade_by_letter(program)
    if args.lan:
        with require_lan():
            import net.lan.mdns  # noqa: F401  # whether it can be
    return asyncio.run(trade(program))


def _binder(program: Program) -> int:
    if program.args.web:
        return _show_page(program)
    return list_commands.show_binder(program)


def _show_page(program: Program) -> int:
    """Run `cards binder --web`: serve the page until the person stops it. Raises: LocalError."""
    args = program.args
    if args.of or args.edition:
        raise LocalError("wrong.cards.web.all")
    with require_web():
        from player.cli.cards.card_pages import cards_screen
        from player.ui.web.cards.cards_server import ServerSettings, serve_cards
    screen = cards_screen(program)
    asyncio.run(serve_cards(screen, ServerSettings(args.web_name)))
    return CLEAN


def _buy(program: Program) -> int:
    if not 1 <= program.args.packs <= MAX_PACKS:
        raise LocalError("wrong.cards.buy.packs", most=MAX_PACKS)
    return asyncio.run(buy(program, ShopVisit))


COMMANDS: dict[str, Callable[[Program], int]] = {
    "list": list_commands.list_cards,
    "binder": _binder,
    "show": list_commands.show,
    "verify": list_commands.verify,
    "alarms": list_commands.show_alarms,
    "trust": trust_commands.trust,
    "policy": trust_commands.policy,
    "witness": trust_commands.witness,
    "settle": trust_commands.settle,
    "mend": trust_commands.mend,
    "import": bundle_files.import_files,
    "export": bundle_files.export_cards,
    "trade": _trade,
    "buy": _buy,
    "update": bundle_files.update,
    "deck": deck,
}


def run_command(args: argparse.Namespace) -> int:
    """Run the command of a parsed command line, and return its exit code."""
    try:
        with open_program(args) as program:
            return COMMANDS[args.command](program)
    except KeyboardInterrupt:
        return FAILED
    except LocalError as error:
        said = translate_phrase(error.phrase, own_language())
        print(wrap_for(sys.stderr, f"fairdeal: {said}"), file=sys.stderr)
    except RemoteError as error:
        said = phrase_renderer(own_language(), ())(error.phrase)
        print(wrap_for(sys.stderr, f"fairdeal: {said}"), file=sys.stderr)
    return USAGE
