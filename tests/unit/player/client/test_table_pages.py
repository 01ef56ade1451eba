"""A client at a table with more tables than one list has: pages, searches, and lies about them."""

from random import Random

import pytest

from player.client import events
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_PAGES_LISTED, MAX_TABLES_FOUND
from protocol.match.clock import Allowance
from protocol.match.terms import encode_terms, make_terms, terms_hash
from protocol.messages import table as messages
from protocol.messages.table import VERSION, ConnectionPhase, Sender
from protocol.messages.table_search import TableSearch
from protocol.options import Selection
from tests.support.ledger import BOB

NIM = make_terms(Selection("nim"), Selection("none"), Allowance().options(), 2)


def row(number):
    return [f"table-{number}", encode_terms(NIM), [], 0]


class Visit:
    """A client without a socket, and the table that it believes to speak with."""

    def __init__(self, plan):
        self.told, self.sent = [], []
        environment = Environment(BOB, Random(1), Seat, None, self.told.append)
        self.client = TableClient(plan, environment)
        self.phase = ConnectionPhase.GREETING
        self.client.attach(self.take, bytes(32))
        self.phase = ConnectionPhase.LOBBY
        self.say("welcome", VERSION, "Table", [])

    def take(self, payload):
        found = messages.decode(payload, Sender.PLAYER, self.phase)
        self.sent.append((found.name, *found.values))

    def say(self, name, *values):
        self.client.received(messages.encode(name, *values))

    def page(self, *numbers, text=None, start=0, before=0, total=1000, next=None):
        self.say("found", text, start, before, total, list(map(row, numbers)), next)

    @property
    def listed(self):
        return [one for one in self.told if isinstance(one, events.Listed)]


def test_list_of_all_tables_is_made_of_its_pages():
    visit = Visit(Plan("Bob", only_list=True))
    assert visit.sent[-1] == ("find", None, [], 0, MAX_TABLES_FOUND)
    visit.page(1, 2, total=3, next=5)
    assert visit.sent[-1] == ("find", None, [], 5, MAX_TABLES_FOUND)
    visit.page(5, start=5, before=2, total=3)
    (listed,) = visit.listed
    assert [one[0] for one in listed.rows] == ["table-1", "table-2", "table-5"]
    assert visit.client.finished and visit.client.reason is None


def test_list_of_a_search_asks_each_page_for_it():
    visit = Visit(Plan("Bob", only_list=True, search=TableSearch("poker", ("omaha",))))
    visit.page(3, text="poker", total=2, next=7)
    assert visit.sent[-1] == ("find", "poker", ["omaha"], 7, MAX_TABLES_FOUND)


def test_endless_pages_of_a_table_are_listed_up_to_a_bound():
    visit = Visit(Plan("Bob", only_list=True))
    for number in range(MAX_PAGES_LISTED):
        assert not visit.client.finished
        visit.page(number, start=number, next=number + 1)
    assert visit.client.finished and len(visit.listed[0].rows) == MAX_PAGES_LISTED
    assert len(visit.sent) == MAX_PAGES_LISTED + 1


@pytest.mark.parametrize("next", [0, 4])
def test_page_that_leads_back_is_a_fault_of_the_table(next):
    visit = Visit(Plan("Bob", browse=True, search=TableSearch(start=4)))
    with pytest.raises(RemoteError) as fault:
        visit.page(1, start=4, next=next)
    assert fault.value.code is Code.BAD_MESSAGE


def test_answer_to_an_earlier_question_is_passed_over():
    visit = Visit(Plan("Bob", browse=True))
    visit.client.look(TableSearch("ann"))
    visit.page(1, 2)
    assert visit.listed == []
    visit.page(2, text="ann", total=1)
    assert [one[0] for one in visit.listed[0].rows] == ["table-2"]
    visit.client.look()
    assert visit.sent[-1] == ("find", "ann", [], 0, MAX_TABLES_FOUND)


def test_unlisted_table_is_looked_up_before_it_is_joined():
    visit = Visit(Plan("Bob", table_id="table-700"))
    visit.say("tables", [row(1)])
    assert visit.sent[-1] == ("find", "table-700", [], 0, 1)
    visit.page(700, text="table-700", total=1)
    assert visit.sent[-1] == ("join", ["table-700", terms_hash(NIM)])


def test_table_that_is_nowhere_is_looked_up_once_and_gone():
    visit = Visit(Plan("Bob", table_id="table-700", agreed=NIM))
    visit.say("tables", [row(1)])
    visit.page(text="table-700", total=0)
    assert [name for name, *_ in visit.sent] == ["hello", "list", "find"]
    assert visit.client.reason.key == "lobby.gone"


def test_terms_that_changed_are_looked_up_again():
    visit = Visit(Plan("Bob", table_id="table-700"))
    for _ in range(2):
        visit.say("tables", [row(1)])
        visit.page(700, text="table-700", total=1)
        if not visit.client.finished:
            visit.say("error", str(Code.OTHER_TERMS))
    names = [name for name, *_ in visit.sent]
    assert names == ["hello", "list", "find", "join", "list", "find", "join"]
