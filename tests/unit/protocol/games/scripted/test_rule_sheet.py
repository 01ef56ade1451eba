"""Rules for people of games by rule files: the file's own help text."""

import pytest

from protocol.games.registry import BUILT_IN
from protocol.games.rule_sheet import SheetRequest
from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES, built_in_text, rule_digest
from protocol.games.scripted.rule_sheet import write_sheet
from protocol.i18n import english, load_translator
from protocol.view.encoding import encode_with_sentences
from protocol.view.rule_sheet import BulletList, Figure, Heading, Paragraph
from protocol.view.text import phrase_renderer
from tests.support.rule_texts import file_with

HELP = 'HELP = {"en": ["# <b>Goal</b> {seat}", "Win.", "- a", "- b", [0, 3, "Two."]], "fr": ["Gagner."]}\n'
SAY = {
    "en": phrase_renderer(english, ()),
    "de": phrase_renderer(load_translator("de"), ()),
}


def request(text: str, language: str = "en", *, brought: bool = True) -> SheetRequest:
    values = {"rules": rule_digest(text)}
    return SheetRequest("script", 2, values, language, text if brought else "")


@pytest.mark.parametrize("language", SAY)
@pytest.mark.parametrize("name", BUILT_IN_RULES)
def test_shipped_game_has_rules_in_the_language_of_the_reader(name: str, language: str) -> None:
    spec = BUILT_IN.specs[name]
    sheet = spec.rule_sheet(spec.default_seats, {}, language)
    assert sheet is not None
    kinds = {type(block) for block in sheet.blocks}
    assert kinds == {Heading, Paragraph, BulletList, Figure}
    first = encode_with_sentences(sheet, SAY[language])["blocks"][0]
    assert first == {"is": "heading", "text": {"en": "Goal", "de": "Ziel"}[language]}


def test_example_cards_are_in_the_words_of_the_reader() -> None:
    sheet = BUILT_IN.specs["element-duel"].rule_sheet(2, {}, "de")
    assert sheet is not None
    figures = [block for block in sheet.blocks if isinstance(block, Figure)]
    assert [
        card["faces"] for card in encode_with_sentences(figures[0].rows[0].pieces, SAY["de"])
    ] == [
        ["Berg", "Erde", 5],
        ["Vulkan", "Feuer", 6],
    ]


def test_options_that_were_chosen_are_named_first() -> None:
    spec = BUILT_IN.specs["element-duel"]
    first = [
        encode_with_sentences(sheet, SAY["en"])["blocks"][0]["text"]
        for given in ({}, {"together": "yes"}, {"early": "yes", "together": "yes"})
        if (sheet := spec.rule_sheet(2, given)) is not None
    ]
    assert first == [
        "Goal",
        "Options that were chosen: together=yes.",
        "Options that were chosen: early=yes, together=yes.",
    ]


def test_strangers_rules_are_named_and_holes_stay_as_written() -> None:
    sheet = write_sheet(request(file_with(HELP)))
    assert sheet is not None
    foreign, heading, paragraph, items, figure = sheet.blocks
    say = SAY["en"]
    assert isinstance(foreign, Paragraph)
    assert "does not come with fairdeal" in say(foreign.text)
    assert isinstance(heading, Heading) and say(heading.text) == "<b>Goal</b> {seat}"
    assert isinstance(paragraph, Paragraph) and say(paragraph.text) == "Win."
    assert isinstance(items, BulletList) and list(map(say, items.items)) == ["a", "b"]
    assert isinstance(figure, Figure) and say(figure.caption) == "Two."
    assert [piece.faces for piece in figure.rows[0].pieces] == [("card 0",), ("card 3",)]


@pytest.mark.parametrize(("language", "first"), [("fr", "Gagner."), ("de", "<b>Goal</b> {seat}")])
def test_missing_language_falls_back_to_english(language: str, first: str) -> None:
    sheet = write_sheet(request(file_with(HELP), language))
    assert sheet is not None
    block = sheet.blocks[1]
    assert isinstance(block, Heading | Paragraph) and SAY["en"](block.text) == first


@pytest.mark.parametrize(
    ("text", "brought"),
    [
        (file_with(HELP), False),
        (file_with(), True),
        (file_with(HELP.replace('"Win."', "1")), True),
        ("no game", True),
        (built_in_text("mau-mau-shared-1"), True),
    ],
)
def test_absent_file_and_file_without_help_have_no_sheet(text: str, brought: bool) -> None:
    assert write_sheet(request(text, brought=brought)) is None


def test_text_of_another_file_is_not_shown() -> None:
    asked = request(file_with(HELP))
    other = SheetRequest("script", 2, asked.values, "en", file_with(HELP.replace("Win", "Lose")))
    assert write_sheet(other) is None
