"""Log of two seats without a table: faults with their authors, and the messages of the tools."""

from functools import cache
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client.seat import Seat
from protocol.audit.compare import ForkProof, LogsDiverge, SameLog, compare, comparison_lines
from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import Fault, Post
from protocol.identity.keys import Identity, verify
from protocol.match.log import NO_HASH, EntryContent, Log, make_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.log_reader import DamagedLog, LogReader
from protocol.match.setup import KIND, NO_TABLE, Person, Setup
from protocol.match.terms import make_terms
from protocol.options import Selection

NAMES = ("ann", "bob")
PEOPLE = [Identity(bytes([7, seat]) * 16) for seat in range(2)]


class Pair:
    """Two seats with one log."""

    def __init__(self, seed: int = 1, upto: int = 10_000) -> None:
        rng = Random(seed)
        people = tuple(
            Person(name, person.public) for name, person in zip(("Ann", "Bob"), PEOPLE, strict=True)
        )
        options = (("hand", 2), ("target", 1))
        terms = make_terms(Selection("block-dominoes", options), Selection("commutative"), (), 2)
        setup = Setup(NO_TABLE, bytes(32), 0, terms, people)
        raw = make_entry(PEOPLE[1], NO_HASH, EntryContent(1, 0, (0, NO_HASH), KIND, setup.body()))
        self.records = [(raw, Log(raw).head(PEOPLE[1]))]
        self.reader = LogReader(*self.records[0])
        self.seats = [Seat(person, number, rng) for number, person in enumerate(PEOPLE)]
        while not self.reader.over and len(self.records) < upto:
            self.step(rng)

    def step(self, rng: Random) -> None:
        match = self.reader.match
        assert match.next_author is not None
        for other in self.seats:
            other.respond(match)
        seat = self.seats[match.next_author]
        post = seat.respond(match)
        if post is None:
            post = seat.move(match, greedy_bot(seat.view(match), rng))
        assert self.add(seat.number, post) is not None

    def add(self, author: int, post: Post, **changes):
        """Append an entry and its head. `changes` replaces numbers of the entry."""
        self.records.append(self.made(author, post, **changes))
        return self.reader.feed(*self.records[-1])

    def made(
        self, author: int, post: Post, signer: int | None = None, **changes
    ) -> tuple[bytes, bytes]:
        log = self.reader.log
        values = {"sequence": log.sequence(author), "seen": log.newest_head} | changes
        raw = make_entry(
            PEOPLE[author],
            log.match_id,
            EntryContent(author, values["sequence"], values["seen"], *post),
        )
        number = self.reader.log.next_number
        head = digest("chain", log.chain_hashes[-1], number, raw)
        return raw, PEOPLE[author if signer is None else signer].sign(
            "head", log.match_id, number, head
        )

    def file(self) -> bytes:
        return MAGIC + b"".join(encode_record(*record) for record in self.records)


@cache
def whole() -> bytes:
    return Pair().file()


LEAVE = Post("leave", [])


@pytest.mark.slow
def test_a_match_is_played_and_audited():
    report = audit(whole())
    assert report.verdict is Verdict.CLEAN
    (line,) = report_lines(report)
    assert "no table" in line and "none" not in line


def test_refused_entry_names_its_author_alone():
    pair = Pair(upto=9)
    other = 1 - pair.reader.match.next_author
    assert pair.add(other, LEAVE) is None
    assert pair.reader.faults == (Fault(other, 9, Code.NOT_NOW),)
    assert audit(pair.file()).verdict is Verdict.FAULT
    assert "the table" not in "\n".join(
        [*report_lines(audit(pair.file())), *transcript_lines(pair.file())]
    )


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"sequence": 0}, Code.WRONG_SEQUENCE),
        ({"seen": (8, bytes(32))}, Code.WRONG_HEAD),
        ({"seen": (0, None)}, Code.STALE),
    ],
)
def test_an_entry_that_does_not_follow_names_its_author(changes, code):
    pair = Pair(upto=9)
    if changes.get("seen") == (0, None):
        changes = {"seen": (0, pair.reader.log.match_id)}
    author = pair.reader.match.next_author
    assert pair.add(author, LEAVE, **changes) is None
    assert pair.reader.faults == (Fault(author, 9, code),)


def test_entry_out_of_author_order_names_no_seat():
    """The other seat can neither move an honest entry to another place, nor sign the head for
    it.
    """
    pair = Pair(upto=9)
    speaker = pair.reader.match.next_author
    raw, head = pair.made(speaker, LEAVE)
    stolen = pair.made(speaker, LEAVE, signer=1 - speaker)
    for bad in (
        stolen,
        (raw, bytes(64)),
        (raw[:-1] + bytes([raw[-1] ^ 1]), head),
        (b"", head),
        pair.records[4],
    ):
        with pytest.raises(DamagedLog):
            pair.reader.feed(*bad)
    assert pair.reader.faults == () and pair.reader.feed(raw, head) is not None


def test_player_continuing_after_end_is_named():
    pair = Pair()
    assert pair.reader.over and pair.reader.faults == ()
    number = pair.reader.log.next_number
    pair.add(0, LEAVE)
    assert pair.reader.faults == (Fault(0, number, Code.MATCH_OVER),)


def test_two_heads_for_one_number_convict_their_seat():
    left, right = Pair(upto=9), Pair(upto=9)
    author = left.reader.match.next_author
    assert author is not None
    left.step(Random(1))
    right.add(author, LEAVE)
    result = compare(left.file(), right.file())
    assert isinstance(result, ForkProof)
    for head in result.heads:
        assert head.signer == PEOPLE[author].public
        verify(head.signer, head.signature, "head", head.match_id, head.number, head.hash)
    text = "\n".join(comparison_lines(result, NAMES))
    assert PEOPLE[author].public.hex() in text and f"seat {author + 1}" in text
    assert "table" not in text


def test_heads_of_two_seats_alone_convict_neither():
    """One copy has a post out of turn. The audit of that copy names its author, and the other seat
    did nothing.
    """
    left, right = Pair(upto=9), Pair(upto=9)
    other = 1 - left.reader.match.next_author
    left.step(Random(1))
    right.add(other, LEAVE)
    result = compare(left.file(), right.file())
    assert isinstance(result, LogsDiverge) and result.number == 9
    assert "audit" in "\n".join(comparison_lines(result, NAMES))
    assert audit(left.file()).faults == ()
    assert [fault.seat for fault in audit(right.file()).faults] == [other]


def test_shortened_log_without_table_compares_as_beginning():
    short = Pair(upto=9).file()
    assert compare(short, whole()) == SameLog(9, 1)


@pytest.mark.slow
def test_tools_mention_no_table_in_match_without_table():
    short = Pair(upto=9).file()
    texts = [
        *transcript_lines(whole()),
        *transcript_lines(short),
        *report_lines(audit(short)),
        *report_lines(audit(short + b"\0")),
    ]
    texts += report_lines(audit(short + encode_record(*Pair(seed=2, upto=9).records[-1])))
    text = "\n".join(texts)
    assert "table's" not in text and "the table" not in text.lower(), text
    assert "no table" in text
    assert "for a move" not in text, "there is no clock"
