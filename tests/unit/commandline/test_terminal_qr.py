"""QR codes on a terminal."""

import io

from commandline.terminal_qr import BEGIN, END, code_lines, terminal_code


class Terminal(io.TextIOWrapper):
    """A terminal with this encoding."""

    def isatty(self) -> bool:
        return True


def test_code_has_two_rows_of_squares_in_a_line() -> None:
    lines = code_lines([[True, False], [True, True]]).splitlines()
    assert lines == [f"{BEGIN}{each}{END}" for each in ("      ", "  █▄  ", "      ")]


def test_code_is_shown_on_a_terminal_alone() -> None:
    assert "█" in terminal_code("http://a/", Terminal(io.BytesIO(), encoding="utf-8"))
    assert terminal_code("http://a/", Terminal(io.BytesIO(), encoding="ascii")) == ""
    assert terminal_code("http://a/", io.StringIO()) == ""
