"""Possible actions of seats by the file's table of actions, and their representation as arguments
of rules.
"""

from collections.abc import Iterator

from protocol.games import Action
from protocol.games.decks import Face
from protocol.games.operations import Card
from protocol.games.scripted.engine.public_state import face
from protocol.games.scripted.engine.state import ChoiceRequest, ScriptContext, ScriptState
from protocol.games.scripted.rule_file.constants import ActionKind
from protocol.games.scripted.rule_file.contract import refused
from protocol.limits import MAX_SCRIPT_CHOICES

# Form of an action that the file declares: name, card, target, choice, piece and opening. Card,
# target, choice and piece are counted from 1; 0 means none. The action shows `piece`, and `opening`
# opens its slot.
NOTHING = b""
LEAVE: Action = ("leave", 0, 0, 0, 0, NOTHING)


def kinds(table: ScriptContext, ask: ChoiceRequest) -> tuple[ActionKind, ...]:
    """Kinds of actions that may be chosen now."""
    every = table.contract.kinds
    if ask.search is not None:
        return ()
    return every if ask.kinds is None else tuple(every[number] for number in ask.kinds)


def kind_of(table: ScriptContext, ask: ChoiceRequest, name: str) -> ActionKind | None:
    """Kind of action by its name; None if it may not be chosen now."""
    return next((kind for kind in kinds(table, ask) if kind.name == name), None)


def targets(
    table: ScriptContext, state: ScriptState, zone: int | None, seat: int | None
) -> tuple[int, ...]:
    """Cards of a region, counted from 1: of the seat's part, or of all parts if `seat` is None.
    Without a region the result is (0,).
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
    """Iterate over card, target and choice of all actions of this kind that a seat can name, legal
    or not.
    """
    choices = range(1, len(kind.choices) + 1) if kind.choices else (0,)
    for card in targets(table, state, kind.card, seat):
        for target in targets(table, state, kind.target, None):
            for choice in choices:
                yield card, target, choice


def check_choice_count(table: ScriptContext, state: ScriptState) -> ScriptState:
    """Check that no seat has to choose from more than `MAX_SCRIPT_CHOICES` actions, so that
    programs can check all of them with the rules. Returns the state. Raises: RuleError.
    """
    ask = state.ask
    if ask is not None and any(
        _choice_count(table, state, seat, ask) > MAX_SCRIPT_CHOICES for seat in ask.seats
    ):
        raise refused("script.choices", most=MAX_SCRIPT_CHOICES)
    return state


def _choice_count(table: ScriptContext, state: ScriptState, seat: int, ask: ChoiceRequest) -> int:
    # Number of cards in each region: `own` counts those this seat may pick, `every` those of all
    # seats.
    own: dict[int | None, int] = {None: 1}
    every: dict[int | None, int] = {None: 1}
    for (zone, owner), cards in zip(table.places, state.lies, strict=True):
        every[zone] = every.get(zone, 0) + len(cards)
        own[zone] = own.get(zone, 0) + (len(cards) if owner in (None, seat) else 0)
    return sum(
        own[kind.card] * every[kind.target] * max(len(kind.choices), 1)
        for kind in kinds(table, ask)
    )


def describe_action(table: ScriptContext, state: ScriptState, action: Action) -> dict[str, object]:
    """Make the argument `act` of rules from an action. It contains the face of the action's card
    only if the face is public.
    """
    card, kind = action[1], _kind(table, action)
    return action_argument(
        table, action, face(table, state, card - 1) if card and shows_face(table, kind) else None
    )


def _kind(table: ScriptContext, action: Action) -> ActionKind:
    return next(kind for kind in table.contract.kinds if kind.name == action[0])


def shows_face(table: ScriptContext, kind: ActionKind) -> bool:
    """Check whether actions of this kind have a face: they show their card, or the card lies where
    all see it.
    """
    return kind.shows or (kind.card is not None and table.contract.zones[kind.card].see == "all")


def action_argument(table: ScriptContext, action: Action, shown: Face | None) -> dict[str, object]:
    """Make the argument `act` of rules; `shown` is the face of its card, if any."""
    name, card, target, choice, *_ = action
    kind = _kind(table, action)
    act: dict[str, object] = {"name": name}
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
    """Cards in regions that only their owner sees."""
    return tuple(
        card
        for (number, owner), cards in zip(table.places, state.lies, strict=True)
        if owner == seat and table.contract.zones[number].see == "owner"
        for card in cards
    )
