"""Names that may be shown, and names that look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codes import Code, code_phrase
from protocol.errors import RemoteError
from protocol.i18n import english_text
from protocol.identity.names import check_name, is_name_safe, name_problem, name_skeleton, tidy_name
from protocol.limits import MAX_NAME


@pytest.mark.parametrize(
    "name",
    [
        *(
            "a",
            "Alice",
            "José",
            "Ann-Marie 2",
            "O'Neil",
            "Алиса",
            "山田 たろう",
            "東京タワー",
            "김철수",
            "Ελένη",
        ),
        *(
            "می\u200cخواهم",
            "क्\u200dष",
            "ശ്രീ",
            "ക്\u200d",
            "👩\u200d🚀",
            "👨🏽\u200d🚀",
            "❤\ufe0f Ann",
        ),
        *("דוד", "สมชาย", "x" * MAX_NAME, "ß", "★ Ann ★", "🍺", "42", "राम"),
    ],
)
def test_valid_names_are_accepted(name):
    check_name(name)


@pytest.mark.parametrize(
    "name",
    list(
        {
            "empty": "",
            "too long": "x" * (MAX_NAME + 1),
            "ten megabytes": "x" * 10_000_000,
            "leading space": " a",
            "trailing space": "a ",
            "double space": "a  b",
            "only a space": " ",
            "no-break space": "a\u00a0b",
            "ideographic space": "a\u3000b",
            "newline": "a\nb",
            "NUL": "a\0",
            "escape": "\x1b[31mred",
            "C1 control": "a\x9b",
            "zero-width space": "a\u200bb",
            "zero-width joiner": "a\u200db",
            "zero-width non-joiner": "a\u200cb",
            "non-joiner at the end": "می\u200c",
            "joiner before an emoji": "a\u200d🚀",
            "joiner at the end": "🚀\u200d",
            "two joiners": "👩\u200d\u200d🚀",
            "right-to-left override": "a\u202eb",
            "bidi isolate": "a\u2066b",
            "line separator": "a\u2028b",
            "soft hyphen": "a\u00adb",
            "byte-order mark": "\ufeffa",
            "tag character": "a\U000e0041",
            "surrogate": "a\ud800",
            "private use": "a\ue000",
            "unassigned": "a\u0378",
            "noncharacter": "a\uffff",
            "variation selector": "a\ufe0f",
            "grapheme joiner": "a\u034fb",
            "Hangul filler": "\u3164",
            "Braille blank": "\u2800",
            "not composed": "e\u0301",
            "a mark first": "\u0301a",
            "a mark after a space": "a \u0301b",
            "Latin and Cyrillic": "\u0430lice",
            "Latin and Greek": "\u03b1lice",
            "Latin and full-width": "\uff41lice",
        }.items()
    ),
    ids=lambda item: item[0],
)
def test_invalid_names_are_refused(name):
    with pytest.raises(RemoteError) as caught:
        check_name(name[1])
    assert caught.value.code is Code.BAD_NAME


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Alice", "alice"),
        ("Alice", "AIice"),
        ("Alice", "a-lice"),
        ("Bob", "B0b"),
        ("Ann Lee", "annlee"),
        ("Bill", "BiII"),
        ("paul", "pau1"),
        ("Cop", "Сор"),
        ("TOM", "ТОМ"),
        ("TOM", "ΤΟΜ"),
        ("alice", "\uff41\uff4c\uff49\uff43\uff45"),
        ("alice", "𝐚𝐥𝐢𝐜𝐞"),
        ("strasse", "straße"),
        ("می\u200cخواهم", "میخواهم"),
        ("👩\u200d🚀", "👩🚀"),
        ("❤", "❤\ufe0f"),
    ],
)
def test_look_alike_names_share_a_skeleton(left, right):
    assert name_skeleton(left) == name_skeleton(right)


@pytest.mark.parametrize(
    ("left", "right"), [("Ann", "Anna"), ("Ann", "Änn"), ("Tom", "Tim"), ("p1", "p2")]
)
def test_different_names_have_different_skeletons(left, right):
    assert name_skeleton(left) != name_skeleton(right)


@given(st.text(max_size=30))
@pytest.mark.slow
def test_random_text_is_accepted_or_refused_as_name(text):
    name_skeleton(text)
    try:
        check_name(text)
    except RemoteError as error:
        assert error.code is Code.BAD_NAME
    else:
        assert text.isprintable()
        assert name_skeleton(text) == name_skeleton(text.upper()) or not text.isascii()


@pytest.mark.parametrize(
    "name",
    [
        *(
            "verdict: clean",
            "WARNING: you know",
            "Ann\uff1a you",
            "a\u2236b",
            "a\ua789b",
            "You",
            "y0u",
            "YOU.",
            "the table",
        ),
        *(
            "THE-TABLE",
            "N0body",
            "Warning",
            "Du",
            "Sie",
            "der Tisch",
            "Niemand",
            "Warnung",
            "\u03a5OU".lower(),
        ),
    ],
)
def test_names_like_words_of_the_program_are_refused(name):
    with pytest.raises(RemoteError) as caught:
        check_name(name)
    assert caught.value.code is Code.BAD_NAME


@pytest.mark.parametrize(
    "name", ["Youri", "Table", "Mabel Tables", "Nobody Knows", "Dus", "Alle Lis", "Verdi"]
)
def test_names_beginning_like_program_words_are_accepted(name):
    check_name(name)


def test_name_error_states_the_maximum_length():
    assert f"longer than {MAX_NAME} characters" in english_text(code_phrase(Code.BAD_NAME))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Jose\u0301", "José"),
        ("  Ann  Lee\n", "Ann Lee"),
        ("Ann\u00a0Lee", "Ann Lee"),
        ("山田\u3000たろう", "山田 たろう"),
        ("\ufeffAnn\u200b", "Ann"),
        ("\u202aAnn\u202c", "Ann"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("ക്\u200d", "ക്\u200d"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("An\u200bn", "An\u200bn"),
        ("", ""),
    ],
)
def test_typed_name_becomes_the_name_that_was_meant(typed, meant):
    assert tidy_name(typed) == meant
    assert tidy_name(meant) == meant


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (" ", "empty"),
        ("x" * (MAX_NAME + 1), "24 characters"),
        ("An\u200bn", "U+200B"),
        ("\u0430lice", "Cyrillic and Latin"),
        ("a:b", "colon"),
        ("T (abcd-efgh-ijkl-2345)", "fingerprint"),
        ("ABCD\u2011efgh\uff0dijkl\u2013mnop", "fingerprint"),
        ("Nobody", "word"),
        ("e\u0301", "accents"),
    ],
)
def test_problem_of_a_name_is_said(name, why):
    assert why in english_text(name_problem(name))


def test_fold_takes_names_with_the_joiners_of_a_spelling():
    assert is_name_safe("می\u200cخواهم") and is_name_safe("👩\u200d🚀")
    assert not is_name_safe("a\u200bb") and not is_name_safe("a\u200eb")
