"""Games by rule files, as rows of the registry: those that come along, and any other."""

from protocol.games.spec import (BotRow, Row)
from protocol.games.scripted.rule_file.built_in import (FORM, name_of, shipped, text_named)
from protocol.options import Chosen, Option, Value

BOTS = (
    BotRow(
        "foresight",
        "bots.foresight:foresight_bot",
        "tries each action on what it knows, and takes one after which it stands best",
    ),
)
OWN = (
    Option(name="cards", about="option.cards", default="proxies", choices=("proxies", "owned")),
    Option(
        name="mode", about="option.mode", default="closing", choices=("closing", "open", "hidden")
    ),
)
SWITCH = ("no", "yes")


def _rules(default: str) -> Option:
    return Option(name="rules", about="option.rules", default=default, form=FORM, brought=_brought)


def _brought(digest: Value) -> bool:
    """Judge a digest: true if no file that comes along has it."""
    return text_named(str(digest)) is None


def _row(name: str, about: str, seats: tuple[int, int], rules: str, *options: Option) -> Row:
    return Row(
        name=name,
        about=about,
        edition="2",
        seats=seats,
        options=(_rules(rules), *options),
        dealing=Chosen("verified", (("leavers", "threshold"),)),
        rules="protocol.games.scripted.game:ScriptGame",
        view="protocol.games.scripted.view",
        text="protocol.games.scripted.text",
        bots=BOTS,
        half="protocol.games.scripted.private_half:ScriptHalf",
    )


ROWS = (
    _row(
        "element-duel",
        "game.element_duel",
        (2, 2),
        name_of(shipped("element-duel")),
        *OWN,
        Option(name="early", about="option.early", default="no", choices=SWITCH),
        Option(name="together", about="option.together", default="no", choices=SWITCH),
    ),
    _row("mau-mau", "game.mau_mau", (2, 2), name_of(shipped("mau-mau")), *OWN),
    _row("mau-mau-shared", "game.mau_mau_shared", (2, 4), name_of(shipped("mau-mau-shared"))),
    _row("crazy-eights", "game.crazy_eights", (2, 4), name_of(shipped("crazy-eights"))),
    _row("script", "game.script", (2, 4), name_of(shipped("mau-mau-shared")), *OWN),
)
