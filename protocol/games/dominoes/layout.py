"""Layout of tiles on the table: the line, the arms of a spinner, and the open ends.

With a spinner, the first double of the hand may be extended on all four sides. Its long sides are
part of the line. Its short sides open when both long sides have a tile. Arms start there.
"""

from typing import NamedTuple

from protocol.games.dominoes.tiles import Line, Tile

LEFT, RIGHT, UP, DOWN = range(4)  # numbers of the ends


class End(NamedTuple):
    """Open end. Two equal ends are alike: a play at either has the same consequences."""

    number: int
    # how often the number counts for points: 2 at a double, 0 at a short side of the spinner
    # without a tile; always 1 if open ends score nothing
    weight: int = 1
    opens: bool = False  # a tile here opens the short sides of the spinner


Ends = tuple[End, ...]  # left, right; then up, down if the short sides of the spinner are open


class Layout(NamedTuple):
    """Tiles on the table."""

    line: Line = ()
    up: Line = ()  # from the spinner outwards: each tile is (inner number, outer number)
    down: Line = ()
    spinner: int | None = None  # number of the spinner, once it lies in the line
    spins: bool = False  # the first double becomes a spinner
    counts: bool = False  # open ends score

    @property
    def spinner_place(self) -> int | None:
        """Index of the spinner in the line."""
        return None if self.spinner is None else self.line.index((self.spinner, self.spinner))

    @property
    def arms(self) -> tuple[Line, Line] | None:
        """Arms up and down; None until both long sides of the spinner have a tile."""
        place = self.spinner_place
        if place is None or not 0 < place < len(self.line) - 1:
            return None
        return (self.up, self.down)

    @property
    def ends(self) -> Ends | None:
        """Open ends; None if no tile lies on the table."""
        if not self.line:
            return None
        ends = self._weighted_ends
        return ends if self.counts else tuple(end._replace(weight=1) for end in ends)

    @property
    def end_sum(self) -> int:
        """Sum of the open ends. A double counts with both halves, and so does a tile that lies
        alone.
        """
        return sum(end.number * end.weight for end in self._weighted_ends)

    @property
    def _weighted_ends(self) -> Ends:
        if len(self.line) < 2:
            return tuple(End(number) for tile in self.line for number in tile)
        ends = (self._end(self.line[0][::-1]), self._end(self.line[-1]))
        arms = self.arms
        if arms is None:
            return ends
        assert self.spinner is not None
        free = End(self.spinner, weight=0)
        return (*ends, *(self._end(arm[-1]) if arm else free for arm in arms))

    def _end(self, tile: Tile) -> End:
        """Open end at a tile (inner number, outer number)."""
        inner, outer = tile
        if inner != outer:
            return End(outer)
        return End(outer, weight=2, opens=outer == self.spinner)

    def lay(self, tile: Tile, end: int) -> "Layout":
        """Return the layout after a tile was laid at an end where it fits. The first tile lies with
        its high number left.
        """
        high, low = tile
        line, up, down = self.line, self.up, self.down
        if not line:
            line = (tile,)
        elif end == LEFT:
            inner, outer = _outwards(line[0][0], tile)
            line = ((outer, inner), *line)
        elif end == RIGHT:
            line = (*line, _outwards(line[-1][1], tile))
        elif end == UP:
            up = (*up, _outwards(self._inner(up), tile))
        else:
            down = (*down, _outwards(self._inner(down), tile))
        first = self.spins and self.spinner is None and high == low
        return self._replace(line=line, up=up, down=down, spinner=high if first else self.spinner)

    def _inner(self, arm: Line) -> int:
        number = arm[-1][1] if arm else self.spinner
        assert number is not None
        return number


EMPTY = Layout()


def _outwards(inner: int, tile: Tile) -> Tile:
    """Turn a tile so that its number `inner` comes first."""
    high, low = tile
    return (high, low) if high == inner else (low, high)


def open_ends(tile: Tile, ends: Ends | None) -> tuple[int, ...]:
    """Ends where this tile may be played. Of ends that are alike only the first."""
    if ends is None:
        return (LEFT,)
    return tuple(
        place for place, end in enumerate(ends) if end.number in tile and end not in ends[:place]
    )
