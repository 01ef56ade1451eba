"""Python files of the page without comments: they do the same, on the same lines."""

import traceback
from typing import Any

from web.compile import without_comments

MODULE = b'''#!/usr/bin/env python
"""A text
of two lines."""  # behind it

from __future__ import annotations


class Made:
    """A text."""

    def find(self):  # why
        """A text \xc3\xa4."""; word = "# no comment"
        return word


def fail(): """A text."""


def raises():
    """A text,

    # and more
    """
    # why
    raise ValueError(
        "\xc3\xa4"  # a reason
    )
'''


def run(text: bytes) -> dict[str, Any]:
    """Return the names of a module."""
    names: dict[str, Any] = {"__name__": "made"}
    exec(compile(text, "made.py", "exec", dont_inherit=True), names)
    return names


def failure(names: dict[str, Any]) -> str:
    """Return what is said of the error, without the lines of a file that is not there."""
    try:
        names["raises"]()
    except ValueError as error:
        return "".join(traceback.format_exception(error)).partition("made.py")[2]
    raise AssertionError("nothing was raised")


def test_module_without_comments_does_the_same_on_the_same_lines() -> None:
    short = without_comments(MODULE)
    assert short.count(b"\n") == MODULE.count(b"\n")
    assert run(short)["Made"]().find() == "# no comment"
    assert run(short)["fail"]() is None
    said = failure(run(short))
    assert said == failure(run(MODULE))
    assert "line 25, in raises" in said


def test_module_without_comments_has_no_texts_for_readers() -> None:
    short = without_comments(MODULE)
    for text in (b"A text", b"why", b"reason", b"behind", b"and more"):
        assert text not in short
    names = run(short)
    assert (names["__doc__"], names["raises"].__doc__) == ("", "")
    assert names["Made"].__doc__ == "."  # not empty: `dataclass` would look for another one


def test_named_encoding_of_a_module_is_kept() -> None:
    text = b"# -*- coding: latin-1 -*-\n# why \xe4\nword = '\xe4'  # more \xe4\n"
    assert run(without_comments(text))["word"] == "\xe4"
