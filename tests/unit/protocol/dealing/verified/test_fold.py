"""Any post in a verified deal changes the state, is refused, or names its author, and nothing
else.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.elgamal import encode_ciphertexts, share
from protocol.dealing.verified.stages import ENTRY_SHAPES, OPEN_PART, VerifiedStage
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import ProtocolViolation, Refused
from protocol.games.operations import Look, PutAway, Reveal, Shuffle
from tests.adversary.cheats.mutate import mutate
from tests.support.verified import DEALING, verified_deal
from tests.support.verified_moments import honest, moments, offer, posted_by

INVALID = [
    bytes.fromhex(raw)
    for group in json.loads((Path(__file__).parents[2] / "crypto" / "rfc9496.json").read_text())[
        "invalid"
    ].values()
    for raw in group
]
THRESHOLD = {"leavers": "threshold"}


def lengths() -> st.SearchStrategy[bytes]:
    """Draw byte strings of relevant sizes."""
    return st.one_of(
        st.binary(max_size=70), st.sampled_from((0, 32, 64, 96, 128, 384, 928)).map(bytes)
    )


BODIES = st.recursive(
    st.one_of(st.integers(-1, 2**40), lengths(), st.text(max_size=3), st.none(), st.booleans()),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=8,
)


def fingerprint(state: VerifiedState) -> str:
    """Return the whole content of a state."""
    return repr(
        (
            *(
                getattr(state, name)
                for name in (
                    "duties_since",
                    "stage",
                    "turn",
                    "posted",
                    "departed",
                    "pile",
                    "shuffles",
                )
            ),
            *(state.holders, state.drawn, state.requested, state.shown, state.dealt, state.result),
            {seat: X.encoded for seat, X in state.keys.items()},
            encode_ciphertexts(state.deck),
            {
                card: {seat: D.encoded for seat, D in given.items()}
                for card, given in state.shares.items()
            },
        )
    )


@pytest.mark.slow
@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    which=st.integers(0, 1000),
    author=st.integers(0, 2),
    kind=st.sampled_from(sorted(ENTRY_SHAPES)),
    body=st.lists(BODIES, max_size=5),
    shared=st.booleans(),
)
def test_random_body_at_any_moment_is_handled(
    which: int, author: int, kind: str, body: list, shared: bool
) -> None:
    all_of = moments(tuple(THRESHOLD.items()) if shared else ())
    _, state = all_of[which % len(all_of)]
    before = fingerprint(state)
    assert isinstance(offer(state, author, kind, body), VerifiedState | Refused | ProtocolViolation)
    assert fingerprint(state) == before


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(which=st.integers(0, 1000), seed=st.integers(0, 10**6), shared=st.booleans())
def test_damaged_honest_body_at_any_moment_is_handled(which: int, seed: int, shared: bool) -> None:
    """Bodies that are nearly right pass the first checks."""
    all_of = moments(tuple(THRESHOLD.items()) if shared else ())
    deal, state = all_of[which % len(all_of)]
    if not state.duties():
        return
    author, kind = Random(seed).choice(state.duties())
    honest = posted_by(deal, state, author, kind)
    before = fingerprint(state)
    damaged = mutate(honest, Random(seed))
    after = offer(state, author, kind, damaged)
    assert isinstance(after, VerifiedState | Refused | ProtocolViolation)
    assert fingerprint(state) == before
    # another accusation; an envelope that only its receiver can judge
    harmless = ("confirm", "key") if shared else ()
    if damaged != honest and kind not in harmless:
        assert not isinstance(after, VerifiedState)


@pytest.mark.slow
@settings(max_examples=120, deadline=None, derandomize=True)
@given(which=st.integers(0, 1000), seed=st.integers(0, 10**6))
def test_any_flipped_bit_is_refused_or_named(which: int, seed: int) -> None:
    """Every bit that passes the check of the shape counts: its change is named."""
    working = [(deal, state) for deal, state in moments() if state.duties()]
    deal, state = working[which % len(working)]
    rng = Random(seed)
    author, kind = rng.choice(state.duties())
    body = list(posted_by(deal, state, author, kind))
    spot = rng.randrange(2)
    changed = bytearray(body[spot])
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    body[spot] = bytes(changed)
    outcome = offer(state, author, kind, body)
    assert isinstance(outcome, ProtocolViolation)
    assert outcome.code in (Code.BAD_POINT, Code.BAD_PROOF)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(seat=st.integers(0, 2), piece=st.integers(0, 5), part=st.lists(BODIES, max_size=4))
def test_random_part_of_a_move_is_handled(seat: int, piece: int, part: list[Any]) -> None:
    state = next(state for _, state in moments() if state.ready)
    for operation in (Reveal(piece), Look(1, seat), PutAway((0,)), Shuffle()):
        try:
            DEALING.apply_operation(state, seat, operation, part, 99)
        except (Refused, ProtocolViolation):
            continue
        assert part == []  # the only part that anybody can guess


@pytest.mark.parametrize("card", range(6))
@pytest.mark.parametrize("piece", range(6))
def test_card_opens_only_as_its_true_piece(card: int, piece: int) -> None:
    deal, state = next((deal, state) for deal, state in moments() if state.ready)
    for seat in range(3):
        shares, proofs = deal.seats[seat]._give_shares(state, [card])
        held = state.holders.get(card) == seat
        if held and piece == state.piece_of(card, share(deal.seats[seat]._x, state.deck[card])):
            assert DEALING.apply_operation(
                state, seat, Reveal(piece), [card, shares, proofs], 99
            ).shown == {card: piece}
            continue
        with pytest.raises(ProtocolViolation) as lie:
            DEALING.apply_operation(state, seat, Reveal(piece), [card, shares, proofs], 99)
        assert lie.value.code is (Code.BAD_OPENING if held else Code.NOT_HELD)


def test_draw_from_empty_stock_is_refused() -> None:
    deal = verified_deal(2, 2, 1, 1)
    with pytest.raises(Refused) as refusal:
        DEALING.apply_operation(deal.state, 0, Look(1, 0), [], 99)
    assert refusal.value.code is Code.NOT_IN_STOCK


# --- the eight attacks on the whole deal: group membership on every path ---


@pytest.mark.parametrize("raw", [*INVALID, bytes(32)], ids=lambda raw: raw.hex()[:12])
@pytest.mark.parametrize(
    ("stage", "places"),
    [
        (VerifiedStage.KEYS, [(0, 0)]),
        (
            VerifiedStage.SHUFFLE,
            [(0, 32 * at) for at in range(12)] + [(1, 32 * (5 + 12 + at)) for at in range(12)],
        ),
        (VerifiedStage.SHARES, [(0, 0), (0, 32)]),
        (VerifiedStage.SHOW, [(0, 0)]),
    ],
    ids=lambda value: str(value) if isinstance(value, VerifiedStage) else "",
)
def test_invalid_element_is_refused_in_every_entry(
    raw: bytes, stage: VerifiedStage, places: list
) -> None:
    _, state, body = honest(stage, 2)
    kind = state.duties()[0].kind
    assert isinstance(offer(state, 2, kind, body), VerifiedState)
    for where, at in places:
        changed = list(body)
        changed[where] = body[where][:at] + raw + body[where][at + 32 :]
        outcome = offer(state, 2, kind, changed)
        assert isinstance(outcome, ProtocolViolation)
        assert outcome.code in (Code.BAD_POINT, Code.BAD_PROOF)


@pytest.mark.parametrize("raw", [*INVALID, bytes(32)], ids=lambda raw: raw.hex()[:12])
def test_invalid_element_is_refused_in_an_opening(raw: bytes) -> None:
    deal, state = next((deal, state) for deal, state in moments() if state.ready)
    (card,) = state.hidden_of(0)
    _, proofs = deal.seats[0]._give_shares(state, [card])
    assert OPEN_PART([card, raw, proofs])
    with pytest.raises(ProtocolViolation) as lie:
        DEALING.apply_operation(state, 0, Reveal(0), [card, raw, proofs], 99)
    assert lie.value.code is Code.BAD_POINT
