"""Warnings before a trade, and the check of a trade against the person's acceptance policy."""

from collections.abc import Sequence

from player.cards.card_models import TrustMark
from player.cards.card_presenter import CardPresenter
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from protocol.ledger.trading.events import TradeSummary
from protocol.ledger.witness.acceptance_policy import AcceptancePolicy, cards_against_policy
from protocol.view.phrase import Phrase, phrase

POLICIES = {
    AcceptancePolicy.ANYTHING: "cards.policy.anything",
    AcceptancePolicy.MET: "cards.policy.met",
    AcceptancePolicy.CERTIFIED: "cards.policy.certified",
}


def policy_of(store: LedgerStore) -> AcceptancePolicy:
    """Return the person's acceptance policy; ANYTHING without a choice. Raises: LocalError."""
    return AcceptancePolicy(store.policy or AcceptancePolicy.ANYTHING)


def find_cards_outside_policy(
    showing: CardPresenter, store: LedgerStore, terms: TradeSummary
) -> tuple[bytes, ...]:
    """Return the cards in `terms` that the person would receive against their policy.

    Trusted keys count as met. Raises: LocalError.
    """
    met = {key for key, trusted in store.marks().items() if trusted}
    known = showing.collection
    return cards_against_policy(policy_of(store), known.view, terms.trade, known.me, met)


def describe_warnings(
    showing: CardPresenter,
    terms: TradeSummary,
    partner: bytes,
    cards_against_policy: tuple[bytes, ...],
    decks: Sequence[NamedDeck] = (),
) -> tuple[Phrase, ...]:
    """Return the warnings about a trade, the worst first. `decks`: those of the person."""
    found = [
        phrase("cards.beware.policy", card=showing.card(card).short)
        for card in cards_against_policy
    ]
    if showing.person(partner).mark is TrustMark.DISTRUSTED:
        found.append(phrase("cards.beware.partner"))
    found += [
        phrase("cards.beware.reserved", card=showing.card(card).short) for card in terms.reserved
    ]
    for key, trusted in terms.creators:
        if trusted is not True and key != showing.collection.me:
            name = showing.person(key)
            if trusted is False:
                said = "cards.beware.distrusted"
            else:
                said = "cards.beware.unknown"
            found.append(phrase(said, creator=name.name or name.short))
    found += [
        phrase("cards.beware.deck", card=showing.card(card).name, deck=deck.name)
        for card in terms.given
        for deck in decks
        if card in deck.cards
    ]
    if not terms.received:
        found.append(phrase("cards.beware.gift"))
    return tuple(found)
