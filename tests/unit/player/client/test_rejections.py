"""Behaviour of an honest program when its table refuses an entry, crossed with other events.

The program never signs its own leave on the table's word, and no refusal of an honest table ever
looks like evidence.
"""

from hashlib import sha256

import pytest

from player.client import events
from player.client.seat import Seat
from protocol.audit.refusal_audit import RefusalFinding, judge_refusal
from protocol.audit.verdict import Verdict
from protocol.codes import Code, code_phrase
from protocol.dealing import TABLE, Fault, Post
from protocol.errors import RemoteError
from protocol.i18n import english_text
from protocol.limits import MAX_REPEATS
from protocol.match.log import decode_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.refusal import (
    UNDECIDABLE_CODES,
    SavedRefusal,
    encode_saved_refusal,
    sign_refusal,
)
from protocol.match.state import MatchStage
from tests.support.at_once import StoredAtOnce
from tests.support.direct import Direct
from tests.support.fake_table import FakeTable
from tests.support.refusals import refused

pytestmark = pytest.mark.match

# number of the client's own entry that is refused: a step of the deal
REFUSED = 3


class Table(FakeTable):
    """Table that refuses the client's entry of that number with `code`, `times` times; `posts` has
    the posted entries.
    """

    def __init__(
        self, code: Code | None = Code.NOT_NOW, times: int = 1000, **options: object
    ) -> None:
        super().__init__(**options)
        self.code, self.times = code, times
        self.posts: list[bytes] = []

    def on_post(self, wire, match_id, raw):
        self.posts.append(raw)
        super().on_post(wire, match_id, raw)

    def refuses(self, raw):
        if self.code is None or self.live.log.sequence(0) != REFUSED or not self.times:
            return None
        self.times -= 1
        return self.code

    def held(self) -> set[bytes]:
        """Return the different entries that the client has posted with the number of the refused
        one.
        """
        return {raw for raw in self.posts if decode_entry(raw).sequence == REFUSED}

    def lapse(self) -> None:
        """Let the client's time run out."""
        while 0 in self.live.match.present and not self.live.match.over:
            due = self.live.match.next_clock_entry(0)
            self.live.post_clock(Post(due.kind, [0, due.after]))


class Silent(Table):
    """Table that ignores the entry to be refused, and sends only `answer`."""

    def on_post(self, wire, match_id, raw):
        if self.refuses(raw) is None:
            super().on_post(wire, match_id, raw)
        else:
            self.posts.append(raw)

    def answer(self, run: Direct, raw: bytes) -> None:
        run.say("refused", self.live.log.match_id, *refused(self.live, raw, self.code))


def words_kept(folder) -> list[RefusalFinding]:
    """Judge the kept refusals by the log beside them."""
    log = (folder / "log.fairdeal").read_bytes()
    return [judge_refusal(log, path.read_bytes()) for path in folder.glob("*.refusal")]


def kinds(table: Table) -> list[str]:
    return [decode_entry(raw).kind for raw in table.posts]


@pytest.mark.parametrize(
    "code",
    [
        Code.NOT_NOW,
        Code.STALE,
        Code.WRONG_SEQUENCE,
        Code.MATCH_OVER,
        Code.BAD_ENTRY,
        "no such code",
    ],
)
def test_legal_refused_entry_is_repeated_then_program_stops(tmp_path, code):
    table = Table(code)
    run = Direct(table, tmp_path).run()
    outcome = run.stop()
    assert (outcome.verdict, outcome.faults) == (Verdict.INCOMPLETE, ())
    assert "the table refuses a legal move. You have not left" in english_text(
        outcome.reason
    ) and "same command" in english_text(outcome.reason)
    assert len(table.held()) == 1 and table.posts[-1 - MAX_REPEATS :] == [table.posts[-1]] * (
        MAX_REPEATS + 1
    )
    assert words_kept(tmp_path) == [RefusalFinding.FALSE]
    assert (
        sum(
            isinstance(event, events.Notice) and ".refusal" in english_text(event.phrase)
            for event in run.told
        )
        == 1
    )


def test_refused_entry_is_replaced_by_no_other_in_any_run(tmp_path):
    """Refusal × restart of the player × a table that later accepts the refused entry."""
    table = Table()
    for _ in range(3):
        assert Direct(table, tmp_path).run().stop().verdict is Verdict.INCOMPLETE
    assert len(table.held()) == 1 and words_kept(tmp_path) == [RefusalFinding.FALSE]
    table.code = None
    assert Direct(table, tmp_path).run().stop().verdict is Verdict.CLEAN
    assert len(table.held()) == 1 and words_kept(tmp_path) == [RefusalFinding.FALSE]


@pytest.mark.parametrize("times", range(1, MAX_REPEATS + 1))
def test_refused_bytes_may_be_accepted_later(tmp_path, times):
    table = Table(times=times)
    outcome = Direct(table, tmp_path).run().stop()
    assert outcome.verdict is Verdict.CLEAN and len(outcome.refusals) == times
    assert words_kept(tmp_path) == [RefusalFinding.FALSE]


def test_leave_request_during_refusal_signs_no_leave_instead(tmp_path):
    """Refusal × leave: before the entry is answered, while it is repeated, and after the program
    has stopped.
    """
    table = Silent()
    run = Direct(table, tmp_path).run()
    run.client.leave()
    for _ in range(MAX_REPEATS + 1):
        table.answer(run.run(), table.posts[-1])
    run.run().client.leave()
    assert "the table refuses a legal move" in english_text(run.stop().reason)
    assert len(table.held()) == 1 and "leave" not in kinds(table)
    Direct(table, tmp_path).run().stop()
    assert len(table.held()) == 1 and "leave" not in kinds(table)


def test_leave_request_is_sent_once_the_entry_stands(tmp_path):
    table = Silent()
    run = Direct(table, tmp_path).run()
    run.client.leave()
    table.times = 0
    table.answer(run, table.posts[-1])
    assert named(run.run().stop()) == [(0, Code.LEFT)]


@pytest.mark.parametrize("code", [None, Code.CUT_OFF, Code.CLOSING, Code.TOO_MANY])
def test_leave_request_during_refusal_leaves_over_next_line(tmp_path, code):
    """A wish to leave that the table has not heard is no leaving: the others would wait for a
    player who is gone.
    """
    table = Silent()
    run = Direct(table, tmp_path).run()
    run.client.leave()
    run.client.detached(code)
    assert not run.client.finished
    table.times = 0
    run.connect()
    assert named(run.run().stop()) == [(0, Code.LEFT)]


def test_restarted_program_behaves_like_uninterrupted_one(tmp_path):
    table = Silent()
    Direct(table, tmp_path).run().stop()
    run = Direct(table, tmp_path)
    run.client.detached(Code.TOO_MANY)
    assert not run.client.finished
    run.stop()


def test_table_naming_another_match_is_not_left_for_others(tmp_path):
    """The number of addresses does not matter: only a host that lacks our match counts."""
    run = Direct(Silent(), tmp_path).run()
    run.client.match_may_be_elsewhere = True
    run.client.detached(Code.WRONG_MATCH)
    assert run.client.finished
    run.stop()


def named(outcome) -> list[tuple[int, Code]]:
    return [(fault.seat, fault.code) for fault in outcome.faults]


@pytest.mark.parametrize("again", [False, True])
def test_seat_lapsing_during_refusal_stays_and_can_prove_it(tmp_path, again):
    """Refusal × lapse, in the same run and in the next."""
    table = Silent()
    run = Direct(table, tmp_path).run()
    table.answer(run, table.posts[-1])
    run.run()
    if again:
        run.stop()
    table.lapse()
    if again:
        run = Direct(table, tmp_path)
    else:
        table.go_on(run)
    outcome = run.run().stop()
    assert named(outcome) == [(0, Code.LAPSED)]
    assert len(table.held()) == 1 and words_kept(tmp_path) == [RefusalFinding.FALSE]


def restart(table: FakeTable) -> None:
    """End the table's process, and start another with the same disk."""
    table.live = StoredAtOnce.restore(table.identity, table.live.seed, table.live.records)


@pytest.mark.parametrize("refused", [False, True])
def test_restarted_table_is_sent_the_same_bytes(tmp_path, refused):
    """Refusal × restart of the table: before its answer, and after the refusal of an entry that it
    then accepts.
    """
    table = Silent(times=2)
    run = Direct(table, tmp_path).run()
    if refused:
        table.answer(run, table.posts[-1])
        run.run()
    restart(table)
    table.times = 0
    run.client.detached(Code.CLOSING)
    run.connect()
    assert run.run().stop().verdict is Verdict.CLEAN and len(table.held()) == 1
    assert words_kept(tmp_path) == [RefusalFinding.FALSE] * refused


def test_refused_copy_of_logged_entry_is_harmless(tmp_path):
    """Refusal × a used number: the line breaks after the entry has arrived, and the entry is sent
    again.
    """
    table = Silent(times=1)
    run = Direct(table, tmp_path).run()
    raw = table.posts[-1]
    run.client.detached(None)
    run.connect()
    on_replay = table.on_replay

    def twice(wire, match_id, number):
        on_replay(wire, match_id, number)
        table.live.offer(raw, 0)  # arrived over the old connection

    table.on_replay = twice
    outcome = run.run().stop()
    assert outcome.verdict is Verdict.CLEAN and outcome.refusals == ()
    assert len(table.held()) == 1 and words_kept(tmp_path) == []


class Overtaking(Table):
    """Honest table at which another seat leaves just before the client's entry and invalidates
    it.
    """

    spoilt: bytes = b""

    def on_post(self, wire, match_id, raw):
        if decode_entry(raw).sequence == REFUSED and not self.spoilt:
            self.spoilt = raw
            self.live.offer(self.bots[0][0].entry(self.live.log, Post("leave", [])), 1)
        super().on_post(wire, match_id, raw)


def refusal_of(table: Table, raw: bytes, code: Code) -> bytes:
    return encode_saved_refusal(SavedRefusal(raw, refused(table.live, raw, code)))


def test_overtaken_entry_is_dropped_and_proves_nothing(tmp_path):
    """Refusal × an intervening end of the match: the honest table is right, and no refusal is
    kept.
    """
    table = Overtaking(code=None)
    run = Direct(table, tmp_path).run()
    outcome = run.stop()
    assert named(outcome) == [(1, Code.LEFT)]
    assert words_kept(tmp_path) == []
    word = refusal_of(table, table.spoilt, Code.MATCH_OVER)
    assert judge_refusal((tmp_path / "log.fairdeal").read_bytes(), word) is RefusalFinding.RIGHT


def test_refusal_at_head_not_shown_yet_is_no_answer(tmp_path):
    """A refusal because the match is over arrives before the match's last entries: the program
    reads these and ends.
    """
    table = Silent()
    run = Direct(table, tmp_path).run()
    raw = table.posts[-1]
    fed = table.fed
    table.live.offer(raw, 0)
    table.live.offer(table.bots[0][0].entry(table.live.log, Post("leave", [])), 1)
    table.code = Code.MATCH_OVER
    for _ in range(MAX_REPEATS + 2):
        table.answer(run, raw)
    assert not run.run().client.finished and table.posts[-1] == raw and table.posts.count(raw) == 1
    table.on_replay(run, table.live.log.match_id, fed)
    outcome = run.run().stop()
    assert (
        named(outcome) == [(1, Code.LEFT)] and outcome.refusals == () and words_kept(tmp_path) == []
    )


def test_refusal_at_older_head_is_repeated_and_proves_nothing(tmp_path):
    table = Silent()
    run = Direct(table, tmp_path).run()
    raw = table.posts[-1]
    seen = decode_entry(raw).seen_number - 1
    log = table.live.log
    for _ in range(MAX_REPEATS + 1):
        said = sign_refusal(
            table.identity, log.match_id, raw, (seen, log.chain_hashes[seen]), Code.NOT_NOW
        )
        run.say("refused", log.match_id, *said)
    assert "the table refuses a legal move" in english_text(run.run().stop().reason)
    assert len(table.held()) == 1 and words_kept(tmp_path) == []
    assert (
        judge_refusal(
            (tmp_path / "log.fairdeal").read_bytes(), encode_saved_refusal(SavedRefusal(raw, said))
        )
        is RefusalFinding.RIGHT
    )


@pytest.mark.parametrize("code", sorted(UNDECIDABLE_CODES))
def test_refusal_outside_log_ends_with_message_and_accuses_nobody(tmp_path, code):
    """With a full disk or an exceeded rate: the same bytes are sent a few times, then the person is
    told the reason.
    """
    table = Table(code)
    for _ in range(2):
        outcome = Direct(table, tmp_path).run().stop()
        assert f"does not take a legal move ({english_text(code_phrase(code))})" in english_text(
            outcome.reason
        )
        assert "You have not left" in english_text(outcome.reason) and named(outcome) == []
        assert len(table.held()) == 1 and words_kept(tmp_path) == []


def test_internal_error_with_repeated_hangup_ends_with_message(tmp_path):
    table = Silent(Code.INTERNAL)
    run = Direct(table, tmp_path)
    for _ in range(MAX_REPEATS + 1):
        table.answer(run.run(), table.posts[-1])
        if run.run().client.finished:
            break
        run.client.detached(Code.INTERNAL)
        run.connect()
    assert (
        "does not take a legal move" in english_text(run.stop().reason) and len(table.held()) == 1
    )


def test_refusal_before_log_is_reread_has_no_effect(tmp_path):
    """Refusal × a crash that lost the end of the log: the entry is judged by a log that goes as far
    as it has seen.
    """
    table = Silent(times=2)
    run = Direct(table, tmp_path).run()
    raw, live = table.posts[-1], table.live
    run.stop()
    (tmp_path / "log.fairdeal").write_bytes(MAGIC + encode_record(*live.records[0]))
    run = Direct(table, tmp_path)
    on_resume = table.on_resume

    def refused_at_once(wire, match_id, holds, met):
        on_resume(wire, match_id, holds, met)
        said = sign_refusal(
            table.identity, match_id, raw, (0, live.log.chain_hashes[0]), Code.NOT_NOW
        )
        wire.say("refused", match_id, *said)

    table.on_resume = refused_at_once
    run.run()
    assert table.held() == {raw} and table.posts.count(raw) == 2 and not run.client.playing.leaving
    assert run.stop().refusals == ()


def test_seat_with_copied_match_key_joins_another_match(tmp_path):
    """Refusal × a colluding seat: the table logs the copy before the original, and refuses the
    original.
    """

    class InLeague(Table):
        def bot_step(self, seat, reader):
            begun = self.live.match.stage not in (
                MatchStage.SEATING,
                MatchStage.ROSTER,
            )  # it has no use for the key that it shows
            return bool(self.posts) and not begun and super().bot_step(seat, reader)

        def on_post(self, wire, match_id, raw):
            if not self.posts:
                (bot, _), key = self.bots[0], decode_entry(raw).body[0]
                _, commitment = bot.respond(self.live.match).body
                self.live.offer(bot.entry(self.live.log, Post("sit", [key, commitment])), 1)
            super().on_post(wire, match_id, raw)

    table = InLeague(code=None)
    run = Direct(table, tmp_path).run()
    refused, sat = table.posts[:2]
    assert run.client.playing.refusals == (Code.BAD_MATCH_KEY,)
    assert (
        decode_entry(sat).kind == "sit"
        and decode_entry(sat).body[1] == decode_entry(refused).body[1]
    )
    assert run.client.playing.reader.match.keys == (
        decode_entry(sat).body[0],
        decode_entry(refused).body[0],
    )
    outcome = run.stop()
    assert "leave" not in kinds(table) and all(fault.seat != 0 for fault in outcome.faults)
    assert words_kept(tmp_path) == []
    Direct(table, tmp_path).run().stop()
    assert kinds(table).count("sit") == 2  # the other run knows the match key of its `sit`


def test_refusal_for_another_log_is_kept_and_proves_fork(tmp_path):
    table = Silent()
    run = Direct(table, tmp_path).run()
    raw, log = table.posts[-1], table.live.log
    run.say(
        "refused",
        log.match_id,
        *sign_refusal(table.identity, log.match_id, raw, (0, bytes(32)), Code.NOT_NOW),
    )
    assert run.run().stop().faults == (Fault(TABLE, 0, Code.TABLE_FORKED),)
    assert words_kept(tmp_path) == [RefusalFinding.FORKED]


def test_unsigned_or_unrelated_refusal_changes_nothing(tmp_path):
    table = Silent()
    run = Direct(table, tmp_path).run()
    raw, log = table.posts[-1], table.live.log
    other = sign_refusal(
        table.identity, log.match_id, b"something else", log.newest_head, Code.NOT_NOW
    )
    run.say("refused", log.match_id, *other)
    run.run()
    run.say("refused", log.match_id, *other._replace(entry_hash=sha256(raw).digest()))
    with pytest.raises(RemoteError) as error:
        run.run()
    assert error.value.code is Code.BAD_SIGNATURE
    assert run.stop().refusals == () and words_kept(tmp_path) == []


class Impatient(Seat):
    """Seat that moves out of turn: a mistake, or a cheat."""

    def respond(self, match):
        post = super().respond(match)
        return post if post is None or post.kind != "nonce" else Post("receipt", [[0, 0]])


def test_player_wrong_by_own_fold_leaves_without_delay(tmp_path):
    table = Table(code=None)
    outcome = Direct(table, tmp_path, Impatient).run().stop()
    assert named(outcome) == [(0, Code.LEFT)] and words_kept(tmp_path) == []
