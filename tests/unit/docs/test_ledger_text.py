"""Chapter 24 is enough to say who owns what: a view of records, written from its sections 24.1 to
24.10 alone, agrees with the vectors.
"""

import json
from hashlib import sha256
from itertools import combinations

import msgpack
import pytest

from tests.support.docs import ROOT
from tests.vectors.make.forms import from_json

FOLDER = ROOT / "tests" / "vectors" / "fairdeal"


def vectors(file, operation):
    found = json.loads((FOLDER / file).read_text())["vectors"]
    return [
        pytest.param(from_json(one["input"]), from_json(one["output"]), id=one["description"][:40])
        for one in found
        if one["operation"] == operation
    ]


def digest(*fields):
    """Hash by 1.2; all fields are byte strings but the label."""
    made = b""
    for field in ("fairdeal/1", *fields):
        kind, content = (b"b", field) if type(field) is bytes else (b"s", field.encode())
        made += kind + len(content).to_bytes(4, "big") + content
    return sha256(made).digest()


class Record:
    """A record by 24.1."""

    def __init__(self, raw):
        content, *_ = msgpack.unpackb(raw)
        self.raw, self.id = raw, digest("ledger record", content)
        _, self.kind, self.key, *self.fields = msgpack.unpackb(content)
        if self.kind == "trade":
            self.a = self.key
            self.b, transfers, _, self.waives = self.fields
            self.moves = {one[0]: one[1:] for one in transfers}
            self.parties = (self.a, self.b)

    def giver(self, card):
        return self.parties[self.moves[card][0]]

    def receiver(self, card):
        return self.parties[1 - self.moves[card][0]]

    def place(self, card):
        return card, self.moves[card][2], self.giver(card)

    def index(self, card):
        return self.moves[card][1]

    def prev(self, card):
        return self.moves[card][2]

    def over(self, card):
        return self.moves[card][3]

    def slot(self, card):
        return digest("slot", card, self.prev(card) or b"", self.over(card) or b"")

    @property
    def parents(self):
        """The parents of 24.2.1."""
        match self.kind:
            case "instance":
                return [self.fields[0]]
            case "creator":
                return [self.fields[1]] if self.fields[1] else []
            case "type":
                return [self.fields[2]] if self.fields[2] else []
            case "rules":
                return [self.fields[1]] if self.fields[1] else []
            case "run":
                return [one[0] for one in self.fields[2]]
            case "seen":
                return [self.fields[1]]
            case "trade":
                links = [link for one in self.moves.values() for link in one[2:] if link]
                return [*self.moves, *links, *self.waives]
        return []


def waive_id(trade, key):
    return digest("ledger record", msgpack.packb([2, "waive", key, trade]))


class View:
    """The view of a set, by 24.3 and 24.4."""

    def __init__(self, raws):
        self.known = {one.id: one for one in map(Record, raws)}
        self.trades = {k: v for k, v in self.known.items() if v.kind == "trade"}
        self.alarms = self._alarms()
        self.liars = {
            key for key, first, *_ in self.alarms if self.known[first].kind in ("seen", "lie")
        }
        self.whole = {name for name in self.trades if self.is_whole(name)}
        self.cards = {
            k: v for k, v in self.known.items() if v.kind == "instance" and self.good_instance(k)
        }
        self.certified = {n for n in self.whole if self.is_certified(n)}
        self.dead = {name for name in self.whole if self.is_dead(name)}
        self.holds = {name for name in self.whole if self.is_holding(name)}

    # 24.2

    def is_whole(self, name):
        record = self.known.get(name)
        return record is not None and all(map(self.is_whole, record.parents))

    def good_instance(self, name):
        card = self.known.get(name)
        if card is None or card.kind != "instance" or not self.is_whole(name):
            return False
        kind = self.known[card.fields[0]]
        return kind.kind == "type" and kind.fields[0] is None and kind.key == card.key

    def links_hold(self, name):
        trade = self.trades[name]
        for waive in trade.waives:
            if self.known[waive].kind != "waive":
                return False
        for card in trade.moves:
            prev, over = trade.prev(card), trade.over(card)
            if not self.good_instance(card):
                return False
            came = self.trades.get(prev)
            if prev is None and self.known[card].key != trade.giver(card):
                return False
            if prev and (
                came is None or card not in came.moves or came.receiver(card) != trade.giver(card)
            ):
                return False
            below = self.trades.get(over)
            if over and (
                below is None or card not in below.moves or below.place(card) != trade.place(card)
            ):
                return False
            last = below if over else came
            if trade.index(card) != (last.index(card) + 1 if last else 0):
                return False
        return True

    # 24.3

    def all_over(self, name, card):
        """The trades that a transfer is over, the newest first (24.3.1)."""
        found, trade = [], self.trades[name]
        while trade.over(card) is not None:
            below = self.trades.get(trade.over(card))
            if below is None or card not in below.moves or below.place(card) != trade.place(card):
                break
            found.append(below.id)
            trade = below
        return found

    def counts(self, name, card):
        trade = self.trades[name]
        for waive in trade.waives:
            if waive not in self.known or self.known[waive].kind != "waive":
                return False
        if trade.over(card) is None:
            return True
        below = self.trades.get(trade.over(card))
        return (
            below is not None
            and card in below.moves
            and below.place(card) == trade.place(card)
            and below.index(card) + 1 == trade.index(card)
            and self.counts(below.id, card)
        )

    def counted(self, place):
        return [
            name
            for name, trade in self.trades.items()
            if place[0] in trade.moves
            and trade.place(place[0]) == place
            and self.counts(name, place[0])
        ]

    def covers(self, one, other, card):
        below = self.all_over(one, card)
        listed = {w for name in (one, *below) for w in self.trades[name].waives}
        return other in below or waive_id(other, self.trades[other].receiver(card)) in listed

    def conflict(self, place):
        return any(
            not self.covers(one, other, place[0]) and not self.covers(other, one, place[0])
            for one, other in combinations(self.counted(place), 2)
        )

    def waived(self, name, key):
        return waive_id(name, key) in self.known

    def is_dead(self, name):
        trade = self.trades[name]
        if name in self.certified:
            return False
        return (
            any(self.waived(name, key) for key in trade.parties)
            or any(self.conflict(trade.place(card)) for card in trade.moves)
            or any(trade.prev(c) is not None and self.is_dead(trade.prev(c)) for c in trade.moves)
            or any(
                self.waived(below, trade.giver(card))
                for card in trade.moves
                for below in self.all_over(name, card)
            )
            or any(
                other != name
                and card in self.trades[other].moves
                and self.trades[other].prev(card) == trade.prev(card)
                for card in trade.moves
                for other in self.certified
            )
            or not self.links_hold(name)
        )

    def is_holding(self, name):
        trade = self.trades[name]
        return name in self.certified or (
            name not in self.dead
            and all(
                (trade.prev(card) is None or self.is_holding(trade.prev(card)))
                and set(self.all_over(name, card)) <= self.dead
                for card in trade.moves
            )
        )

    def owner(self, card):
        """Owner and last trade (24.3.7)."""
        last, owner = None, self.cards[card].key
        while found := [
            name
            for name in self.holds
            if card in self.trades[name].moves and self.trades[name].prev(card) == last
        ]:
            (last,) = found
            owner = self.trades[last].receiver(card)
        return owner, last

    def next_over(self, card):
        """The trade that the next one is over (24.3.8), and what is left to list."""
        owner, last = self.owner(card)
        counted = self.counted((card, last, owner))
        left = [n for n in counted if not self.waived(n, self.trades[n].receiver(card))]
        over = next((n for n in left if all(n == m or self.covers(n, m, card) for m in left)), None)
        covered = {over, *(self.all_over(over, card) if over else ())}
        covered |= {n for n in counted if over and self.covers(over, n, card)}
        listed = [waive_id(n, self.trades[n].receiver(card)) for n in counted if n not in covered]
        return over, listed

    def burnt(self, card):
        owner, last = self.owner(card)
        if self.conflict((card, last, owner)):
            return True
        over, _ = self.next_over(card)
        return over is not None and any(
            self.waived(name, owner) for name in (over, *self.all_over(over, card))
        )

    # 24.4

    def enough(self, name, card):
        words = {
            one.key
            for one in self.known.values()
            if one.kind == "seen"
            and one.fields[0] == self.trades[name].slot(card)
            and one.fields[1] == name
        }
        for maker in self.known.values():
            if maker.kind == "creator" and maker.key == self.known[card].key:
                *_, witnesses, q = maker.fields
                k = len(self.liars & set(witnesses))
                needed = q - k if k <= 2 * q - len(witnesses) - 1 else q
                if q and needed > 0 and len((words - self.liars) & set(witnesses)) >= needed:
                    return True
        return False

    def has_words(self, name):
        return self.links_hold(name) and all(
            self.enough(name, card) for card in self.trades[name].moves
        )

    def is_certified(self, name):
        trade = self.trades[name]
        return self.has_words(name) and all(
            (trade.prev(card) is None or self.is_certified(trade.prev(card)))
            and all(
                other in (name, *self.all_over(name, card))
                for other in self.whole
                if card in self.trades[other].moves
                and self.trades[other].prev(card) == trade.prev(card)
                and self.has_words(other)
            )
            for card in trade.moves
        )

    # 24.5

    def _alarms(self):
        """Key, first and second record of each alarm."""
        found = set()
        places = {trade.place(card) for trade in self.trades.values() for card in trade.moves}
        for place in places:
            if pair := self._pair(place):
                found.add((place[2], *sorted(pair)))
        for name, trade in self.trades.items():
            for key in trade.parties:
                if self.waived(name, key):
                    found.add((key, name, waive_id(name, key)))
            for card in trade.moves:
                over, key = trade.over(card), trade.giver(card)
                if over and self.waived(over, key):
                    found.add((key, name, waive_id(over, key)))
        seen = [one for one in self.known.values() if one.kind == "seen"]
        for slot, key in {(one.fields[0], one.key) for one in seen}:
            said = sorted((o.id, o.fields[1]) for o in seen if (o.fields[0], o.key) == (slot, key))
            other = next((name for name, trade in said if trade != said[0][1]), None)
            if other:
                found.add((key, said[0][0], other))
        return found

    def evidence(self):
        """The ids of the records of each alarm, those beside the two included."""
        for key, *pair in self.alarms:
            found = set(pair)
            if self.known[pair[1]].kind == self.known[pair[0]].kind == "trade":
                cards = [
                    card
                    for card in self.trades[pair[0]].moves
                    if self.trades[pair[0]].giver(card) == key
                ]
                below = {b for name in pair for card in cards for b in self.all_over(name, card)}
                found |= below
                found |= {
                    w for name in found & self.trades.keys() for w in self.trades[name].waives
                }
            yield found

    def _pair(self, place):
        """The two trades that stand for a conflict (24.5.2)."""
        card, before = place[0], []
        for name in sorted(self.counted(place), key=lambda n: (self.trades[n].index(card), n)):
            for other in before:
                if not self.covers(name, other, card) and not self.covers(other, name, card):
                    return other, name
            before.append(name)
        return None


@pytest.mark.parametrize(("given", "output"), vectors("ledger.json", "look at cards"))
def test_text_of_views_suffices(given, output):
    view = View(given["records"])
    owned = {card: [*view.owner(card), view.burnt(card)] for card in view.cards}
    assert {card: rest[:3] for card, *rest in output["cards"]} == owned
    assert set(output["dead"]) == view.dead
    assert set(output["certified"]) == view.certified
    assert set(output["void"]) == view.whole - view.holds
    assert {tuple(one[:3]) for one in output["alarms"]} == view.alarms


@pytest.mark.parametrize(("given", "output"), vectors("ledger.json", "next trade of a card"))
def test_text_of_next_trade_suffices(given, output):
    view = View(given["records"])
    over, listed = view.next_over(given["instance"])
    _, last = view.owner(given["instance"])
    before = over or last
    index = view.trades[before].index(given["instance"]) + 1 if before else 0
    assert (over, last, index) == (output["over"], output["prev"], output["index"])
    assert sorted(listed) == sorted(output["waives"])


class Closure:
    """The closure of some ids, by the table of 24.9.1, without words of witnesses."""

    def __init__(self, raws):
        self.view = View(raws)
        self.known = self.view.known

    def of(self, ids):
        found = set()
        ahead = [*ids, *(t for card in ids for t in self.trades(card))]
        while ahead:
            name = ahead.pop()
            if name not in found and self.view.is_whole(name):
                found.add(name)
                record = self.known[name]
                ahead += [
                    *record.parents,
                    *getattr(self, f"with_{record.kind}", self.creators)(record),
                ]
        return found

    def trades(self, card, prev=...):
        """The trades of a card by who had it, from one place or all."""
        for name, trade in self.view.trades.items():
            if card in trade.moves and prev in (..., trade.prev(card)) and self.had(trade, card):
                yield name

    def had(self, trade, card):
        prev = trade.prev(card)
        if prev is None:
            return card in self.known and self.known[card].key == trade.giver(card)
        before = self.view.trades.get(prev)
        return bool(before and card in before.moves and before.receiver(card) == trade.giver(card))

    def kind(self, *kinds):
        return [one for one in self.known.values() if one.kind in kinds]

    def creators(self, record):
        return [one.id for one in self.kind("creator") if one.key == record.key]

    def with_creator(self, record):
        return []

    with_waive = with_lie = with_creator

    def with_trade(self, record):
        yield from (waive_id(record.id, key) for key in record.parties)
        for card in record.moves:
            yield from self.trades(card, record.prev(card))

    def with_type(self, record):
        root = record.fields[0] or record.id
        yield from self.creators(record)
        yield from (one.id for one in self.kind("type") if one.fields[0] == root)
        yield from (one.id for one in self.kind("run") if root in one.parents)

    def with_seen(self, record):
        return [one.id for one in self.kind("lie") if one.key == record.key]


@pytest.mark.parametrize(("given", "output"), vectors("merging.json", "closure"))
def test_text_of_closure_suffices(given, output):
    assert set(output["ids"]) == Closure(given["records"]).of(given["ids"])


def proven_dead(view, name):
    """Look for a proof that a trade is dead, by 24.9.4."""
    trade = view.trades.get(name)
    if trade is None:
        return False
    if any(view.waived(name, key) for key in trade.parties):
        return True
    for card in trade.moves:
        over = [name, *view.all_over(name, card)]
        links = [view.trades[one].over(card) for one in over]
        if any(link and view.waived(link, trade.giver(card)) for link in links):
            return True
    return any(view.conflict(trade.place(card)) for card in trade.moves) or any(
        proven_dead(view, trade.prev(card)) for card in trade.moves
    )


def shown_owner(card):
    """The owner that a chain shows, by 24.10; None if it is no chain."""
    made, (trades, beside) = Record(card[0]), card[2:]
    view, owner, before, replaced = View([*trades, *beside]), made.key, None, set()
    if not {one.kind for one in map(Record, beside)} <= {"trade", "waive"}:
        return None
    for trade in map(Record, trades):
        if trade.kind != "trade" or made.id not in trade.moves:
            return None
        prev, over = trade.prev(made.id), trade.over(made.id)
        giver = view.trades[prev].receiver(made.id) if prev in view.trades else made.key
        if (over or prev) != (before and before.id) or trade.giver(made.id) != giver:
            return None
        if over and before.place(made.id) != trade.place(made.id):
            return None
        if trade.index(made.id) != (before.index(made.id) + 1 if before else 0):
            return None
        if not view.counts(trade.id, made.id):
            return None
        replaced |= {over} - {None}
        before, owner = trade, trade.receiver(made.id)
    for trade in map(Record, trades):
        here = any(view.waived(trade.id, key) for key in trade.parties) or any(
            view.waived(name, trade.giver(made.id)) for name in view.all_over(trade.id, made.id)
        )
        if trade.id in replaced:
            if not proven_dead(view, trade.id):
                return None
        elif here or view.conflict(trade.place(made.id)):
            return None
    return owner


@pytest.mark.parametrize(("given", "output"), vectors("ledger.json", "take an owned card"))
def test_text_of_chains_suffices(given, output):
    if output["fault"] != "bad_slot":
        shown = shown_owner(given["card"])
        assert output["fault"] == (None if shown == given["holder"] else "not_owned")


def undone(view, trade, key):
    """Look for what a party of a trade has signed against it, by 34.5.2."""
    given = [card for card in trade.moves if trade.giver(card) == key]
    return (
        (key in trade.parties and view.waived(trade.id, key))
        or any(view.conflict(trade.place(card)) for card in given)
        or any(
            link and view.waived(link, key)
            for card in given
            for one in (trade.id, *view.all_over(trade.id, card))
            for link in [view.trades[one].over(card)]
        )
    )


def disputed(card, holder, raws):
    """Decide whether a dispute holds, by 34.5.1 and 34.5.2."""
    instance, trades = Record(card[0]).id, [Record(raw) for raw in card[2]]
    replaced = {trade.over(instance) for trade in trades}
    both = View([*card[2], *card[3], *raws])
    if any(undone(both, trade, holder) for trade in trades if trade.id not in replaced):
        return True
    view, first = View(raws), Record(raws[0])
    place = (instance, trades[-1].id if trades else None, holder)
    if first.kind != "trade" or instance not in first.moves or first.place(instance) != place:
        return False
    return view.conflict(place) or not proven_dead(view, first.id)


@pytest.mark.parametrize(("given", "output"), vectors("ledger.json", "judge a dispute"))
def test_text_of_disputes_suffices(given, output):
    card, holder = given["card"], given["holder"]
    dispute, answer = given["dispute"], given["answer"]
    assert output["holds"] == disputed(card, holder, dispute)
    assert output["answered"] == (not disputed(card, holder, [*dispute, *answer]))
