"""Specs of edition 1 of Texas hold'em and five-card draw. They stay as they were."""

from protocol.games.spec import BotSpec, GameSpec
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
        seats=(2, seats),
        options=(
            Option(name="stack", help_key="option.stack", default=200, least=1, most=10_000),
            Option(name="hands", help_key="option.hands", default=20, least=1, most=500),
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
                most=500,
            ),
            Option(
                name="rebuys",
                help_key="option.rebuys",
                default=0,
                most=3,
            ),
        ),
        # A seat that leaves must not void a game for chips.
        dealing=Selection("verified", (("leavers", "threshold"),)),
        rules="protocol.games.poker.edition_1.rules:Poker",
        view="protocol.games.poker.view",
        text="protocol.games.poker.text",
        sheet="protocol.games.poker.sheet:rule_sheet",
        hand_formats="protocol.audit.poker_hands:FORMATS",
        bots=(
            BotSpec(
                "sensible",
                "bots.poker:sensible_bot",
                "help.bot.sensible.poker",
            ),
        ),
    )


HOLDEM, DRAW = (
    _spec("texas-holdem", "game.texas_holdem", 9, 0, "option.blind.big"),
    _spec("five-card-draw", "game.five_card_draw", 6, 1, "option.blind.bet"),
)
