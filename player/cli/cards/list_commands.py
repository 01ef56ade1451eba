"""Commands that change nothing: list, binder, show, verify, alarms."""

from pathlib import Path

from player.cards.card_files import picture_lines
from player.cards.card_models import Binder, CardShown
from player.cards.card_names import UnknownPerson
from player.cards.card_presenter import CardPresenter
from player.cards.card_verification import Verdict, Verification, verify_cards, verify_records
from player.cards.collection import CardRecords
from player.cli.cards.bundle_files import read_file
from player.cli.cards.card_program import CLEAN, FAILED, UNKNOWN, Program
from player.ui.terminal.cards import card_text
from player.ui.terminal.cards.binder_drawing import draw
from protocol.codes import code_phrase
from protocol.errors import LocalError
from protocol.ledger.bundle import SUFFIX
from protocol.ledger.pictures import check_pictures
from protocol.ledger.view import Holding
from protocol.view.phrase import Phrase, phrase

VERDICTS = {
    Verdict.HOLDS: "cards.verified.holds",
    Verdict.MISSING: "cards.verified.says_nobody",
    Verdict.BROKEN: "cards.verified.broken",
}
SEVERITY = (CLEAN, UNKNOWN, FAILED)
CODES = {Verdict.HOLDS: CLEAN, Verdict.BROKEN: FAILED, Verdict.MISSING: UNKNOWN}


def list_cards(program: Program) -> int:
    """Print one line for each card."""
    binder = _binder(program)
    cards = [
        card for edition in binder.editions for stack in edition.stacks for card in stack.cards
    ]
    if not cards:
        return _empty(program, binder)
    program.tell_as_far(*card_text.card_rows(cards, program.say))
    return CLEAN


def show_binder(program: Program) -> int:
    """Draw the binder of a person."""
    binder = _binder(program)
    if not binder.editions:
        return _empty(program, binder)
    draw(binder, program.say, program.console)
    program.tell(card_text.AS_FAR)
    return CLEAN


def _binder(program: Program) -> Binder:
    whose = program.key(program.args.of) if program.args.of else None
    return program.showing().binder(whose, program.args.edition)


def _empty(program: Program, binder: Binder) -> int:
    program.tell(
        phrase(
            "cards.binder.empty" if binder.owner.you else "cards.binder.empty.of",
            who=card_text.person(binder.owner),
        )
    )
    return CLEAN


def show(program: Program) -> int:
    """Print all known facts of cards, trades and keys."""
    showing = program.showing()
    for text in program.args.what:
        if (trade := program.trade(text)) is not None:
            lines = card_text.trade_lines(showing.trade(trade), program.say)
        elif (card := program.card_or_none(text)) is not None:
            lines = card_text.card_lines(showing.card(card), program.say)
            lines += [
                line
                for one in showing.history(card)
                for line in card_text.trade_lines(one, program.say)
            ]
        else:
            lines = _somebody(program, _person(program, text))
        program.tell(*lines, "")
    program.tell(card_text.AS_FAR)
    return CLEAN


def _person(program: Program, text: str) -> bytes:
    """Return the key that `text` names, where a card or a trade would be valid too. Raises:
    LocalError.
    """
    try:
        return program.key(text)
    except UnknownPerson:
        raise LocalError("wrong.cards.show", text=text) from None


def _somebody(program: Program, key: bytes) -> list[str]:
    showing = program.showing()
    person = showing.person(key)
    if person.creator:
        lines = card_text.creator_lines(showing.creator(key), program.say)
    else:
        lines = [
            program.say(card_text.marked(person)),
            program.say(phrase("cards.owns", count=showing.binder(key).cards)),
        ]
    return lines + [
        line for alarm in showing.alarms(key) for line in card_text.alarm_lines(alarm, program.say)
    ]


def show_alarms(program: Program) -> int:
    """Print all alarms."""
    alarms = program.showing().alarms()
    for alarm in alarms:
        program.tell(*card_text.alarm_lines(alarm, program.say))
    program.tell_as_far(phrase("cards.alarms", count=len(alarms)))
    return CLEAN


def verify(program: Program) -> int:
    """Verify cards and files. Return the exit code of the worst result."""
    codes = [
        _verify_file(program, text) if text.endswith(SUFFIX) else _verify_card(program, text)
        for text in program.args.what
    ]
    return max(codes, key=SEVERITY.index)


def _verify_card(program: Program, text: str) -> int:
    card = program.card(text)
    found = verify_cards(program.collection, (card,))
    shown = program.showing().card(card)
    return _print_verification(program, found, _whose(shown))


def _verify_file(program: Program, text: str) -> int:
    bundle = read_file(Path(text))
    found = verify_records(bundle.raws)
    pictures = check_pictures(bundle.images, found.known.records)
    showing = CardPresenter(found.known, program.contacts)
    cards = [showing.card(card) for card in found.cards]
    said = phrase("cards.verified.file", file=text, count=len(cards))
    owners = [card_text.INDENT + program.say(_whose(card)) for card in cards]
    alarms = [
        line for alarm in showing.alarms() for line in card_text.alarm_lines(alarm, program.say)
    ]
    damaged = picture_lines(text, pictures)
    lines = (*owners, *alarms, *map(program.say, damaged))
    code = _print_verification(program, found, said, *lines, pictures=not damaged)
    others = [
        phrase("cards.verified.otherwise", whose=_whose(card))
        for card in _find_changed_cards(program, found)
    ]
    program.tell(*others)
    return max(code, FAILED if others or damaged else CLEAN, key=SEVERITY.index)


def _find_changed_cards(program: Program, found: Verification) -> list[CardShown]:
    """Return the cards of a file whose owner or state changes with the records known here."""
    known = CardRecords(program.collection.me, (*program.collection.records, *found.known.records))
    by_file = {card: found.known.view.holding(card) for card in found.cards}
    differ = [
        card
        for card, holding in by_file.items()
        if not _is_same_holding(holding, known.view.holding(card))
    ]
    return [CardPresenter(known, program.contacts).card(card) for card in differ]


def _is_same_holding(one: Holding | None, other: Holding | None) -> bool:
    return (one and (one.owner, one.burnt)) == (other and (other.owner, other.burnt))


def _whose(card: CardShown) -> Phrase:
    if card.owner:
        owner = card_text.person(card.owner)
    else:
        owner = phrase("cards.nobody")
    return phrase(
        "cards.verified.card", card=card_text.card(card), owner=owner, state=card_text.state(card)
    )


def _print_verification(
    program: Program, found: Verification, said: Phrase, *more: str, pictures: bool = True
) -> int:
    """Print what a verification has found, and return its exit code. `pictures`: all of them are
    right.
    """
    program.tell(
        said, *more, phrase("cards.verified.counts", count=found.signatures, trades=found.trades)
    )
    for code in dict.fromkeys(found.refused):
        program.tell(
            phrase("cards.taken.refused", count=found.refused.count(code), why=code_phrase(code))
        )
    if found.missing:
        program.tell(phrase("cards.verified.missing", count=found.missing))
    verdict = VERDICTS[found.verdict]
    if not pictures and found.verdict is Verdict.HOLDS:
        verdict = "cards.verified.pictures"
    program.tell_as_far(phrase(verdict))
    return CODES[found.verdict]
