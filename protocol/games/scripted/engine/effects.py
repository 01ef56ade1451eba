"""Effects that rules can have on the table. Each is checked: a card that does not exist, another
seat's region or a hidden face is an error of the rules.

Effects collect operations for the dealing in `ScriptState.wanted`.
"""

from collections.abc import Callable
from typing import TypeGuard

from protocol.fast_replace import replace
from protocol.games.operations import Card, LookAt, RevealCards, ShuffleCards
from protocol.games.scripted.engine.budget import pay
from protocol.games.scripted.engine.state import (
    ChoiceRequest,
    CoinToss,
    Effect,
    PileSearch,
    ScriptContext,
    ScriptState,
)
from protocol.games.scripted.rule_file.constants import is_name
from protocol.games.scripted.rule_file.contract import refused
from protocol.limits import (
    MAX_INT,
    MAX_RULE_LIST,
    MAX_SAY,
    MAX_SCRIPT_MARKS,
    MAX_SCRIPT_NAMES,
    MAX_SCRIPT_STEPS,
)
from protocol.seats import with_seat
from protocol.view.harmless import is_safe_to_show

EffectFunction = Callable[..., ScriptState]
TEXT_SIZE = 16  # characters of a text that count as one element


def parse_effects(value: object) -> tuple[Effect, ...]:
    """Parse the result of a function of the file as effects. Raises: RuleError."""
    if type(value) is not list or len(value) > MAX_SCRIPT_STEPS:
        raise refused("script.effects")
    return tuple(_effect(item) for item in value)


def _effect(item: object) -> Effect:
    if type(item) is not list or not item or type(item[0]) is not str or item[0] not in EFFECTS:
        raise refused("script.effects")
    name, *args = item
    least, most, _ = EFFECTS[name]
    if not least <= len(args) <= most:
        raise refused("script.effect.arguments", name=name)
    return Effect(
        name,
        tuple(tuple(arg) if type(arg) is list else arg for arg in args),
        1 + sum(_size(arg, name) for arg in args),
    )


def _size(value: object, name: str) -> int:
    """Size of an argument of an effect: 1, and 1 for each element, or for 16 characters of a text.
    Raises: RuleError for a value that no effect takes.
    """
    if type(value) is list or type(value) is tuple:
        sizes = [_plain_size(one) for one in value]
        if 0 in sizes:
            raise refused("script.effect.arguments", name=name)
        return 1 + sum(sizes)
    size = _plain_size(value)
    if not size:
        raise refused("script.effect.arguments", name=name)
    return size


def _plain_size(value: object) -> int:
    """Size of None, a bool, a number or a text; 0 for another value."""
    if type(value) is str:
        return 1 + len(value) // TEXT_SIZE
    return int(value is None or type(value) is int or type(value) is bool)


def apply_effect(table: ScriptContext, state: ScriptState, effect: Effect) -> ScriptState:
    """Return the state after an effect that a rule asked for. Raises: RuleError."""
    found: ScriptState = EFFECTS[effect.name][2](table, state, *effect.args)
    return found


def place_of(table: ScriptContext, zone: object, seat: object, name: str) -> int:
    """Number of a place that a rule names by region and seat. Raises: RuleError."""
    number = table.contract.zone(zone)
    if number is None:
        raise refused("script.effect.region", name=name)
    if not table.contract.zones[number].each:
        return table.place(number, None)
    if not _is_seat(seat, table):
        raise refused("script.effect.seat", name=name)
    return table.place(number, seat)


def cards_of(state: ScriptState, what: object, name: str) -> tuple[Card, ...]:
    """Cards that a rule names: a single one, or a list of different cards. Raises: RuleError."""
    found = what if type(what) is tuple else (what,)
    if not all(type(card) is int and 0 <= card < len(state.pieces) for card in found) or len(
        set(found)
    ) < len(found):
        raise refused("script.effect.card", name=name)
    return found


def show_cards(state: ScriptState, cards: tuple[Card, ...]) -> ScriptState:
    """Show these cards to everybody."""
    already = frozenset(state.showing)
    new = tuple(card for card in cards if state.pieces[card] is None and card not in already)
    if not new:
        return state
    return replace(state, wanted=(*state.wanted, RevealCards(new)), showing=(*state.showing, *new))


def look_at_cards(
    table: ScriptContext, state: ScriptState, cards: tuple[Card, ...], seat: int
) -> ScriptState:
    """Show these cards to one seat, unless it has left."""
    if seat in state.out:
        return state
    state = _open_foreign_slots(table, state, cards, seat)
    already = frozenset(state.showing)
    hidden = (card for card in cards if state.pieces[card] is None and card not in already)
    new = tuple(card for card in hidden if seat not in state.seen[card])
    if not new:
        return state
    seen = list(state.seen)
    for card in new:
        seen[card] |= {seat}
    return replace(state, wanted=(*state.wanted, LookAt(new, (seat,))), seen=tuple(seen))


def _open_foreign_slots(
    table: ScriptContext, state: ScriptState, cards: tuple[Card, ...], seat: int
) -> ScriptState:
    """Have the owner open those of the cards that are slots of the other seat's deck, because a
    closed slot has no visible face.

    Own decks exist only with two seats. If the owner knows such a card, the looking seat is the
    only one that does not, so the card is shown to everybody. If the owner does not know the card,
    opening it would tell the owner which slot it is.

    Raises: RuleError in the latter case.
    """
    decks = state.decks
    if decks is None or table.tells:
        return state
    others = [card for card in cards if decks.owner(card) != seat and state.pieces[card] is None]
    if any(
        decks.owner(card) not in state.seen[card] for card in others if card not in state.showing
    ):
        raise refused("script.effect.foreign")
    return show_cards(state, tuple(others))


def move_cards(
    table: ScriptContext, state: ScriptState, cards: tuple[Card, ...], to: int
) -> ScriptState:
    """Put cards on top of a place, in this order, and show them to the seats that see this
    place.
    """
    chosen, lies, marks = frozenset(cards), list(state.lies), list(state.marks)
    for place, old in enumerate(state.lies):
        if chosen.isdisjoint(old):
            continue
        lies[place] = tuple(card for card in old if card not in chosen)
        for card in chosen.intersection(old) if place != to else ():
            marks[card] = ()
    lies[to] += cards
    state = replace(state, lies=tuple(lies), marks=tuple(marks))
    number, seat = table.places[to]
    see = table.contract.zones[number].see
    if see == "all":
        return show_cards(state, cards)
    return (
        look_at_cards(table, state, cards, seat) if see == "owner" and seat is not None else state
    )


def shuffle_cards(
    state: ScriptState, cards: tuple[Card, ...], by: int | None = None
) -> ScriptState:
    """Shuffle cards, either by all seats or by one seat alone. A seat that shuffles alone keeps its
    knowledge of them if it knew them all.
    """
    if len(cards) < 2:
        return state
    alone = by is not None and by not in state.out
    keeps = alone and all(
        state.pieces[card] is not None or by in state.seen[card] for card in cards
    )
    know = frozenset({by} if keeps and by is not None else ())
    # each action that is to be judged is looked at
    looked = sum(4 + len(one.hand) for one in state.noted) // 4
    state = pay(state, looked, len(cards))
    hidden, pieces, seen, marks = (
        frozenset(cards),
        list(state.pieces),
        list(state.seen),
        list(state.marks),
    )
    for card in cards:
        pieces[card], seen[card], marks[card] = None, know, ()
    return replace(
        state,
        wanted=(*state.wanted, ShuffleCards(cards, (by,) if alone and by is not None else None)),
        pieces=tuple(pieces),
        seen=tuple(seen),
        marks=tuple(marks),
        noted=tuple(
            left for one in state.noted if (left := one.hidden(hidden, state.pieces)) is not None
        ),
    )


def _shuffle(
    table: ScriptContext, state: ScriptState, what: object, seat: object = None, by: object = None
) -> ScriptState:
    if by is not None and not _is_seat(by, table):
        raise refused("script.effect.seat", name="shuffle")
    named = type(what) is str
    cards = (
        state.lies[place_of(table, what, seat, "shuffle")]
        if named
        else cards_of(state, what, "shuffle")
    )
    if not table.tells and len({state.decks.owner(card) for card in cards if state.decks}) > 1:
        raise refused("script.effect.mixed")
    return shuffle_cards(state, cards, by)


def _draw(
    table: ScriptContext,
    state: ScriptState,
    source: object,
    to: object,
    seat: object = None,
    count: object = 1,
) -> ScriptState:
    lies, goes = (
        state.lies[place_of(table, source, seat, "draw")],
        place_of(table, to, seat, "draw"),
    )
    if type(count) is not int or not 0 <= count <= len(lies):
        raise refused("script.effect.count", name="draw", most=len(lies))
    return move_cards(table, state, tuple(reversed(lies[len(lies) - count :])), goes)


def _move(
    table: ScriptContext, state: ScriptState, what: object, to: object, seat: object = None
) -> ScriptState:
    return move_cards(
        table, state, cards_of(state, what, "move"), place_of(table, to, seat, "move")
    )


def _move_all(
    table: ScriptContext, state: ScriptState, source: object, to: object, seat: object = None
) -> ScriptState:
    lies = state.lies[place_of(table, source, seat, "move_all")]
    return move_cards(table, state, lies, place_of(table, to, seat, "move_all"))


def _show(table: ScriptContext, state: ScriptState, what: object) -> ScriptState:
    return show_cards(state, cards_of(state, what, "show"))


def _look(table: ScriptContext, state: ScriptState, what: object, seat: object) -> ScriptState:
    if not _is_seat(seat, table):
        raise refused("script.effect.seat", name="look")
    return look_at_cards(table, state, cards_of(state, what, "look"), seat)


def _take(
    table: ScriptContext,
    state: ScriptState,
    source: object,
    to: object,
    seat: object,
    fits: object = None,
) -> ScriptState:
    if not _is_seat(seat, table) or (fits is not None and not table.contract.has(fits)):
        raise refused("script.effect.take")
    search = PileSearch(
        place_of(table, source, seat, "take"), place_of(table, to, seat, "take"), fits
    )
    if seat in state.out:
        return shuffle_cards(state, state.lies[search.source])
    return replace(
        look_at_cards(table, state, state.lies[search.source], seat),
        ask=ChoiceRequest((seat,), turn=False, search=search),
    )


def _mark(
    table: ScriptContext, state: ScriptState, card: object, name: object, value: object
) -> ScriptState:
    if type(card) is not int:
        raise refused("script.effect.mark")
    (marked,) = cards_of(state, card, "mark")
    if not is_name(name) or type(value) is not int or abs(value) > MAX_INT:
        raise refused("script.effect.mark")
    marks = dict(state.marks[marked]) | {name: value}
    if len(marks) > MAX_SCRIPT_NAMES:
        raise refused("script.effect.mark")
    left = tuple(sorted((key, number) for key, number in marks.items() if number))
    most = MAX_SCRIPT_MARKS
    if len(left) + sum(map(len, state.marks)) - len(state.marks[marked]) > most:
        raise refused("script.marks", most=most)
    return replace(state, marks=with_seat(state.marks, marked, left))


def _put(
    table: ScriptContext, state: ScriptState, counter: object, seat: object, value: object
) -> ScriptState:
    return _set_counter(table, state, counter, seat, lambda old: value)


def _add(
    table: ScriptContext, state: ScriptState, counter: object, seat: object, value: object
) -> ScriptState:
    return _set_counter(
        table, state, counter, seat, lambda old: old + value if type(value) is int else value
    )


def _set_counter(
    table: ScriptContext,
    state: ScriptState,
    counter: object,
    seat: object,
    new: Callable[[int], object],
) -> ScriptState:
    names = [name for name, _ in table.contract.counters]
    if counter not in names:
        raise refused("script.effect.counter")
    number = names.index(counter)
    each = table.contract.counters[number][1]
    if each != (seat is not None) or (each and not _is_seat(seat, table)):
        raise refused("script.effect.seat", name="add")
    values, at = state.counters[number], seat if _is_seat(seat, table) else 0
    value = new(values[at])
    if type(value) is not int or abs(value) > MAX_INT:
        raise refused("script.effect.value", most=MAX_INT)
    return replace(state, counters=with_seat(state.counters, number, with_seat(values, at, value)))


def _say(table: ScriptContext, state: ScriptState, text: object) -> ScriptState:
    if type(text) is not str or not is_safe_to_show(text) or len(text) > MAX_SAY:
        raise refused("script.effect.say", most=MAX_SAY)
    count, said = state.said
    return replace(state, said=(count + 1, (*said, text)))


def _toss(table: ScriptContext, state: ScriptState, sides: object, then: object) -> ScriptState:
    if type(sides) is not int or not 1 <= sides <= MAX_RULE_LIST or not table.contract.has(then):
        raise refused("script.effect.toss", most=MAX_RULE_LIST)
    nobody = (None,) * table.seats
    return replace(
        state, toss=CoinToss(sides, then, state.tossed, nobody, nobody), tossed=state.tossed + 1
    )


def _then(table: ScriptContext, state: ScriptState, name: object) -> ScriptState:
    if not table.contract.has(name):
        raise refused("script.effect.then")
    return replace(state, queue=(Effect(".call", (name,)), *state.queue))


def _ask(table: ScriptContext, state: ScriptState, seats: object, actions: object) -> ScriptState:
    seats, actions = (found if type(found) is tuple else (found,) for found in (seats, actions))
    names = [kind.name for kind in table.contract.kinds]
    if (
        not all(_is_seat(seat, table) for seat in seats)
        or not all(name in names for name in actions)
        or not actions
    ):
        raise refused("script.effect.ask")
    present = tuple(sorted(set(seats) - state.out))
    kinds = tuple(sorted({names.index(name) for name in actions}))
    return replace(state, ask=ChoiceRequest(present, kinds, turn=False)) if present else state


def _end_turn(table: ScriptContext, state: ScriptState) -> ScriptState:
    return replace(state, queue=(Effect(".end"), *state.queue))


def _is_seat(seat: object, table: ScriptContext) -> TypeGuard[int]:
    return type(seat) is int and 0 <= seat < table.seats


# Effects that process all cards.
CARD_EFFECTS = frozenset({"shuffle", "draw", "move", "move_all", "show", "look", "take", "mark"})
# By name: least and most number of arguments, and the function that applies the effect.
EFFECTS: dict[str, tuple[int, int, EffectFunction]] = {
    "shuffle": (1, 3, _shuffle),
    "draw": (2, 4, _draw),
    "move": (2, 3, _move),
    "move_all": (2, 3, _move_all),
    "show": (1, 1, _show),
    "look": (2, 2, _look),
    "take": (3, 4, _take),
    "mark": (3, 3, _mark),
    "add": (3, 3, _add),
    "put": (3, 3, _put),
    "say": (1, 1, _say),
    "toss": (2, 2, _toss),
    "then": (1, 1, _then),
    "ask": (2, 2, _ask),
    "end_turn": (0, 0, _end_turn),
}
