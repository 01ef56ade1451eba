"""Specs of Texas hold'em and five-card draw."""

from protocol.games.spec import BotSpec, GameSpec
from protocol.limits import (
    MAX_DRAW_SEATS,
    MAX_POKER_HANDS,
    MAX_POKER_REBUYS,
    MAX_POKER_SEATS,
    MAX_POKER_STACK,
    MIN_POKER_SEATS,
)
from protocol.options import DependentNumber, Option, Selection

STACK = DependentNumber("option.stack.name", lambda seats, values: int(values["stack"]))


def _spec(name: str, about: str, seats: int, ante: int, blind: str) -> GameSpec:
    return GameSpec(
        name=name,
        about=about,
        edition="1",
        library="pokerkit",
        install="pip install 'fairdeal[poker]'",
        chips=True,
        seats=(MIN_POKER_SEATS, seats),
        options=(
            Option(
                name="stack", help_key="option.stack", default=200, least=1, most=MAX_POKER_STACK
            ),
            Option(
                name="hands", help_key="option.hands", default=20, least=1, most=MAX_POKER_HANDS
            ),
            Option(name="ante", help_key="option.ante", default=ante, least=ante, most=STACK),
            Option(name="blind", help_key=blind, default=2, least=2, most=STACK),
            Option(
                name="limit",
                help_key="option.limit",
                default="none",
                choices=("none", "fixed"),
            ),
            Option(
                name="levels",
                help_key="option.levels",
                default=0,
                most=MAX_POKER_HANDS,
            ),
            Option(
                name="rebuys",
                help_key="option.rebuys",
                default=0,
                most=MAX_POKER_REBUYS,
            ),
        ),
        # A seat that leaves must not void a game for chips.
        dealing=Selection("verified", (("leavers", "threshold"),)),
        rules="protocol.games.poker.rules:Poker",
        view="protocol.games.poker.view",
        text="protocol.games.poker.text",
        bots=(
            BotSpec(
                "sensible",
                "bots.poker:sensible_bot",
                "help.bot.sensible.poker",
            ),
        ),
    )


SPECS = (
    _spec("texas-holdem", "game.texas_holdem", MAX_POKER_SEATS, 0, "option.blind.big"),
    _spec("five-card-draw", "game.five_card_draw", MAX_DRAW_SEATS, 1, "option.blind.bet"),
)
