"""What a search has found, in words."""

from collections.abc import Sequence

from protocol.games import Game
from protocol.games.spec import Row
from protocol.games.game_view import GameView
from search import (DRAW, WIN, Kind, Result)
from search.algorithms import Algorithm
from search.iterative_deepening import mover
from search.tree_drawing import number_text
from search.positions import (move_phrase, moves_in_words)
from search.search_game import (State, rules_of)
from protocol.view.phrase import Phrase, Who, phrase
from protocol.view.text import (Say, cells, columns, padded)

LINE = 12  # moves of a line that are told
MOVE = 24  # columns of a move in a table
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


def value_phrase(result: Result, seat: int) -> Phrase:
    """What a value means, found for this seat."""
    value, who = result.value, Who(seat)
    if result.kind is Kind.NONE:
        return phrase("solve.value.none", count=result.counts.nodes)
    if result.kind is Kind.EXACT and value == DRAW:
        return phrase("solve.value.draw")
    if result.kind is Kind.EXACT:
        return phrase("solve.value.wins", who=Who(seat if value == WIN else 1 - seat))
    key = {
        Kind.GUESS: "solve.value.guess",
        Kind.AT_LEAST: "solve.value.at_least",
        Kind.AT_MOST: "solve.value.at_most",
    }
    return phrase(key[result.kind], who=who, value=number_text(value))


def result_lines(result: Result, row: Row, game: Game, state: State, say: Say) -> list[str]:
    """Value, best move, line and counts: a line each."""
    counts, line = result.counts, moves_in_words(row, game, state, result.moves[:LINE])
    more = [phrase("solve.more")] if result.moves[LINE:] else []
    rows = [(phrase("solve.label.value"), say(value_phrase(result, mover(rules_of(game), state))))]
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
    return columns([*rows, (phrase("solve.label.counts"), say(told))], say)


def table_lines(
    found: Sequence[tuple[Algorithm, Result]], game: Game, state: State, view: GameView, say: Say
) -> list[str]:
    """Several results under one another."""
    seat = mover(rules_of(game), state)
    rows = [[say(phrase(head)) for head in HEADS]]
    for row, result in found:
        best = "" if result.best is None else say(move_phrase(view, game, state, seat, result.best))
        value = "·" if result.kind is Kind.NONE else number_text(result.value)
        value += "" if result.kind in (Kind.EXACT, Kind.NONE) else " ?"
        c = result.counts
        rows.append(
            [
                row.name,
                value,
                best[:MOVE],
                *(f"{n:,}" for n in (c.nodes, c.leaves, c.cuts, c.hits, c.depth)),
            ]
        )
    wide = [max(cells(row[column]) for row in rows) for column in range(len(HEADS))]
    return [
        "  ".join(
            _cell(text, width, at) for at, (text, width) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cell(text: str, width: int, column: int) -> str:
    """Words to the left, numbers to the right."""
    return padded(text, width) if column < 3 else " " * (width - cells(text)) + text
