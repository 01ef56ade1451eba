"""Terminal texts and drawings of cards: every value, in both languages, and no control
characters.
"""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from player.cards.card_models import (
    AlarmKind,
    AlarmShown,
    Binder,
    CardShown,
    CreatorShown,
    EditionShown,
    OwnershipState,
    PersonShown,
    Proposal,
    RunShown,
    StackShown,
    TradeShown,
    TradeValidity,
    TrustMark,
)
from player.ui.terminal.cards.binder_drawing import draw
from player.ui.terminal.cards.card_text import (
    card_lines,
    card_rows,
    creator_lines,
    proposal_lines,
    trade_lines,
)
from protocol.i18n import load_translator
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer

PRESS = PersonShown("p" * 40, "pppp-pppp-pppp-pppp", "The Press", TrustMark.TRUSTED, False, True, 0)
ANN = PersonShown("a" * 40, "aaaa-aaaa-aaaa-aaaa", "", TrustMark.UNMARKED, True, False, 0)
BOB = PersonShown("b" * 40, "bbbb-bbbb-bbbb-bbbb", "Bob", TrustMark.DISTRUSTED, False, False, 2)
EMBER = CardShown(
    "3f" * 32,
    "3f3f3f3f",
    "77" * 32,
    "Ember",
    "Elements",
    "Burns twice.",
    (("power", 3), ("kind", "fire")),
    None,
    4,
    True,
    0,
    PRESS,
    ANN,
    OwnershipState.HELD,
    2,
    witnessed=True,
)
SAY = {language: phrase_renderer(load_translator(language), ()) for language in ("en", "de")}


def drawn(binder: Binder, width: int = 70) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    draw(binder, SAY["en"], console)
    return console.file.getvalue()


def binder_of(*cards: CardShown) -> Binder:
    stack = StackShown(EMBER.type, cards[0].name, None, cards)
    edition = EditionShown("Elements", PRESS, (stack,), 50)
    return Binder(ANN, (edition,), len(cards), 0, 0, 0)


def test_row_names_card_creator_with_mark_and_certainty():
    head, row = card_rows([EMBER], SAY["en"])
    assert head.split() == ["card", "id", "edition", "creator", "state"]
    assert (
        row == "Ember #4  3f3f3f3f  Elements  The Press (pppp-pppp-pppp-pppp), trusted  unsettled"
    )


@pytest.mark.parametrize("language", SAY)
def test_every_card_text_exists_in_both_languages(language):
    say = SAY[language]
    trade = TradeShown("ab" * 32, "abababab", ANN, BOB, (EMBER,), (), TradeValidity.VOID, True)
    creator = CreatorShown(
        PRESS,
        1,
        "https://press.example",
        None,
        (BOB,),
        1,
        ("Elements",),
        50,
        (RunShown("cd" * 32, "Elements", 1, 500, 100, 5),),
    )
    alarms = [
        AlarmShown("ef" * 32, "efefefef", kind, BOB, "12" * 32, "34" * 32, (EMBER,), ("56" * 32,))
        for kind in AlarmKind
    ]
    proposal = Proposal(BOB, (EMBER,), (), tuple(alarms), False, True, (phrase("cards.nothing"),))
    lines = [
        *card_lines(EMBER, say),
        *trade_lines(trade, say),
        *creator_lines(creator, say),
        *proposal_lines(proposal, say),
    ]
    text = "\n".join([*lines, *creator_lines(replace(creator, quorum=0), say)])
    assert "Ember #4" in text and "Bob (bbbb" in text and "cards." not in text and "{" not in text


def test_prompt_shows_everything_before_a_signature():
    alarm = AlarmShown(
        "ef" * 32, "efefefef", AlarmKind.DOUBLE_SPEND, BOB, "12" * 32, "34" * 32, (EMBER,), ()
    )
    proposal = Proposal(
        BOB, (), (EMBER,), (alarm,), False, True, (phrase("cards.alarm.undone", count=2),)
    )
    assert proposal_lines(proposal, SAY["en"]) == [
        "A trade with Bob (bbbb-bbbb-bbbb-bbbb), distrusted, named by 2 alarms:",
        "You get 0 cards:",
        "  nothing",
        "You give 1 card:",
        "  Ember #4  3f3f3f3f  Elements  The Press (pppp-pppp-pppp-pppp), trusted  unsettled",
        "No witness can settle this trade. If somebody gave one of these cards away twice, "
        "you may lose what you get.",
        "Alarm efefefef: Bob (bbbb-bbbb-bbbb-bbbb) gave the same card away twice.",
        "  The records 12121212 and 34343434 prove it, and anybody can check them",
        "  burnt for ever: Ember #4 [3f3f3f3f]",
        "  0 trades are undone by it",
        "Beware: 2 trades are undone by it",
    ]


def test_binder_is_drawn_by_edition_with_counts_and_marks():
    text = drawn(
        binder_of(
            *(replace(EMBER, serial=serial, state=OwnershipState.BURNT) for serial in range(5))
        )
    )
    assert "Your binder: 5 cards" in text
    assert (
        "Elements, by the creator The Press (pppp-pppp-pppp-pppp), trusted" in text
        and "1 of 50 card types" in text
    )
    assert (
        "Ember ×5" in text
        and "#2 3f3f3f3f burnt" in text
        and "and 2 more" in text
        and "#3" not in text
    )


def test_names_of_others_contain_no_control_characters():
    hostile = replace(EMBER, name="\x1b[2JEmber[red]", text="\x1b]0;x\x07")
    text = drawn(binder_of(hostile)) + "\n".join(
        [*card_lines(hostile, SAY["en"]), *card_rows([hostile], SAY["en"])]
    )
    assert "\x1b" not in text and "\x07" not in text and "[red]" in text
