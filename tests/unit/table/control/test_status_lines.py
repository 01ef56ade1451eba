"""The status of a table in words: a short line for each person, and what a connection costs on
demand.
"""

import pytest

from protocol.i18n import load_translator
from protocol.view.text import phrase_renderer
from table.control.command import make_parser, status_lines
from table.control.messages import ConnectionRow, HeadRow

ANN = ConnectionRow(
    "abcd-efgh", "Ann", "203.0.113.7", "seated", "0" * 8, 301, 37, 10984, 4, 22, False
)


def said(language: str, *, verbose: bool) -> str:
    say = phrase_renderer(load_translator(language), ())
    return "\n".join(status_lines([ANN], say, verbose=verbose))


HEAD = HeadRow("0.1.0", "Corner", "fairdeal://192.0.2.7:7500/ab", 60, False, "", None)
STANDBY = "10.0.0.2:7510"


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        (HEAD, ["  standby: none"]),
        (
            HEAD._replace(draining=True),
            ["  no match begins any more; the table ends after the last one", "  standby: none"],
        ),
        (
            HEAD._replace(standby=STANDBY, silent=3),
            [f"  standby: {STANDBY}, had everything 3 s ago"],
        ),
        (
            HEAD._replace(standby=STANDBY),
            [f"  standby: {STANDBY}, which the table does not reach"],
        ),
    ],
)
def test_head_comes_first(head: HeadRow, lines: list[str]):
    say = phrase_renderer(load_translator("en"), ())
    found = list(status_lines([ANN, head], say))
    assert found[: 2 + len(lines)] == [
        "Corner: fairdeal 0.1.0, since 1970-01-01 00:01 UTC",
        "  link: fairdeal://192.0.2.7:7500/ab",
        *lines,
    ]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "  Ann (abcd-efgh): plays 00000000, for 5 min"),
        ("de", "  Ann (abcd-efgh): spielt 00000000, seit 5 min"),
    ],
)
def test_person_has_one_short_line(language: str, line: str):
    assert line in said(language, verbose=False).splitlines()
    assert "10984" not in said(language, verbose=False)


def test_verbose_status_tells_costs_and_address():
    assert make_parser().parse_args(["status", "--verbose"]).verbose
    told = said("en", verbose=True)
    assert "203.0.113.7" in told and "10984 bytes" in told
