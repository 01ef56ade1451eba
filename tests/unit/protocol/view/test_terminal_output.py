"""Lines of a program in a terminal."""

import io

from protocol.view.terminal_output import wrap_for, wrap_sentences


def test_line_breaks_between_words_and_never_in_what_people_copy():
    link = "fairdeal://203.0.113.7:7500/" + "a" * 40
    text = (
        f"Give this to others: {link}. Start it with `fairdeal host --listen 0.0.0.0:7500`, or not."
    )
    lines = wrap_sentences(text, 30).splitlines()
    assert " ".join(lines) == text
    assert f"{link}." in lines
    assert any("`fairdeal host --listen 0.0.0.0:7500`" in line for line in lines)
    assert all(len(line) <= 30 for line in lines if "fairdeal" not in line)


def test_output_that_is_no_terminal_gets_whole_lines():
    text = "word " * 100
    assert wrap_for(io.StringIO(), text) == text


def test_indented_line_stays_whole():
    command = "  fairdeal join --data /a/long/folder fairdeal://example.org:7500/abcdef"
    text = f"To sit down again, type in another terminal:\n{command}"
    assert wrap_sentences(text, 30).splitlines()[-1] == command
