"""The engine of games by rule files, written from docs/protocol, 33.2, 33.3 and 33.8, as the text
has it. It counts no work, judges no hand and opens no slot.
"""

from typing import Any

from protocol.games.scripted.rule_file.contract import RuleContract

FIRST_WAITS = ("call", "act", "ended", "toss", "ask", "take")
Effect = tuple[Any, ...]  # name and arguments


class EngineText:
    """Variables of 33.8.1, and the steps of 33.8.3 to 33.8.8."""

    def __init__(self, contract: RuleContract, seats: int, options: dict[str, str]) -> None:
        self.file, self.seats, self.options = contract, seats, options
        self.places = [
            (zone.name, seat)
            for zone in contract.zones
            for seat in (range(seats) if zone.each else [None])
        ]
        self.see = {zone.name: zone.see for zone in contract.zones}
        self.each = {zone.name: zone.each for zone in contract.zones}
        self.out: set[int] = set()
        self.queue: list[Effect] = []
        self.wanted: list[Effect] = []
        self.showing: list[int] = []
        self.ask: dict[str, Any] | None = None
        self.coin: tuple[int, str] | None = None
        self.winners: tuple[int, ...] | None = None
        self.owners: dict[
            int, int
        ] = {}  # of cards of own decks, if pieces do not say what they are
        self.step_owed = False  # a step of 34.2 is owed

    # 33.8.5

    def lay(self, piles: list[int], first: int) -> None:
        count = sum(piles)
        self.lies: list[list[int]] = [[] for _ in self.places]
        card = 0
        for seat, size in enumerate(piles):
            place = self.place("deck", seat if self.each["deck"] else None)
            self.lies[place] = list(range(card, card + size))
            card += size
        self.piece: list[int | None] = list(range(count))
        self.seen: list[set[int]] = [set() for _ in range(count)]
        self.marks: list[dict[str, int]] = [{} for _ in range(count)]
        self.counters = {
            name: [0] * seats if (seats := self.seats if each else 0) else 0
            for name, each in self.file.counters
        }
        self.first, self.turn, self.turns = first, first, 0
        if first in self.out:
            self.turn = self.next_present(first)
        self.queue = [("call", "start"), ("begin",)]

    def place(self, region: str, seat: int | None) -> int:
        return self.places.index((region, seat if self.each[region] else None))

    def present(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat not in self.out]

    def next_present(self, seat: int) -> int:
        above = [other for other in self.present() if other > seat]
        return min(above or self.present())

    # 33.2.1

    def g(self, face: Any) -> dict[str, Any]:
        regions: dict[str, Any] = {}
        for (name, seat), cards in zip(self.places, self.lies, strict=True):
            if seat is None:
                regions[name] = list(cards)
            else:
                regions.setdefault(name, []).append(list(cards))
        return {
            "turn": self.turn,
            "first": self.first,
            "turns": self.turns,
            "seats": self.seats,
            "out": sorted(self.out),
            "options": dict(self.options),
            "regions": regions,
            "counters": {
                name: list(value) if isinstance(value, list) else value
                for name, value in self.counters.items()
            },
            "marks": [dict(marks) for marks in self.marks],
            "faces": [None if piece is None else face(piece) for piece in self.piece],
        }

    # 33.8.3

    def go_on(self, face: Any) -> None:
        self.face = face
        while self.winners is None and not (self.coin or self.ask or self.step_owed):
            if not self.queue:
                if self.wanted:
                    return
                self.ask_next_seats()
                continue
            name = self.queue[0][0]
            if self.wanted and (name in FIRST_WAITS or (name == "shuffle" and self.showing)):
                return
            self.do(*self.queue.pop(0))

    def ask_next_seats(self) -> None:
        seats: Any = self.turn
        if self.file.has("to_act"):
            seats = self.file.call("to_act", self.g(self.face))
        seats = seats if isinstance(seats, list) else [seats]
        self.ask = {
            "seats": sorted(set(seats)),
            "kinds": None,
            "by turn": True,
            "search": None,
            "chosen": [],
        }

    def call(self, name: str, *args: Any) -> None:
        found: Any = self.file.call(name, self.g(self.face), *args)
        self.queue[:0] = [tuple(effect) for effect in found]

    def do(self, name: str, *args: Any) -> None:
        own = getattr(self, f"do_{name}", None)
        if own is not None:
            own(*args)
            return
        getattr(self, f"effect_{name}")(*args)

    # 33.8.4

    def do_call(self, name: str, *args: Any) -> None:
        self.call(name, *args)

    def do_begin(self) -> None:
        self.turns += 1
        if self.file.has("turn_begins"):
            self.call("turn_begins", self.turn)

    def do_act(self, seat: int, action: Any) -> None:
        if action[0] == "leave" and not self.file.has("lapsed"):
            if self.turn == seat and not self.file.one_action:
                self.queue.insert(0, ("end",))
        elif action[0] in ("leave", "timeout"):
            self.call("lapsed", seat)
        else:
            self.call("apply", seat, self.act(action))

    def act(self, action: Any) -> dict[str, Any]:
        name, card, target, choice, *_ = action
        kind = next(kind for kind in self.file.kinds if kind.name == name)
        act: dict[str, Any] = {"name": name}
        if card:
            act["card"] = card - 1
            seen_by_all = kind.card is not None and self.file.zones[kind.card].see == "all"
            piece = self.piece[card - 1]
            if (kind.shows or seen_by_all) and piece is not None:
                act["face"] = self.face(piece)
        if target:
            act["target"] = target - 1
        if choice:
            act["choice"] = kind.choices[choice - 1]
        return act

    def do_found(self, _: int, action: Any, source: int, to: int) -> None:
        taken = action[1] - 1 if action[0] == "take" else None
        rest = [card for card in self.lies[source] if card != taken]
        if taken is not None:
            self.move([taken], to)
        self.hide(rest, None)

    def do_close(self, turns: int) -> None:
        if self.turns == turns:
            self.queue.insert(0, ("end",))

    def do_end(self) -> None:
        if any(effect[0] == "act" for effect in self.queue):
            self.queue = [effect for effect in self.queue if effect[0] != "end"] + [("end",)]
            return
        ends = [("call", "turn_ends", self.turn)] if self.file.has("turn_ends") else []
        left = [effect for effect in self.queue if effect[0] == "left"]
        self.queue = [*ends, ("ended",), *left]

    def do_ended(self) -> None:
        won: Any = self.file.call("winner", self.g(self.face))
        if won is None:
            self.turn = self.next_present(self.turn)
            self.queue.insert(0, ("begin",))
            return
        named = won if isinstance(won, list) else [won]
        self.winners = tuple(sorted(set(named) - self.out))
        self.queue, self.ask, self.coin = [], None, None

    def do_left(self, seat: int) -> None:
        if self.file.has("left"):
            self.call("left", seat)
        self.queue.append(("skip", seat, self.turns))

    def do_skip(self, seat: int, turns: int) -> None:
        if (self.turn, self.turns) == (seat, turns):
            self.turn = self.next_present(seat)
            self.queue.insert(0, ("begin",))

    # 33.3

    def cards(self, what: Any) -> list[int]:
        return list(what) if isinstance(what, list | tuple) else [what]

    def hide(self, cards: list[int], by: int | None) -> None:
        if len(cards) < 2:
            return
        alone = by is not None and by not in self.out
        knew = alone and all(self.piece[c] is not None or by in self.seen[c] for c in cards)
        for card in cards:
            self.piece[card], self.marks[card] = None, {}
            self.seen[card] = {by} if knew and by is not None else set()
        self.wanted.append(("shuffle cards", tuple(cards), (by,) if alone else None))

    def reveal(self, cards: list[int]) -> None:
        new = [c for c in cards if self.piece[c] is None and c not in self.showing]
        if new:
            self.showing += new
            self.wanted.append(("reveal cards", tuple(new)))

    def look_at(self, cards: list[int], seat: int) -> None:
        if seat in self.out:
            return
        # 33.3.4
        self.reveal([c for c in cards if self.owners.get(c, seat) != seat])
        new = [
            c
            for c in cards
            if self.piece[c] is None and c not in self.showing and seat not in self.seen[c]
        ]
        for card in new:
            self.seen[card].add(seat)
        if new:
            self.wanted.append(("look at", tuple(new), (seat,)))

    def move(self, cards: list[int], to: int) -> None:
        for place, lie in enumerate(self.lies):
            for card in [c for c in lie if c in cards]:
                lie.remove(card)
                if place != to:
                    self.marks[card] = {}
        self.lies[to] += cards
        region, seat = self.places[to]
        if self.see[region] == "all":
            self.reveal(cards)
        elif self.see[region] == "owner" and seat is not None:
            self.look_at(cards, seat)

    def effect_shuffle(self, what: Any, seat: Any = None, by: Any = None) -> None:
        cards = self.lies[self.place(what, seat)] if isinstance(what, str) else self.cards(what)
        self.hide(list(cards), by)

    def effect_draw(self, source: Any, to: Any, seat: Any = None, count: Any = 1) -> None:
        lie = self.lies[self.place(source, seat)]
        self.move(list(reversed(lie[len(lie) - count :])), self.place(to, seat))

    def effect_move(self, what: Any, to: Any, seat: Any = None) -> None:
        self.move(self.cards(what), self.place(to, seat))

    def effect_move_all(self, source: Any, to: Any, seat: Any = None) -> None:
        self.move(list(self.lies[self.place(source, seat)]), self.place(to, seat))

    def effect_show(self, what: Any) -> None:
        self.reveal(self.cards(what))

    def effect_look(self, what: Any, seat: Any) -> None:
        self.look_at(self.cards(what), seat)

    def effect_take(self, source: Any, to: Any, seat: Any, fits: Any = None) -> None:
        pile = self.place(source, seat)
        if seat in self.out:
            self.hide(list(self.lies[pile]), None)
            return
        self.look_at(list(self.lies[pile]), seat)
        self.ask = {
            "seats": [seat],
            "kinds": None,
            "by turn": False,
            "search": (pile, self.place(to, seat)),
            "chosen": [],
        }

    def effect_mark(self, card: int, name: str, value: int) -> None:
        self.marks[card][name] = value
        self.marks[card] = {key: number for key, number in self.marks[card].items() if number}

    def effect_add(self, counter: str, seat: Any, value: int) -> None:
        old = self.counters[counter]
        self.effect_put(counter, seat, value + (old[seat] if isinstance(old, list) else old))

    def effect_put(self, counter: str, seat: Any, value: int) -> None:
        old = self.counters[counter]
        if isinstance(old, list):
            old[seat] = value
        else:
            self.counters[counter] = value

    def effect_say(self, text: str) -> None:
        pass

    def effect_toss(self, sides: int, then: str) -> None:
        self.coin = (sides, then)

    def effect_then(self, name: str) -> None:
        self.queue.insert(0, ("call", name))

    def effect_ask(self, seats: Any, actions: Any) -> None:
        names = [kind.name for kind in self.file.kinds]
        asked = sorted(set(self.cards(seats)) - self.out)
        if asked:
            self.ask = {
                "seats": asked,
                "kinds": sorted({names.index(name) for name in self.cards(actions)}),
                "by turn": False,
                "search": None,
                "chosen": [],
            }

    def effect_end_turn(self) -> None:
        self.queue.insert(0, ("end",))

    # 33.8.2, 33.8.7, 33.8.8

    def wanted_done(self, turned: tuple[int, ...]) -> None:
        for card, piece in zip(self.showing, turned, strict=True):
            self.piece[card] = piece
        self.wanted, self.showing = [], []

    def coin_lands(self, value: int) -> None:
        assert self.coin is not None
        self.queue.insert(0, ("call", self.coin[1], value))
        self.coin = None

    def choose(self, seat: int, action: Any) -> None:
        assert self.ask is not None
        if action[0] not in ("leave", "timeout") and action[4]:
            self.piece[action[1] - 1] = action[4] - 1
        self.ask["seats"].remove(seat)
        self.ask["chosen"].append((seat, action))
        self.all_chosen()

    def all_chosen(self) -> None:
        ask = self.ask
        if ask is None or ask["seats"]:
            return
        acts: list[Effect] = [("act", *one) for one in sorted(ask["chosen"])]
        if ask["search"] is not None:
            found = sorted(ask["chosen"]) or [(0, ("leave",))]
            acts = [("found", *one, *ask["search"]) for one in found]
        ends = [("close", self.turns)] if ask["by turn"] and self.file.one_action else []
        self.queue[:0] = [*acts, *ends]
        self.ask = None

    def leave(self, seat: int) -> None:
        self.out.add(seat)
        self.queue.append(("left", seat))
        ask = self.ask
        if ask is None:
            return
        ask["seats"] = [other for other in ask["seats"] if other != seat]
        ask["chosen"] = [one for one in ask["chosen"] if one[0] != seat]
        if ask["by turn"] and not ask["seats"] and not ask["chosen"]:
            self.ask = None
        self.all_chosen()
