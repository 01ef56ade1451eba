"""Fuzz target: help text and sentences of a rule file. Conventions as in `wires`."""

from contextlib import suppress
from functools import cache

from protocol.fast_replace import replace
from protocol.games.rule_sheet import SheetRequest
from protocol.games.scripted import view
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.games.scripted.rule_file.rule_set import read_rule_set, sign_rule_set
from protocol.games.scripted.rule_file.texts import check_texts
from protocol.games.scripted.rule_sheet import write_sheet
from protocol.i18n import english, load_translator
from protocol.limits import MAX_HELP_TEXT, MAX_SAY, MAX_SCRIPT_HOLES
from protocol.rules import RuleError
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import Phrase
from protocol.view.text import Translate, phrase_renderer, strip_isolates
from tests.support.ledger import ANN
from tests.support.rule_texts import ACTIONS, GAME, file_with
from tests.support.scripts import ClearTable, script

NAMES = ("Ann", "Bob")
# the longest value of a hole: the name of a card, or its place
LONGEST = MAX_SAY + MAX_SCRIPT_HOLES * 100
MORE = (
    '"said": {"seat {seat} ends in {c} after {n}": {"told": {1: "{seat}: {c}", "other": "{n}"}, "you": ""}}, '
    '"counters": {"n": {0: "", "other": "{n}"}, "points": "{seat} {n}"}, '
    '"results": {"won": "{seat} wins with {points}", "draw": "{n}"}, '
    '"words": {"card 1": "\u2665", "red": "rot"}'
)


def rule_texts(data: bytes) -> None:
    """Read a file with these texts. Right or wrong, it is played, and what people read of it is
    short and cannot control a terminal.
    """
    text = file_with(data.decode("utf-8", "surrogateescape"))
    contract = parse_contract(text)
    if contract.module.functions != parse_contract(GAME).module.functions:
        return  # other rules, which need not go on
    with suppress(RuleError):
        check_texts(contract)
    values = {"rules": rule_digest(text)}
    sheet = write_sheet(SheetRequest("script", 2, values, "de", text))
    renderers = [
        phrase_renderer(translate, NAMES, own)
        for translate in (english, _german())
        for own in (None, 0, 1)
    ]
    if sheet is not None:
        for say in renderers:
            assert len(str(encode_with_sentences(sheet, say))) < 10 * MAX_HELP_TEXT
    for phrase in _phrases(text):
        for say in renderers:
            found = strip_isolates(say(phrase))
            assert found.isprintable() and len(found) <= LONGEST, found


def rule_set(data: bytes) -> None:
    """Read a signed file. What is accepted has a signature of these very bytes."""
    text = data.decode("utf-8", "surrogateescape")
    found = read_rule_set(text)
    assert found.text == text and text.encode() == data
    assert text in {seed.decode() for seed in rule_set_seeds()}, "only the author can sign"


def rule_set_seeds() -> list[bytes]:
    first = sign_rule_set(ANN, "evening", "# of Ann\n" + GAME)
    return [one.text.encode() for one in (first, sign_rule_set(ANN, "evening", GAME, first))]


def _phrases(text: str) -> list[Phrase]:
    """Return everything that people read after a few actions of a short match."""
    table = ClearTable(script(text), 1, texts=text)
    game = table.game
    assert isinstance(game, ScriptGame)
    found: list[Phrase] = []
    while (want := table.onward()) is not None and len(table.moves) < 40:
        (seat,) = want.seats
        offers = view.offers(game, table.state, seat, table.held(seat))
        kinds = [kind for kind in ("lay", "hide", "end") if kind in {one.kind for one in offers}]
        kind = kinds[len(table.moves) % len(kinds)]
        action = next(offer.action for offer in offers if offer.kind == kind)
        found += [offer.label for offer in offers]
        found.append(view.narrate(game, table.state, seat, game.parse(list(action))))
        board, _ = view.private_board(game, table.state, seat, table.held(seat))
        for region in board.regions:
            found += [region.name, *([region.text] if region.text else [])]
        before = table.state
        table.post(seat, action)
        found += view.news(game, before, table.state)
    for winners in ((), (0,), (0, 1)):
        found += view.result(game, replace(table.state, winners=winners))
    return found


@cache
def _german() -> Translate:
    return load_translator("de")


def rule_texts_seeds() -> list[bytes]:
    """Return texts with all parts."""
    sentences = f"SENTENCES = {ACTIONS.removesuffix('}}')}, {MORE}}}}}\n"
    rules = 'HELP = {"en": ["# Goal", "Win.", "- Item", [0, 3, "cards"]], "de": ["# Ziel"]}\n'
    return [sentences.encode(), rules.encode(), (rules + sentences).encode()]
