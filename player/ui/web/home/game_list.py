"""The games that a person can play at once against bots, each with a picture and a sentence."""

from collections.abc import Collection, Mapping
from typing import Any

from player.presenter.match_data import harmless
from protocol.games.registry import Games
from protocol.games.spec import GameSpec, TurnOrder
from protocol.i18n import language_of
from protocol.limits import MAX_SEATS
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import phrase
from protocol.view.text import Translate, phrase_renderer, sanitize

USUAL = "usual"
EASY = "easy"
STRENGTHS = (USUAL, EASY)
# seconds that a bot takes for a move, on average, so that a person can follow
PACES = {"quick": 0.4, USUAL: 1.0, "slow": 2.5}
HASTE = 2.5  # times as many where all act at once, and a person must be as fast


def bot_words(row: GameSpec, pace: str, strength: str) -> tuple[str, ...]:
    """Return the words of `fairdeal play` for bots of this pace and strength."""
    slower = HASTE if row.dynamics is TurnOrder.INDEPENDENT else 1
    words: tuple[str, ...] = ("--pace", str(PACES[pace] * slower))
    if strength == EASY:
        words += ("--bot", "random")
    return words


def game_list(games: Games, without: Collection[str], translate: Translate) -> list[dict[str, Any]]:
    """Return the installed games, except those named in `without`."""
    rows = [row for row in games.specs.values() if row.version and row.name not in without]
    shown: list[Any] = []  # pictures: variants of a game show different ones
    return [_game(row, translate, shown) for row in rows]


def game_rules(games: Games, name: str, translate: Translate) -> dict[str, Any]:
    """Return the rules of a game with its usual options, block by block."""
    say = phrase_renderer(translate, ())
    row = games.specs.get(name)
    blocks = [] if row is None else _blocks(row, translate)
    shown = sanitize(name)
    none = None if blocks else say(phrase("sheet.none", game=shown))
    return {"game": shown, "blocks": blocks, "none": none}


def _game(row: GameSpec, translate: Translate, shown: list[Any]) -> dict[str, Any]:
    least, most = row.seats
    figures = [block for block in _blocks(row, translate) if block["is"] == "figure"]
    pictures = [{name: figure[name] for name in ("rows", "board")} for figure in figures]
    pictures += [_other_look(picture) for picture in pictures]
    fresh = (one for one in pictures if _look(one) not in shown)
    picture = next(fresh, pictures[0] if pictures else None)
    if picture is not None:
        shown.append(_look(picture))
    return {
        "name": row.name,
        "about": phrase_renderer(translate, ())(phrase(row.about)),
        "least": max(least - 1, 0),
        "most": min(most, MAX_SEATS) - 1,
        "usual": row.default_seats - 1,
        "seats": most,
        "options": any(not option.text_format for option in row.options),
        "picture": picture,
        "family": row.family,
    }


def _look(picture: Mapping[str, Any]) -> Any:
    """Return what a small picture shows of a figure: of a line only its tiles, if it has a board only
    that.
    """
    board = picture["board"]
    if board is None:
        return picture["rows"]
    return board.get("tiles", board)


def _other_look(picture: Mapping[str, Any]) -> dict[str, Any]:
    """Return another picture of the same figure, for a variant that has the same rule sheet: the
    pieces without the board, or in the other order.
    """
    rows = picture["rows"]
    if picture["board"] is not None and rows:
        return {"rows": rows, "board": None}
    return {
        "rows": [{**row, "pieces": row["pieces"][::-1]} for row in rows],
        "board": picture["board"],
    }


def _blocks(row: GameSpec, translate: Translate) -> list[dict[str, Any]]:
    sheet = row.rule_sheet(row.default_seats, {}, language_of(translate))
    if sheet is None:
        return []
    shown = harmless(encode_with_sentences(sheet, phrase_renderer(translate, ())))
    return list(shown["blocks"])
