"""Requests about directories: what a page may see, and which tables it may open."""

import pytest

from player.client.connection import connect
from player.storage.own_directories import OwnDirectories
from player.ui.web.home.directory_requests import Directories
from player.ui.web.home.home_messages import HomeMessages
from player.ui.web.messages import Refusal, RefusalCode, Request, Value
from protocol.directory.link import ListLink
from protocol.directory.table_list import decode_list, encode_list
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import MAX_TABLES_SHOWN
from tests.support.directories import ANN, BOB, DIRECTORY, NOW, report
from tests.unit.player.ui.web.home.test_home_messages import options_of

LINK = ListLink("https://example.org/tables.list", fingerprint(DIRECTORY.public))


class Person:
    """A person before Home. `reports` are on the list; `now` is the time."""

    def __init__(self, data, *reports) -> None:
        self.reports, self.now = list(reports), NOW
        self.opened, self.read = [], 0
        options = options_of(data)
        ways = Directories(self._read, connect, now=lambda: self.now)
        options = type(options)(**{**vars(options), "directories": ways})
        self._home = HomeMessages(options, english, self.opened.append, lambda: None)

    async def _read(self, link):
        self.read += 1
        if not self.reports:
            raise LocalError("wrong.directory.answer", url=link.url, why="HTTP 404")
        return decode_list(encode_list(self.reports, 3, NOW + 900, DIRECTORY))

    async def ask(self, request, /, **fields):
        return await self._home.answer(Request(request, fields))

    async def value(self, request, /, **fields):
        answer = await self.ask(request, **fields)
        assert isinstance(answer, Value), answer
        return answer.data


async def test_directory_without_a_list_is_not_kept(tmp_path):
    answer = await Person(tmp_path).ask("add_directory", link=str(LINK))
    assert isinstance(answer, Refusal) and "HTTP 404" in answer.error
    assert OwnDirectories(tmp_path).links() == []


async def test_list_is_read_again_when_asked_or_expired(tmp_path):
    person = Person(tmp_path, report())
    await person.value("add_directory", link=str(LINK))
    await person.value("directory", link=str(LINK))
    assert person.read == 1
    await person.value("directory", link=str(LINK), anew=True)
    assert person.read == 2
    person.now = NOW + 901
    found = await person.value("directory", link=str(LINK))
    assert (person.read, found["tables"]) == (3, [])


async def test_rows_beyond_the_most_are_counted(tmp_path):
    many = [report(Identity(n.to_bytes(32))) for n in range(1, MAX_TABLES_SHOWN + 4)]
    person = Person(tmp_path, *many)
    await person.value("add_directory", link=str(LINK))
    found = await person.value("directory", link=str(LINK))
    assert (len(found["tables"]), found["more"]) == (MAX_TABLES_SHOWN, 3)


async def test_tables_of_a_name_and_game_are_found(tmp_path):
    person = Person(tmp_path, report(name="Corner"), report(BOB, name="Attic", games=("nim",)))
    await person.value("add_directory", link=str(LINK))
    found = await person.value("directory", link=str(LINK), name="orn", order="name")
    assert [row["name"] for row in found["tables"]] == ["Corner"]
    assert set(found["games"]) == {"draw-dominoes", "nim"}
    seat = await person.value("seat_anywhere", link=str(LINK), game="nim")
    assert (seat["name"], person.opened) == ("Attic", [])


async def test_table_of_the_list_alone_is_opened_as_listed(tmp_path):
    private = report(BOB, address="192.168.1.1:7500")
    person = Person(tmp_path, report(), private)
    await person.value("add_directory", link=str(LINK))
    other = report(ANN, address="93.184.216.99:7500").link
    for link in (str(private.link), str(other)):
        answer = await person.ask("open", what="listed", name=link)
        assert isinstance(answer, Refusal) and "not in the list any more" in answer.error
    await person.value("open", what="listed", name=str(report().link))
    assert [(each.link, each.listed) for each in person.opened] == [(report().link, True)]


async def test_report_with_a_wrong_signature_is_not_opened(tmp_path):
    forged = report()._replace(address="93.184.216.99:7500")
    person = Person(tmp_path, forged)
    await person.value("add_directory", link=str(LINK))
    found = await person.value("directory", link=str(LINK))
    assert (found["tables"], found["dropped"]) == ([], 1)
    assert isinstance(await person.ask("open", what="listed", name=str(forged.link)), Refusal)


@pytest.mark.parametrize("fields", [{}, {"order": "nonsense"}])
async def test_directory_that_nobody_added_is_not_read(tmp_path, fields):
    answer = await Person(tmp_path, report()).ask("directory", link=str(LINK), **fields)
    assert isinstance(answer, Refusal) and answer.code is RefusalCode.WRONG
