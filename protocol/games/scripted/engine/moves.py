"""What seats may do: all that the file's table of actions allows, as actions, and as the rules are
told of them.
"""

from collections.abc import Iterator
from typing import Any

from protocol.games import Action
from protocol.games.decks import Face
from protocol.games.operations import Card
from protocol.games.scripted.engine.public_state import face
from protocol.games.scripted.engine.state import ChoiceRequest, ScriptContext, ScriptState
from protocol.games.scripted.rule_file.constants import ActionKind
from protocol.games.scripted.rule_file.contract import refused
from protocol.limits import MAX_SCRIPT_CHOICES

# An action that the file declares: its name, then card, target and choice, each counted from 1 and
# 0 for none; the piece that it shows, likewise, and how that is opened.
NOTHING = b""
LEAVE: Action = ("leave", 0, 0, 0, 0, NOTHING)


def kinds(table: ScriptContext, ask: ChoiceRequest) -> tuple[ActionKind, ...]:
    """What may be chosen from now."""
    every = table.contract.kinds
    if ask.search is not None:
        return ()
    return every if ask.kinds is None else tuple(every[number] for number in ask.kinds)


def kind_of(table: ScriptContext, ask: ChoiceRequest, name: str) -> ActionKind | None:
    """The kind of an action by its name, if it may be chosen now."""
    return next((kind for kind in kinds(table, ask) if kind.name == name), None)


def targets(
    table: ScriptContext, state: ScriptState, zone: int | None, seat: int | None
) -> tuple[int, ...]:
    """Cards of a region, counted from 1: of a seat's part, or of all parts. Without a region:
    nothing, which is 0.
    """
    if zone is None:
        return (0,)
    return tuple(
        card + 1
        for (number, owner), cards in zip(table.places, state.lies, strict=True)
        if number == zone and (seat is None or owner in (None, seat))
        for card in cards
    )


def possible_choices(
    table: ScriptContext, state: ScriptState, seat: int, kind: ActionKind
) -> Iterator[tuple[int, int, int]]:
    """Card, target and choice of everything of this kind that a seat may say, legal or not."""
    choices = range(1, len(kind.choices) + 1) if kind.choices else (0,)
    for card in targets(table, state, kind.card, seat):
        for target in targets(table, state, kind.target, None):
            for choice in choices:
                yield card, target, choice


def bounded(table: ScriptContext, state: ScriptState) -> ScriptState:
    """The same, if nobody is asked to choose from more than programs can ask rules about. Raises:
    RuleError.
    """
    ask = state.ask
    if ask is not None and any(
        _count(table, state, seat, ask) > MAX_SCRIPT_CHOICES for seat in ask.seats
    ):
        raise refused("script.choices", most=MAX_SCRIPT_CHOICES)
    return state


def _count(table: ScriptContext, state: ScriptState, seat: int, ask: ChoiceRequest) -> int:
    # cards of each region that this seat may pick, and of all seats
    own: dict[int | None, int] = {None: 1}
    every: dict[int | None, int] = {None: 1}
    for (zone, owner), cards in zip(table.places, state.lies, strict=True):
        every[zone] = every.get(zone, 0) + len(cards)
        own[zone] = own.get(zone, 0) + (len(cards) if owner in (None, seat) else 0)
    return sum(
        own[kind.card] * every[kind.target] * max(len(kind.choices), 1)
        for kind in kinds(table, ask)
    )


def describe_action(table: ScriptContext, state: ScriptState, action: Action) -> dict[str, Any]:
    """An action as rules are told of it; its card's face only if all know it."""
    card, kind = action[1], _kind(table, action)
    return action_argument(
        table, action, face(table, state, card - 1) if card and shows_face(table, kind) else None
    )


def _kind(table: ScriptContext, action: Action) -> ActionKind:
    return next(kind for kind in table.contract.kinds if kind.name == action[0])


def shows_face(table: ScriptContext, kind: ActionKind) -> bool:
    """Whether an action of this kind has a face: it shows its card, or all see it where it lies."""
    return kind.shows or (kind.card is not None and table.contract.zones[kind.card].see == "all")


def action_argument(table: ScriptContext, action: Action, shown: Face | None) -> dict[str, Any]:
    """The argument `act` of rules."""
    name, card, target, choice, *_ = action
    kind = _kind(table, action)
    act: dict[str, Any] = {"name": name}
    if card:
        act["card"] = card - 1
    if shown is not None:
        act["face"] = shown
    if target:
        act["target"] = target - 1
    if choice:
        act["choice"] = kind.choices[choice - 1]
    return act


def hand_of(table: ScriptContext, state: ScriptState, seat: int) -> tuple[Card, ...]:
    """The cards that lie where their owner alone sees them."""
    return tuple(
        card
        for (number, owner), cards in zip(table.places, state.lies, strict=True)
        if owner == seat and table.contract.zones[number].see == "owner"
        for card in cards
    )
