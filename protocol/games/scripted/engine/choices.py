"""Offers to a seat, and the check of a choice by everybody."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count

from protocol.codes import Code
from protocol.errors import ProtocolViolation, Refused
from protocol.games import Action, Piece
from protocol.games.decks import Face, Owned
from protocol.games.decks.deck_hand import DeckHand
from protocol.games.decks.slot_commitments import face_of, opening_bytes, read_opening
from protocol.games.operations import Card, OpenCard, Operation, ShuffleCards
from protocol.games.scripted.engine.budget import RuleBudget, RuleBudgetSpent, argument_cost
from protocol.games.scripted.engine.choice import open_shown_card, try_choice
from protocol.games.scripted.engine.idle import ChoiceLeft, check_idle, find_choice
from protocol.games.scripted.engine.moves import (
    LEAVE,
    action_argument,
    hand_of,
    kind_of,
    kinds,
    possible_choices,
    shows_face,
)
from protocol.games.scripted.engine.public_state import public_state
from protocol.games.scripted.engine.state import PileSearch, ScriptContext, ScriptState
from protocol.games.scripted.rule_file.constants import ActionKind
from protocol.limits import RULE_CALL_STEPS, SCRIPT_ENTRY_STEPS, SCRIPT_OFFER_STEPS
from protocol.rules import RuleError


def offered_actions(
    table: ScriptContext, state: ScriptState, seat: int, held: DeckHand, *, trials: bool = True
) -> tuple[Action, ...]:
    """List all actions of this seat, in a stable order.

    An action for which the rules fail is on offer too: if it is chosen, the error becomes public.
    If `judge` rejects all legal actions, all of them are on offer. If nothing is legal, only
    `LEAVE` is on offer.

    With `trials`, actions that cause too much work are left out, and the list ends when
    `SCRIPT_OFFER_STEPS` are spent.
    """
    ask = state.ask
    if ask is None or seat not in ask.seats:
        return ()
    offers = _Offers(table, state, seat, held, trials)
    return offers.all() if ask.search is None else offers.cards(ask.search)


class _Offers:
    """Builder of the offers to one seat in one state."""

    def __init__(
        self, table: ScriptContext, state: ScriptState, seat: int, held: DeckHand, trials: bool
    ) -> None:
        self._table, self._state, self._seat, self._held, self._trials = (
            table,
            state,
            seat,
            held,
            trials,
        )
        self._budget = RuleBudget(table.contract, SCRIPT_OFFER_STEPS)
        self._g = public_state(table, state.when_asked)
        self._hand = hand_of(table, state, seat)
        self._faces = [self._face(card) for card in self._hand]

    def all(self) -> tuple[Action, ...]:
        """List the legal actions that the file declares."""
        allowed: dict[int, Action] = {}
        denied: dict[int, Action] = {}
        with suppress(RuleBudgetSpent):
            self._budget.spend(argument_cost(self._table, self._state.when_asked))
            # Use the same order as the judgement at the end, which spends at least as many steps on
            # each action. So the judgement never finds an action that was missing here for lack of
            # steps.
            for at, kind, action in sorted(self._candidates(), key=self._is_outside):
                if self._ask_rules("legal", self._act_argument(kind, action)):
                    judged = self._judge_allows(kind, action)
                    if not judged or self._can_afford(action):
                        (allowed if judged else denied)[at] = action
            if not allowed:
                denied = {at: action for at, action in denied.items() if self._can_afford(action)}
            return _sort_actions(allowed or denied) or (LEAVE,)
        if allowed:
            return _sort_actions(allowed)
        seen = find_choice(self._table, self._state, self._seat)
        return (LEAVE,) if isinstance(seen, ChoiceLeft) else (seen,)

    def cards(self, search: PileSearch) -> tuple[Action, ...]:
        """List the cards that may be taken from a pile. Taking none is always possible."""
        actions: list[Action] = []
        with suppress(RuleBudgetSpent):
            for card in self._state.lies[search.source]:
                proof = (0, b"") if search.fits is None else self._proof(card + 1)
                if proof is None:
                    continue
                action, face = ("take", card + 1, 0, 0, *proof), self._face(card)
                fits = search.fits is None or (
                    face is not None and self._ask_rules(search.fits, face)
                )
                if fits and self._can_afford(action):
                    actions.append(action)
        return (*actions, LEAVE)

    def _candidates(self) -> Iterator[tuple[int, ActionKind, Action]]:
        """Iterate over the actions that this seat can prove, legal or not, with their place in the
        order.
        """
        assert self._state.ask is not None
        places = count()
        for kind in kinds(self._table, self._state.ask):
            for card, target, choice in possible_choices(
                self._table, self._state, self._seat, kind
            ):
                proof = self._proof(card) if kind.shows else (0, b"")
                if proof is not None:
                    yield next(places), kind, (kind.name, card, target, choice, *proof)

    def _is_outside(self, candidate: tuple[int, ActionKind, Action]) -> bool:
        """Check whether an action shows a card that is not in the hand and that the other seats do
        not know.
        """
        _, kind, action = candidate
        card = action[1] - 1
        return kind.shows and self._state.pieces[card] is None and card not in self._hand

    def _act_argument(self, kind: ActionKind, action: Action) -> dict[str, object]:
        card = action[1] - 1
        return action_argument(
            self._table,
            action,
            self._face(card) if card >= 0 and shows_face(self._table, kind) else None,
        )

    def _judge_allows(self, kind: ActionKind, action: Action) -> bool:
        if not self._table.contract.has("judge") or None in self._faces:
            return True
        return self._ask_rules("judge", self._act_argument(kind, action), self._faces)

    def _ask_rules(self, name: str, *args: object) -> bool:
        """Ask a function of the file. If it fails, the answer is True: the choice stays on offer,
        and makes the error public.
        """
        try:
            return bool(self._budget.call(name, self._g, self._seat, *args))
        except RuleError:
            return True

    def _can_afford(self, action: Action) -> bool:
        if not self._trials:
            return True
        try:
            shown = open_shown_card(self._table, self._state, self._seat, action)
            after = try_choice(self._table, self._state, shown, self._seat, action)
        except ProtocolViolation:
            return True  # this seat is named for its deck, whatever the cost
        except Refused:
            self._budget.spend(SCRIPT_ENTRY_STEPS)
            return False
        self._budget.spend(RULE_CALL_STEPS if after.error is not None else after.spent)
        return True

    def _face(self, card: Card) -> Face | None:
        return known_face(self._table, self._state, self._held, card)

    def _proof(self, card: int) -> tuple[int, bytes] | None:
        """Return the proof of a card, counted from 1: its piece (from 1, or 0 if public), and the
        opening of its slot. None if this seat cannot prove it.
        """
        if not card or self._state.pieces[card - 1] is not None:
            return 0, b""
        piece, decks = self._held.visible.get(card - 1), self._state.decks
        if piece is None:
            return None
        if self._table.tells or (decks is not None and piece in decks.faces):
            return piece + 1, b""
        opening = self._held.openings.get(piece)
        return None if opening is None else (piece + 1, opening_bytes(opening))


def _sort_actions(actions: dict[int, Action]) -> tuple[Action, ...]:
    return tuple(action for _, action in sorted(actions.items()))


def known_owned(state: ScriptState, held: DeckHand, card: Card) -> Owned | None:
    """Return a card with its records if it is an owned card that the seat knows."""
    piece = _known_piece(state, held, card)
    if piece is None or state.decks is None:
        return None
    opening = held.openings.get(piece) or state.decks.faces.get(piece)
    return opening.card if opening is not None and isinstance(opening.card, Owned) else None


def _known_piece(state: ScriptState, held: DeckHand, card: Card) -> Piece | None:
    """Piece of a card, if the seat knows it. While the cards are shuffled it is None: the seats
    shuffle one after another, so what a seat can read is not yet what will lie there.
    """
    if any(isinstance(wanted, ShuffleCards) and card in wanted.cards for wanted in state.wanted):
        return None
    return held.visible.get(card) if state.pieces[card] is None else state.pieces[card]


def known_face(table: ScriptContext, state: ScriptState, held: DeckHand, card: Card) -> Face | None:
    """Face of a card, if the seat knows it."""
    piece = _known_piece(state, held, card)
    if piece is None:
        return None
    if piece in held.openings:
        return face_of(held.openings[piece].card, table.terms.proxies)
    return table.face(state, piece)


def check_choice(
    table: ScriptContext, state: ScriptState, seat: int, action: Action
) -> tuple[ScriptState, tuple[Operation, ...]]:
    """Check a choice as far as possible without the rules.

    Returns the state in which the card of the choice is open, and the operations for this. Raises:
    Refused; ProtocolViolation if a slot is opened as another card.
    """
    ask = state.ask
    if ask is None or seat not in ask.seats:
        raise Refused(Code.NOT_YOUR_TURN)
    if len(action) != len(LEAVE):  # actions that programs post by themselves
        raise Refused(Code.ILLEGAL_MOVE)
    if action == LEAVE:
        if ask.search is None:
            check_idle(table, state, seat)
        return state, ()
    name, card, target, choice, piece, opening = action
    if ask.search is not None:
        if name != "take" or card - 1 not in state.lies[ask.search.source] or target or choice:
            raise Refused(Code.ILLEGAL_MOVE)
        shows = ask.search.fits is not None
    else:
        kind = kind_of(table, ask, name)
        if kind is None or (card, target, choice) not in possible_choices(table, state, seat, kind):
            raise Refused(Code.ILLEGAL_MOVE)
        shows = kind.shows
    if not shows and (piece or opening):
        raise Refused(Code.ILLEGAL_MOVE)
    operations = _operations(table, state, seat, action) if shows else ()
    return open_shown_card(table, state, seat, action), operations


def _operations(
    table: ScriptContext, state: ScriptState, seat: int, action: Action
) -> tuple[Operation, ...]:
    """Check the proof of a card, and return the operations that show it. Raises: Refused."""
    card, piece, opening, decks = action[1] - 1, action[4] - 1, action[5], state.decks
    if state.pieces[card] is not None:
        if piece >= 0 or opening:
            raise Refused(Code.ILLEGAL_MOVE)
        return ()
    if seat not in state.seen[card] or not 0 <= piece < len(state.pieces) or piece in state.pieces:
        raise Refused(Code.ILLEGAL_MOVE)
    if decks is not None and opening:
        if read_opening(opening).piece != piece:
            raise Refused(Code.ILLEGAL_MOVE)
    elif opening or (decks is not None and piece not in decks.faces):
        raise Refused(Code.ILLEGAL_MOVE)
    return (OpenCard(card, piece),)
