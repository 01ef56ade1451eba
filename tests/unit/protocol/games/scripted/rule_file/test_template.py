"""Templates of sentences: what is a template, what its forms choose, and what patterns find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.games.scripted.rule_file.template import (
    Forms,
    Hole,
    Telling,
    fill,
    match_pattern,
    parse_forms,
    parse_telling,
    parse_template,
)
from protocol.limits import MAX_SAY, MAX_SCRIPT_FORMS, MAX_SCRIPT_HOLES
from protocol.rules import RuleError

WORDS = st.text("ab .,:äπ♥", max_size=8)
NAMES = st.from_regex("[a-z][a-z0-9_]{0,5}", fullmatch=True)
VALUES = st.text("xyz0123 ", max_size=6)


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(["{", "}", "a", ".", "{a}", "{a.b}"])).map("".join)
)
def test_any_text_is_a_template_or_an_error(text: str):
    try:
        template = parse_template(text, "here")
    except RuleError:
        return
    assert "".join(map(str, template)) == text
    assert all(part != "" for part in template)
    words = [part for part in template if isinstance(part, str)]
    assert not set("".join(words)) & set("{}")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (7, "script.template.text"),
        ("a" * (MAX_SAY + 1), "script.template.text"),
        ("a\nb", "script.template.text"),
        ("a\u202eb", "script.template.text"),
        ("{seat", "script.template.brace"),
        ("seat}", "script.template.brace"),
        ("{}", "script.template.brace"),
        ("{0}", "script.template.brace"),
        ("{seat!r}", "script.template.brace"),
        ("{n:>999999}", "script.template.brace"),
        ("{seat[0]}", "script.template.brace"),
        ("{card.a.b}", "script.template.brace"),
        ("{{seat}}", "script.template.brace"),
        ("{Seat}", "script.template.brace"),
        ("{a}" * (MAX_SCRIPT_HOLES + 1), "script.template.holes"),
    ],
)
def test_template_with_anything_but_names_is_refused(text, key):
    with pytest.raises(RuleError) as caught:
        parse_template(text, "here")
    assert caught.value.key == key


def test_name_of_an_attribute_is_only_a_name():
    (hole,) = parse_template("{card.__class__}", "here")
    assert hole == Hole("card", "__class__")
    assert fill((hole,), {}, "?") == ("?",)


def test_forms_choose_by_their_number():
    forms = parse_forms({0: "", 1: "one", "other": "{n} of them"}, "here")
    assert [forms.choose({"n": number}) for number in (0, 1, 2)] == [
        (),
        ("one",),
        (Hole("n"), " of them"),
    ]
    assert forms.choose({}) == (Hole("n"), " of them")
    assert parse_forms({"by": "m", 1: "a", "other": "b"}, "").choose({"m": 1, "n": 2}) == ("a",)


@pytest.mark.parametrize(
    "value",
    [
        {1: "one"},
        {"other": "a", "more": "b"},
        {"other": 1},
        {"other": "a", "by": 1},
        {"other": "a", "by": ""},
        {"other": "a"} | dict.fromkeys(range(MAX_SCRIPT_FORMS + 1), "b"),
    ],
)
def test_malformed_forms_are_refused(value):
    with pytest.raises(RuleError):
        parse_forms(value, "here")


def test_telling_has_a_form_for_the_person_it_is_about():
    told = parse_telling({"told": "{seat} draws", "you": {1: "x", "other": "y"}}, "here")
    assert told.told == Forms("n", (), (Hole("seat"), " draws"))
    assert told.you is not None and told.you.choose({"n": 1}) == ("x",)
    assert parse_telling("a", "here") == Telling(Forms("n", (), ("a",)))
    for value in ({"you": "a"}, {"told": "a", "more": "b"}):
        with pytest.raises(RuleError):
            parse_telling(value, "here")


@given(
    st.lists(
        st.tuples(NAMES, VALUES, WORDS.filter(bool)), max_size=5, unique_by=lambda one: one[0]
    ),
    WORDS,
)
def test_pattern_finds_the_values_that_were_filled_in(holes, start):
    """Values have other characters than the words between them, apart from spaces."""
    holes = [(name, value.replace(" ", "z"), words) for name, value, words in holes]
    pattern = parse_template(start + "".join(f"{{{name}}}{words}" for name, _, words in holes), "")
    text = start + "".join(f"{value}{words}" for _, value, words in holes)
    assert match_pattern(pattern, text) == {name: value for name, value, _ in holes}


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("duel {n}: a draw", "duel 12: a draw", {"n": "12"}),
        ("duel {n}: a draw", "duel 12: a draw!", None),
        ("duel {n}", "a duel 12", None),
        ("{a} to {b}.", "1 to 2. to 3.", {"a": "1", "b": "2. to 3"}),
        ("{a}", "", {"a": ""}),
        ("ab{a}ba", "aba", None),
        ("plain", "plain", {}),
        ("plain", "plainer", None),
        ("", "", {}),
        ("", "a", None),
    ],
)
def test_pattern_matches_whole_texts_alone(pattern, text, found):
    assert match_pattern(parse_template(pattern, ""), text) == found
