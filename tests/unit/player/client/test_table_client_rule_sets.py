"""A client at a table of strangers' rules: what it asks, what it runs, and what it never runs."""

from random import Random

import pytest

from player.cards.rule_set_store import RuleSetStore
from player.client import events
from player.client.environment import Environment
from player.client.rule_sets import PROBLEMS, Standing
from player.client.seat import NOTHING_BROUGHT, Seat
from player.client.table_client import Plan, TableClient
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.games.scripted.rule_file.rule_set import sign_rule_set
from protocol.match.clock import Allowance
from protocol.match.terms import encode_terms, make_terms
from protocol.messages import table as messages
from protocol.messages.table import VERSION, ConnectionPhase, Sender
from protocol.options import Selection
from tests.support.ledger import ANN, BOB, EVE

BODY = built_in_text("crazy-eights").replace('"crazy-eights"', '"evening"')
FIRST = sign_rule_set(ANN, "evening", BODY)
SECOND = sign_rule_set(ANN, "evening", BODY + "# more\n", FIRST)
# whoever parses this says so: it is no rule file
BROKEN = sign_rule_set(ANN, "evening", "this is no game at all\n")


def terms_of(rules):
    option = ("rules", rules.digest)
    return make_terms(
        Selection("script", (option,)), Selection("verified"), Allowance().options(), 2
    )


class Visit:
    """A client without a socket, and the table that it believes to speak with."""

    def __init__(self, tmp_path, *offered, plan=None, brings="", older=False):
        self.store = RuleSetStore(tmp_path, BOB.public, older=older)
        self.told, self.sent, self.rows = [], [], list(offered)
        environment = Environment(
            BOB,
            Random(1),
            Seat,
            None,
            self.told.append,
            rule_sets=self.store,
            brings=NOTHING_BROUGHT._replace(text=brings),
        )
        self.client = TableClient(plan or Plan("Bob", "table-0"), environment)
        self.connect()

    def connect(self):
        self.client.attach(self.take, bytes(32))
        self.say("welcome", VERSION, "Table", [])

    def take(self, payload):
        phase = self.client.phase
        for one in (phase, *ConnectionPhase):
            try:
                found = messages.decode(payload, Sender.PLAYER, one)
            except RemoteError:
                continue
            break
        self.sent.append((found.name, *found.values))
        rows = [
            [f"table-{n}", encode_terms(terms_of(one)), [], 0] for n, one in enumerate(self.rows)
        ]
        if found.name == "list":
            self.say("tables", rows)
        elif found.name == "find":
            self.say("found", found.values[0], found.values[2], 0, len(rows), rows, None)

    def say(self, name, *values):
        self.client.received(messages.encode(name, *values))

    @property
    def names(self):
        return [name for name, *_ in self.sent if name not in ("hello", "list", "find")]

    @property
    def reason(self):
        return self.client.reason and self.client.reason.key


def test_untrusted_rules_are_neither_parsed_nor_played(tmp_path):
    visit = Visit(tmp_path, BROKEN)
    assert visit.names == ["ask_rules"]
    visit.say("rules", "table-0", BROKEN.text.encode())
    assert visit.names == ["ask_rules"] and visit.client.finished
    assert visit.reason == PROBLEMS[Standing.STRANGE]
    assert visit.client.lobby.question.rules == BROKEN
    # the same file of a trusted author is parsed, which is noticed
    visit.store.mark(ANN.public, True)
    again = Visit(tmp_path, BROKEN)
    assert again.names == [] and again.reason not in (None, *PROBLEMS.values())


def test_trusted_rules_are_brought_to_the_match(tmp_path):
    store = RuleSetStore(tmp_path, BOB.public)
    store.mark(ANN.public, True)
    visit = Visit(tmp_path, FIRST)
    visit.say("rules", "table-0", FIRST.text.encode())
    assert visit.names == ["ask_rules", "join"]
    assert visit.client.lobby.brings.text == FIRST.text
    offered = [one for one in visit.told if isinstance(one, events.Offered)]
    assert offered[0].rules.rules == FIRST
    # this player can give the rules to the next one, once on each connection
    visit.say("waiting", "table-0", 2, [["Bob", BOB.public]])
    visit.say("waiting", "table-0", 2, [["Bob", BOB.public], ["Eve", EVE.public]])
    assert visit.sent[-1] == ("give_rules", FIRST.text.encode())
    assert visit.names.count("give_rules") == 1


@pytest.mark.parametrize(
    "answer",
    [b"", b"\xff", FIRST.text.encode() + b"#", SECOND.text.encode(), BODY.encode()],
    ids=["none", "no text", "changed", "another set", "unsigned"],
)
def test_other_answers_than_the_named_rules_change_nothing(tmp_path, answer):
    RuleSetStore(tmp_path, BOB.public).mark(ANN.public, True)
    visit = Visit(tmp_path, FIRST)
    visit.say("rules", "table-0", answer)
    if not visit.client.finished:
        visit.say("rules", "table-0", answer)
    assert visit.names == ["ask_rules"] * 2 and visit.reason == "script.no_rules"
    assert visit.store.all() == []


def test_rules_that_nobody_asked_for_are_forgotten(tmp_path):
    RuleSetStore(tmp_path, BOB.public).mark(ANN.public, True)
    visit = Visit(tmp_path, FIRST, plan=Plan("Bob", browse=True))
    visit.say("rules", "table-0", FIRST.text.encode())
    visit.say("rules", "table-0", SECOND.text.encode())
    assert [one.rules for one in visit.store.all()] == [FIRST]


def test_set_swapped_after_the_look_is_not_played(tmp_path):
    RuleSetStore(tmp_path, BOB.public).mark(ANN.public, True)
    seen = Plan("Bob", "table-0", agreed=terms_of(FIRST))
    visit = Visit(tmp_path, SECOND, plan=seen)
    visit.say("rules", "table-0", SECOND.text.encode())
    assert visit.reason == "lobby.changed" and "join" not in visit.names


def test_older_number_needs_a_word_of_the_person(tmp_path):
    store = RuleSetStore(tmp_path, BOB.public)
    store.mark(ANN.public, True)
    store.keep(SECOND)
    visit = Visit(tmp_path, FIRST)
    visit.say("rules", "table-0", FIRST.text.encode())
    assert visit.reason == PROBLEMS[Standing.OLDER]
    assert Visit(tmp_path, FIRST, older=True).names == ["join"]
    visit.store.trust(visit.client.lobby.question)
    assert Visit(tmp_path, FIRST).names == ["join"]


def test_author_with_two_texts_under_one_number_is_an_alarm(tmp_path):
    """An author in league with a table can show other rules to each of two players."""
    store = RuleSetStore(tmp_path, BOB.public)
    store.mark(ANN.public, True)
    store.keep(SECOND)
    twin = sign_rule_set(ANN, "evening", BODY + "# less\n", FIRST)
    visit = Visit(tmp_path, twin)
    visit.say("rules", "table-0", twin.text.encode())
    assert visit.reason == PROBLEMS[Standing.DISPUTED]
    assert visit.client.lobby.question.question is None
    assert Visit(tmp_path, SECOND).reason == PROBLEMS[Standing.DISPUTED]


def test_rules_with_another_name_inside_are_not_played(tmp_path):
    RuleSetStore(tmp_path, BOB.public).mark(ANN.public, True)
    renamed = sign_rule_set(ANN, "morning", BODY)
    visit = Visit(tmp_path, renamed)
    visit.say("rules", "table-0", renamed.text.encode())
    assert visit.reason == "rule_set.wrong.renamed" and "join" not in visit.names


def test_named_file_needs_no_question_and_no_table(tmp_path):
    visit = Visit(tmp_path, FIRST, brings=FIRST.text)
    assert visit.names == ["join"]


def test_lost_connection_asks_again_and_not_for_ever(tmp_path):
    RuleSetStore(tmp_path, BOB.public).mark(ANN.public, True)
    visit = Visit(tmp_path, FIRST)
    visit.client.detached(Code.CUT_OFF)
    visit.connect()
    assert visit.names == ["ask_rules"] * 2
    visit.client.detached(Code.CUT_OFF)
    visit.connect()
    assert visit.names == ["ask_rules"] * 2 and visit.reason == "script.no_rules"


def test_lobby_asks_for_rules_one_by_one_and_in_bounds(tmp_path):
    many = [sign_rule_set(EVE, f"game {n}", BODY) for n in range(40)]
    visit = Visit(tmp_path, *many, plan=Plan("Bob", browse=True))
    for number, rules in enumerate(many[:6]):
        assert visit.names == ["ask_rules"] * (number + 1)
        visit.say("rules", f"table-{number}", rules.text.encode())
    assert visit.names == ["ask_rules"] * 6
    visit.client.look()
    assert visit.names == ["ask_rules"] * 7
    listed = [one for one in visit.told if isinstance(one, events.Listed)]
    assert listed[-1].rule_sets.offered(many[0].digest).standing is Standing.STRANGE
    assert not visit.client.finished


def test_table_list_for_programs_waits_for_the_authors(tmp_path):
    visit = Visit(tmp_path, FIRST, plan=Plan("Bob", only_list=True))
    assert [one for one in visit.told if isinstance(one, events.Listed)] == []
    visit.say("rules", "table-0", FIRST.text.encode())
    assert visit.client.finished
    (listed,) = (one for one in visit.told if isinstance(one, events.Listed))
    assert listed.rule_sets.offered(FIRST.digest).rules == FIRST
