"""The table of screens: each command chooses from it, and a new row is all that a screen needs."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

import pytest

from fairdeal.play import WATCHED
from fairdeal.play_arguments import make_parser as play_parser
from player.cli.arguments import parser
from player.cli.screen_choice import SCREENS, ScreenRow, screen_for, screen_row
from player.ui.terminal.plain_screen import PlainScreen
from protocol.errors import LocalError
from protocol.view.phrase import phrase


class Listener(PlainScreen):
    """A screen that keeps what is typed."""

    def __init__(self):
        super().__init__({})
        self.lines = asyncio.Queue()

    def typed(self, line):
        self.lines.put_nowait(line)


@asynccontextmanager
async def open_listener(request):
    yield Listener()


@pytest.fixture
def input_pipe(monkeypatch):
    """Return the end of a pipe whose other end is standard input."""
    reader, writer = os.pipe()
    with open(reader, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield writer


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "terminal"),
        (["--screen", "terminal"], "terminal"),
        (["--web"], "web"),
        (["--screen", "web"], "web"),
        (["--bot", "greedy"], "lines"),
        (["--list"], "lines"),
        (["--spectate", "--screen", "lines"], "lines"),
    ],
)
def test_options_of_join_name_a_row_of_the_table(words, name):
    assert screen_row(parser().parse_args(words)) is SCREENS[name]


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["--screen", "cinema"], "wrong.screen"),
        (["--screen", "lines"], "wrong.screen.no_choices"),
        (["--screen", "lines", "--web"], "wrong.together"),
        (["--screen", "web", "--bot", "greedy"], "wrong.together"),
        (["--web", "--list"], "wrong.together"),
    ],
)
def test_options_that_fit_no_screen_are_refused(words, key):
    with pytest.raises(LocalError) as refused:
        screen_row(parser().parse_args(words))
    assert refused.value.phrase.key == key


def test_bot_of_other_seats_does_not_choose_the_screen():
    asked = play_parser().parse_args(["nim", "--bot", "greedy", "--web"])
    assert screen_row(asked, WATCHED) is SCREENS["web"]
    with pytest.raises(LocalError, match=r"wrong\.together"):
        screen_row(play_parser().parse_args(["nim", "--watch", "--web"]), WATCHED)


async def test_screen_of_a_new_row_gets_typed_lines(monkeypatch, input_pipe):
    monkeypatch.setitem(SCREENS, "new", ScreenRow(open_listener, takes_input=True))
    os.write(input_pipe, b"1\nleave\n")
    os.close(input_pipe)
    async with screen_for(parser().parse_args(["--screen", "new"]), {}) as (shown, bot):
        heard = [await asyncio.wait_for(shown.lines.get(), 10) for _ in range(3)]
    assert (heard, bot) == (["1", "leave", None], None)


async def test_input_is_left_alone_while_a_bot_plays(monkeypatch, input_pipe):
    row = ScreenRow(open_listener, takes_input=True, shows_bots=True)
    monkeypatch.setitem(SCREENS, "new", row)
    os.write(input_pipe, b"1\n")
    os.close(input_pipe)
    words = ["--screen", "new", "--bot", "greedy"]
    async with screen_for(parser().parse_args(words), {}) as (shown, bot):
        assert bot is not None
    assert os.read(sys.stdin.fileno(), 10) == b"1\n"
    assert shown.lines.empty()


def test_sentences_of_commands_stay_out_of_data(capsys):
    ScreenRow(open_listener, prints_data=True).tell(phrase("web.more"))
    told = capsys.readouterr()
    assert told.err and not told.out
    ScreenRow(open_listener).tell(phrase("web.more"))
    told = capsys.readouterr()
    assert told.out and not told.err
