"""A poker seat that has lost all its chips sits in the match but in no deal. It cannot harm one."""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

DEALINGS = [
    ("verified", {}),
    ("verified", {"leavers": "threshold"}),
    ("commutative", {}),
]


def gambler(view, rng):
    """Bot of seats 0 and 1: go all in, as long as there is a third player."""
    offer = view.offers[-1]
    return (*offer.action, offer.amount.most) if offer.amount else offer.action


def match_without_chips(dealing: str, options: dict[str, int | str]) -> tuple[Offline, int]:
    """Play until a deal begins in which one of three seats has no part. Return that seat too."""
    for seed in range(1, 50):
        match = make_offline(
            3, seed, "texas-holdem", {"stack": 20, "hands": 4}, options, dealing=dealing
        )
        match.bots = (gambler,)
        while not match.live.match.over:
            assert any(match.step(seat) for seat in match.seats)
            deal = match.live.match.deal
            if deal is not None and len(deal.context.present) == 2:
                (out,) = {0, 1, 2} - set(deal.context.present)
                assert out in match.live.match.present
                return match, out
    raise AssertionError("nobody has lost all chips")


def refusal_of(match: Offline, seat: int, post: Post) -> Code:
    """Return why an entry of this seat is refused. Nothing may have changed."""
    match.catch_up(match.readers[seat])
    before = match.live.match
    with pytest.raises(Refused) as refusal:
        match.live.offer(match.seats[seat].entry(match.readers[seat].log, post), seat)
    assert match.live.match is before
    return refusal.value.code


def play_beside(match: Offline, out: int) -> dict[str, set[Code]]:
    """Play to the end. Before each step the seat without a part protests, and posts what another
    seat has posted last. Return the refusals by kind.
    """
    met: dict[str, set[Code]] = {}
    while not match.live.match.over:
        now = match.live.match
        if now.deal is not None and out not in now.deal.context.present:
            newest = decode_entry(match.live.records[-1].entry)
            posts = [Post("protest", [now.next_number - 1])]
            if newest.kind in now.setup.dealing.entry_shapes:
                posts.append(Post(newest.kind, newest.body))
            for post in posts:
                met.setdefault(post.kind, set()).add(refusal_of(match, out, post))
        if not any(match.step(seat) for seat in match.seats):
            break
    return met


@pytest.mark.parametrize(("dealing", "options"), DEALINGS)
def test_seat_without_chips_cannot_touch_the_deal(dealing, options):
    match, out = match_without_chips(dealing, options)
    met = play_beside(match, out)
    assert met.pop("protest") == ({Code.BAD_ENTRY} if dealing == "commutative" else {Code.NOT_NOW})
    assert met and set().union(*met.values()) == {Code.NOT_NOW}
    over = match.live.match
    assert over.over and over.faults == () and sum(over.scores) == 60 and match.refused == []
    assert audit(match.file()).verdict is Verdict.CLEAN


def test_match_begun_under_commutative_edition_1_goes_on():
    match, _ = match_without_chips("commutative-1", {})
    assert decode_entry(match.live.records[0].entry).body[4][2] == ["commutative", []]
    match.play()
    assert match.live.match.over and match.live.match.faults == () and match.refused == []
    assert audit(match.file()).verdict is Verdict.CLEAN


def test_log_of_commutative_edition_1_is_judged_as_before():
    match, out = match_without_chips("commutative-1", {})
    while not (match.live.match.deal and match.live.match.deal.ready):
        assert any(match.step(seat) for seat in match.seats)
    match.catch_up(match.readers[out])
    protest = Post("protest", [match.live.match.next_number - 1])
    match.live.offer(match.seats[out].entry(match.readers[out].log, protest), out)
    match.play()
    report = audit(match.file())
    assert report.verdict is Verdict.FAULT
    assert [(fault.seat, fault.code) for fault in report.faults] == [(out, Code.FALSE_PROTEST)]


@pytest.mark.parametrize(("dealing", "options"), DEALINGS)
def test_seat_without_chips_leaves_without_touching_the_deal(dealing, options):
    match, out = match_without_chips(dealing, options)
    match.catch_up(match.readers[out])
    deal = match.live.match.deal
    match.live.offer(match.seats[out].entry(match.readers[out].log, Post("leave", [])), out)
    assert match.live.match.deal is deal and match.live.match.stage is MatchStage.DEALING
    match.play()
    over = match.live.match
    assert over.over and [(fault.seat, fault.code) for fault in over.faults] == [(out, Code.LEFT)]
    assert over.abandoned_deals == 0


@pytest.mark.parametrize(("dealing", "options"), DEALINGS)
def test_time_of_seat_without_chips_does_not_run(dealing, options):
    match, out = match_without_chips(dealing, options)
    assert match.live.match.next_clock_entry(out) is None
    for kind in ("warning", "extension", "lapse"):
        with pytest.raises(Refused) as refusal:
            match.live.post_clock(Post(kind, [out, 10**9]))
        assert refusal.value.code is Code.NOT_NOW
