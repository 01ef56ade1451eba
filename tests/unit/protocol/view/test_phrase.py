"""Names in sentences: right-to-left or control characters in a name change nothing around it."""

from types import SimpleNamespace

import pytest

from player.presenter.match_data import harmless
from player.storage.contacts import introduce
from protocol.games.numbered_choices import parse_choice
from protocol.i18n import english
from protocol.match.setup import Person
from protocol.view.board import Offer
from protocol.view.phrase import SeatRef, phrase
from protocol.view.text import (
    display_width,
    isolate_name,
    phrase_renderer,
    sanitize,
    strip_isolates,
)

HEBREW, ARABIC, OVERRIDE = "\u05e9\u05dc\u05d5\u05dd", "\u0633\u0644\u0627\u0645", "\u202e"
ISOLATE, END, BROKEN = "\u2068", "\u2069", "\ufffd"


@pytest.mark.parametrize("name", (HEBREW, ARABIC, "\u0663\u0664"))
def test_only_right_to_left_name_is_isolated(name):
    say = phrase_renderer(english, [name, "Zoë"])
    assert (
        say(phrase("match.name", who=SeatRef(0)))
        == say(phrase("match.name", who=name))
        == f"{ISOLATE}{name}{END}"
    )
    assert say(phrase("match.name", who=SeatRef(1))) == "Zoë"
    assert (
        display_width(isolate_name(HEBREW)) == 4 and strip_isolates(isolate_name(HEBREW)) == HEBREW
    )


def test_phrase_part_is_isolated_once_and_stays_whole():
    told = introduce({}, Person(HEBREW, bytes(32)))[0]
    assert told.startswith(f"{ISOLATE}{HEBREW}{END} (")
    assert harmless({"known": [told]}) == {"known": [told]}  # a page shows it unchanged
    assert BROKEN not in phrase_renderer(english, ())(phrase("match.name", who=told))


@pytest.mark.parametrize(
    "text",
    (
        *(
            ISOLATE,
            END,
            END + ISOLATE,
            f"{END}3{ISOLATE}",
            f"{ISOLATE}{ISOLATE}a{END}",
            OVERRIDE + "abc",
        ),
        *(f"{HEBREW}{END}{OVERRIDE} 3", f"{ISOLATE}{HEBREW}{END}{END} 3", f"{HEBREW}{ISOLATE}a"),
    ),
)
def test_phrase_input_cannot_end_or_open_isolate(text):
    depth = 0
    for char in harmless(phrase_renderer(english, [text])(phrase("match.name", who=SeatRef(0)))):
        depth += (char == ISOLATE) - (char == END)
        assert depth >= 0 and char != OVERRIDE and not (depth == 0 and char in HEBREW)
    assert depth == 0 and len(sanitize(text)) == len(text)


def test_choice_is_typed_without_isolates():
    view = SimpleNamespace(
        offers=(Offer(0, "ask", ("ask", 7), phrase("match.name", who=HEBREW)),), seats=()
    )
    assert parse_choice(view, phrase_renderer(english, ()), HEBREW) == ("ask", 7)
