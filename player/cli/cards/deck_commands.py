"""Command `fairdeal cards deck`: named lists of cards to play with."""

from collections.abc import Callable

from player.cards.card_names import match_copies, match_ids, resolve_card
from player.cards.decks.deck_check import check_deck, deck_rules
from player.cards.decks.deck_editing import add_card, make_deck, remove_card
from player.cards.decks.deck_loading import WRONG
from player.cards.decks.deck_models import DeckCardShown, DeckShown
from player.cards.storage.named_decks import NamedDeck
from player.cli.cards.card_program import CLEAN, FAILED, Program
from player.ui.terminal.cards import card_text
from protocol.errors import LocalError
from protocol.games.decks import Face
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.games.scripted.rule_file.contract import RuleContract, parse_contract
from protocol.view.phrase import phrase


def deck(program: Program) -> int:
    """Run one of the commands about decks."""
    return _COMMANDS[program.args.do](program)


def _new(program: Program) -> int:
    args = program.args
    if args.all and (args.cards or args.proxies):
        raise LocalError("wrong.together", one="all", other="proxies" if args.proxies else "CARD")
    text = program.collection.rules
    make_deck(
        program.collection,
        args.deck,
        rule_digest(text) if text else args.game,
        owned=not args.proxies,
    )
    for card in _all_own(program) if args.all else ():
        add_card(program.collection, args.deck, card.hex())
    return _add(program)


def _all_own(program: Program) -> list[bytes]:
    """Return the person's cards that can be played now."""
    collection = program.collection
    holdings = {
        card: collection.view.holding(card) for card in collection.view.held_by(collection.me)
    }
    burnt = {card for card, holding in holdings.items() if holding is None or holding.burnt}
    return sorted(holdings.keys() - burnt - collection.reserved())


def _list(program: Program) -> int:
    found = program.collection.store.decks.all()
    for named in found:
        program.tell(_line(check_deck(named, program.collection), program))
    if not found:
        program.tell(phrase("deck.cli.empty"))
    return CLEAN


def _show(program: Program) -> int:
    shown = _shown(program)
    rows = [
        (card.id[:8] if shown.owned else f"{card.count}x", card.name, _values(card))
        for card in shown.cards
    ]
    wide = [max((len(row[at]) for row in rows), default=0) for at in (0, 1)]
    for row, card in zip(rows, shown.cards, strict=True):
        if card.wrong is None:
            wrong = ""
        else:
            wrong = f"  ({program.say(phrase(WRONG[card.wrong]))})"
        program.tell(f"{row[0]:{wide[0]}}  {row[1]:{wide[1]}}  {row[2]}{wrong}".rstrip())
    program.tell(_line(shown, program))
    return CLEAN


def _add(program: Program) -> int:
    for text in program.args.cards:
        named = _named(program)
        add_card(program.collection, named.name, _resolve_own_card(text, named, program))
    return _told(program)


def _remove(program: Program) -> int:
    for text in program.args.cards:
        named = _named(program)
        remove_card(program.collection, named.name, _resolve_card_in_deck(text, named, program))
    return _told(program)


def _check(program: Program) -> int:
    shown = _shown(program)
    said = [
        program.say(phrase("deck.cli.wrong", card=card.name, why=phrase(WRONG[card.wrong])))
        for card in shown.cards
        if card.wrong is not None
    ]
    own = program.collection.rules and rule_digest(program.collection.rules) != shown.rules
    objections = _by_file(program) if own else shown.objections
    said += [one if isinstance(one, str) else program.say(one) for one in objections]
    program.tell(*said, phrase("deck.cli.bad" if said else "deck.cli.good", name=shown.name))
    if shown.owned:
        program.tell(card_text.AS_FAR)
    return FAILED if said else CLEAN


def _delete(program: Program) -> int:
    program.collection.store.decks.delete(program.args.deck)
    program.tell(phrase("deck.cli.deleted", name=program.args.deck))
    return CLEAN


def _by_file(program: Program) -> tuple[str, ...]:
    """Return the objections of a rule file to the deck. Raises: LocalError."""
    contract = parse_contract(program.collection.rules)
    named = _named(program)
    shown = _shown(program)
    if not named.owned:
        raise LocalError("wrong.deck.proxies", name=named.name, rules=named.rules)
    return contract.deck_errors([_face(card) for card in shown.cards])


def _face(card: DeckCardShown) -> Face:
    return {**dict(card.values), "name": card.name}


def _named(program: Program) -> NamedDeck:
    return program.collection.store.decks.named(program.args.deck)


def _shown(program: Program) -> DeckShown:
    return check_deck(_named(program), program.collection)


def _told(program: Program) -> int:
    program.tell(_line(_shown(program), program))
    return CLEAN


def _line(shown: DeckShown, program: Program) -> str:
    kind = phrase("deck.cli.owned" if shown.owned else "deck.cli.proxies")
    state = phrase("deck.cli.legal" if shown.legal else "deck.cli.illegal")
    return program.say(
        phrase(
            "deck.cli.line",
            name=shown.name,
            rules=shown.rules,
            count=shown.count,
            kind=kind,
            state=state,
        )
    )


def _values(card: DeckCardShown) -> str:
    return " ".join(f"{key} {value}" for key, value in card.values)


def _resolve_own_card(text: str, named: NamedDeck, program: Program) -> str:
    """Return the `DeckCardShown.id` of the card that `text` names. Among equal owned cards outside
    the deck the lowest serial is taken.
    """
    if not named.owned:
        return _proxy(text, range(len(_rules(named, program).cards)), named, program)
    mine = {
        one
        for one in program.collection.view.held_by(program.collection.me)
        if one not in named.cards
    }
    return _resolve_lowest_copy(text, tuple(mine), program)


def _resolve_card_in_deck(text: str, named: NamedDeck, program: Program) -> str:
    """Return the `DeckCardShown.id` of the card in the deck that `text` names."""
    if not named.owned:
        return _proxy(text, [card for card in named.cards if isinstance(card, int)], named, program)
    inside = [card for card in named.cards if isinstance(card, bytes)]
    known = tuple(card for card in inside if card in program.collection.index.instances)
    gone = match_ids(text, [card for card in inside if card not in known])
    if len(gone) == 1:
        return gone[0].hex()
    return _resolve_lowest_copy(text, known, program)


def _resolve_lowest_copy(text: str, cards: tuple[bytes, ...], program: Program) -> str:
    names = program.showing().names(cards)
    alike = () if match_ids(text, names) else match_copies(text, names)
    kinds = {program.collection.index.instances[one].type for one in alike}
    if len(kinds) == 1:
        return min(alike, key=lambda one: names[one][1]).hex()
    return resolve_card(text, names).hex()


def _rules(named: NamedDeck, program: Program) -> RuleContract:
    """Return the rules of a deck. Raises: LocalError if they are a rule file that the command does
    not name.
    """
    found = deck_rules(program.collection.rules).get(named.rules)
    if found is None:
        raise LocalError("deck.rules.none", rules=named.rules)
    return found


def _proxy(text: str, numbers: "range | list[int]", named: NamedDeck, program: Program) -> str:
    """Return the number of the proxy with this name. Raises: LocalError."""
    cards = _rules(named, program).cards
    wanted = text.strip().casefold()
    found = [number for number in numbers if str(cards[number]["name"]).casefold() == wanted]
    if not found:
        names = sorted({str(cards[number]["name"]) for number in numbers})
        raise LocalError("wrong.deck.proxy", text=text, names=", ".join(names))
    return str(found[0])


_COMMANDS: dict[str, Callable[[Program], int]] = {
    "new": _new,
    "list": _list,
    "show": _show,
    "add": _add,
    "remove": _remove,
    "check": _check,
    "delete": _delete,
}
