"""Sentences and help texts of a rule file: what is wrong is named, and never changes play."""

import pytest

from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES, built_in_text
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.games.scripted.rule_file.help_text import (
    HelpCards,
    HelpHeading,
    HelpItem,
    HelpParagraph,
    help_of,
    read_help,
)
from protocol.games.scripted.rule_file.sentences import read_sentences, sentences_of
from protocol.games.scripted.rule_file.texts import check_texts
from protocol.limits import MAX_HELP_BLOCK, MAX_HELP_BLOCKS, MAX_SCRIPT_LANGUAGES
from protocol.rules import RuleError
from tests.support.rule_texts import ACTIONS, file_with

LONG = "a" * 61
BLOCK = '"a", '


def with_part(part: str) -> str:
    """Return the sentences with one more part."""
    return f"{ACTIONS.removesuffix('}}')}, {part}}}}}"


def wrong(text: str) -> tuple[int, str]:
    """Return line and key of the error in the texts of a file, which is a game nevertheless."""
    contract = parse_contract(text)
    with pytest.raises(RuleError) as caught:
        check_texts(contract)
    assert () in (sentences_of(contract), help_of(contract))
    return caught.value.line, caught.value.key


def test_file_without_texts_is_right_and_has_none():
    contract = parse_contract(file_with())
    assert read_sentences(contract) == () == read_help(contract)
    assert dict(check_texts(contract).args)["help"].key == "script.texts.none"


def test_shipped_files_have_all_texts_in_english_and_german():
    for name in BUILT_IN_RULES:
        contract = parse_contract(built_in_text(name))
        found = read_sentences(contract)
        assert [texts.language for texts in found] == ["en", "de"]
        for texts in found:
            assert texts.actions.keys() == {kind.name for kind in contract.kinds}
            assert texts.counters.keys() == dict(contract.counters).keys()
            assert all(kind.telling.you is not None for kind in texts.actions.values())
        english, german = found
        assert english.said != german.said or not english.said
        assert [pattern for pattern, _ in english.said] == [pattern for pattern, _ in german.said]
        (_, help_en), (_, help_de) = read_help(contract)
        assert list(map(type, help_en)) == list(map(type, help_de))


@pytest.mark.parametrize(
    ("sentences", "key"),
    [
        ("[]", "script.constant"),
        ("{}", "script.constant"),
        ('{"EN": {}}', "script.constant"),
        ('{"english": {}}', "script.constant"),
        (
            f"{{{', '.join(f'{chr(34)}a{c}{chr(34)}: {{}}' for c in 'abcdefghi')}}}",
            "script.constant",
        ),
        ('{"en": {}}', "script.constant"),
        ('{"en": {"actions": {}}}', "script.sentence.missing"),
        (ACTIONS.replace('"told": "{seat} lays {card}."', '"you": "a"'), "script.constant"),
        (ACTIONS.replace("{seat} lays", "Somebody lays"), "script.sentence.seat"),
        (ACTIONS.replace("{seat} lays {card}", "{seat} {who}"), "script.sentence.unknown"),
        (ACTIONS.replace("Lay {card}", "{seat}"), "script.sentence.unknown"),
        (ACTIONS.replace("Lay {card}", "{target}"), "script.sentence.unknown"),
        (ACTIONS.replace("Lay {card}", "{card.colour}"), "script.sentence.unknown"),
        (ACTIONS.replace("hides a card", "hides {card.rank}"), "script.sentence.unknown"),
        (ACTIONS.replace('"lay": {', '"lie": {'), "script.sentence.unknown"),
        (with_part('"more": {}'), "script.sentence.unknown"),
        (with_part('"words": {"nothing": "a"}'), "script.sentence.unknown"),
        (with_part('"words": {"hand": ""}'), "script.template.text"),
        (
            with_part(f'"words": {{"hand": "{LONG}"}}'),
            "script.template.text",
        ),
        (with_part('"counters": {"m": "a"}'), "script.sentence.unknown"),
        (with_part('"counters": {"n": "{seat}"}'), "script.sentence.unknown"),
        (with_part('"results": {"lost": "a"}'), "script.sentence.unknown"),
        (with_part('"results": {"won": "a"}'), "script.sentence.seat"),
        (with_part('"results": {"draw": "{seat}"}'), "script.sentence.unknown"),
        (with_part('"said": {"{a}{b}": "a"}'), "script.sentence.pattern"),
        (with_part('"said": {"{a} {a}": "a"}'), "script.sentence.pattern"),
        (with_part('"said": {"{a.b}": "a"}'), "script.sentence.pattern"),
        (with_part('"said": {"{a}": "{b}"}'), "script.sentence.unknown"),
        (
            with_part('"said": {"{a}": {1: "a", "other": ""}}'),
            "script.sentence.unknown",
        ),
    ],
)
def test_wrong_sentences_are_named_at_their_line(sentences, key):
    text = file_with(f"SENTENCES = {sentences}\n")
    assert wrong(text) == (text.count("\n"), key)


@pytest.mark.parametrize(
    ("blocks", "key"),
    [
        ('{"en": "a"}', "script.constant"),
        ('{"en": []}', "script.constant"),
        (f'{{"en": [{BLOCK * (MAX_HELP_BLOCKS + 1)}]}}', "script.constant"),
        ('{"en": [""]}', "script.template.text"),
        ('{"en": ["# "]}', "script.template.text"),
        ('{"en": [7]}', "script.template.text"),
        (f'{{"en": [{"a" * (MAX_HELP_BLOCK + 1)!r}]}}', "script.template.text"),
        (f'{{"en": {["a" * MAX_HELP_BLOCK] * 11}}}', "script.help.long"),
        ('{"en": [["a"]]}', "script.constant"),
        ('{"en": [[0, 99, "a"]]}', "script.constant"),
        ('{"en": [[0]]}', "script.constant"),
        ('{"en": [[]]}', "script.constant"),
    ],
)
def test_wrong_help_is_named_at_its_line(blocks, key):
    text = file_with(f"HELP = {blocks}\n")
    assert wrong(text) == (text.count("\n"), key)


def test_help_has_headings_paragraphs_items_and_cards():
    contract = parse_contract(
        file_with('HELP = {"en": ["# A", "b {x} <b>", "- c", [0, 3, "d"]]}\n')
    )
    ((language, blocks),) = read_help(contract)
    assert language == "en"
    assert blocks == (
        HelpHeading("A"),
        HelpParagraph("b {x} <b>"),
        HelpItem("c"),
        HelpCards((0, 3), "d"),
    )


def test_help_and_sentences_in_other_languages_are_named():
    text = file_with(f'HELP = {{"en": ["a"], "de": ["b"]}}\nSENTENCES = {ACTIONS}\n')
    contract = parse_contract(text)
    with pytest.raises(RuleError) as caught:
        check_texts(contract)
    assert caught.value.key == "script.texts.languages"


def test_most_languages_are_read():
    codes = [f"a{letter}" for letter in "abcdefgh"]
    assert len(codes) == MAX_SCRIPT_LANGUAGES
    inner = ACTIONS.removeprefix('{"en": ').removesuffix("}")
    text = file_with(f"SENTENCES = {{{', '.join(f'{code!r}: {inner}' for code in codes)}}}\n")
    assert [texts.language for texts in read_sentences(parse_contract(text))] == codes
