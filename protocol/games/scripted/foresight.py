"""Lookahead in games by rule files.

The lookahead tries an action in a world that agrees with the knowledge of the seat; the rest of the
world is guessed. A few random actions follow. The resulting state is rated by properties that every
such game has.
"""

import dataclasses
from random import Random

from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Act, Action, Hand, Piece
from protocol.games.decks import Face
from protocol.games.decks.deck_hand import DeckHand
from protocol.games.decks.slot_commitments import face_of
from protocol.games.operations import Card, OpenCard
from protocol.games.scripted.engine.choices import offered_actions
from protocol.games.scripted.engine.effect_loop import run
from protocol.games.scripted.engine.state import Effect, ScriptContext, ScriptPhase, ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.open_deal import OpenDeal

LOOKAHEAD_ACTIONS = 6  # number of consecutive actions in one trial; each takes half a millisecond
SAMPLED_WORLDS = 2  # number of worlds in which each choice is tried; ten choices take 60 ms
WON, POINT, CARD = 1000, 20, 1  # weights of a win, a point and a card in hand


class ImaginedGame(ScriptGame):
    """Copy of a game for a world in which the face of every piece is known."""

    def __init__(self, game: ScriptGame, table: ScriptContext) -> None:
        self.name, self.seats, self.pieces, self.required_operations = (
            game.name,
            game.seats,
            game.pieces,
            game.required_operations,
        )
        self._fixed = table

    def table(self, state: ScriptState) -> ScriptContext:
        """Return the context of the imagined world, which is the same for all states."""
        return self._fixed

    def legal(self, state: ScriptState, seat: int, hand: Hand) -> tuple[Action, ...]:
        """List all legal actions, without a trial of each. The trial takes place when an action is
        applied.
        """
        assert isinstance(hand, DeckHand)
        return offered_actions(self._fixed, state, seat, hand, trials=False)


def choose_by_lookahead(
    game: ScriptGame, state: ScriptState, seat: int, held: DeckHand, rng: Random
) -> Action:
    """Choose among the actions of a seat one whose outcome is rated best, given the seat's
    knowledge.
    """
    choices = game.legal(state, seat, held)
    if len(choices) == 1:
        return choices[0]
    worth = [
        sum(_playout_value(game, state, seat, held, choice, rng) for _ in range(SAMPLED_WORLDS))
        for choice in choices
    ]
    best = max(worth)
    return rng.choice(
        [choice for choice, value in zip(choices, worth, strict=True) if value == best]
    )


def _playout_value(
    game: ScriptGame, state: ScriptState, me: int, held: DeckHand, choice: Action, rng: Random
) -> int:
    """Rate a choice: apply it in one random world, continue with random actions, and rate the
    resulting state.
    """
    imagined, deal = _sample_world(game, state, held, rng)
    state = replace(state, decks=None)
    seat, action = me, (*choice[:5], b"")
    for _ in range(LOOKAHEAD_ACTIONS):
        try:
            shown = imagined.check(state, seat, action)
        except Refused:
            break
        for operation in shown:
            assert isinstance(operation, OpenCard)
            deal.reveal(operation)
        state = _finish_dealing(imagined, imagined.apply(state, seat, action), deal, rng)
        want = imagined.wants(state)
        if not isinstance(want, Act):
            break
        seat = rng.choice(want.seats)
        choices = imagined.legal(state, seat, DeckHand(deal.sees[seat], {}))
        if not choices:
            break
        action = rng.choice(choices)
    return _state_value(imagined, state, me)


def _finish_dealing(
    game: ImaginedGame, state: ScriptState, deal: OpenDeal, rng: Random
) -> ScriptState:
    """Return the state after all pending operations of the deal are done and coins have landed at
    random.
    """
    while True:
        if state.toss is not None:
            value = rng.randrange(state.toss.sides)
            effect = Effect(".call", (state.toss.then, value))
            state = run(game.table(state), replace(state, toss=None, queue=(effect, *state.queue)))
        elif state.wanted and state.phase is ScriptPhase.PLAY:
            state = game.after_deal(state, deal.handle(state.wanted))
        else:
            return state


def _sample_world(
    game: ScriptGame, state: ScriptState, held: DeckHand, rng: Random
) -> tuple[ImaginedGame, OpenDeal]:
    """Draw a random world that agrees with the knowledge of this seat."""
    table = game.table(state)
    known = {card: held.visible.get(card, piece) for card, piece in enumerate(state.pieces)}
    unknown = [card for card, piece in known.items() if piece is None]
    left = sorted(set(range(len(known))) - set(known.values()))
    rng.shuffle(left)
    if state.decks is not None:  # a seat's unknown cards can only be pieces of its own deck
        owner = dict(
            enumerate(seat for seat, size in enumerate(state.decks.sizes) for _ in range(size))
        )
        unknown.sort(key=owner.__getitem__)
        left.sort(key=owner.__getitem__)
    deal = OpenDeal(game.seats, rng)
    guessed = dict(zip(unknown, left, strict=True))
    deal.lies = [guessed[card] if piece is None else piece for card, piece in known.items()]
    for seat, sees in enumerate(deal.sees):
        sees.update(
            {card: piece for card, piece in enumerate(deal.lies) if _is_known(state, seat, card)}
        )
    cards = tuple(
        _known_or_possible_face(table, state, held, piece, rng) for piece in range(len(deal.lies))
    )
    contract = dataclasses.replace(table.contract, own=False, cards=cards)
    return ImaginedGame(game, dataclasses.replace(table, contract=contract)), deal


def _is_known(state: ScriptState, seat: int, card: Card) -> bool:
    return state.pieces[card] is not None or seat in state.seen[card]


def _known_or_possible_face(
    table: ScriptContext, state: ScriptState, held: DeckHand, piece: Piece, rng: Random
) -> Face:
    """Return the face of a piece if the seat knows it, otherwise a possible face."""
    if piece in held.openings:
        return face_of(held.openings[piece].card, table.terms.proxies)
    shown = table.face(state, piece)
    if shown is not None:
        return shown
    some = table.contract.cards or [
        face_of(one.card, table.terms.proxies) for one in held.openings.values()
    ]
    return rng.choice(some)


def _state_value(game: ImaginedGame, state: ScriptState, me: int) -> int:
    """Rate a state for a seat: win or loss, otherwise points and cards in hand compared with the
    best other seat.
    """
    if state.error is not None:
        return -WON
    if state.winners is not None:
        return WON if me in state.winners else -WON
    return _seat_value(game, state, me) - max(
        _seat_value(game, state, seat) for seat in range(game.seats) if seat != me
    )


def _seat_value(game: ImaginedGame, state: ScriptState, seat: int) -> int:
    table = game.table(state)
    held = sum(
        len(cards)
        for (zone, owner), cards in zip(table.places, state.lies, strict=True)
        if owner == seat and table.contract.zones[zone].order == "hand"
    )
    return POINT * game.scores(state)[seat] - CARD * held
