"""Dominoes for people: the line, a hand, actions and scores as plain text. A `protocol.games.texts.GameText`."""

from collections.abc import Iterable, Sequence

from protocol.errors import LocalError
from protocol.games import Action, Hand
from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.state import Result, State
from protocol.games.dominoes.tiles import Tile

SIDES = ("left", "right")
LEFT, RIGHT = "◂", "▸"
LEAVER = "left"  # in place of the number of tiles


def tile_text(tile: Tile) -> str:
    """A tile as it lies: `[6|4]`; a double `[6‖6]`."""
    left, right = tile
    return f"[{left}{'‖' if left == right else '|'}{right}]"


def line_text(state: State, width: int = 80) -> str:
    """The line with its open ends marked, broken between tiles so that no row is wider than `width`."""
    if state.ends is None:
        return "(no tile on the table yet)"
    left, right = state.ends
    tiles = [tile_text(tile) for tile in state.line]
    return _wrap([f"{left} {LEFT} {tiles[0]}", *tiles[1:]], "", f" {RIGHT} {right}", width)


def hand_text(game: Dominoes, hand: Hand, width: int = 80) -> str:
    """The tiles of a hand, highest first."""
    tiles = [tile_text(game.tiles[piece]) for piece in sorted(hand, reverse=True)]
    return _wrap(tiles, " ", "", width) or "(no tiles)"


def action_text(game: Dominoes, state: State, who: str, action: Action) -> str:
    """An action in words, where `state` is the one before it: "Ann plays 6-4 on the right"."""
    verb = action[0]
    if verb == "deny":
        return f"{who} does not have {game.pieces[game.calls[state.called]]}"
    if verb != "play":
        return f"{who} draws a tile" if verb == "draw" else f"{who} passes"
    piece, end = game.pieces[action[1]], action[2]
    if state.ends is None:
        return f"{who} leads {piece}"
    return f"{who} plays {piece} on the {SIDES[end]}"


def choice_text(game: Dominoes, state: State, action: Action) -> str:
    """An action as a choice in a menu: "6-4 on the right", "draw a tile"."""
    verb = action[0]
    if verb == "deny":
        return f"say that you do not have {game.pieces[game.calls[state.called]]}"
    if verb != "play":
        return "draw a tile" if verb == "draw" else "pass"
    piece = game.pieces[action[1]]
    ends = state.ends
    return piece if ends is None or ends[0] == ends[1] else f"{piece} on the {SIDES[action[2]]}"


def result_text(game: Dominoes, result: Result, names: Sequence[str]) -> str:
    """How a hand ended, in one line."""
    if result.void:
        return "The hand is void: somebody broke the rules in it. Nobody scores."
    how = "Nobody can go on" if result.blocked else "The hand is over"
    if result.winner is None:
        return f"{how}, and the fewest pips are held more than once. Nobody scores."
    return f"{how}. {names[result.winner]} wins it and scores {result.points}."


def table_text(game: Dominoes, state: State, hand: Hand, names: Sequence[str], width: int) -> list[str]:
    """What a seat sees before it chooses: the scores, the line, its hand."""
    own = f"Your hand: {hand_text(game, hand, width - 12)}"
    return [*score_text(game, state, names).splitlines(), "", line_text(state, width), "", own]


def laid_text(game: Dominoes, before: State, after: State, names: Sequence[str], width: int) -> list[str]:
    """The line, if it is another than before."""
    return [] if after.line == before.line else line_text(after, width).splitlines()


def news_text(game: Dominoes, before: State, after: State, names: Sequence[str]) -> list[str]:
    """What has happened that no action says: nothing."""
    return []


def menu_text(game: Dominoes, state: State, choices: Sequence[Action]) -> list[str]:
    """The choices, to be made by number."""
    menu = enumerate(choices, 1)
    return ["Your turn:", *(f"  {number}  {choice_text(game, state, action)}" for number, action in menu)]


def help_text(game: Dominoes) -> str:
    """How a choice is typed."""
    return "Type the number of a choice to play it"


def typed(game: Dominoes, state: State, choices: Sequence[Action], line: str) -> Action | None:
    """The choice with the number that was typed; None for what is no number. Raises: LocalError."""
    if not (line.isascii() and line.isdigit()):
        return None
    if not choices:
        raise LocalError("It is not your turn.")
    if not 1 <= int(line) <= len(choices):
        raise LocalError(f"Choose a number from 1 to {len(choices)}.")
    return choices[int(line) - 1]


def score_text(game: Dominoes, state: State, names: Sequence[str]) -> str:
    """The score table, a row for each seat; the row of the seat to act is marked, and seats that have left."""
    rows = [("", f"hand {state.hand}", "tiles", "score")]
    for seat, name in enumerate(names):
        mark = "→" if seat == state.to_act else ""
        tiles = LEAVER if seat in state.out else str(state.hidden[seat])
        rows.append((mark, name, tiles, str(state.scores[seat])))
    wide = max(len(row[1]) for row in rows)
    lines = [f"{mark:1} {name:{wide}}  {tiles:>5}  {score:>5}" for mark, name, tiles, score in rows]
    stock = f", {state.stock} tiles in the stock" if game.draws else ""
    return "\n".join([*lines, f"Played to {game.target}{stock}."])


def _wrap(items: Iterable[str], gap: str, last: str, width: int) -> str:
    """Items in rows of at most `width` characters (a wider item has its own row), then `last`."""
    rows: list[str] = []
    whole = list(items)
    if whole:
        whole[-1] += last
    for item in whole:
        if rows and len(rows[-1]) + len(gap) + len(item) <= width:
            rows[-1] += gap + item
        else:
            rows.append(item)
    return "\n".join(rows)
