"""A partner sends every message in every phase. Ann signs only trades that she accepted, and is
never named.
"""

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.record_codec import read_content
from protocol.ledger.record_contents import CardTransfer
from protocol.ledger.records import content_id, parents
from protocol.ledger.trading import events
from protocol.ledger.trading.messages import MESSAGES, TradePhase, decode
from protocol.limits import MAX_TRADE_COMPARED
from tests.support.hostile_trader import HostileTrader
from tests.support.ledger import ANN, BOB, CAROL, traded, waive
from tests.support.trading import CARDS, issue, session_in, two


class Watched:
    """Ann's side, with its invariants."""

    def __init__(self, path, seed=0):
        self.ann, self.bob = two(path, seed)
        self.bob.book.add(issue(ANN, ANN, BOB, BOB))
        self.bob.book.add(CARDS)
        self.hostile = HostileTrader(BOB, ANN, self.bob.book, seed)
        self.yes = set()
        self.meet()

    def meet(self):
        self.hostile.salt, self.hostile.number = self.hostile.rng.randbytes(16), 0
        self.hostile.revision = self.hostile.heard = 0
        self.side = self.ann.meet(BOB.public)
        self.told = []
        self.gather()

    def gather(self):
        self.told += self.side.events()
        for payload in self.side.outgoing():
            self.hostile.hear(payload)
            said = decode(payload)
            if said.name in ("sign", "counter"):
                trade = (
                    content_id(read_content(said.values[0]))
                    if said.name == "sign"
                    else said.values[0]
                )
                assert trade in self.yes, "signed without a yes"

    def receive(self, payload):
        """Return the code of the refusal, or None."""
        try:
            self.side.received(payload)
        except RemoteError as error:
            assert self.side.phase is TradePhase.CLOSED
            return error.code
        finally:
            self.gather()
        return None

    def sign(self, trade):
        before = set(self.yes)
        self.yes.add(trade)
        try:
            self.side.sign(trade)
        except LocalError:
            self.yes = before
        self.gather()

    def check(self):
        assert not [alarm for alarm in self.ann.book.view.alarms if alarm.key == ANN.public]
        places = [place for one in self.ann.journal.reserved() for place in one.places]
        assert len(places) == len(set(places)), "no card is promised twice"
        for card in (CARDS[0], CARDS[1]):
            held = self.ann.book.view.holding(card.id)
            assert held.owner == ANN.public or held.trade in self.yes

    def close(self):
        for person in (self.ann, self.bob):
            person.stop()


def in_phase(path, phase):
    """Return Ann's side in a phase, reached honestly."""
    watched = Watched(path)
    pair = session_in(watched.ann, watched.bob, phase)
    watched.side = pair.sides[0]
    watched.yes |= {one.id for one in watched.ann.journal.reserved()}
    if phase is TradePhase.AGREED:
        watched.yes.add(pair.last(0, events.TradeProposed).terms.id)
    for payload in pair.sent[0]:
        watched.hostile.hear(payload)
    return watched, pair


@pytest.mark.slow
@pytest.mark.parametrize("phase", TradePhase)
@pytest.mark.parametrize("name", MESSAGES)
def test_every_trade_message_in_every_phase_is_harmless(tmp_path, name, phase):
    """Messages outside the table are refused and end the session; allowed ones do no harm."""
    watched, pair = in_phase(tmp_path, phase)
    hostile = watched.hostile
    hostile.wrong = 0.0
    if pair.sent[1]:
        first = decode(pair.sent[1][0])
        hostile.salt, hostile.number = first.salt, len(pair.sent[1])
        hostile.revision = sum(decode(payload).name == "offer" for payload in pair.sent[1])
    code = watched.receive(hostile.say(name))
    watched.check()
    if phase is TradePhase.CLOSED:
        assert code is None, "after the end nothing counts"
    elif phase not in MESSAGES[name].phases:
        assert code in (Code.BAD_MESSAGE, Code.ANOTHER_SESSION)
    else:
        assert code != Code.BAD_MESSAGE or name in ("merge", "image")
    watched.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_partner_messages_never_make_ann_a_cheat(tmp_path, seed):
    watched = Watched(tmp_path, seed)
    rng = watched.hostile.rng
    begin = ["meet", "standing"]
    for _ in range(120):
        if watched.side.phase is TradePhase.CLOSED:
            watched.meet()
            begin = ["meet", "standing"]
        roll = rng.random()
        if begin:
            watched.receive(watched.hostile.say(begin.pop(0)))
        elif roll < 0.7:
            watched.receive(watched.hostile.anything())
        else:
            act(watched, rng)
        watched.check()
    watched.close()


def test_proposal_of_card_without_a_next_trade_is_not_owned(tmp_path):
    """Ann knows a trade of Bob's card that does not count: the waive that it lists is unknown."""
    ann, bob = two(tmp_path)
    pair = session_in(ann, bob, TradePhase.TALKING)
    gift = next(one for one in issue(ANN, ANN, BOB, BOB) if CARDS[2].id in parents(one.content))
    place = CardTransfer(CARDS[2].id, 0, 1, gift.id, None)
    first = traded(BOB, CAROL, [place])
    ann.book.add([traded(BOB, CAROL, [place], waives=[waive(first, CAROL)])])
    pair.sides[1].propose()
    pair.run()
    assert pair.sides[0].phase is TradePhase.TALKING
    assert pair.last(1, events.ProposalRejected).code is Code.NOT_OWNED
    for person in (ann, bob):
        person.stop()


def act(watched, rng):
    """Let Ann act, and accept every other proposal."""
    asked = [
        event.terms.id
        for event in watched.told
        if isinstance(event, events.TradeProposed | events.SignatureReceived)
    ][-3:]
    try:
        choice = rng.randrange(4)
        if choice == 0:
            watched.side.offer([card.id for card in CARDS[:2] if rng.random() < 0.7])
        elif choice == 1:
            watched.side.propose()
        elif asked and choice == 2:
            watched.sign(rng.choice(asked))
        elif asked:
            watched.side.reject(rng.choice(asked))
    except LocalError:
        pass
    watched.gather()


def test_offers_end_when_their_merges_have_compared_too_much(tmp_path):
    ann, bob = two(tmp_path)
    ann.book.add(issue(ANN, ANN, BOB, BOB))
    bob.book.add(CARDS)
    pair = session_in(ann, bob, TradePhase.TALKING)
    pair.sides[0]._session.compared = MAX_TRADE_COMPARED + 1
    with pytest.raises(RemoteError) as refused:
        pair.sides[0].received(pair.forge(1, "offer", [], [], []))
    assert refused.value.code is Code.TOO_MANY
