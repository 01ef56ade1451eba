"""Histories of a table's keys: what they must have, and what players make of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.key_history import (
    COMMITTED,
    ROTATED,
    Commitment,
    KeyHistory,
    KeyPin,
    Rotation,
    Succession,
    commit,
    commitment_to,
    decode_history,
    encode_history,
    learn,
    rotate,
    succession,
)
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import MAX_KEY_HISTORY, MAX_MESSAGE, MAX_ROTATIONS

KEYS = [Identity(bytes([number]) * 32) for number in range(1, 9)]
A, B, C, D, *_ = KEYS
FIRST = commit(KeyHistory(A.public), A, B.public)
SECOND = rotate(FIRST, A, B, C.public)
THIRD = rotate(SECOND, B, C, None)


def rotation(old, new, number, following):
    """Sign a rotation, right or not."""
    stated = old.public, new.public, number, following
    return Rotation(*stated, old.sign(ROTATED, *stated), new.sign(ROTATED, *stated))


def commitment(identity, number, following):
    return Commitment(number, following, identity.sign(COMMITTED, number, following))


def considered(pins, expected, history):
    """Do what a player does: pin what a history says unless it is of another table."""
    found = learn(pins, decode_history(encode_history(history)))
    how = succession(found, fingerprint(expected.public), history)
    kept = how in (Succession.SAME, Succession.FOLLOWED, Succession.CONFLICT)
    return (found if kept else pins), how


def refused(history):
    with pytest.raises(RemoteError) as caught:
        decode_history(encode_history(history))
    return caught.value.code


@pytest.mark.parametrize(
    "history", [KeyHistory(A.public), FIRST, SECOND, THIRD, commit(THIRD, C, D.public)]
)
def test_history_of_one_table_has_one_encoding(history):
    assert decode_history(encode_history(history)) == history


def test_longest_history_fits_into_its_bound_and_a_message():
    history = commit(KeyHistory(Identity(bytes(32)).public), Identity(bytes(32)), KEYS[0].public)
    keys = [Identity(bytes(31) + bytes([number])) for number in range(MAX_ROTATIONS + 4)]
    for old, new, after in zip(keys, keys[1:], keys[2:], strict=False):
        if history.commitment is not None:
            history = commit(KeyHistory(old.public), old, new.public)
        history = rotate(history, old, new, after.public)
    assert len(history.rotations) == MAX_ROTATIONS
    assert history.number == MAX_ROTATIONS + 2
    assert len(encode_history(history)) <= MAX_KEY_HISTORY < MAX_MESSAGE
    assert decode_history(encode_history(history)) == history


NEXT_C = commitment_to(C.public)


@pytest.mark.parametrize(
    ("history", "code"),
    [
        (FIRST._replace(key=B.public), Code.BAD_SIGNATURE),
        (
            FIRST._replace(commitment=commitment(B, 0, commitment_to(B.public))),
            Code.BAD_SIGNATURE,
        ),
        (
            SECOND._replace(rotations=(SECOND.rotations[0]._replace(next=b""),)),
            Code.BAD_SIGNATURE,
        ),
        (
            SECOND._replace(rotations=(SECOND.rotations[0]._replace(old_signature=bytes(64)),)),
            Code.BAD_SIGNATURE,
        ),
        (
            SECOND._replace(rotations=(SECOND.rotations[0]._replace(new_signature=bytes(64)),)),
            Code.BAD_SIGNATURE,
        ),
        (KeyHistory(bytes(32)), Code.BAD_IDENTITY),
        (SECOND._replace(key=A.public), Code.BAD_MESSAGE),
        (SECOND._replace(commitment=commitment(B, 1, NEXT_C)), Code.BAD_MESSAGE),
        (THIRD._replace(commitment=commitment(C, 0, commitment_to(D.public))), Code.BAD_MESSAGE),
        (KeyHistory(B.public, (rotation(A, B, 0, NEXT_C),)), Code.BAD_MESSAGE),
        (KeyHistory(A.public, (rotation(A, A, 1, NEXT_C),)), Code.BAD_MESSAGE),
        (
            KeyHistory(A.public, (rotation(A, B, 1, b""), rotation(B, A, 2, b""))),
            Code.BAD_MESSAGE,
        ),
        (
            KeyHistory(C.public, (rotation(A, B, 1, b""), rotation(B, C, 3, b""))),
            Code.BAD_MESSAGE,
        ),
        (
            KeyHistory(D.public, (rotation(A, B, 1, NEXT_C), rotation(B, D, 2, b""))),
            Code.BAD_MESSAGE,
        ),
        (
            KeyHistory(D.public, (rotation(A, B, 1, b""), rotation(C, D, 2, b""))),
            Code.BAD_MESSAGE,
        ),
    ],
)
def test_history_that_contradicts_itself_or_is_unsigned_is_refused(history, code):
    assert refused(history) is code


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1, A.public, []],
        [2, A.public, [], None],
        [1, A.public[1:], [], None],
        [1, A.public, [[]], None],
        [1, A.public, [], [0, b"", bytes(64)]],
        [1, A.public, [list(SECOND.rotations[0])] * (MAX_ROTATIONS + 1), None],
    ],
)
def test_bytes_of_another_shape_are_refused(value):
    with pytest.raises(RemoteError, match=Code.BAD_MESSAGE):
        decode_history(wire.encode(value))


def test_history_above_its_bound_is_refused_unread():
    with pytest.raises(RemoteError, match=Code.FRAME_SIZE):
        decode_history(bytes(MAX_KEY_HISTORY + 1))


def test_committed_rotations_are_followed_over_several_keys():
    pins, how = considered({}, A, FIRST)
    assert how is Succession.SAME and pins[A.public].next == commitment_to(B.public)
    assert considered(pins, A, SECOND)[1] is Succession.FOLLOWED
    assert considered(pins, A, THIRD)[1] is Succession.FOLLOWED


def test_rotation_without_a_pinned_commitment_is_not_followed():
    for pins in ({}, {A.public: KeyPin(0, b"")}):
        kept, how = considered(pins, A, SECOND)
        assert how is Succession.NOT_COMMITTED and kept == pins
    # C has committed to nothing when it follows
    fourth = rotate(commit(THIRD, C, D.public), C, D, None)
    pins, _ = considered({}, A, FIRST)
    assert considered(pins, A, fourth)[1] is Succession.NOT_COMMITTED
    pins, _ = considered(pins, A, THIRD)
    pins, how = considered(pins, C, commit(THIRD, C, D.public))
    assert how is Succession.SAME
    assert considered(pins, A, fourth)[1] is Succession.FOLLOWED


def test_history_of_another_table_pins_nothing():
    pins, _ = considered({}, A, FIRST)
    # of somebody who has the next key alone
    kept, how = considered(pins, A, commit(KeyHistory(B.public), B, D.public))
    assert how is Succession.UNRELATED and kept == pins


@pytest.mark.parametrize(
    "other",
    [
        # a commitment of the same key to another one, or under another number
        KeyHistory(A.public, (), commitment(A, 0, NEXT_C)),
        KeyHistory(A.public, (), commitment(A, 1, commitment_to(B.public))),
        # rotations to a key that was not committed to, under another number, and with another
        # following key
        KeyHistory(D.public, (rotation(A, D, 1, b""),)),
        KeyHistory(B.public, (rotation(A, B, 2, NEXT_C),)),
        KeyHistory(B.public, (rotation(A, B, 1, commitment_to(D.public)),)),
    ],
)
def test_two_statements_of_one_key_stop_the_following_for_good(other):
    pins, _ = considered({}, A, FIRST)
    pins, _ = considered(pins, A, SECOND)
    pins, how = considered(pins, A, other)
    assert pins[A.public].in_conflict
    assert how in (Succession.CONFLICT, Succession.SAME)
    pins, how = considered(pins, A, SECOND)
    assert how is Succession.CONFLICT and pins[A.public].in_conflict


@pytest.mark.parametrize("number", [1, 2])
def test_rotation_to_an_uncommitted_key_is_a_conflict(number):
    pins, _ = considered({}, A, FIRST)
    for new in (D, B):
        stolen = KeyHistory(new.public, (rotation(A, new, number, b""),))
        if (new, number) != (B, 1):
            assert considered(pins, A, stolen)[1] is Succession.CONFLICT


def test_key_that_committed_twice_is_not_followed():
    pins, _ = considered({}, A, FIRST)
    pins, _ = considered(pins, A, SECOND)
    twice = KeyHistory(B.public, (rotation(D, B, 1, commitment_to(D.public)),))
    pins, _ = considered(pins, B, twice)
    assert pins[B.public].in_conflict
    assert considered(pins, A, SECOND)[1] is Succession.CONFLICT


# --- whatever histories come, in whatever order ---

HONEST = [FIRST, SECOND, THIRD]
HONEST_KEYS = {A.public, B.public, C.public}


@st.composite
def histories(draw, signers):
    """Histories that only these keys have signed, behind rotations of the honest table or none."""
    copied = draw(st.sampled_from([KeyHistory(draw(st.sampled_from(signers)).public), *HONEST]))
    known = {each.public: each for each in signers}
    rotations = list(copied.rotations)
    number = copied.number if rotations else draw(st.integers(0, 2))
    following = st.sampled_from([b"", *(commitment_to(each.public) for each in KEYS)])
    last = copied.key
    for new in draw(st.lists(st.sampled_from(signers), max_size=2, unique=True)):
        if last in known:
            number += 1
            rotations.append(rotation(known[last], new, number, draw(following)))
            last = new.public
    commits = last in known and not (rotations and rotations[-1].next) and draw(st.booleans())
    said = commitment(known[last], number, draw(following.filter(bool))) if commits else None
    return KeyHistory(last, tuple(rotations), said)


def taken(pins, expected, history):
    """Do what a player does with any bytes: those that are no history change nothing."""
    try:
        return considered(pins, expected, history)
    except RemoteError:
        return pins, Succession.UNRELATED


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(HONEST) | histories([A, D, KEYS[4]]), max_size=6))
def test_thief_of_present_key_leads_no_pinned_player_away(soup):
    pins, _ = considered({}, A, FIRST)
    for history in soup:
        pins, how = taken(pins, A, history)
        assert how is not Succession.FOLLOWED or history.key in HONEST_KEYS
    assert pins[A.public].next == commitment_to(B.public)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(histories([B, C, D]), max_size=6))
def test_thief_of_next_keys_alone_changes_nothing(soup):
    pins, _ = considered({}, A, FIRST)
    for history in soup:
        pins, how = taken(pins, A, history)
        assert how is not Succession.FOLLOWED or history.rotations[0] == SECOND.rotations[0]
    assert not pins[A.public].in_conflict


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(HONEST) | histories(KEYS), max_size=6))
def test_pins_only_grow_and_conflicts_last(soup):
    pins = {}
    for history in soup:
        before = pins
        pins, _ = taken(pins, A, history)
        assert pins.keys() >= before.keys()
        for key, pin in before.items():
            after = pins[key]
            assert after.number == pin.number and after.next in (pin.next or after.next,)
            assert after.rotation == pin.rotation or pin.rotation is None
            assert after.in_conflict >= pin.in_conflict
        assert taken(pins, A, history)[0] == pins
