"""Specs of games by rule files: the built-in files, and `script` for any other file."""

from dataclasses import replace

from protocol.games.decks.accepted_lists import LISTS
from protocol.games.scripted.rule_file.built_in import (
    DIGEST_FORMAT,
    built_in_text,
    rule_digest,
    text_of_digest,
)
from protocol.games.spec import BotSpec, GameSpec
from protocol.options import Option, Selection, Value

BOTS = (
    BotSpec(
        "foresight",
        "bots.foresight:foresight_bot",
        "help.bot.foresight",
    ),
)
OWN_DECK_OPTIONS = (
    Option(name="cards", help_key="option.cards", default="proxies", choices=("proxies", "owned")),
    Option(
        name="mode",
        help_key="option.mode",
        default="closing",
        choices=("closing", "open", "hidden"),
    ),
)
SWITCH = ("no", "yes")
# what programs do so that nobody can cheat, and no person has chosen
OF_PROGRAMS = frozenset(
    {
        "script.did.rules",
        "script.did.deck",
        "script.did.open",
        "script.did.step",
        "script.did.toss",
        "script.did.toss_open",
    }
)
ANY_RULE_FILE = "script"  # game for a rule file that no other spec names


def _rules(default: str) -> Option:
    return Option(
        name="rules",
        help_key="option.rules",
        default=default,
        text_format=DIGEST_FORMAT,
        brought=_is_from_player,
    )


def _is_from_player(digest: Value) -> bool:
    """Check whether a digest belongs to no built-in file."""
    return text_of_digest(str(digest)) is None


def _spec(
    name: str, about: str, seats: tuple[int, int], rules: str, earlier: str, *options: Option
) -> GameSpec:
    """Describe a game whose file is the built-in one `rules`. The newest file of edition 4 was
    `earlier`.
    """
    newest = GameSpec(
        name=name,
        about=about,
        edition="5",
        seats=seats,
        options=(_rules(rule_digest(built_in_text(rules))), *options),
        lists=LISTS if OWN_DECK_OPTIONS[0] in options else (),
        dealing=Selection("verified", (("leavers", "threshold"),)),
        rules="protocol.games.scripted.game:ScriptGame",
        view="protocol.games.scripted.view",
        text="protocol.games.scripted.text",
        sheet="protocol.games.scripted.rule_sheet:write_sheet",
        minor=OF_PROGRAMS,
        bots=BOTS,
        private_half="protocol.games.scripted.private_half:ScriptPrivateHalf",
    )
    older = replace(
        newest,
        edition="4",
        options=(_rules(rule_digest(built_in_text(earlier))), *options),
        lists=(),
        rules="protocol.games.scripted.edition_4:AsciiScriptGame",
    )
    return replace(newest, older=(older,))


SPECS = (
    _spec(
        "element-duel",
        "game.element_duel",
        (2, 2),
        "element-duel",
        "element-duel-1",
        *OWN_DECK_OPTIONS,
        Option(name="early", help_key="option.early", default="no", choices=SWITCH),
        Option(name="together", help_key="option.together", default="no", choices=SWITCH),
    ),
    _spec("mau-mau", "game.mau_mau", (2, 2), "mau-mau", "mau-mau-1", *OWN_DECK_OPTIONS),
    _spec("mau-mau-shared", "game.mau_mau_shared", (2, 4), "mau-mau-shared", "mau-mau-shared-2"),
    _spec("crazy-eights", "game.crazy_eights", (2, 4), "crazy-eights", "crazy-eights-1"),
    _spec(
        ANY_RULE_FILE,
        "game.script",
        (2, 4),
        "mau-mau-shared",
        "mau-mau-shared-2",
        *OWN_DECK_OPTIONS,
    ),
)
