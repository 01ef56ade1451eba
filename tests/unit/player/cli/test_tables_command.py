"""`fairdeal tables` before lists of honest and lying directories, from files and real web servers."""

import json
from pathlib import Path
from random import Random

import pytest

from player.cli.tables_arguments import make_parser
from player.cli.tables_command import Browser, main
from player.client.outcome import CLEAN, FAILED, USAGE
from protocol.directory.link import ListLink
from protocol.directory.report import sign_report
from protocol.directory.table_list import encode_list
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import MAX_DIRECTORY_LIST
from tests.support.directories import ANN, BOB, DIRECTORY, NOW, report, web_server
from tests.support.errors import raises_text

WHOSE = fingerprint(DIRECTORY.public)


def browser(data: Path, now: float = NOW) -> Browser:
    return Browser(data, english_text, lambda: now, Random(1))


def asked(*words: str):
    return make_parser().parse_args(["FILE", *words])


def listed(*reports, number=3, expires=NOW + 900, identity=DIRECTORY) -> bytes:
    return encode_list(reports, number, expires, identity)


def write(folder: Path, data: bytes) -> str:
    path = folder / "some.list"
    path.write_bytes(data)
    return str(path)


def read(folder: Path, data: bytes, **values):
    return browser(folder, **values).read(None, write(folder, data))


def test_list_of_web_server_is_shown(tmp_path):
    full = report(BOB, name="Full", free=0)
    with web_server(lambda: listed(report(), full)) as link:
        found = browser(tmp_path).read(link, str(link))
    text = browser(tmp_path).listing(found, asked())
    assert text.splitlines() == [
        "Ann's table: draw-dominoes; 1 seats taken, 3 free",
        f"  fairdeal join fairdeal://93.184.216.34:7500/{fingerprint(ANN.public)}",
    ]
    assert "Full" in browser(tmp_path).listing(found, asked("--all"))
    assert browser(tmp_path).listing(found, asked("--game", "nim")).startswith("No table fits")


def test_list_as_json_has_links_that_may_be_called(tmp_path):
    home = report(BOB, name="home", address="192.168.1.1:7500")
    found = read(tmp_path, listed(report(), home))
    shown = json.loads(browser(tmp_path).listing(found, asked("--json", "--sort", "name")))
    assert (shown["number"], shown["matching"], shown["directory"]) == (3, 2, WHOSE)
    assert [(each["name"], each["link"] is None) for each in shown["tables"]] == [
        ("Ann's table", False),
        ("home", True),
    ]


def test_rows_beyond_first_are_counted(tmp_path):
    reports = [report(Identity(bytes([n]) * 32)) for n in range(1, 6)]
    found = read(tmp_path, listed(*reports))
    lines = browser(tmp_path).listing(found, asked("--first", "2")).splitlines()
    assert len(lines) == 5 and lines[-1].startswith("3 more")


def test_row_of_private_address_has_no_link(tmp_path):
    found = read(tmp_path, listed(report(address="192.168.1.1:7500")))
    text = browser(tmp_path).listing(found, asked())
    assert "192.168" not in text and "without a link" in text


def test_row_that_no_table_signed_is_left_out(tmp_path):
    forged = report(BOB)._replace(name="forged")
    steering = sign_report(report()._replace(name="a\x1b[2Jb"), ANN)
    found = read(tmp_path, listed(forged, steering))
    text = browser(tmp_path).listing(found, asked())
    assert text == "2 rows are not shown: their signatures or texts are wrong."


def test_old_list_is_refused(tmp_path):
    read(tmp_path, listed(report(), number=4))
    with raises_text(LocalError, "old list: number 3, and you have seen 4"):
        read(tmp_path, listed(report(), number=3))


def test_two_lists_with_one_number_are_refused(tmp_path):
    read(tmp_path, listed(report()))
    read(tmp_path, listed(report()))
    with raises_text(LocalError, f"two lists with the number 3.*{WHOSE}"):
        read(tmp_path, listed(report(BOB)))


def test_numbers_of_another_directory_do_not_count(tmp_path):
    read(tmp_path, listed(report(), number=4))
    assert read(tmp_path, listed(report(), number=1, identity=BOB)).number == 1


def test_expired_list_is_refused_and_not_remembered(tmp_path):
    with raises_text(LocalError, "expired 1 minutes ago"):
        read(tmp_path, listed(report(), number=9), now=NOW + 960)
    assert read(tmp_path, listed(report())).number == 3


def test_list_of_another_directory_is_refused(tmp_path):
    with (
        web_server(lambda: listed(report(), identity=BOB)) as link,
        raises_text(LocalError, "signed by another directory"),
    ):
        browser(tmp_path).read(link, str(link))


def test_list_with_changed_row_is_refused(tmp_path):
    data = listed(report()).replace(b"Ann's", b"Eve's")
    with raises_text(LocalError, "is damaged"):
        read(tmp_path, data)


@pytest.mark.slow
def test_huge_list_is_read_no_further_than_the_bound(tmp_path):
    with (
        web_server(lambda: bytes(MAX_DIRECTORY_LIST + 100_000)) as link,
        raises_text(LocalError, "does not answer|is damaged"),
    ):
        browser(tmp_path).read(link, str(link))


@pytest.mark.parametrize("status", [404, 500, 302])
def test_web_server_without_the_list_is_named(tmp_path, status):
    with (
        web_server(lambda: b"nothing", status) as link,
        raises_text(LocalError, f"HTTP {status}"),
    ):
        browser(tmp_path).read(link, str(link))


def test_web_server_that_is_not_there_is_named(tmp_path):
    link = ListLink("http://127.0.0.1:1/some.list", WHOSE)
    with raises_text(LocalError, "does not answer with the list"):
        browser(tmp_path).read(link, str(link))


def seat(folder: Path, answer: str | None, data: bytes, *words: str) -> list[list[str]]:
    """Ask for a seat; return the command lines with which tables are joined. None: nobody answers."""
    joined: list[list[str]] = []

    def join(command: list[str]) -> int:
        joined.append(command)
        return CLEAN

    def ask(question: str) -> str:
        assert question == "Call this table and sit down? [y/N] "
        if answer is None:
            raise EOFError
        return answer

    found = read(folder, data)
    assert browser(folder).seat(found, asked("--seat", *words), join, ask) == CLEAN
    return joined


def test_seat_anywhere_shows_where_it_leads_and_asks(tmp_path, capsys):
    joined = seat(tmp_path, "y", listed(report()), "--name", "Cleo")
    assert joined == [[str(report().link), "--name=Cleo"]]
    said = capsys.readouterr().out
    assert "It is at 93.184.216.34:7500." in said and "You do not know who runs it." in said


@pytest.mark.parametrize("answer", ["", "n", "no", "yy"])
def test_seat_anywhere_calls_nobody_without_a_yes(tmp_path, answer):
    assert seat(tmp_path, answer, listed(report())) == []


def test_seat_anywhere_needs_somebody_who_answers(tmp_path):
    with raises_text(LocalError, "nobody is here to answer"):
        seat(tmp_path, None, listed(report()))


@pytest.mark.parametrize(
    "lie", [{"address": "10.0.0.1:7500"}, {"address": "93.184.216.34:22"}, {"free": 0}]
)
def test_seat_anywhere_finds_no_table_among_lies(tmp_path, lie):
    with raises_text(LocalError, "No table in the list fits"):
        seat(tmp_path, "y", listed(report(**lie)))


def test_command_line_that_is_wrong_is_a_usage_error(tmp_path, capsys):
    data = f"--data={tmp_path}"
    assert main(["https://example.org/tables.list", data]) == USAGE
    assert main([str(tmp_path / "list"), "--first", "0", data]) == USAGE
    assert main([str(tmp_path / "list"), data]) == FAILED
    said = capsys.readouterr().err
    assert "#aaa" in said and "--first is" in said and "cannot be read" in said
