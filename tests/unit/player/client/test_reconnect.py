"""A client at a table: an honest table, one with a broken line, and every lie that a table can
tell.
"""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client import events, reconnect
from player.client.connection import Listener, connect
from player.client.seat import Seat
from player.client.table_client import Plan
from player.storage.recovery_state import any_recovery_states
from protocol.audit.compare import ForkProof, compare
from protocol.audit.refusal_audit import RefusalFinding, judge_refusal
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE, Fault, Post
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import MAX_REPEATS
from protocol.match.clock import Allowance
from protocol.match.log import EntryContent, Record, decode_entry, make_entry
from protocol.match.refusal import sign_refusal
from protocol.match.setup import Person
from protocol.match.terms import make_terms
from protocol.messages.table import ConnectionPhase
from protocol.options import Selection
from protocol.session.session import SessionClosed
from tests.support.errors import raises_text
from tests.support.fake_table import FakeTable, listening
from tests.support.play import play
from tests.support.ports import closed_port
from tests.support.refusals import refused

pytestmark = pytest.mark.match

ME = Identity(b"m" * 32)


async def at(table, path=None, **more):
    """Visit this table with a greedy bot."""
    async with asyncio.timeout(60), listening(table) as link:
        more.setdefault("rng", Random(3))
        return await play(link, ME, "Zoe", more.pop("chooser", greedy_bot), log_path=path, **more)


async def test_honest_match_is_clean_and_logs_are_equal(tmp_path):
    table, heard = FakeTable(seats=3), []
    path = tmp_path / "a.fairdeal"
    outcome = await at(table, path, on_event=heard.append)
    assert (outcome.verdict, outcome.faults, outcome.reason) == (Verdict.CLEAN, (), None)
    report = audit(path.read_bytes())
    assert report.verdict is Verdict.CLEAN
    assert report.entries == len(table.live.records) == outcome.reader.log.next_number
    rosters = [event for event in heard if isinstance(event, events.Roster)]
    assert len(rosters) == 1
    happened = [event.match.next_number for event in heard if isinstance(event, events.Happened)]
    assert happened == list(range(2, len(table.live.records) + 1))  # every entry once, in order


async def test_client_ends_with_a_close_record():
    table = FakeTable()
    async with listening(table) as link:
        await play(link, ME, "Zoe", greedy_bot, rng=Random(3))
        await table.finished.wait()
    assert table.connections[0].closed is not None


async def test_client_sends_one_post_at_a_time():
    class Counting(FakeTable):
        under_way = most = 0

        def on_post(self, wire, match_id, raw):
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            super().on_post(wire, match_id, raw)

        def shown(self, record):
            self.under_way -= record.entry in self.mine()
            return [record]

        def mine(self):
            return [message.values[1] for message in self.received if message.name == "post"]

    table = Counting()
    assert (await at(table)).verdict is Verdict.CLEAN
    assert table.most == 1


@pytest.mark.parametrize("cut", [2, 5, 9, 20, 40])
async def test_client_reconnects_after_broken_line_and_continues(tmp_path, cut, monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)
    table = FakeTable()
    table.hang_up_at = cut
    outcome = await at(table, tmp_path / "a.fairdeal")
    assert len(table.connections) == 2
    assert outcome.verdict is Verdict.CLEAN
    assert audit((tmp_path / "a.fairdeal").read_bytes()).verdict is Verdict.CLEAN


async def test_post_lost_with_line_is_resent_as_same_bytes(monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Losing(FakeTable):
        lost = None

        def on_post(self, wire, match_id, raw):
            if self.lost is None and self.live.log.sequence(0) == 3:
                self.lost = raw
                wire.transport.abort()
            else:
                super().on_post(wire, match_id, raw)

    table = Losing()
    assert (await at(table)).verdict is Verdict.CLEAN
    assert [message.values[1] for message in table.received if message.name == "post"].count(
        table.lost
    ) == 2


async def test_post_lost_with_other_posts_is_resent(monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Hiding(FakeTable):
        """Table that shows the first entry only, loses the answer to it, and hangs up after other
        seats have posted.
        """

        lost = None

        def on_replay(self, wire, match_id, number):
            if self.lost is not None:
                super().on_replay(wire, match_id, number)
                return
            first = self.live.records[0]
            wire.say("entry", match_id, 0, first.entry, first.head)

        def on_post(self, wire, match_id, raw):
            if self.lost is not None:
                super().on_post(wire, match_id, raw)
                return
            self.lost = raw
            assert all(self.bot_step(seat, reader) for seat, reader in self.bots)
            wire.transport.abort()

    table = Hiding(seats=3)
    assert (await at(table)).verdict is Verdict.CLEAN
    assert [message.values[1] for message in table.received if message.name == "post"][:2] == [
        table.lost
    ] * 2


async def test_post_arriving_before_line_break_is_kept(monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Swallowing(FakeTable):
        cut = False

        def on_post(self, wire, match_id, raw):
            if not self.cut and self.live.log.sequence(0) == 3:
                self.cut = True
                self.live.offer(raw, 0)
                wire.transport.abort()
            else:
                super().on_post(wire, match_id, raw)

    assert (await at(Swallowing())).verdict is Verdict.CLEAN


async def test_client_gives_up_on_lost_table(tmp_path, monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)
    table = FakeTable()
    table.hang_up_at = 9
    table.handle = only_the_first_connection(table, table.handle)
    outcome = await at(table, tmp_path / "a", keep_trying=0.0)
    assert outcome.verdict is Verdict.INCOMPLETE
    assert "did not come back" in english_text(outcome.reason)
    assert audit((tmp_path / "a").read_bytes()).verdict is Verdict.INCOMPLETE


def only_the_first_connection(table, handle):
    """Hang up on every connection after the first."""

    def handled(wire, name, values):
        if wire is not table.connections[0]:
            wire.transport.abort()
            return
        handle(wire, name, values)

    return handled


async def test_match_gone_after_reconnecting_is_reported(monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)

    class Forgetting(FakeTable):
        def on_resume(self, wire, match_id, holds, met):
            wire.say("error", "wrong_match")

    table = Forgetting()
    table.hang_up_at = 9
    outcome = await at(table)
    assert outcome.verdict is Verdict.INCOMPLETE
    assert "does not have this match any more" in english_text(outcome.reason)


# --- lies ---


class Lying(FakeTable):
    """Table that lies about one entry, as its subclass defines; `lie` returns the shown record."""

    where = 7

    def shown(self, record):
        return self.lie(record) if self.fed == self.where else [record]

    def again(self, record, entry):
        """Return the record with another entry, and the table's valid signature of the head after
        it.
        """
        before = self.live.log.chain_hashes[self.fed - 1]
        hashed = digest("chain", before, self.fed, entry)
        return Record(entry, self.identity.sign("head", self.live.log.match_id, self.fed, hashed))

    def forged(self, record, signer, author, kind, body):
        """Return an entry of this author with the signature of `signer`."""
        log = self.live.log
        sequence = sum(1 for one in self.live.records[: self.fed] if self.author(one) == author)
        seen = self.fed - 1, log.chain_hashes[self.fed - 1]
        return self.again(
            record,
            make_entry(signer, log.match_id, EntryContent(author, sequence, seen, kind, body)),
        )

    def author(self, record):
        from protocol.match.log import decode_entry

        return decode_entry(record.entry).author


class Forger(Lying):
    def lie(self, record):
        return [self.forged(record, self.identity, 1, "leave", [])]


class BadHead(Lying):
    def lie(self, record):
        return [record._replace(head=bytes(64))]


class Forking(Lying):
    def lie(self, record):
        return [record, self.forged(record, self.others[0], 1, "leave", [])]


class Accepting(Lying):
    def lie(self, record):
        return [self.forged(record, self.others[0], 1, "receipt", [[0, 0]])]


class Skipping(Lying):
    where = 1

    def lie(self, record):
        return []


@pytest.mark.parametrize(
    ("liar", "entry", "code"),
    [
        (Forger, 7, Code.TABLE_FORGED),
        (BadHead, 7, Code.BAD_SIGNATURE),
        (Forking, 7, Code.TABLE_FORKED),
        (Accepting, 7, Code.TABLE_ACCEPTED),
        (Skipping, 2, Code.BAD_MESSAGE),
    ],
)
async def test_lying_table_is_named_at_once(tmp_path, liar, entry, code):
    path = tmp_path / "a.fairdeal"
    outcome = await at(liar(), path)
    assert outcome.verdict is Verdict.FAULT
    assert Fault(TABLE, entry, code) in outcome.faults
    if liar in (Forger, Accepting):  # the evidence is in the log: every reader finds it
        assert audit(path.read_bytes()).faults == outcome.faults
    else:
        assert audit(path.read_bytes()).verdict is Verdict.INCOMPLETE


async def test_fork_is_kept_as_two_logs_signed_by_table(tmp_path):
    await at(Forking(), tmp_path / "a.fairdeal")
    copies = [(tmp_path / name).read_bytes() for name in ("a.fairdeal", "a-other.fairdeal")]
    assert isinstance(compare(*copies), ForkProof)  # the proof that everybody accepts
    one, other = map(audit, copies)
    assert one.reader.log.match_id == other.reader.log.match_id
    assert one.reader.log.chain_hashes[:7] == other.reader.log.chain_hashes[:7]
    assert one.reader.log.chain_hashes[7] != other.reader.log.chain_hashes[7]


async def test_fork_is_reported_even_if_saving_fails(tmp_path):
    (tmp_path / "a-other.fairdeal").write_bytes(b"in the way")
    outcome = await at(Forking(), tmp_path / "a.fairdeal")
    assert [fault.code for fault in outcome.faults] == [Code.TABLE_FORKED]


async def test_repeated_entry_is_no_lie():
    class Stuttering(FakeTable):
        def shown(self, record):
            return [record, record]

    assert (await at(Stuttering())).verdict is Verdict.CLEAN


class WrongKey(FakeTable):
    def setup_for(self, setup):
        return replace(
            setup,
            people=(Person(setup.people[0].name, Identity(b"x" * 32).public), *setup.people[1:]),
        )


class WrongName(FakeTable):
    def setup_for(self, setup):
        return replace(
            setup, people=(Person("Somebody", setup.people[0].identity), *setup.people[1:])
        )


class WrongSeat(FakeTable):
    def announced(self):
        table_id, match_id, _, entries, _ = super().announced()
        return [table_id, match_id, 1, entries, None]


class WrongGame(FakeTable):
    def setup_for(self, setup):
        return replace(
            setup, terms=setup.terms._replace(game=setup.terms.game._replace(name="draw-dominoes"))
        )


class WrongTarget(FakeTable):
    def setup_for(self, setup):
        return replace(
            setup, terms=setup.terms._replace(game=Selection("block-dominoes", (("target", 9000),)))
        )


class WrongTable(FakeTable):
    def setup_for(self, setup):
        return replace(setup, table=setup.table._replace(id="other"))


@pytest.mark.parametrize(
    "liar", [WrongKey, WrongName, WrongSeat, WrongGame, WrongTarget, WrongTable]
)
async def test_match_with_other_terms_is_not_played(tmp_path, liar):
    table = liar()
    outcome = await at(table, tmp_path / "a.fairdeal")
    assert outcome.verdict is Verdict.FAULT
    assert outcome.faults == (Fault(TABLE, 0, Code.WRONG_SETUP),)
    assert not [message for message in table.received if message.name == "post"]


async def test_match_of_another_table_key_is_not_played():
    class Proxy(FakeTable):
        """Table that shows another table's match over a session of its own."""

        def begin(self):
            own, self.identity = self.identity, Identity(b"o" * 32)
            super().begin()
            self.identity = own

    outcome = await at(Proxy())
    assert outcome.faults == (Fault(TABLE, 0, Code.WRONG_TABLE_KEY),)


async def test_match_under_another_id_is_not_played():
    class Renaming(FakeTable):
        def on_replay(self, wire, match_id, number):
            first = self.live.records[0]
            wire.say("entry", match_id, 0, first.entry, first.head)

        def announced(self):
            return ["main", bytes(32), 0, 1, None]

    assert (await at(Renaming())).faults == (Fault(TABLE, 0, Code.WRONG_MATCH),)


async def test_created_table_with_another_game_is_refused():
    class Creating(FakeTable):
        def on_create(self, wire, *values):
            wire.say("created", "main")

    terms = make_terms(
        Selection("block-dominoes", (("target", 1),)),
        Selection("layered"),
        Allowance().options(),
        2,
    )
    assert (await at(Creating(), plan=Plan("", create=terms))).verdict is Verdict.CLEAN
    more = terms._replace(game=Selection("block-dominoes", (("target", 2),)))
    assert (await at(Creating(), plan=Plan("", create=more))).faults == (
        Fault(TABLE, 0, Code.WRONG_SETUP),
    )


async def test_listing_with_duplicate_option_does_not_crash():
    class Twofold(FakeTable):
        def listing(self):
            name, ((game, _), *terms), *row = super().listing()
            return [name, [[game, [["target", 1], ["target", "many"]]], *terms], *row]

    outcome = await at(Twofold())
    assert outcome.faults == () and "out of range" in english_text(outcome.reason)


# --- our own entries ---


class Impatient(Seat):
    """Seat that moves when it has to wait."""

    def respond(self, match):
        if match.next_number == 8:
            return Post("receipt", [[0, 0]])
        return super().respond(match)


async def test_rightly_refused_entry_ends_in_leaving_and_no_loop():
    """The client's own fold refuses the entry too: a fault of the program. The others need not wait
    for the seat's time to run out.
    """
    outcome = await at(FakeTable(), seat_type=Impatient)
    assert outcome.refusals == (Code.NOT_NOW,)
    assert outcome.faults == (Fault(0, outcome.reader.log.next_number - 1, Code.LEFT),)


class Refusing(FakeTable):
    """Table that refuses valid entries from the client's fourth on; `posts` has the posted
    entries.
    """

    code = Code.NOT_NOW
    honest = False

    def __init__(self, **options):
        super().__init__(**options)
        self.posts = []

    def on_post(self, wire, match_id, raw):
        self.posts.append(raw)
        super().on_post(wire, match_id, raw)

    def refuses(self, raw):
        return self.code if self.live.log.sequence(0) == 3 and not self.honest else None


def last_posts(table):
    """Return the different entries posted with the newest number, and the number of posts."""
    newest = decode_entry(table.posts[-1]).sequence
    same = [raw for raw in table.posts if decode_entry(raw).sequence == newest]
    return set(same), len(same)


@pytest.mark.parametrize(
    "code", [Code.NOT_NOW, Code.STALE, Code.WRONG_SEQUENCE, Code.MATCH_OVER, Code.ILLEGAL_MOVE]
)
async def test_client_stays_at_table_refusing_legal_move(tmp_path, code):
    """The client signs no replacement in any run; the table's refusal is kept, and proves its
    fault.
    """
    table = Refusing()
    table.code = code
    async with asyncio.timeout(60), listening(table) as link:
        for _ in range(2):
            outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(3), state_dir=tmp_path)
            assert (outcome.verdict, set(outcome.refusals)) == (Verdict.INCOMPLETE, {code})
            assert "the table refuses a legal move" in english_text(outcome.reason)
            (kept,) = tmp_path.glob("logs/*.refusal")
            finding = judge_refusal(outcome.log_path.read_bytes(), kept.read_bytes())
            assert finding is RefusalFinding.FALSE
        entries, times = last_posts(table)
        assert len(entries) == 1 and times == 2 * (MAX_REPEATS + 1)
        assert decode_entry(entries.pop()).kind != "leave"
        assert any_recovery_states(tmp_path)
        table.honest = True
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(3), state_dir=tmp_path)
    assert outcome.verdict is Verdict.CLEAN


async def test_outdated_refused_entry_is_never_replaced(tmp_path):
    """The table refuses a legal step and lapses the seat for it: a later run still knows the
    refused entry.
    """
    table = Refusing()
    async with asyncio.timeout(60), listening(table) as link:
        await play(link, ME, "Zoe", greedy_bot, rng=Random(3), state_dir=tmp_path)
        entries, _ = last_posts(table)
        due = table.live.match.next_clock_entry(0)
        table.live.post_clock(Post(due.kind, [0, due.after]))
        table.live.post_clock(
            Post(
                table.live.match.next_clock_entry(0).kind,
                [0, table.live.match.next_clock_entry(0).after],
            )
        )
        table.honest = True
        await play(link, ME, "Zoe", greedy_bot, rng=Random(3), state_dir=tmp_path)
    assert last_posts(table)[0] == entries


async def test_refusal_reason_outside_log_is_reported_as_such(tmp_path):
    table = Refusing()
    table.code = Code.INTERNAL
    async with asyncio.timeout(60), listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(3), state_dir=tmp_path)
    assert "does not take a legal move" in english_text(outcome.reason) and not outcome.faults
    assert any_recovery_states(tmp_path) and not list(tmp_path.glob("logs/*.refusal"))
    assert len(last_posts(table)[0]) == 1


async def test_unsigned_refusal_is_ignored():
    class Careless(Refusing):
        def on_post(self, wire, match_id, raw):
            if self.refuses(raw) is None:
                super().on_post(wire, match_id, raw)
            else:
                wire.say(
                    "refused",
                    match_id,
                    *refused(self.live, raw, self.code)._replace(signature=bytes(64)),
                )

    table = Careless()
    outcome = await at(table)
    assert (outcome.verdict, outcome.refusals) == (Verdict.INCOMPLETE, ())
    assert table.connections[-1].closed == SessionClosed(Code.BAD_SIGNATURE)


async def test_refusal_at_foreign_head_proves_a_fork():
    class Forking(Refusing):
        def on_post(self, wire, match_id, raw):
            if self.refuses(raw) is None:
                super().on_post(wire, match_id, raw)
                return
            number = self.live.log.next_number - 1
            seen = number, bytes(32)
            wire.say(
                "refused", match_id, *sign_refusal(self.identity, match_id, raw, seen, Code.NOT_NOW)
            )

    outcome = await at(Forking())
    assert [fault.code for fault in outcome.faults] == [Code.TABLE_FORKED]


async def test_seat_begun_by_another_run_is_left_properly(monkeypatch):
    monkeypatch.setattr(reconnect, "FIRST_PAUSE", 0.0)
    table, heard = FakeTable(), []
    async with asyncio.timeout(60), listening(table) as link:
        # no choice is made: it waits for ever
        first = asyncio.create_task(play(link, ME, "Zoe", None, rng=Random(3)))
        while not (table.live and table.live.match.game):
            await asyncio.sleep(0)
        first.cancel()
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(4), on_event=heard.append)
    assert [fault.code for fault in outcome.faults] == [Code.LEFT], (outcome, heard[-3:])
    assert any(
        "Another copy" in english_text(event.phrase)
        for event in heard
        if isinstance(event, events.Notice)
    )


# --- other ends ---


async def test_table_with_other_key_than_link_is_refused():
    table = FakeTable()
    async with asyncio.timeout(60), listening(table) as link:
        with pytest.raises(RemoteError) as caught:
            await play(replace(link, fingerprint="a" * 40), ME, "Zoe", greedy_bot, rng=Random(3))
    assert caught.value.code is Code.WRONG_TABLE_KEY
    assert table.received == []


class Unheard(Listener):
    """Address without a listener."""


async def test_call_to_absent_player_is_reported():
    nobody = JoinLink("127.0.0.1", closed_port(), "a" * 40, direct=True)
    with raises_text(LocalError, match="Nobody answers"):
        await connect(nobody, ME, Random(3), None, Unheard())


async def test_unreachable_table_is_reported():
    link = JoinLink("127.0.0.1", closed_port(), "a" * 40)
    for nobody in (link, replace(link, host="no..host")):
        with raises_text(LocalError, match="No table answers"):
            await play(nobody, ME, "Zoe", greedy_bot, rng=Random(3))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("table_full", "--create"),
        ("name_taken", "--name"),
        ("host_only", "fairdeal host"),
        ("not_offered", "--allow-create any"),
        ("too_many", "network address"),
        ("huh", "error"),
    ],
)
async def test_lobby_error_says_what_to_do(code, words):
    class Full(FakeTable):
        def on_join(self, wire, table_id):
            wire.say("error", code)

    outcome = await at(Full())
    assert (outcome.verdict, outcome.reader) == (Verdict.INCOMPLETE, None)
    assert words in english_text(outcome.reason)


async def test_message_out_of_phase_ends_the_visit():
    class Babbling(FakeTable):
        def on_join(self, wire, table_id):
            wire.phase = ConnectionPhase.SEATED
            wire.say("entry", bytes(32), 0, b"x", bytes(64))

    outcome = await at(Babbling())
    assert outcome.verdict is Verdict.INCOMPLETE
    assert outcome.reader is None


async def test_session_taken_over_elsewhere_is_final():
    class Replacing(FakeTable):
        def on_replay(self, wire, match_id, number):
            wire.transport.write(wire.session.close(Code.TAKEN_OVER))

    table = Replacing()
    outcome = await at(table)
    assert len(table.connections) == 1
    assert "--data" in english_text(outcome.reason)


async def test_log_is_never_overwritten(tmp_path):
    path = tmp_path / "a.fairdeal"
    path.write_bytes(b"evidence")
    with raises_text(LocalError, match="exists already"):
        await at(FakeTable(), path)
    assert path.read_bytes() == b"evidence"


@pytest.mark.parametrize(
    "said", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\x03\x01\x00\x02\x02F", b"SSH-2.0-x\r\n"]
)
async def test_server_of_another_kind_is_no_table(said):
    async def answer(reader, writer):
        await reader.read(1)
        writer.write(said)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        link = JoinLink("127.0.0.1", server.sockets[0].getsockname()[1])
        with raises_text(LocalError, match="is not a table"):
            await play(link, ME, "Zoe", greedy_bot, rng=Random(3))
