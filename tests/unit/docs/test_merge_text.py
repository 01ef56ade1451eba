"""Chapter 25 is enough to merge: two sides, written from its sections 25.1 to 25.5 alone, say what
the vectors say. Both have few records, so no bound of 25.5 is met.
"""

import msgpack
import pytest

from protocol.limits import MERGE_LIST, MERGE_PARTS
from tests.unit.docs.test_ledger_text import Closure, View, digest, vectors

LOWEST, HIGHEST = (0, b""), (2**63 - 1, b"")


class Side:
    """A side of a merge."""

    def __init__(self, salt, raws, given):
        view = View(raws)
        self.salt, self.raw = salt, {one.id: one.raw for one in view.known.values()}
        depths = {}

        def depth(name):
            if name not in depths:
                depths[name] = max((1 + depth(p) for p in view.known[name].parents), default=0)
            return depths[name]

        mine = [name for name in view.known if view.is_whole(name)]
        if given is not None:
            mine = Closure(raws).of(given)
        proofs = {name for alarm in view.evidence() for name in alarm}
        self.spaces = (
            sorted((depth(name), name) for name in mine),
            sorted((0, name) for name in proofs),
        )
        self.shorts = {self.short(name): name for name in view.known}
        self.missing, self.given, self.lists = ({}, {}), set(), []
        self.out = []

    def mark(self, name):
        return digest("merge mark", self.salt, name)

    def short(self, name):
        return self.mark(name)[:8]

    def part(self, high, places):
        total = sum(int.from_bytes(self.mark(name), "big") for _, name in places) % 2**256
        return [*high, len(places), digest("merge fingerprint", total.to_bytes(32, "big"))[:16]]

    def within(self, space, low, high):
        return [place for place in self.spaces[space] if low <= place < high]

    def begin(self):
        for space in (0, 1):
            part = self.part(HIGHEST, self.spaces[space])
            self.out.append(["ranges", space, [*LOWEST, [part]]])

    def compare(self, space, low, high, count, fingerprint):
        """25.4.2."""
        mine = self.within(space, low, high)
        if self.part(high, mine)[2:] == [count, fingerprint]:
            return
        if len(mine) < MERGE_LIST:
            shorts = b"".join(self.short(name) for _, name in mine)
            self.out.append(["ids", space, [*low, *high, shorts]])
            return
        ends = [len(mine) * (p + 1) // MERGE_PARTS for p in range(MERGE_PARTS)]
        bounds = [*(self.before(mine, end) for end in ends[:-1]), high]
        parts = [
            self.part(bound, mine[start:end])
            for bound, start, end in zip(bounds, [0, *ends], ends, strict=False)
        ]
        self.out.append(["ranges", space, [*low, parts]])

    def before(self, mine, end):
        (above, other), (depth, name) = mine[end - 1], mine[end]
        if above < depth:
            return depth, b""
        return depth, next(name[:n] for n in range(1, 33) if name[:n] > other)

    def note(self, space, low, shorts):
        for at in range(0, len(shorts), 8):
            if shorts[at : at + 8] not in self.shorts:
                self.missing[space].setdefault(shorts[at : at + 8], low)

    def hear(self, message):
        name, *fields = message
        if name == "ranges":
            for depth, start, parts in fields[1]:
                low = (depth, start)
                for *bound, count, fingerprint in parts:
                    self.compare(fields[0], low, tuple(bound), count, fingerprint)
                    low = tuple(bound)
        elif name == "ids":
            for *bounds, shorts in fields[1]:
                low, high = tuple(bounds[:2]), tuple(bounds[2:])
                self.note(fields[0], low, shorts)
                mine = [self.short(one) for _, one in self.within(fields[0], low, high)]
                theirs = {shorts[at : at + 8] for at in range(0, len(shorts), 8)}
                if more := b"".join(short for short in mine if short not in theirs):
                    self.out.append(["have", fields[0], [*low, more]])
        elif name == "have":
            for depth, start, shorts in fields[1]:
                self.note(fields[0], (depth, start), shorts)
        elif name == "want":
            names = {self.shorts[fields[0][at : at + 8]] for at in range(0, len(fields[0]), 8)}
            places = {name: (0, name) for name in names} | {
                name: (depth, name) for depth, name in self.spaces[0] if name in names
            }
            ordered = sorted(places.values())
            self.out.append(["records", *(self.raw[name] for _, name in ordered)])

    def turn(self):
        out, self.out = self.out, []
        if not {"ranges", "ids"} & {message[0] for message in out}:
            wants = [
                short
                for space in (0, 1)
                for short, _ in sorted(self.missing[space].items(), key=lambda one: one[1])
            ]
            self.missing = ({}, {})
            wants = [short for short in dict.fromkeys(wants) if short not in self.given]
            self.given.update(wants)
            if wants:
                out.append(["want", b"".join(wants)])
        return out


def joined(messages):
    """Return items by message and space, whatever messages they stand in."""
    found = {}
    for name, *fields in messages:
        if name in ("ranges", "ids", "have"):
            items = fields[1] if fields[1] and type(fields[1][0]) is list else [fields[1]]
            found.setdefault((name, fields[0]), []).extend(items)
        elif name == "records":
            items = fields[0] if type(fields[0]) is list else fields
            found.setdefault(name, []).extend(items)
        elif name == "want":
            found[name] = fields[0]
    return found


def sent(messages):
    """Return messages in the shapes of 25.3."""
    made = []
    for name, *fields in messages:
        if name in ("ranges", "ids", "have"):
            made.append([name, fields[0], [fields[1]]])
        else:
            made.append([name, list(fields)] if name == "records" else [name, *fields])
    return made


@pytest.mark.parametrize(("given", "output"), vectors("merging.json", "merge"))
def test_text_of_merges_suffices(given, output):
    sides = [
        Side(given["salt"], [given["records"][number] for number in side], given["given"])
        for side in given["sides"]
    ]
    sides[0].begin()
    for number, turn in enumerate(output["turns"]):
        expected = [msgpack.unpackb(message) for message in turn]
        assert expected[-1] == ["turn"]
        said = sent(sides[number % 2].turn())
        assert joined(said) == joined(expected[:-1])
        for message in said:
            sides[1 - number % 2].hear(message)
    assert len(output["turns"][-1]) == 1
