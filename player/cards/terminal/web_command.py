"""`fairdeal cards binder --web`: one's cards on a page, to look at and to trade."""

import asyncio

from commandline.optional_packages import require_web
from player import arguments
from player.cards.terminal.card_program import CLEAN, Program
from player.cards.trades.trader import Tell, Trader
from protocol.errors import LocalError


def show_page(program: Program) -> int:
    """Serve the page until the person stops it. Raises: LocalError."""
    args = program.args
    if args.of or args.edition:
        raise LocalError("wrong.cards.web.all")
    with require_web():
        from player.cards.web.cards_screen import CardsScreen
        from player.cards.web.cards_server import Serving, serve_cards
        from player.cards.web.trade_connections import DirectLines
    name = arguments.name_of(args, program.rng)

    def trader(tell: Tell) -> Trader:
        return Trader(
            program.collection, program.identity, name, program.rng, program.contacts, tell
        )

    lines = DirectLines(program.identity, program.rng, args.listen, trader)
    screen = CardsScreen(program.collection, program.showing, lines)
    lines.changed = screen.changed
    asyncio.run(serve_cards(screen, Serving(args.web_name)))
    return CLEAN
