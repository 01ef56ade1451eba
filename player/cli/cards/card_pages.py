"""The screen of an open collection: for `fairdeal cards binder --web`, and for the app."""

import asyncio

from player.cards.creator.mint import Mint
from player.cards.creator.starter import Starter
from player.cards.shops.shop_visit import ShopBuyer
from player.cards.trades.trader import Tell, Trader, in_a_later_turn
from player.cli import arguments
from player.cli.cards import arguments as card_arguments
from player.cli.cards.card_program import Program
from player.client.connection import Connect, connect
from player.storage.resumable_matches import ResumableMatches
from player.ui.web.cards.cards_screen import CardsScreen
from player.ui.web.cards.trade_connections import TradeConnections
from player.ui.web.cards.trade_place import TradePlace
from player.ui.web.messages import RunWork


def cards_screen(
    program: Program,
    place: TradePlace | None = None,
    run_work: RunWork = asyncio.to_thread,
    connect: Connect = connect,
) -> CardsScreen:
    """Return the screen of an open collection, with its connections. `connect` reaches tables and
    people.
    """
    args = program.args

    def name() -> str:
        # the person may choose another one while the cards are open
        return arguments.name_of(args, program.rng)

    def trader(tell: Tell) -> Trader:
        return Trader(
            program.collection,
            program.identity,
            name(),
            program.rng,
            program.contacts,
            tell,
            in_a_later_turn,
        )

    usual = args.listen == card_arguments.HERE
    spare = card_arguments.FREE if usual else None
    data = arguments.data_of(args)
    matches = ResumableMatches(data, program.identity)
    lines = TradeConnections(
        program.identity,
        program.rng,
        args.listen,
        trader,
        connect,
        spare=spare,
        in_match=lambda link: matches.at(link) is not None,
    )
    buyer = ShopBuyer(program.identity, program.collection, program.rng, data)
    starter = Starter(Mint(program.collection, program.identity), data, program.rng, name())
    screen = CardsScreen(
        program.collection, program.showing, lines, buyer, starter, place, run_work
    )
    lines.changed = screen.changed
    return screen
