"""Check of a named deck, by its rules and by the known state of its cards."""

from collections.abc import Iterable
from functools import cache

from player.cards.card_names import short
from player.cards.collection import CardRecords
from player.cards.decks.deck_models import CardProblem, DeckCardShown, DeckShown, RulesShown
from player.cards.storage.named_decks import NamedDeck
from protocol.games.decks import Face
from protocol.games.decks.ledger_ownership import card_of, objection
from protocol.games.decks.slot_commitments import face_of
from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES, built_in_text, rule_digest
from protocol.games.scripted.rule_file.contract import RuleContract, parse_contract
from protocol.rules import RuleError
from protocol.view.phrase import Phrase, phrase


@cache
def deck_rules(text: str = "") -> dict[str, RuleContract]:
    """Return the rules that are played with a deck of the person's own, by name.

    These are the built-in rules, and the rule file `text`, if any, by its digest of forty letters.
    """
    found = {
        name: parse_contract(rules_text(name, text))
        for name in (*BUILT_IN_RULES, *([rule_digest(text)] if text else ()))
    }
    return {name: contract for name, contract in found.items() if contract.own}


def rules_text(name: str, text: str) -> str:
    """Return the rule file `name` if it is built in, or else `text`."""
    return built_in_text(name) if name in BUILT_IN_RULES else text


def rules_models(text: str = "") -> tuple[RulesShown, ...]:
    """Return the view models of `deck_rules`."""
    rules = deck_rules(text).items()
    return tuple(
        RulesShown(name, contract.name, name not in BUILT_IN_RULES, _proxies(contract))
        for name, contract in rules
    )


def _proxies(contract: RuleContract) -> tuple[DeckCardShown, ...]:
    return tuple(_card_model(str(number), face, 0) for number, face in enumerate(contract.cards))


def check_deck(deck: NamedDeck, known: CardRecords) -> DeckShown:
    """Return the view model of a deck, with all reasons against playing it."""
    counts = {card: deck.cards.count(card) for card in dict.fromkeys(deck.cards)}
    contract = deck_rules(known.rules).get(deck.rules)
    reserved = known.reserved()
    cards: list[DeckCardShown] = []
    faces: list[Face] = []
    for card, count in counts.items():
        face, shown = (
            _check_owned(card, known, reserved)
            if type(card) is bytes
            else _check_proxy(card, count, contract)
        )
        cards.append(shown)
        faces += [face] * count if face is not None else []
    objections = _objections(contract, deck.rules, faces)
    legal = not objections and not any(card.wrong for card in cards)
    return DeckShown(
        deck.name, deck.rules, deck.owned, len(deck.cards), tuple(cards), objections, legal
    )


def playable_faces(cards: Iterable[bytes | int], known: CardRecords) -> dict[bytes | int, Face]:
    """Return what is on each of these own cards that nothing speaks against, by instance."""
    reserved = known.reserved()
    checked = {card: _check_owned(card, known, reserved) for card in cards if type(card) is bytes}
    return {
        card: face
        for card, (face, shown) in checked.items()
        if face is not None and shown.wrong is None
    }


def _objections(
    contract: RuleContract | None, rules: str, faces: Iterable[Face]
) -> tuple[str | Phrase, ...]:
    if contract is None:
        return (phrase("deck.rules.none", rules=rules),)
    try:
        return contract.deck_errors(faces)
    except RuleError as error:
        return (error.phrase,)


def _check_proxy(
    card: int | bytes, count: int, contract: RuleContract | None
) -> tuple[Face | None, DeckCardShown]:
    if contract is None or type(card) is not int or card >= len(contract.cards):
        return None, DeckCardShown(str(card), "?", (), None, count, CardProblem.UNKNOWN)
    return contract.cards[card], _card_model(str(card), contract.cards[card], count)


def _check_owned(
    instance: bytes, known: CardRecords, reserved: frozenset[bytes]
) -> tuple[Face | None, DeckCardShown]:
    card = card_of(instance, known.records, known.view, known.index.types)
    if card is None:
        return None, DeckCardShown(
            instance.hex(), short(instance), (), None, 1, CardProblem.UNKNOWN
        )
    face = face_of(card, None)
    wrong = objection(card, known.me, known.records, known.view, reserved)
    return face, _card_model(
        instance.hex(), face, 1, _image(instance, known), CardProblem(wrong) if wrong else None
    )


def _card_model(
    id: str, face: Face, count: int, image: str | None = None, wrong: CardProblem | None = None
) -> DeckCardShown:
    values = tuple((key, value) for key, value in face.items() if key != "name")
    return DeckCardShown(id, str(face["name"]), values, image, count, wrong)


def _image(instance: bytes, known: CardRecords) -> str | None:
    found = known.index.types.get(known.index.instances[instance].type)
    if found is not None and found[1].image is not None:
        return found[1].image.hex()
    return None
