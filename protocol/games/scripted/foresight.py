"""Looking ahead in a game by a rule file: an action is tried on a world that is as the seat knows
it, and guessed where it does not; then a few more by lot. What it comes to is judged by what any
such game has."""

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

AHEAD = 6  # actions that are tried one after the other; each takes half a millisecond
WORLDS = 2  # in which each choice is tried; ten choices take 60 ms
WON, POINT, CARD = 1000, 20, 1  # what these are worth beside each other


class ImaginedGame(ScriptGame):
    """The same game in a world in which every piece says what is on it."""

    def __init__(self, game: ScriptGame, table: ScriptContext) -> None:
        self.name, self.seats, self.pieces, self.required_operations = (
            game.name,
            game.seats,
            game.pieces,
            game.required_operations,
        )
        self._fixed = table

    def table(self, state: ScriptState) -> ScriptContext:
        """The same for all states."""
        return self._fixed

    def legal(self, state: ScriptState, seat: int, hand: Hand) -> tuple[Action, ...]:
        """List all that is legal; the trial of an action comes when it is done."""
        assert isinstance(hand, DeckHand)
        return offered_actions(self._fixed, state, seat, hand, trials=False)


def choose_by_lookahead(
    game: ScriptGame, state: ScriptState, seat: int, held: DeckHand, rng: Random
) -> Action:
    """One of the actions that a seat may take after which it stands best, as far as it can tell."""
    choices = game.legal(state, seat, held)
    if len(choices) == 1:
        return choices[0]
    worth = [
        sum(_playout_value(game, state, seat, held, choice, rng) for _ in range(WORLDS))
        for choice in choices
    ]
    best = max(worth)
    return rng.choice(
        [choice for choice, value in zip(choices, worth, strict=True) if value == best]
    )


def _playout_value(
    game: ScriptGame, state: ScriptState, me: int, held: DeckHand, choice: Action, rng: Random
) -> int:
    """What it comes to in one world, if all go on by lot."""
    imagined, deal = _sample_world(game, state, held, rng)
    state = replace(state, decks=None)
    seat, action = me, (*choice[:5], b"")
    for _ in range(AHEAD):
        try:
            shown = imagined.check(state, seat, action)
        except Refused:
            break
        for operation in shown:
            assert isinstance(operation, OpenCard)
            deal.reveal(operation)
        state = _dealt(imagined, imagined.apply(state, seat, action), deal, rng)
        want = imagined.wants(state)
        if not isinstance(want, Act):
            break
        seat = rng.choice(want.seats)
        choices = imagined.legal(state, seat, DeckHand(deal.sees[seat], {}))
        if not choices:
            break
        action = rng.choice(choices)
    return _state_value(imagined, state, me)


def _dealt(game: ImaginedGame, state: ScriptState, deal: OpenDeal, rng: Random) -> ScriptState:
    """The state once the dealing is done, and coins have landed as it may be."""
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
    """A world that is as this seat knows it, and else any."""
    table = game.table(state)
    known = {card: held.visible.get(card, piece) for card, piece in enumerate(state.pieces)}
    unknown = [card for card, piece in known.items() if piece is None]
    left = sorted(set(range(len(known))) - set(known.values()))
    rng.shuffle(left)
    if state.decks is not None:  # cards of a seat's deck are of that deck
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
            {card: piece for card, piece in enumerate(deal.lies) if _knows(state, seat, card)}
        )
    cards = tuple(_face(table, state, held, piece, rng) for piece in range(len(deal.lies)))
    contract = dataclasses.replace(table.contract, own=False, cards=cards)
    return ImaginedGame(game, dataclasses.replace(table, contract=contract)), deal


def _knows(state: ScriptState, seat: int, card: Card) -> bool:
    return state.pieces[card] is not None or seat in state.seen[card]


def _face(
    table: ScriptContext, state: ScriptState, held: DeckHand, piece: Piece, rng: Random
) -> Face:
    """What is on a piece, or what may be."""
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
    """How a seat stands: whether it has won, its points, and the cards that it still holds, against
    the best other.
    """
    if state.error is not None:
        return -WON
    if state.winners is not None:
        return WON if me in state.winners else -WON
    return _standing(game, state, me) - max(
        _standing(game, state, seat) for seat in range(game.seats) if seat != me
    )


def _standing(game: ImaginedGame, state: ScriptState, seat: int) -> int:
    table = game.table(state)
    held = sum(
        len(cards)
        for (zone, owner), cards in zip(table.places, state.lies, strict=True)
        if owner == seat and table.contract.zones[zone].order == "hand"
    )
    return POINT * game.scores(state)[seat] - CARD * held
