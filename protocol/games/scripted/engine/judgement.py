"""Judgement of hidden hands, after the game is won and these hands are open."""

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from protocol.codes import Code
from protocol.fast_replace import replace
from protocol.games import Misplay, Piece
from protocol.games.decks import Face
from protocol.games.operations import Card
from protocol.games.scripted.engine.budget import RuleBudget, RuleBudgetSpent, argument_cost
from protocol.games.scripted.engine.idle import can_afford
from protocol.games.scripted.engine.moves import (
    action_argument,
    kinds,
    possible_choices,
    shows_face,
)
from protocol.games.scripted.engine.public_state import face, public_state
from protocol.games.scripted.engine.state import PendingJudgement, ScriptContext, ScriptState
from protocol.games.scripted.rule_file.constants import ActionKind
from protocol.limits import SCRIPT_JUDGE_STEPS
from protocol.rules import RuleError
from protocol.seats import with_seat


class Hand(NamedTuple):
    """Hand that was hidden: pieces and faces by card."""

    pieces: Mapping[Card, Piece | None]
    faces: Mapping[Card, Face]


def misplays(table: ScriptContext, state: ScriptState) -> tuple[Misplay, ...]:
    """Find each seat that broke the rules with a hidden hand, with its first such action.

    A seat is not named in three cases: a card of its hand was shuffled back unseen, the seat did
    not know the hand itself, or no action was left that `judge` allowed. Actions after the end of
    the step budget are not judged.
    """
    found: dict[int, Misplay] = {}
    budget = RuleBudget(table.contract, SCRIPT_JUDGE_STEPS)
    with suppress(RuleBudgetSpent):
        for noted in state.noted:
            if noted.seat not in found and _is_false(table, state, noted, budget):
                found[noted.seat] = Misplay(noted.seat, noted.number, Code.FALSE_CHOICE)
    return tuple(found.values())


def unjudged(state: ScriptState, seat: int) -> bool:
    """Check whether an action of this seat depends on a hand that is still hidden."""
    return any(
        then is None and state.pieces[card] is None
        for noted in state.noted
        if noted.seat == seat
        for card, then in zip(noted.hand, noted.pieces, strict=True)
    )


def _is_false(
    table: ScriptContext, state: ScriptState, noted: PendingJudgement, budget: RuleBudget
) -> bool:
    budget.spend(argument_cost(table, noted.before))
    pieces, seen = noted.before.pieces, noted.before.seen
    if any(pieces[card] is None and noted.seat not in seen[card] for card in noted.hand):
        return False
    both = zip(noted.hand, noted.pieces, strict=True)
    lay = {card: state.pieces[card] if then is None else then for card, then in both}
    known = {card: table.face(state, piece) for card, piece in lay.items() if piece is not None}
    faces = {card: one for card, one in known.items() if one is not None}
    if len(faces) < len(lay) or _is_allowed(table, noted, list(faces.values()), budget):
        return False
    return _had_choice(table, state, noted, Hand(lay, faces), budget)


def _is_allowed(
    table: ScriptContext, noted: PendingJudgement, hand: list[Face], budget: RuleBudget
) -> bool:
    try:
        return bool(
            budget.call("judge", public_state(table, noted.before), noted.seat, noted.act, hand)
        )
    except RuleError:
        # If `judge` fails, the action counts as allowed: the seat's own program treated it so. The
        # error does not void the match, because a losing seat may have chosen the action for this
        # purpose.
        return True


def _had_choice(
    table: ScriptContext,
    state: ScriptState,
    noted: PendingJudgement,
    hand: Hand,
    budget: RuleBudget,
) -> bool:
    """Check whether the seat certainly had an action that `judge` allowed. Raises:
    RuleBudgetSpent.
    """
    before, seat, faces = noted.before, noted.seat, list(hand.faces.values())
    g, ask = public_state(table, before), before.ask
    for kind in kinds(table, ask) if ask is not None else ():
        for choice in possible_choices(table, before, seat, kind):
            card = choice[0] - 1
            hidden = kind.shows and before.pieces[card] is None
            if hidden and card not in hand.faces:
                # The seat could most likely not show this card, and nobody knows its face any more.
                continue
            action = (kind.name, *choice, 0, b"")
            shown = _with_card_open(state, before, card, hand.pieces[card]) if hidden else before
            # if the rules fail, nobody can say whether this action was allowed
            with suppress(RuleError):
                act = action_argument(table, action, _action_face(table, before, kind, card, hand))
                legal = budget.call("legal", g, seat, act) and budget.call(
                    "judge", g, seat, act, faces
                )
                if legal and can_afford(table, before, shown, seat, action, budget):
                    return True
    return False


def _with_card_open(
    state: ScriptState, before: ScriptState, card: Card, piece: Piece | None
) -> ScriptState:
    """Open a card in the state before an action, as the action would have opened it."""
    decks = before.decks
    if (
        decks is not None
        and state.decks is not None
        and piece is not None
        and piece not in decks.faces
    ):
        opened = sorted((*decks.opened, state.decks.faces[piece]), key=lambda one: one.piece)
        decks = replace(decks, opened=tuple(opened))
    return replace(before, pieces=with_seat(before.pieces, card, piece), decks=decks)


def _action_face(
    table: ScriptContext, before: ScriptState, kind: ActionKind, card: Card, hand: Hand
) -> Face | None:
    if card < 0 or not shows_face(table, kind):
        return None
    return hand.faces.get(card, face(table, before, card))
