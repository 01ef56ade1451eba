"""Independent, slow score sheet of dominoes, as a person with pencil and paper keeps it.

Points during the hand: pagat.com, All Fives, and Muggins for a line without a spinner. Points at
the end of a hand: the same source, rounded to the nearest five; for partners, the pips left to both
opponents.

The sheet knows no line and no arms. It has sides of tiles: a tile that is laid uses one side of the
tile that it touches, and brings its own.
"""

from collections import Counter
from dataclasses import dataclass, field

Tile = tuple[int, int]


@dataclass
class Side:
    """Side of a tile on the table, where no tile lies."""

    tile: Tile
    number: int
    label: int  # 0 left, 1 right, 2 up, 3 down
    short: bool = False  # short side of the spinner


@dataclass
class Sheet:
    """One hand."""

    seats: int
    fives: bool
    partners: bool
    target: int
    spinner: bool = False
    sides: list[Side] = field(default_factory=list)
    laid: list[Tile] = field(default_factory=list)
    cross: Tile | None = None  # the first double
    made: list[tuple[int, int]] = field(default_factory=list)  # (seat, its score)

    def teams(self) -> list[set[int]]:
        return [{0, 2}, {1, 3}] if self.partners else [{seat} for seat in range(self.seats)]

    def play(self, seat: int, tile: Tile, end: int) -> None:
        if not self.laid:
            self.bring(tile, max(tile), 0)
            self.bring(tile, min(tile), 1)
        else:
            (touched,) = [side for side in self.open_sides() if side.label == end]
            assert touched.number in tile
            self.sides.remove(touched)
            one, other = tile
            self.bring(tile, other if one == touched.number else one, end)
        self.laid.append(tile)
        if self.spinner and tile[0] == tile[1] and self.cross is None:
            self.cross = tile
            for label in (2, 3):
                self.bring(tile, tile[0], label, short=True)
        total = self.total()
        self.made.append((seat, total if self.fives and str(total)[-1] in "05" else 0))

    def bring(self, tile: Tile, number: int, label: int, short: bool = False) -> None:
        self.sides.append(Side(tile, number, label, short))

    def long_sides(self) -> int:
        """Number of long sides of the spinner without a tile."""
        return sum(side.tile == self.cross and not side.short for side in self.sides)

    def open_sides(self) -> list[Side]:
        """Sides where a tile may be laid: short ones once both long ones have a tile."""
        closed = self.long_sides() > 0
        return [side for side in self.sides if not (side.short and closed)]

    def total(self) -> int:
        """A double counts all its pips while a long side is free, another tile what is free."""
        if len(self.laid) == 1:
            return sum(self.laid[0])
        sums = 0
        for side in self.sides:
            if not side.short:
                sums += side.number * (2 if side.tile[0] == side.tile[1] else 1)
        return sums

    def choices(self, tile: Tile) -> list[int]:
        """Labels of the sides where this tile may be laid. Of two choices after which everything
        that can follow is the same, only the lower.
        """
        if not self.laid:
            return [0]
        found: dict[object, int] = {}
        for side in sorted(self.open_sides(), key=lambda side: side.label):
            if side.number in tile:
                found.setdefault(self.after(side), side.label)
        return sorted(found.values())

    def after(self, used: Side) -> object:
        """Return all that matters when this side has been used, besides the tile itself."""
        rest = [side for side in self.sides if side is not used]
        long = sum(side.tile == self.cross and not side.short for side in rest)
        lone = len(self.laid) == 1
        counted = Counter()
        for side in rest:
            double = side.tile[0] == side.tile[1] and not lone
            points = 0 if side.short else 2 if double else 1
            own = side.tile == self.cross and not side.short and not lone
            counted[side.number, points if self.fives else 1, own] += 1
        return (frozenset(counted.items()), long)

    def gains(
        self, before: tuple[int, ...], left: dict[int, list[Tile]], out: frozenset[int]
    ) -> list[int]:
        """Return the points of each seat for the hand: `left` has the tiles of all seats with a
        hand, `out` the seats that are out.
        """
        gains = [0] * self.seats
        for team in self.teams():
            for seat in team - out:
                gains[seat] = sum(points for who, points in self.made if who in team)
        if not self.made:  # nobody has led, as all were silent: the tiles are dealt again
            return gains
        newest, points = self.made[-1]
        own = next((team for team in self.teams() if newest in team), set())
        if points and any(before[seat] + gains[seat] >= self.target for seat in own - out):
            return gains
        winners, won = self.end(left, out)
        for seat in winners:
            gains[seat] += (won + 2) // 5 * 5 if self.fives else won
        return gains

    def end(self, left: dict[int, list[Tile]], out: frozenset[int]) -> tuple[set[int], int]:
        """Return the winners of the pips that are left, and their number before rounding."""
        pips = {seat: sum(map(sum, tiles)) for seat, tiles in left.items()}
        newest, _ = self.made[-1]
        own = next(team for team in self.teams() if newest in team)
        if not left[newest] and own - out:
            return own - out, sum(count for seat, count in pips.items() if seat not in own)
        sums = []
        for team in self.teams():
            twice = len(team) == 2 and len(team & set(left)) == 1
            sums.append(sum(pips.get(seat, 0) for seat in team) * (2 if twice else 1))
        inside = [place for place, team in enumerate(self.teams()) if team - out]
        lowest = min(sums[place] for place in inside)
        if [sums[place] for place in inside].count(lowest) > 1:
            return set(), 0
        best = next(place for place in inside if sums[place] == lowest)
        return self.teams()[best] - out, sum(sums) - 2 * lowest
