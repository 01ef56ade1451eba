"""What a seat keeps to itself in a game by a rule file: the file, its deck, and what it brings to a
toss.
"""

from collections.abc import Mapping
from random import Random

from protocol.crypto.hashing import digest
from protocol.errors import LocalError
from protocol.games import Act, Action, MatchBinding, Piece
from protocol.games.decks import DeckCard
from protocol.games.decks.deck_hand import DeckHand, Loadout
from protocol.games.decks.opening import SlotOpening
from protocol.games.decks.own_deck import OwnDeck
from protocol.games.operations import Card
from protocol.games.scripted.engine import coin_toss
from protocol.games.scripted.engine.state import ScriptPhase, ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.loadout import starter_deck
from protocol.games.scripted.rule_file.built_in import rules_problem, text_of_digest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.rules import RuleError


class ScriptPrivateHalf:
    """One seat's. All of it is drawn from its random source when it is made; nothing is drawn
    later.
    """

    def __init__(
        self, game: ScriptGame, bound: MatchBinding, seat: int, rng: Random, brings: Loadout
    ) -> None:
        """Raises: LocalError if the file that the match names is not the one that is brought, or
        none.
        """
        self._game, self._seat, self._secret = game, seat, rng.randbytes(32)
        self._text = brings.text or text_of_digest(game.rules) or ""
        if (wrong := rules_problem(game.rules, brings.text)) is not None:
            raise LocalError(wrong)
        self._openings: Mapping[Piece, SlotOpening] = {}
        cards = brings.cards or _starter(self._text)
        self._deck = OwnDeck(bound, seat, rng, cards, brings.ownership)

    def hand(self, sees: Mapping[Card, Piece]) -> DeckHand:
        """What to pass as this seat's hand when it sees these pieces."""
        return DeckHand(sees, self._openings)

    def respond(self, state: ScriptState, held: DeckHand) -> Action | None:
        """The step that this seat owes, if any."""
        if state.decks is not None and not self._openings:
            self._openings = self._deck.openings(state.decks)
        want = self._game.wants(state)
        if not isinstance(want, Act) or not want.automatic or self._seat not in want.seats:
            return None
        if state.phase is ScriptPhase.RULES:
            return ("rules", self._text)
        table = self._game.table(state)
        if state.toss is not None:
            nonce = digest("toss nonce", self._secret, state.toss.number)
            opening = coin_toss.all_committed(table, state, state.toss)
            return (
                ("toss_open", nonce)
                if opening
                else ("toss", coin_toss.toss_commitment(state, self._seat, nonce))
            )
        assert state.decks is not None
        return self._deck.respond(state.decks, table.terms)


def _starter(text: str) -> tuple[DeckCard, ...]:
    """The deck that a file gives to who brings none; none if there is anything wrong with the file:
    all will see it.
    """
    try:
        contract = parse_contract(text)
    except RuleError:
        return ()
    return starter_deck(contract)
