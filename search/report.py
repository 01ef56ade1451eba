"""Texts about the result of a search."""

from collections.abc import Sequence

from protocol.games import AnyGame
from protocol.games.game_view import AnyGameView
from protocol.games.spec import GameSpec
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, display_width, pad_to_width, two_columns
from search import DRAW, WIN, SearchResult, ValueKind
from search.algorithms import Algorithm
from search.iterative_deepening import seat_to_move
from search.positions import line_phrases, move_phrase
from search.search_game import State, search_game
from search.tree_drawing import number_text

LINE = 12  # most moves of a line in the text
MOVE = 24  # width of a move in the table, in columns
HEADS = (
    "solve.head.algorithm",
    "solve.head.value",
    "solve.head.best",
    "solve.head.nodes",
    "solve.head.leaves",
    "solve.head.cuts",
    "solve.head.hits",
    "solve.head.depth",
)


def value_phrase(result: SearchResult, seat: int, given_up: str = "solve.value.none") -> Phrase:
    """Say the value of a result that was found for `seat`; `given_up`: the text if there is no
    value.
    """
    value = result.value
    who = SeatRef(seat)
    if result.kind is ValueKind.NONE:
        return phrase(given_up, count=result.counts.nodes)
    if result.kind is ValueKind.EXACT and value == DRAW:
        return phrase("solve.value.draw")
    if result.kind is ValueKind.EXACT:
        return phrase("solve.value.wins", who=SeatRef(seat if value == WIN else 1 - seat))
    key = {
        ValueKind.GUESS: "solve.value.guess",
        ValueKind.AT_LEAST: "solve.value.at_least",
        ValueKind.AT_MOST: "solve.value.at_most",
    }
    return phrase(key[result.kind], who=who, value=number_text(value))


def result_lines(
    row: Algorithm,
    result: SearchResult,
    spec: GameSpec,
    game: AnyGame,
    state: State,
    say: Say,
) -> list[str]:
    """Say value, best move, line and counts of a result of `row`, each in a line of text."""
    counts = result.counts
    line = line_phrases(spec, game, state, result.moves[:LINE])
    more = [phrase("solve.more")] if result.moves[LINE:] else []
    rows = [
        (
            phrase("solve.label.value"),
            say(value_phrase(result, seat_to_move(search_game(game), state), row.given_up)),
        )
    ]
    if line:
        rows.append((phrase("solve.label.best"), say(line[0])))
        rows.append((phrase("solve.label.line"), "; ".join(map(say, [*line, *more]))))
    told = phrase(
        "solve.counts",
        nodes=f"{counts.nodes:,}",
        leaves=f"{counts.leaves:,}",
        cuts=f"{counts.cuts:,}",
        hits=f"{counts.hits:,}",
        depth=counts.depth,
    )
    return two_columns([*rows, (phrase("solve.label.counts"), say(told))], say)


def table_lines(
    found: Sequence[tuple[Algorithm, SearchResult]],
    game: AnyGame,
    state: State,
    view: AnyGameView,
    say: Say,
) -> list[str]:
    """Make a table of several results, one row for each algorithm."""
    seat = seat_to_move(search_game(game), state)
    rows = [[say(phrase(head)) for head in HEADS]]
    for row, result in found:
        if result.best is None:
            best = ""
        else:
            best = say(move_phrase(view, game, state, seat, result.best))
        if result.kind is ValueKind.NONE:
            value = "·"
        else:
            value = number_text(result.value)
        value += "" if result.kind in (ValueKind.EXACT, ValueKind.NONE) else " ?"
        c = result.counts
        rows.append(
            [
                row.name,
                value,
                best[:MOVE],
                *(f"{n:,}" for n in (c.nodes, c.leaves, c.cuts, c.hits, c.depth)),
            ]
        )
    wide = [max(display_width(row[column]) for row in rows) for column in range(len(HEADS))]
    return [
        "  ".join(
            _cell(text, width, at) for at, (text, width) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cell(text: str, width: int, column: int) -> str:
    """Align texts to the left and numbers to the right."""
    if column < 3:
        return pad_to_width(text, width)
    return " " * (width - display_width(text)) + text
