"""Private half of a seat in a game by a rule file: the text of the file, the deck, and
contributions to coin tosses.
"""

from collections.abc import Mapping
from random import Random

from protocol.crypto.hashing import digest
from protocol.errors import LocalError
from protocol.games import Act, Action, MatchBinding, Piece
from protocol.games.decks import DeckCard
from protocol.games.decks.deck_hand import DeckHand, Loadout, PrivateHalf
from protocol.games.decks.own_deck import OwnDeck
from protocol.games.decks.slot_opening import SlotOpening
from protocol.games.operations import Card
from protocol.games.scripted.engine import coin_toss
from protocol.games.scripted.engine.state import ScriptPhase, ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.loadout import starter_deck
from protocol.games.scripted.rule_file.built_in import rules_problem, text_of_digest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.rules import RuleError


class ScriptPrivateHalf(PrivateHalf[ScriptState]):
    """Secrets of one seat. All random values are drawn when the object is created; later nothing is
    drawn.
    """

    def __init__(
        self, game: ScriptGame, bound: MatchBinding, seat: int, rng: Random, brings: Loadout
    ) -> None:
        """Create the private half. Raises: LocalError if the loadout has another rule file than the
        match names, or no file and none is built in.
        """
        self._game, self._seat, self._secret = game, seat, rng.randbytes(32)
        self._text = brings.text or text_of_digest(game.rules) or ""
        if (wrong := rules_problem(game.rules, brings.text)) is not None:
            raise LocalError(wrong)
        self._openings: Mapping[Piece, SlotOpening] = {}
        cards = brings.cards or _starter_deck(self._text)
        self._deck = OwnDeck(bound, seat, rng, cards, brings.ownership)

    def hand(self, visible: Mapping[Card, Piece]) -> DeckHand:
        """Make the hand of this seat from the pieces that are visible to it."""
        return DeckHand(visible, self._openings)

    def respond(self, state: ScriptState, held: DeckHand) -> Action | None:
        """Return the next step that this seat has to post; None if there is none."""
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


def _starter_deck(text: str) -> tuple[DeckCard, ...]:
    """Starter deck of a file. Empty if the file has an error, since every program will find this
    error.
    """
    try:
        contract = parse_contract(text)
    except RuleError:
        return ()
    return starter_deck(contract)
