"""A match of two people without a table: parcels lost, duplicated and reordered, crashes at every
step, and cheats.
"""

import os
from dataclasses import replace
from random import Random

import pytest

from player.client.seat import Seat
from player.direct.saved_match import SavedState
from player.storage.log_store import LogStore, read_log
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.crypto.group import decode_point, encode, linear_combination, scalar_from_int
from protocol.crypto.hashing import digest
from protocol.dealing import Post
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, Log, make_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.setup import Person
from protocol.match.state import Match
from protocol.messages.parcel import EntriesParcel, invite
from tests.support.errors import raises_text
from tests.support.without_table import DEALINGS, GAMES, Side, play, terms_for, two

pytestmark = pytest.mark.match


def refused(side: Side, parcel: EntriesParcel) -> Code:
    """Check that a parcel is refused and not kept; return the code."""
    before = side.log() if side.saved.log_path.exists() else b""
    with pytest.raises(RemoteError) as caught:
        side.turn(parcel)
    assert (side.log() if side.saved.log_path.exists() else b"") == before
    return caught.value.code


def ended_well(ann: Side, bob: Side) -> None:
    assert ann.log() == bob.log()
    assert audit(ann.log()).verdict is Verdict.CLEAN
    for side in (ann, bob):
        assert side.outcome().verdict is Verdict.CLEAN


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("dealing", DEALINGS)
def test_match_over_parcels_is_clean(tmp_path, game, dealing):
    ann, bob = two(tmp_path, game, dealing)
    sent = play(ann, bob)
    ended_well(ann, bob)
    assert all(sent[at].first <= sent[at + 1].first for at in range(len(sent) - 1))


@pytest.mark.parametrize(
    ("dealing", "seed"), [("commutative", 0), ("commutative", 1), ("verified", 2)]
)
def test_old_parcels_in_any_order_change_nothing(tmp_path, dealing, seed):
    ann, bob = two(tmp_path, "five-card-draw", dealing, seed)
    rng = Random(seed)
    old: list[EntriesParcel] = []

    def between(reader: Side, writer: Side, parcel: EntriesParcel) -> None:
        assert writer.turn() == parcel  # lost: the same parcel is sent again
        if old:
            # our own letter, or an old one, comes back
            assert reader.turn(*rng.choices(old, k=3)) == old[-1]
        old.append(parcel)
        assert writer.turn(*rng.sample(old, len(old))) == parcel

    play(ann, bob, between)
    ended_well(ann, bob)


def test_missing_parcel_is_reported_and_loses_nothing(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    sent = play(ann, bob)
    # Ann with an old copy of her data folder: only the agreement
    cleo = Side(tmp_path / "cleo", "Ann", 2)
    cleo.accept(ann.saved.invitation)
    ann.saved.save()
    assert cleo.identity.public == ann.identity.public
    assert refused(cleo, sent[2]) is Code.GAP
    match = bob.open()
    whole = match.give(0)
    match.close()
    assert whole is not None and whole.first == 0
    twin = cleo.open()
    assert twin.take(whole) == len(whole.records)
    assert twin.stopped is not None  # another seed: these were not her secrets
    twin.close()


@pytest.mark.parametrize("game", ["five-card-draw", "block-dominoes"])
@pytest.mark.parametrize("dealing", DEALINGS)
def test_crash_at_every_write_signs_nothing_twice(tmp_path, game, dealing, monkeypatch):
    """The process dies before, inside and after every record that it writes, and is restarted."""
    ann, bob = two(tmp_path, game, dealing)
    signed: dict[tuple[int, int], bytes] = {}
    real = LogStore._write
    fate = {"writes": 0, "die at": -1, "cut": 0}

    class Died(BaseException):
        """simulates kill -9"""

    def write(self, data):
        fate["writes"] += 1
        if fate["writes"] == fate["die at"]:
            os.write(self._file.fileno(), data[: fate["cut"] * len(data) // 2])
            if data == MAGIC:  # nobody else has the file yet
                self._file.close()
            raise Died
        real(self, data)

    def note(parcel: EntriesParcel) -> None:
        for number, record in enumerate(parcel.records, parcel.first):
            assert signed.setdefault((0, number), record[0]) == record[0]

    monkeypatch.setattr(LogStore, "_write", write)
    rng = Random(1)

    def between(reader: Side, writer: Side, parcel: EntriesParcel) -> None:
        note(parcel)
        for cut in (0, 1, 2):
            fate.update({"writes": 0, "die at": rng.randrange(1, 5), "cut": cut})
            try:
                given = reader.turn(parcel)
                if given is not None:
                    note(given)
            except Died:
                pass
            fate["die at"] = -1

    play(ann, bob, between)
    ended_well(ann, bob)


def test_parcel_has_only_entries_on_disk(tmp_path, monkeypatch):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    parcel = bob.turn()
    assert parcel is not None

    def full(self):
        raise LocalError("the disk is full")

    monkeypatch.setattr(LogStore, "sync", full)
    with pytest.raises(LocalError):
        ann.turn(parcel)


def test_torn_record_is_cut_off_and_signed_again_identically(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    parcel = bob.turn()
    assert parcel is not None
    given = ann.turn(parcel)
    raw = ann.log()
    ann.saved.log_path.write_bytes(raw[:-30])
    assert ann.turn(parcel) == given
    assert ann.log() == raw


# --- identities ---


def test_match_begins_only_with_the_offered_terms(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    eve = Identity(b"e" * 32)
    good = bob.turn()
    assert good is not None
    offer = ann.saved.invitation

    def begun(invitation, person: Person, author: int, signer: Identity) -> EntriesParcel:
        raw = make_entry(
            signer,
            bytes(32),
            EntryContent(author, 0, (0, bytes(32)), "open", invitation.setup(person).body()),
        )
        return EntriesParcel(Log(raw).match_id, 0, ((raw, Log(raw).head(signer)),))

    guest = Person("Eve", eve.public)
    other_terms = replace(
        offer, terms=offer.terms._replace(game=offer.terms.game._replace(options=(("target", 2),)))
    )
    assert refused(ann, begun(other_terms, guest, 1, eve)) is Code.NOT_INVITED
    assert refused(ann, begun(replace(offer, nonce=bytes(32)), guest, 1, eve)) is Code.NOT_INVITED
    assert refused(ann, begun(replace(offer, created=1), guest, 1, eve)) is Code.NOT_INVITED
    assert refused(ann, begun(offer, Person("Ann.", eve.public), 1, eve)) is Code.NAME_TAKEN
    assert (
        refused(ann, begun(offer, Person("E\u0301ve\u0301", eve.public), 1, eve)) is Code.BAD_NAME
    )
    # she makes this offer herself, to Ann
    other = invite(eve, "Eve", offer.terms, offer.nonce, offer.created)
    assert (
        refused(ann, begun(other, Person("Bob", ann.identity.public), 0, eve)) is Code.NOT_INVITED
    )
    ann.turn(good)
    assert refused(ann, begun(offer, guest, 1, eve)) is Code.NOT_INVITED  # the seat is taken


def test_forged_changed_or_foreign_parcel_is_refused(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    first = bob.turn()
    assert first is not None
    second = ann.turn(first)
    assert second is not None
    third = bob.turn(second)
    assert third is not None
    (raw, head), *rest = third.records
    eve = Identity(b"e" * 32)
    forged = eve.sign(
        "head", third.match_id, third.first, digest("chain", bytes(32), third.first, raw)
    )
    flipped = bytes([raw[0] ^ 1]) + raw[1:]
    assert refused(ann, replace(third, records=((raw, forged), *rest))) is Code.BAD_SIGNATURE
    assert refused(ann, replace(third, records=((flipped, head), *rest))) in (
        Code.BAD_SIGNATURE,
        Code.BAD_ENTRY,
    )
    assert refused(ann, replace(third, match_id=bytes(32))) is Code.WRONG_MATCH
    assert refused(ann, replace(third, first=third.first + 1)) is Code.GAP
    assert refused(ann, replace(third, first=third.first - 1)) is Code.BAD_SIGNATURE
    assert (
        refused(ann, replace(third, records=tuple(reversed(third.records)))) is Code.BAD_SIGNATURE
    )
    assert ann.turn(third) is not None


def test_valid_beginning_of_bad_parcel_is_kept(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    first = bob.turn()
    assert first is not None and len(first.records) > 1
    with pytest.raises(RemoteError):
        ann.turn(replace(first, records=(first.records[0], (first.records[1][0], bytes(64)))))
    assert len(ann.saved.records()) == 1
    play_on = ann.turn(first)
    assert play_on is not None


# --- lies ---


def named(side: Side) -> list[tuple[int, Code]]:
    return [(fault.seat, fault.code) for fault in side.outcome().faults]


def signed_by(
    side: Side, log: Log, kind: str, body: list, seat: int, **fields: int
) -> tuple[bytes, bytes]:
    """Return an entry signed by this side's key, with its head, whatever it says."""
    sequence = fields.get("sequence", log.sequence(seat))
    raw = make_entry(
        side.identity, log.match_id, EntryContent(seat, sequence, log.newest_head, kind, body)
    )
    return raw, log.next_head(side.identity, raw)


def test_two_entries_for_one_number_are_kept(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    first = bob.turn()
    assert first is not None
    second = ann.turn(first)
    assert second is not None
    match = bob.open()
    match.take(second)
    assert match.reader is not None
    other = signed_by(bob, match.reader.log, "leave", [], 1)
    match.close()
    honest = bob.turn(second)
    assert honest is not None
    ann.turn(honest)
    number = honest.first
    forked = ann.open()
    forked.take(EntriesParcel(honest.match_id, number, (other,)))
    assert [(fault.seat, fault.entry, fault.code) for fault in forked.faults] == [
        (1, number, Code.FORKED)
    ]
    assert forked.over and forked.post() == 0
    forked.close()
    ann.saved.ended(forked.found)
    assert ann.saved.state is SavedState.OVER and not ann.saved.seed
    assert named(ann) == [(1, Code.FORKED)]
    kept = ann.saved.log_path.with_name("log-other.fairdeal")
    assert read_log(kept)[number] == other
    assert read_log(kept)[:number] == read_log(ann.saved.log_path)[:number]
    assert audit(kept.read_bytes()).faults != ()  # the log says that Bob left


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("receipt", [[0, 0]], Code.NOT_NOW),
        ("nonsense", [], Code.BAD_ENTRY),
        ("nonce", [b"short"], Code.BAD_ENTRY),
        ("nonce", [bytes(32)], Code.BAD_NONCE),
    ],
)
def test_invalid_entry_in_parcel_names_its_author(tmp_path, kind, body, code):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    first = bob.turn()
    assert first is not None
    second = ann.turn(first)
    assert second is not None
    match = bob.open()
    match.take(second)
    assert match.reader is not None
    bad = signed_by(bob, match.reader.log, kind, body, 1)
    match.close()
    ann.turn(EntriesParcel(match.reader.log.match_id, match.reader.log.next_number, (bad,)))
    assert named(ann) == [(1, code)]
    assert audit(ann.log()).verdict is Verdict.FAULT


@pytest.mark.parametrize(
    ("fields", "code"), [({}, Code.NOT_NOW), ({"sequence": 9}, Code.WRONG_SEQUENCE)]
)
def test_entry_out_of_turn_or_sequence_names_author(tmp_path, fields, code):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    first = bob.turn()
    assert first is not None
    match = bob.open()
    assert match.reader is not None
    bad = signed_by(bob, match.reader.log, "leave", [], 1, **fields)  # it is Ann's turn now
    match.close()
    ann.turn(replace(first, records=(*first.records, bad)))
    assert named(ann) == [(1, code)]
    assert audit(ann.log()).verdict is Verdict.FAULT


class SpoilsTheUnwrapping(Seat):
    """Seat that hands on a false point, so that Ann's card becomes another."""

    def respond(self, match: Match) -> Post | None:
        post = super().respond(match)
        if post is None or post.kind != "unwrap":
            return post
        (points,) = post.body
        spoiled = encode([linear_combination([scalar_from_int(2)], [decode_point(points[:32])])])
        return Post("unwrap", [spoiled + points[32:]])


@pytest.mark.parametrize("game", ["five-card-draw", "block-dominoes"])
def test_deal_cheat_is_named_by_check_after_game(tmp_path, game):
    ann, bob = two(tmp_path, game, "commutative", types={1: SpoilsTheUnwrapping})
    play(ann, bob)
    assert (1, Code.BAD_UNWRAP) in named(ann)
    assert (1, Code.BAD_UNWRAP) in [(fault.seat, fault.code) for fault in audit(ann.log()).faults]


# --- leaving, and data on disk ---


def test_leaving_waits_for_turn_and_names_leaver(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    first = bob.turn()
    assert first is not None
    match = bob.open()
    match.leaving = True
    assert match.post() == 0 and not match.over  # it is Ann's turn
    match.close()
    second = ann.turn(first)
    assert second is not None
    match = bob.open()
    match.leaving = True
    match.take(second)
    match.post()
    parcel = match.give()
    match.close()
    assert parcel is not None
    ann.turn(parcel)
    assert named(ann) == named(bob) == [(1, Code.LEFT)]


def test_damaged_agreement_file_is_reported(tmp_path):
    ann, _ = two(tmp_path, "block-dominoes", "commutative")
    path = next((tmp_path / "ann" / "peers").glob("*.json"))
    good = path.read_text()
    for old, new in (
        ('"state": "open"', '"state": "over"'),
        ('"seed": "', '"seed": "00'),
        ('"name": "Ann"', '"name": ""'),
    ):
        assert old in good
        path.write_text(good.replace(old, new))
        with raises_text(LocalError, match="damaged"):
            ann.saved  # noqa: B018
    path.write_text(good)
    assert "seed" not in repr(ann.saved) and ann.saved.seed.hex() not in repr(ann.saved)


def test_foreign_log_in_our_place_begins_nothing(tmp_path):
    ann, bob = two(tmp_path / "one", "block-dominoes", "commutative", seed=1)
    play(ann, bob)
    cleo, dan = two(tmp_path / "two", "block-dominoes", "commutative", seed=2)
    parcel = dan.turn()
    assert parcel is not None
    cleo.saved.log_path.write_bytes(ann.log())
    before = cleo.log()
    with raises_text(LocalError, match="another match"):
        cleo.open()
    assert cleo.log() == before


def test_log_file_is_readable_by_all_tools(tmp_path):
    ann, bob = two(tmp_path, "block-dominoes", "commutative")
    play(ann, bob)
    records = ann.saved.records()
    assert ann.log() == MAGIC + b"".join(encode_record(*record) for record in records)
    assert terms_for("block-dominoes", "commutative") == audit(ann.log()).reader.log.setup.terms
