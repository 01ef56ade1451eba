"""The games that a person can play at once against bots, each with a picture and a sentence."""

from collections.abc import Collection
from typing import Any

from player.presenter.match_data import harmless
from protocol.games.registry import Games
from protocol.games.spec import GameSpec
from protocol.i18n import language_of
from protocol.limits import MAX_SEATS
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import phrase
from protocol.view.text import Translate, phrase_renderer, sanitize


def game_list(games: Games, without: Collection[str], translate: Translate) -> list[dict[str, Any]]:
    """Return the installed games, except those named in `without`."""
    rows = [row for row in games.specs.values() if row.version and row.name not in without]
    return [_game(row, translate) for row in rows]


def game_rules(games: Games, name: str, translate: Translate) -> dict[str, Any]:
    """Return the rules of a game with its usual options, block by block."""
    say = phrase_renderer(translate, ())
    row = games.specs.get(name)
    blocks = [] if row is None else _blocks(row, translate)
    shown = sanitize(name)
    none = None if blocks else say(phrase("sheet.none", game=shown))
    return {"game": shown, "blocks": blocks, "none": none}


def _game(row: GameSpec, translate: Translate) -> dict[str, Any]:
    least, most = row.seats
    figures = [block for block in _blocks(row, translate) if block["is"] == "figure"]
    return {
        "name": row.name,
        "about": phrase_renderer(translate, ())(phrase(row.about)),
        "least": max(least - 1, 0),
        "most": min(most, MAX_SEATS) - 1,
        "usual": row.default_seats - 1,
        "seats": most,
        "picture": figures[0] if figures else None,
    }


def _blocks(row: GameSpec, translate: Translate) -> list[dict[str, Any]]:
    sheet = row.rule_sheet(row.default_seats, {}, language_of(translate))
    if sheet is None:
        return []
    shown = harmless(encode_with_sentences(sheet, phrase_renderer(translate, ())))
    return list(shown["blocks"])
