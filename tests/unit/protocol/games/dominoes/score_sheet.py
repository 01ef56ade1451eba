"""Independent, slow score sheet of dominoes, as a person with pencil and paper keeps it.

Points during the hand: pagat.com, Fives Family, as Muggins (a line without a spinner). Points at
the end of a hand: the same source, rounded to the nearest five; for partners, the pips left to both
opponents.
"""

from dataclasses import dataclass, field

Tile = tuple[int, int]


@dataclass
class Sheet:
    """One hand. Each arm is a list of tiles from the first one outwards."""

    seats: int
    fives: bool
    partners: bool
    target: int
    arms: tuple[list[Tile], list[Tile]] = field(default_factory=lambda: ([], []))
    made: list[tuple[int, int]] = field(default_factory=list)  # (seat, its score)

    def teams(self) -> list[set[int]]:
        return [{0, 2}, {1, 3}] if self.partners else [{seat} for seat in range(self.seats)]

    def play(self, seat: int, tile: Tile, end: int) -> None:
        left, right = self.arms
        if not left:
            left.append(tile)
            right.append(tile)
        else:
            self.arms[end].append(tile)
        total = self.total()
        self.made.append((seat, total if self.fives and str(total)[-1] in "05" else 0))

    def total(self) -> int:
        first = self.arms[0][0]
        if len(self.arms[0]) == len(self.arms[1]) == 1:
            return first[0] + first[1]
        sums = 0
        for arm, number in zip(self.arms, self.open_numbers(), strict=True):
            sums += 2 * number if arm[-1][0] == arm[-1][1] else number
        return sums

    def open_numbers(self) -> list[int]:
        """Walk along each arm: of every tile, the half that does not touch the one before is
        open.
        """
        ends = []
        for arm, number in zip(
            self.arms, (max(self.arms[0][0]), min(self.arms[0][0])), strict=True
        ):
            for one, other in arm[1:]:
                assert number in (one, other)
                number = other if number == one else one
            ends.append(number)
        return ends

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
        # nobody has led, if all were silent
        newest, points = self.made[-1] if self.made else (None, 0)
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
        if self.made:
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
