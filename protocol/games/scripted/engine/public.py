"""The public state as plain values, as rules are given it: no face that not everybody knows, and no secret at all."""

from typing import Any

from protocol.games.decks import Face
from protocol.games.operations import Card
from protocol.games.scripted.engine.state import State, Table


def face(table: Table, state: State, card: Card) -> Face | None:
    """What everybody knows to be on a card."""
    piece = state.pieces[card]
    return None if piece is None else table.face(state, piece)


def public(table: Table, state: State) -> dict[str, Any]:
    """The argument `g` of every function of a rule file."""
    return {
        "turn": state.turn,
        "first": state.first,
        "turns": state.turns,
        "seats": table.seats,
        "out": sorted(state.out),
        "options": dict(table.options),
        "regions": _regions(table, state),
        "counters": _counters(table, state),
        "marks": [dict(marks) for marks in state.marks],
        "faces": [face(table, state, card) for card in range(len(state.pieces))],
    }


def _regions(table: Table, state: State) -> dict[str, Any]:
    regions: dict[str, Any] = {}
    for (number, seat), cards in zip(table.places, state.lies, strict=True):
        name = table.contract.zones[number].name
        if seat is None:
            regions[name] = list(cards)
        else:
            regions.setdefault(name, []).append(list(cards))
    return regions


def _counters(table: Table, state: State) -> dict[str, Any]:
    named = zip(table.contract.counters, state.counters, strict=True)
    return {name: list(values) if each else values[0] for (name, each), values in named}
