"""The program's end of a message port: answers by number, and one event at a time."""

import asyncio

from player.ui.web.messages import File, Request, RequestSpec, Responder, Value
from player.ui.web.page_port import PagePort
from player.ui.web.stream import News, Snapshot
from protocol.i18n import english
from protocol.limits import MAX_PAGE_CONNECTIONS
from tests.support.tables import until

JUNK = (None, 1, "x", b"x", [], {}, {"id": 1}, {"id": "1", "name": "echo"}, {"subscribe": 1})


class Echo(Responder):
    """Page that answers what it is asked, once `free` is set."""

    def __init__(self):
        self.free = asyncio.Event()
        self.free.set()
        self.news = News()
        self.serial = 0
        self.requests = {
            "echo": RequestSpec(self._echo, {"text": str}),
            "file": RequestSpec(self._file, most_file=10),
        }

    def language(self):
        return english

    def events(self, last):
        return self.news.events(self._snapshot, last)

    def change(self):
        self.serial += 1
        self.news.changed()

    def _snapshot(self):
        return Snapshot(self.serial, 0, {"serial": self.serial})

    async def _echo(self, fields):
        await self.free.wait()
        return Value(fields)

    async def _file(self, data):
        return File("a.txt", data)


def opened():
    """Return a page, its port, and the list of sent messages."""
    page, sent = Echo(), []
    return page, PagePort(page, sent.append), sent


async def test_port_answers_requests_by_number():
    _, port, sent = opened()
    port.receive({"id": 4, "name": "echo", "fields": {"text": "x"}})
    port.receive({"id": 5, "name": "echo", "fields": {"text": 1}})
    port.receive({"id": 6, "name": "file", "file": b"abc"})
    port.receive({"id": 7, "name": "nothing"})
    await until(lambda: len(sent) == 4)
    told = {message["id"]: message for message in sent}
    assert told[4] == {"id": 4, "value": {"text": "x"}}
    refusal = {"code": "wrong", "error": "That is not a request of this page."}
    assert told[5] == {"id": 5, "refusal": refusal}
    file = {"name": "a.txt", "kind": "application/octet-stream", "data": b"abc"}
    assert told[6] == {"id": 6, "file": file}
    assert told[7]["refusal"]["code"] == "nothing"


async def test_port_ignores_messages_without_form():
    _, port, sent = opened()
    for message in JUNK:
        port.receive(message)
    port.receive({"id": 1, "name": "echo", "fields": {"text": "x"}})
    await until(lambda: sent)
    assert [message["id"] for message in sent] == [1]


async def test_port_refuses_too_many_requests_at_once():
    page, port, sent = opened()
    page.free.clear()
    for number in range(MAX_PAGE_CONNECTIONS + 1):
        port.receive({"id": number, "name": "echo", "fields": {"text": "x"}})
    assert [message["id"] for message in sent] == [MAX_PAGE_CONNECTIONS]
    assert sent[0]["refusal"]["code"] == "busy"
    page.free.set()
    await until(lambda: len(sent) == MAX_PAGE_CONNECTIONS + 1)


async def test_slow_page_at_port_gets_newest_snapshot():
    page, port, sent = opened()
    port.receive({"subscribe": None})
    await until(lambda: len(sent) == 1)
    assert sent[0]["event"] == "missed"
    for _ in range(50):
        page.change()
        await asyncio.sleep(0)
    assert len(sent) == 1, "the first event is not read yet"
    port.receive({"read": "another"})
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(sent) == 1, "another event has been read"
    for number in (1, 2):
        port.receive({"read": sent[-1]["mark"]})
        await until(lambda number=number: len(sent) == number + 1)
    assert [message["event"] for message in sent[1:]] == ["snapshot", "snapshot"]
    assert [message["data"]["serial"] for message in sent[1:]] == [0, 50]
    port.close()


async def test_page_loaded_anew_ends_earlier_stream():
    page, port, sent = opened()
    port.receive({"subscribe": None})
    await until(lambda: page.news.readers == 1)
    port.receive({"subscribe": None})
    await until(lambda: len(sent) == 2)
    assert page.news.readers == 1
    port.close()
    await until(lambda: page.news.readers == 0)


async def test_closed_port_ends_its_requests():
    page, port, sent = opened()
    page.free.clear()
    port.receive({"id": 1, "name": "echo", "fields": {"text": "x"}})
    await asyncio.sleep(0)
    port.close()
    page.free.set()
    assert await page.answer(Request("echo", {"text": "y"})) == Value({"text": "y"})
    assert sent == []
