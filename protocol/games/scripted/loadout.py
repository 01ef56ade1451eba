"""Check of a seat's loadout against a match by a rule file. Programs run it before they take the
seat, because later a misfit would count as a fault of the seat.
"""

from protocol.games.decks import DeckCard, Owned, ProxyCard
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.slot_commitments import face_of
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import rules_problem, text_of_digest
from protocol.games.scripted.rule_file.contract import RuleContract, parse_contract
from protocol.rules import RuleError
from protocol.view.phrase import Phrase, phrase


def loadout_problem(game: ScriptGame, brings: Loadout) -> Phrase | None:
    """Explain in a sentence why this loadout does not fit, and what to do about it; None if it
    fits.
    """
    if (wrong := rules_problem(game.rules, brings.text)) is not None:
        return wrong
    try:
        contract = parse_contract(brings.text or text_of_digest(game.rules) or "")
        return _kind_problem(game, contract, brings.cards) or _deck_problem(
            game, contract, brings.cards
        )
    except RuleError as error:
        return error.phrase


def starter_deck(contract: RuleContract) -> tuple[DeckCard, ...]:
    """Return the deck that a file provides for players without a deck."""
    return tuple(map(ProxyCard, contract.starter if contract.own else ()))


def _kind_problem(
    game: ScriptGame, contract: RuleContract, cards: tuple[DeckCard, ...]
) -> Phrase | None:
    owned = any(isinstance(card, Owned) for card in cards)
    if not contract.own:
        return phrase("deck.misfit.shared") if cards else None
    if game.owned:
        return None if owned else phrase("deck.misfit.owned", game=game.name)
    if owned:
        return phrase("deck.misfit.proxies", game=game.name)
    return None if cards or contract.starter else phrase("deck.misfit.none", game=game.name)


def _deck_problem(
    game: ScriptGame, contract: RuleContract, cards: tuple[DeckCard, ...]
) -> Phrase | None:
    deck = cards or starter_deck(contract)
    if not contract.own or not deck:
        return None
    proxies = None if game.owned else contract.cards
    if any(isinstance(card, ProxyCard) and card.number >= len(contract.cards) for card in deck):
        return phrase("deck.misfit.proxies", game=game.name)
    for card in deck:
        if isinstance(card, Owned) and (refusal := game.accepted.objection(card)) is not None:
            return refusal
    errors = contract.deck_errors([face_of(card, proxies) for card in deck])
    return phrase("deck.misfit.rules", game=game.name, why=errors[0]) if errors else None
