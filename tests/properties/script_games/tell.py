"""Course of a match as text: each action, and the places of cards and counters after it; nothing
about the dealing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from protocol.games import Piece
from protocol.games.operations import Card
from protocol.games.scripted.engine.state import ScriptPhase, ScriptState
from tests.properties.script_games.course import Happened
from tests.properties.script_games.play import Course


def told(course: Course) -> str:
    """Return the whole match as everybody sees it; hidden cards by their places."""
    options = ", ".join(f"{name} {value}" for name, value in course.kind.options)
    head = [
        f"game: {course.kind.game}{f', {options}' if options else ''}",
        f"begins: seat {course.first + 1}",
        "",
    ]
    return "\n".join([*head, *_Teller(course).lines()]) + "\n"


@dataclass
class _Teller:
    course: Course

    def __post_init__(self) -> None:
        self._contract, self._pack = self.course.kind.contract, self.course.kind.pack
        self._seats = range(self.course.kind.seats)
        zones = enumerate(self._contract.zones)
        self._places = [
            (zone, seat) for _, zone in zones for seat in (self._seats if zone.each else (None,))
        ]
        self._last: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        together: list[str] = []
        for one in self.course.happened:
            if one.chosen:
                together.append(self._action(one))
            if one.after.ask is not None and one.after.ask.chosen:
                # the others choose simultaneously: their actions count in the order of seats
                continue
            yield from sorted(together)
            together.clear()
            for name, now in self._now(one.after).items():
                if self._last.get(name) != now:
                    self._last[name] = now
                    yield f"    {name}: {now}"

    def _action(self, one: Happened) -> str:
        assert one.seat is not None
        name, card, target, choice, piece, _ = one.action
        kind = next((kind for kind in self._contract.kinds if kind.name == name), None)
        words = [
            name,
            *([f"card {card}"] if card else ()),
            *([self._name(piece - 1)] if piece else ()),
        ]
        words += [f"at card {target}"] if target else []
        words += [kind.choices[choice - 1]] if choice and kind else []
        return f"seat {one.seat + 1}: {' '.join(words)}"

    def _name(self, piece: Piece) -> str:
        return str(self._contract.cards[self._pack[piece]]["name"])

    def _now(self, state: ScriptState) -> dict[str, str]:
        """Return the public knowledge by kind."""
        if state.phase in (ScriptPhase.RULES, ScriptPhase.DECKS, ScriptPhase.LAY):
            return {}
        found = {}
        for (zone, seat), cards in zip(self._places, state.lies, strict=True):
            place = zone.name if seat is None else f"{zone.name} of seat {seat + 1}"
            found[place] = str(len(cards)) if zone.name == "deck" else self._cards(state, cards)
        for (name, _), values in zip(self._contract.counters, state.counters, strict=True):
            found[name] = " ".join(map(str, values))
        if state.winners is not None:
            found["won"] = " ".join(f"seat {seat + 1}" for seat in state.winners)
        return found

    def _cards(self, state: ScriptState, cards: tuple[Card, ...]) -> str:
        known = [
            self._name(piece) if (piece := state.pieces[card]) is not None else f"({card + 1})"
            for card in cards
        ]
        return ", ".join(known) or "none"
