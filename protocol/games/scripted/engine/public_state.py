"""Public state as plain values for rules. It contains no secrets, and only faces that everybody
knows.
"""

from protocol.games.decks import Face
from protocol.games.operations import Card
from protocol.games.scripted.engine.state import ScriptContext, ScriptState

UNMARKED: dict[str, int] = {}  # shared, because no rule can change a dict


def face(table: ScriptContext, state: ScriptState, card: Card) -> Face | None:
    """Face of a card, if it is public."""
    piece = state.pieces[card]
    return None if piece is None else table.face(state, piece)


def public_state(table: ScriptContext, state: ScriptState) -> dict[str, object]:
    """Make the argument `g` of all functions of a rule file."""
    return {
        "turn": state.turn,
        "first": state.first,
        "turns": state.turns,
        "seats": table.seats,
        "out": sorted(state.out),
        "options": dict(table.options),
        "regions": _regions(table, state),
        "counters": _counters(table, state),
        "marks": [dict(marks) if marks else UNMARKED for marks in state.marks],
        "faces": _faces(table, state),
    }


def _faces(table: ScriptContext, state: ScriptState) -> list[Face | None]:
    if state.decks is None:
        cards = table.contract.cards
        return [None if piece is None else cards[piece] for piece in state.pieces]
    return [None if piece is None else table.face(state, piece) for piece in state.pieces]


def _regions(table: ScriptContext, state: ScriptState) -> dict[str, object]:
    regions: dict[str, object] = {}
    by_seat: dict[str, list[list[Card]]] = {}
    for (number, seat), cards in zip(table.places, state.lies, strict=True):
        name = table.contract.zones[number].name
        if seat is None:
            regions[name] = list(cards)
        else:
            by_seat.setdefault(name, []).append(list(cards))
            regions[name] = by_seat[name]
    return regions


def _counters(table: ScriptContext, state: ScriptState) -> dict[str, object]:
    named = zip(table.contract.counters, state.counters, strict=True)
    return {name: list(values) if each else values[0] for (name, each), values in named}
