"""Practice copies of a deck, for a match against bots.

Bots own no cards, and nobody risks cards of their own against a program. So each seat makes copies
of the deck for one match, and is the creator of its copies. The copies stay in the match's folder.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from player.cards.collection import CardRecords
from player.cards.decks.deck_check import deck_rules
from player.cards.decks.deck_loading import open_deck, open_reader
from player.cards.decks.loadout import FolderLoadouts
from player.cards.storage.database import FILE
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.client.loadouts import NO_CREATORS, Creators
from protocol.crypto.hashing import digest
from protocol.errors import LocalError
from protocol.games.decks import Face, Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.ownership import NoOwnership
from protocol.games.scripted.rule_file.contract import RuleContract
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import CardType, Creator, Instance
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.rules import RuleError

NONCE = 16  # bytes


@dataclass(frozen=True)
class PracticeDeck:
    """The card types of a deck, one for each card, with the name and the rules of the deck."""

    name: str
    rules: str
    types: tuple[CardType, ...]

    def loadout(self, who: Identity, text: str = "") -> Loadout:
        """Make the copies of `who`, for a match by the rule file `text`, if any. The same key
        always makes the same copies.
        """
        cards = tuple(Owned(card.raw, (kind.raw,)) for kind, card in self._copies(who))
        return Loadout(cards, text, NoOwnership())

    def store(self, folder: Path, who: Identity) -> None:
        """Write the copies of `who` and a deck of them into a data folder without cards. A folder
        with cards belongs to a match that continues, and stays. Raises: LocalError.
        """
        if (folder / FILE).exists():
            return
        copies = list(self._copies(who))
        maker = sign_record(Creator(who.public, 0, None, self.name, None, "", (), 0), who)
        kinds = {kind.id: kind for kind, _ in copies}.values()
        cards = [card for _, card in copies]
        # the key is new, so no older copy of the folder can exist
        with closing(LedgerStore(folder, who.public, None)) as store:
            store.add([maker, *kinds, *cards])
            deck = NamedDeck(self.name, self.rules, True, tuple(card.id for card in cards))
            store.decks.make(deck)

    def _copies(self, who: Identity) -> Iterator[tuple[LedgerRecord, LedgerRecord]]:
        """Yield the type and the copy of each card, signed by `who`."""
        serials: Counter[bytes] = Counter()
        for one in self.types:
            first = replace(one, creator=who.public, type=None, revision=0, previous=None)
            kind = sign_record(first, who)
            serial = serials[kind.id]
            serials[kind.id] += 1
            nonce = digest("practice copy", who.public, kind.id, serial)[:NONCE]
            yield kind, sign_record(Instance(who.public, kind.id, serial, nonce), who)


class PracticeLoadouts(FolderLoadouts):
    """The loadouts of a match with practice copies. Pictures come from the person's data folder."""

    def check_free(self, me: bytes, loadout: Loadout) -> None:
        """Accept all copies: nobody can trade them."""

    def creators(self, me: bytes) -> Creators:
        """Return nobody: each seat is the creator of its copies."""
        return NO_CREATORS


def read_practice(data: Path, name: str, text: str = "") -> PracticeDeck | None:
    """Read the deck `name`; None if the deck has cards of the rules, and needs no copies.

    A deck may have cards that the person has traded away since: the copies are no proof of anything.
    Raises: LocalError if no such deck exists, if it is empty, or if a card of it is unknown.
    """
    with open_deck(data, b"", name, text) as (deck, known):
        if not deck.owned:
            return None
        if not deck.cards:
            raise LocalError("wrong.deck.empty", name=name)
        types = _types_of(deck, known)
    if types is None:
        raise LocalError("wrong.deck.practice", name=name)
    return PracticeDeck(name, deck.rules, types)


def fitting_decks(data: Path) -> dict[str, tuple[str, ...]]:
    """Return the names of the decks that can be played against bots, by the names of the rules.

    Rules without a deck have an empty tuple. Raises: LocalError if the file of cards is damaged.
    """
    fitting: dict[str, tuple[str, ...]] = dict.fromkeys(deck_rules(), ())
    if not (data / FILE).exists():
        return fitting
    with open_reader(data) as reader:
        decks = reader.decks.all()
        known = CardRecords(b"", reader.records() if any(deck.owned for deck in decks) else ())
    for rules, contract in deck_rules().items():
        fitting[rules] = tuple(
            deck.name for deck in decks if _is_playable(deck, known, rules, contract)
        )
    return fitting


def _is_playable(deck: NamedDeck, known: CardRecords, rules: str, contract: RuleContract) -> bool:
    """Check a deck by the rules alone."""
    if not deck.owned and deck.rules != rules:
        return False
    if deck.owned:
        faces = [_face(one) for one in _types_of(deck, known) or ()]
    else:
        numbers = [card for card in deck.cards if isinstance(card, int)]
        faces = [contract.cards[number] for number in numbers if number < len(contract.cards)]
    try:
        return bool(faces) and len(faces) == len(deck.cards) and not contract.deck_errors(faces)
    except RuleError:
        return False


def _face(one: CardType) -> Face:
    return {**dict(one.values), "name": one.name}


def _types_of(deck: NamedDeck, known: CardRecords) -> tuple[CardType, ...] | None:
    """Return the type of each card of a deck of owned cards; None if a card is unknown."""
    types: list[CardType] = []
    for card in deck.cards:
        made = known.index.instances.get(card) if isinstance(card, bytes) else None
        found = None if made is None else known.index.types.get(made.type)
        if found is None:
            return None
        types.append(found[1])
    return tuple(types)
