"""Two people trade at terminals: the typed commands, the screens, and the signatures."""

import re
from random import Random

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from player.cards.trades.trader import Trader
from player.ui.terminal.cards.trade_prompt import TradePrompt
from player.ui.terminal.cards.trade_text import TradeTable, lines_of
from protocol.i18n import english, load_translator
from protocol.ledger.records import image_digest
from protocol.view.text import phrase_renderer
from tests.support.collectors import Collectors
from tests.support.stores import left_open


class Side:
    """One person; `read` is the screen so far."""

    def __init__(self, people: Collectors, name: str, translate=english) -> None:
        identity = people.people[name]
        self.store = left_open(LedgerStore(people.folder / name, identity.public, None))
        self.read: list[str] = []
        self.left = False
        say = phrase_renderer(translate, ())

        def tell(*said):
            self.read += lines_of(said, say)

        def leave():
            self.left = True

        self.table = TradeTable(say, tell, asks=True)
        collection = Collection(self.store, identity.public)
        self.trader = Trader(collection, identity, name, Random(name), {}, self.table.hear)
        self.talker = TradePrompt(self.table, translate, tell, leave)
        self.table.trader = self.trader
        self.out: list[bytes] = []

    def type(self, line: str) -> None:
        self.talker.typed(line)

    def text(self) -> str:
        """Return the new text on the screen."""
        new, self.read[:] = "\n".join(self.read), []
        return new


class Both:
    """Two sides, and the line between them."""

    def __init__(self, people: Collectors, translate=english) -> None:
        self.ann, self.bob = Side(people, "ann", translate), Side(people, "bob", translate)
        for side, other in ((self.ann, "bob"), (self.bob, "ann")):
            side.trader.attach(side.out.append, people.people[other].public)
        self.go()

    def go(self) -> None:
        """Deliver messages both ways until there are none."""
        while self.ann.out or self.bob.out:
            for here, there in ((self.ann, self.bob), (self.bob, self.ann)):
                sent, here.out[:] = list(here.out), []
                for payload in sent:
                    there.trader.received(payload)
                    there.table.settle()

    def type(self, *lines: tuple[str, str]) -> None:
        for who, line in lines:
            (self.ann if who == "ann" else self.bob).type(line)
            self.go()


@pytest.fixture
def people(tmp_path) -> Collectors:
    made = Collectors(tmp_path)
    made.everybody_begins()
    return made


OFFERS = (("ann", "give Salamander#1"), ("bob", "give Salamander#3, Salamander#4"))


def owned(side: Side) -> list[int]:
    return sorted(card.serial for card in side.trader.showing().mine())


@pytest.mark.slow
def test_trade_prompt_offers_proposes_and_accepts(people):
    both = Both(people)
    both.type(*OFFERS)
    said = both.ann.text()
    assert (
        "The other person offers 2 cards:" in said
        and "On the table from you: Salamander #1" in said
    )
    both.type(("ann", "propose"))
    said = both.bob.text()
    assert (
        "You get 1 card:" in said and "You give 2 cards:" in said and "Sign it? yes or no" in said
    )
    both.type(("bob", "yes"))
    assert owned(both.ann) == [1, 2], "the proposer has not said yes"
    both.type(("ann", "yes"))
    assert owned(both.ann) == [2, 3, 4] and owned(both.bob) == [1]
    assert (
        "is complete: both of you have signed" in both.ann.text()
        and len(both.bob.table.traded) == 1
    )


@pytest.mark.slow
def test_finished_trade_says_what_came_and_frees_the_offer(people):
    both = Both(people)
    both.type(*OFFERS, ("ann", "propose"), ("bob", "yes"), ("ann", "yes"))
    said = re.sub(r" \[\w+\]", "", both.ann.text())
    assert "You have got: Salamander #3, Salamander #4" in said
    assert "You have given: Salamander #1" in said
    assert "is here; you offer 0" in both.ann.talker.status()
    both.type(("ann", "give Salamander#3"), ("ann", "propose"), ("bob", "yes"), ("ann", "yes"))
    assert owned(both.ann) == [2, 4]
    assert "You have got: Salamander #3" in both.bob.text()
    assert "You have got: nothing" in both.ann.text()


@pytest.mark.slow
def test_trade_prompt_no_withdraws_proposal_and_allows_another(people):
    both = Both(people)
    both.type(*OFFERS, ("ann", "propose"), ("bob", "no"))
    assert "The proposal was withdrawn." in both.ann.text() and owned(both.bob) == [3, 4]
    both.type(("bob", "back Salamander#4"), ("ann", "propose"), ("bob", "yes"), ("ann", "yes"))
    assert owned(both.ann) == [2, 3]


@pytest.mark.slow
def test_trade_prompt_signs_only_the_shown_proposal(people):
    both = Both(people)
    both.type(("ann", "yes"))
    assert "No proposal is on the table." in both.ann.text()
    both.type(("ann", "propose"))
    assert "A trade has from 1 to" in both.ann.text()


@pytest.mark.slow
def test_trade_prompt_wrong_input_is_answered_with_valid_input(people):
    both = Both(people)
    both.type(("ann", "swap it"))
    assert "That is no command." in both.ann.text()
    both.type(("ann", "give Salamander"))
    assert "can mean 2 different ones" in both.ann.text()
    both.type(("ann", "give Salamandre"))
    assert "Did you mean one of these: Salamander?" in both.ann.text()
    both.type(("ann", "give Salamander#3"))
    assert "no card Salamander#3 here" in both.ann.text()


@pytest.mark.slow
def test_trade_prompt_shows_remarks_cards_and_status_without_escapes(people):
    both = Both(people)
    both.type(("ann", "say hello\x1b[2J"), ("ann", "show Salamander#1"), ("ann", "binder"))
    assert "They say: hello\ufffd[2J" in both.bob.text()
    assert "Salamander #2" in both.ann.text() and "is here; you offer 0" in both.ann.talker.status()
    both.type(("ann", "leave"))
    assert both.ann.left


@pytest.mark.slow
def test_trade_prompt_accepts_german_and_english_commands(people):
    both = Both(people, load_translator("de"))
    both.type(("ann", "gib Salamander#1"), ("bob", "give Salamander#3"), ("ann", "vorschlagen"))
    assert "Du bekommst 1 Karte:" in both.bob.text()
    both.type(("bob", "ja"), ("ann", "yes"))
    assert owned(both.ann) == [2, 3]


@pytest.mark.slow
def test_tabulator_key_completes_commands_and_cards(people):
    both = Both(people)
    both.type(*OFFERS)
    completing = both.ann.talker.completing()

    def completed(text: str) -> list[str]:
        return [one.text for one in completing.get_completions(Document(text), CompleteEvent())]

    assert completed("pro") == ["propose"]
    assert "Salamander#1" in completed("give sal")
    assert completed("give Salamander#1, Salamander#2") == ["Salamander#2"]
    assert completed("give zzz") == []


FACE = b"<svg/>" * 20_000  # two messages long


@pytest.fixture
def with_faces(tmp_path) -> Both:
    """Return two sides of which only Ann has the image of all cards."""
    people = Collectors(tmp_path, FACE)
    people.everybody_begins()
    both = Both(people)
    both.ann.trader.collection.store_images([FACE])
    return both


@pytest.mark.slow
def test_trade_prompt_receives_image_of_offered_card(with_faces):
    assert with_faces.ann.store.image(image_digest(FACE)) == FACE
    with_faces.type(("ann", "give Salamander#1"))
    assert with_faces.bob.store.image(image_digest(FACE)) == FACE
    assert owned(with_faces.bob) == [3, 4]
