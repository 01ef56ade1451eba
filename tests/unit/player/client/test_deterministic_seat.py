"""A seat rebuilt from its seed and the log gives the same answers, byte for byte, at every step."""

import pytest

from player.client.deterministic_seat import DeterministicSeat
from protocol import wire
from protocol.dealing import Post
from protocol.games import Hand
from protocol.match.state import MatchStage
from tests.adversary.cheats.draws import GarbageToDrawer
from tests.adversary.cheats.selection import GarbageHop
from tests.adversary.cheats.slots import OverwritesAtTheEnd
from tests.support.deterministic import SteadyMatch

pytestmark = pytest.mark.match

# games, and kinds that must occur, so that each match tests what its name says
MATCHES = {
    "layered": ({"seats": 3, "options": {"hand": 2}}, {"hop", "slot_hop", "open_seat"}),
    "draws": (
        {"seats": 2, "game": "draw-dominoes", "options": {"hand": 2, "target": 20}},
        {"draw_query", "draw_reply"},
    ),
    "a bad hop": ({"seats": 3, "options": {"hand": 2}, "types": {1: GarbageHop}}, {"protest"}),
    "a bad slot": (
        {"seats": 3, "options": {"hand": 2}, "types": {0: OverwritesAtTheEnd}},
        {"protest"},
    ),
    "a bad draw": (
        {
            "seats": 3,
            "game": "draw-dominoes",
            "options": {"hand": 3, "target": 100},
            "types": {1: GarbageToDrawer},
        },
        {"draw_key", "protest"},
    ),
    "verified": (
        {"seats": 2, "dealing": "verified", "options": {"hand": 2}},
        {"shuffle", "shares", "show"},
    ),
    "verified draws": (
        {
            "seats": 2,
            "dealing": "verified",
            "game": "draw-dominoes",
            "options": {"hand": 2, "target": 5},
        },
        {"shuffle", "shares"},
    ),
    "somebody leaves": (
        {
            "seats": 3,
            "dealing": "verified",
            "options": {"hand": 2},
            "dealing_options": {"leavers": "threshold"},
        },
        {"confirm", "leave", "stand_in"},
    ),
}


CLOSELY, EVERY = 40, 4  # the first 40 steps are compared one by one, of later steps every fourth


def made(name: str, seed: int) -> SteadyMatch:
    options = dict(MATCHES[name][0])
    return SteadyMatch(options.pop("seats"), seed, **options)


def state(seat: DeterministicSeat, match: SteadyMatch) -> tuple[bytes, Hand, list[bytes]]:
    """Return all possible actions of a seat now."""
    moves = [seat.move(action) for action in seat.seat.choices(match.reader.match)[:4]]
    due = b"" if seat.due is None else encoded(seat.due)
    return due, seat.seat.hand, [encoded(move) for move in moves]


def encoded(post: Post) -> bytes:
    return wire.encode([post.kind, post.body])


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("name", MATCHES)
def test_rebuilt_seat_gives_the_same_answers(name, seed):
    match = made(name, seed)
    honest = [
        seat for seat in range(len(match.seats)) if seat not in MATCHES[name][0].get("types", {})
    ]
    steps = 0

    def compare() -> None:
        nonlocal steps
        if name == "somebody leaves" and match.reader.match.stage is MatchStage.PLAYING:
            match.leavers.add(1)
        for number in (
            honest if steps < CLOSELY or steps % EVERY == seed % EVERY or match.reader.over else ()
        ):
            rebuilt = match.rebuilt(number, match.moments)
            assert state(rebuilt, match) == state(match.seats[number], match), (
                f"entry {len(match.moments) - 1}"
            )
        steps += 1

    match.play(compare)
    assert match.reader.over
    assert match.kinds >= MATCHES[name][1], match.kinds
    assert steps == len(match.moments)


def test_seed_without_identity_is_useless():
    match = made("layered", 3)
    own = match.fresh(0, match.reader)
    match.people[0] = match.people[1]
    assert match.fresh(0, match.reader).due != own.due


def parts(value: object) -> set[bytes]:
    """Return all byte strings in a post that are long enough to be random, cut into pieces of 32
    bytes.
    """
    if isinstance(value, bytes):
        return {value[at : at + 32] for at in range(0, len(value) - 31, 32)}
    return set().union(*map(parts, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("name", ["layered", "draws", "verified"])
def test_no_random_value_is_reused_across_a_fork(name):
    """The same fold at another head gives other salts, keys and proofs."""
    match = made(name, 3)
    kinds, compared = set(), set()

    def fork() -> None:
        *before, now = match.moments
        for number, live in enumerate(match.seats):
            if not before or live.due is None or match.rebuilt(number, before).due == live.due:
                continue  # nothing to post, or posted before the fork
            other = match.rebuilt(
                number, [*before, now._replace(newest_head=(now.newest_head[0], bytes(32)))]
            )
            kinds.add(live.due.kind)
            if live.due.kind in RANDOM and parts(live.due.body):
                compared.add(live.due.kind)
                same = parts(live.due.body) & parts(other.due.body)
                assert not {part for part in same if any(part)}, live.due.kind

    match.play(fork)
    assert compared >= RANDOM & kinds
    assert compared


RANDOM = frozenset({"hop", "slot_hop", "draw_key", "shuffle"})
