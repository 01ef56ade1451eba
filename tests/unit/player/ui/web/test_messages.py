"""Requests of a page without a transport: only requests in the right form reach a handler."""

import json

import pytest

from player.ui.web.bundle import static
from player.ui.web.cards.card_requests import CardsRequests
from player.ui.web.http.message_routes import READS, SESSION, STATUS
from player.ui.web.messages import (
    Refusal,
    RefusalCode,
    Request,
    RequestSpec,
    Responder,
    Value,
)
from player.ui.web.page_messages import PageMessages
from player.ui.web.page_screen import PageScreen
from player.ui.web.replay.serving import LogFile, ReplayRequests
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.limits import MAX_PAGE_BODY

MOST_FILE = 10  # bytes
NESTED: list = []
NESTED.append(NESTED)
DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]
FORMLESS = (
    *(None, 1, "x", [], [1], {1, 2}, b"{}", NESTED, DEEP),
    *({}, {"text": 1}, {"text": None}, {"text": True}, {"text": b"x"}, {"text": ["x"]}),
    *({"text": "x", "more": 1}, {"text": "x", 1: 2}, {"text": "\ud800"}),
    *({"text": "x", "places": 1}, {"text": "x", "places": [1.0]}, {"text": "x", "places": [True]}),
    *({"text": "x", "places": [[1]]}, {"text": "x", "places": ["1"]}, {"text": "x", "count": 1.0}),
    *({"text": "x", "count": True}, {"text": "x", "count": "1"}, {"text": "x", "count": None}),
)


class Recorder(Responder):
    """Page that records what reaches its handlers."""

    def __init__(self):
        self.taken = []
        optional = {"count": int, "places": list}
        self.requests = {
            "say": RequestSpec(self._take, {"text": str}, optional),
            "bring": RequestSpec(self._take, most_file=MOST_FILE),
        }

    def language(self):
        return english

    async def _take(self, what):
        self.taken.append(what)
        if what == {"text": "fail"}:
            raise LocalError("web.not_offered")
        return Value({"taken": len(self.taken)})


@pytest.mark.parametrize("fields", FORMLESS, ids=range(len(FORMLESS)))
async def test_request_in_another_form_reaches_no_handler(fields):
    page = Recorder()
    assert await page.answer(Request("say", fields)) == Refusal(
        RefusalCode.WRONG, "That is not a request of this page."
    )
    assert page.taken == []


async def test_request_reaches_its_handler_with_json_values():
    page = Recorder()
    fields = {"text": "zoë", "count": 3, "places": (1, 2)}
    assert await page.answer(Request("say", fields)) == Value({"taken": 1})
    assert page.taken == [{"text": "zoë", "count": 3, "places": [1, 2]}]


async def test_request_without_handler_is_refused():
    for name in ("", "take", "_take", "requests", "answer"):
        reply = await Recorder().answer(Request(name, {"text": "x"}))
        assert reply.code is RefusalCode.NOTHING


async def test_fields_are_bounded_in_bytes_of_json():
    page = Recorder()
    frame = len(json.dumps({"text": ""}, separators=(",", ":")))
    room = MAX_PAGE_BODY - frame
    assert isinstance(await page.answer(Request("say", {"text": "x" * room})), Value)
    too_large = await page.answer(Request("say", {"text": "x" * (room - 1) + "é"}))
    assert too_large.code is RefusalCode.TOO_LARGE and "4096" in too_large.error
    assert len(page.taken) == 1


async def test_file_is_taken_only_where_expected_and_bounded():
    page = Recorder()
    assert await page.answer(Request("bring", file=b"x" * MOST_FILE)) == Value({"taken": 1})
    for request, code in (
        (Request("bring", file=b"x" * (MOST_FILE + 1)), RefusalCode.TOO_LARGE),
        (Request("bring"), RefusalCode.WRONG),
        (Request("bring", file="text"), RefusalCode.WRONG),
        (Request("bring", {"name": "x"}, b"x"), RefusalCode.WRONG),
        (Request("say", {"text": "x"}, b"x"), RefusalCode.WRONG),
    ):
        assert (await page.answer(request)).code is code
    assert page.taken == [b"x" * MOST_FILE]


async def test_refusal_of_a_handler_is_a_sentence():
    reply = await Recorder().answer(Request("say", {"text": "fail"}))
    assert reply == Refusal(RefusalCode.REFUSED, "You can't do that now.")


async def test_every_refusal_has_a_status_of_its_own():
    assert set(STATUS) == set(RefusalCode) and len(set(STATUS.values())) == len(STATUS)
    shown = static("http_transport.js")
    assert all(f'{status}: "{code}"' in shown for code, status in STATUS.items())


async def test_page_and_program_read_the_same_requests():
    pages = (
        PageMessages(PageScreen({}, english), BUILT_IN),
        ReplayRequests(LogFile("x", b""), BUILT_IN, english),
        CardsRequests(None),
    )
    names = {name for page in pages for name in page.requests} - {SESSION}
    (listed,) = [
        part.split("]")[0] for part in static("http_transport.js").split("READS = new Set([")[1:]
    ]
    assert set(json.loads(f"[{listed.strip().rstrip(',')}]")) == READS and names >= READS
