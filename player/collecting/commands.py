"""`fairdeal cards`: reads the command line, opens the data folder, and obeys."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence

from commandline.extras import needing_lan
from player.collecting import files, looking, marking
from player.collecting.buying import Visit, buy
from player.collecting.decks.commands import deck
from player.collecting.parser import parser
from player.collecting.program import FAILED, USAGE, Program, open_program
from player.collecting.trades.letters import trade_by_letter
from player.collecting.trading import trade
from player.collecting.web import show_page
from player.screens import own_language
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_SALES_ASKED
from protocol.locale.wishes import with_language
from protocol.view.output import show_what_can_be_shown
from protocol.view.words import speaker


def _trade(program: Program) -> int:
    args = program.args
    ways = [args.link is not None, args.listen is not None, args.letter is not None]
    if sum(ways) != 1:
        raise LocalError("wrong.cards.way")
    if program.collection.store.journal.doubt():
        raise LocalError("wrong.trade.old")
    if args.letter is not None:
        return trade_by_letter(program)
    if args.lan:
        with needing_lan():
            import net.lan.air  # noqa: F401  # whether it can be
    return asyncio.run(trade(program))


def _binder(program: Program) -> int:
    return show_page(program) if program.args.web else looking.show_binder(program)


def _buy(program: Program) -> int:
    if not 1 <= program.args.packs <= MAX_SALES_ASKED // 4:
        raise LocalError("wrong.cards.buy.packs", most=MAX_SALES_ASKED // 4)
    return asyncio.run(buy(program, Visit))


COMMANDS: dict[str, Callable[[Program], int]] = {
    "list": looking.list_cards,
    "binder": _binder,
    "show": looking.show,
    "verify": looking.verify,
    "alarms": looking.show_alarms,
    "trust": marking.trust,
    "policy": marking.policy,
    "witness": marking.witness,
    "settle": marking.settle,
    "mend": marking.mend,
    "import": files.take_in,
    "export": files.give_out,
    "trade": _trade,
    "buy": _buy,
    "update": files.update,
    "deck": deck,
}


def main(words: Sequence[str]) -> int:
    """Run a command; the exit code."""
    show_what_can_be_shown()
    args = parser().parse_args(with_language(words, os.environ))
    try:
        with open_program(args) as program:
            return COMMANDS[args.command](program)
    except KeyboardInterrupt:
        return FAILED
    except LocalError as error:
        print(f"fairdeal: {error.said(own_language())}", file=sys.stderr)
    except RemoteError as error:
        print(f"fairdeal: {speaker(own_language(), ())(error.phrase)}", file=sys.stderr)
    return USAGE
