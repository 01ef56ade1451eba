"""Requests about own matches: results in pieces, files for other programs, and files from elsewhere."""

from itertools import count

import pytest

from player.ui.web.home.history_requests import HistoryOptions, HistoryRequests
from player.ui.web.home.match_facts import OwnPerson
from player.ui.web.messages import File, Refusal, RefusalCode, Request, Responder, Value
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.limits import PAGE_READ_SECONDS
from tests.support.log_files import clean

MOST = 1 << 20  # bytes of a file


class Page(Responder):
    """A responder with the requests about a data folder, where each turn reads one entry."""

    def __init__(self, data):
        self.files = []
        seconds = count(0, PAGE_READ_SECONDS)

        async def run(work):
            return work()

        options = HistoryOptions(
            data, BUILT_IN, lambda: OwnPerson(None, ("Ann",)), run, most_file=MOST
        )
        self.requests = HistoryRequests(
            options, self.language, self.files.append, lambda: next(seconds)
        ).requests

    def language(self):
        return english

    async def value(self, name, /, **fields):
        """Return the value of an answer."""
        reply = await self.answer(Request(name, fields))
        assert isinstance(reply, Value), reply
        return reply.data

    async def show(self, name, data):
        """Send a file from elsewhere."""
        return await self.answer(Request("show", {"name": name}, data))


@pytest.fixture
def page(tmp_path):
    """Serve a data folder with two logs."""
    for name in ("a", "b"):
        (tmp_path / "play").mkdir(exist_ok=True)
        (tmp_path / "play" / f"{name}.fairdeal").write_bytes(clean())
    return Page(tmp_path)


async def test_log_longer_than_a_turn_is_read_on(page):
    found = await page.value("results", known=-1)
    assert (found["read"], found["total"], found["statistics"]) == (0, 2, None)
    rows = []
    turns = 0
    while found["statistics"] is None:
        found = await page.value("results", known=len(rows))
        rows += found["results"]
        turns += 1
    assert {row["log"] for row in rows} == {"play/a.fairdeal", "play/b.fairdeal"}
    assert found["statistics"][0]["matches"] == 2
    assert turns > 10
    # all facts are in the file now: a turn takes a whole log
    assert (await page.value("results", known=-1))["read"] == 1


async def test_log_is_exported_as_it_is(page, tmp_path):
    reply = await page.answer(Request("export", {"log": "play/a.fairdeal", "format": ""}))
    assert isinstance(reply, File)
    assert (reply.name, reply.data) == ("a.fairdeal", clean())


@pytest.mark.parametrize(
    ("log", "form"),
    [("play/a.fairdeal", "phh"), ("play/a.fairdeal", "../x"), ("../identity", ""), ("/etc/x", "")],
)
async def test_wrong_export_is_refused(page, log, form):
    reply = await page.answer(Request("export", {"log": log, "format": form}))
    assert isinstance(reply, Refusal) and reply.code is RefusalCode.REFUSED


async def test_good_file_is_shown_under_a_harmless_name(page):
    assert await page.show("<b>\u202e\x1b" + 500 * "x", clean()) == Value()
    (shown,) = page.files
    assert shown.data == clean()
    assert len(shown.name) <= 80 and not set(shown.name) & set("\u202e\x1b")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "incomplete"),
        (b"hello", "not the log of a match"),
        (b"PK\x03\x04", "compressed"),
        (b"<html>", "web page"),
        (clean()[:20], "incomplete"),
    ],
)
async def test_file_of_which_nothing_can_be_shown_is_refused(page, data, said):
    reply = await page.show("x", data)
    assert isinstance(reply, Refusal) and said in reply.error
    assert page.files == []


async def test_file_above_the_bound_is_refused(page):
    reply = await page.show("x", clean().ljust(MOST + 1, b"x"))
    assert isinstance(reply, Refusal) and reply.code is RefusalCode.TOO_LARGE


@pytest.mark.parametrize("fields", [{}, {"name": 3}, {"name": "x", "more": ""}])
async def test_file_needs_its_name(page, fields):
    reply = await page.answer(Request("show", fields, clean()))
    assert isinstance(reply, Refusal) and reply.code is RefusalCode.WRONG
