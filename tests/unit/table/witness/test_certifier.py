"""A table with `--witness`: offers and answers, and nothing is announced before it is on disk."""

import asyncio
import shutil
from random import Random

import pytest

from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.ledger.proofs.merkle_log import check_consistency, leaf_hash, root_with
from protocol.ledger.proofs.signed_heads import read_head
from protocol.ledger.proofs.slot_map import MapProof, trade_at
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Creator
from protocol.ledger.records import read_record, sign_record
from protocol.limits import MAX_WITNESS_SENT
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Sender
from protocol.messages.witness import REQUEST_SHAPES
from table.config import Bounds
from table.lobby.tables import Declined
from table.manager.server import TableServer
from table.storage.disk.journal import Journal
from table.storage.disk.keys import load_identity
from table.storage.interface import SavedTable
from table.witness.certifier import HANDLERS, Certifier
from tests.support.ledger import ANN, BOB, CAROL, MAKER, TYPE, card, slot_of, traded
from tests.support.tables import config, guest

CARDS = [card(serial) for serial in range(6)]
SECONDS = 60


def ground(witness: bytes):
    """Return the records before a trade of a card whose creator names this witness."""
    return [
        sign_record(Creator(MAKER.public, 0, None, "Maker", None, "", (witness,), 1), MAKER),
        TYPE,
        *CARDS,
    ]


def given(taker, *cards):
    return traded(MAKER, taker, [slot_of(one.id) for one in cards])


async def offered(client, trade, *below):
    """Offer a trade as a player does; return the answer."""
    records = [*below, trade]
    await client.send("which", [record.id for record in records])
    (lacking,) = await client.expect("lacking")
    for start in range(0, len(records), MAX_WITNESS_SENT):
        part = [
            record.raw
            for record in records[start : start + MAX_WITNESS_SENT]
            if record.id in lacking
        ]
        if part:
            await client.send("records", part)
    await client.send("certify", trade.id)
    return await client.receive()


def test_witness_answers_every_request():
    """Tables that are no witnesses know the message names without loading the handlers."""
    assert HANDLERS.keys() == REQUEST_SHAPES.keys()


async def test_table_without_witness_refuses_requests(tmp_path):
    async with (
        asyncio.timeout(SECONDS),
        TableServer(config(tmp_path)) as table,
        await guest(table) as client,
    ):
        for request in (
            ("witness", None),
            ("which", []),
            ("records", [b"x"]),
            ("certify", bytes(32)),
        ):
            await client.send(*request)
            assert await client.expect("error") == [Code.NOT_A_WITNESS]


async def test_witness_signs_one_trade_per_slot_across_restart(tmp_path):
    key = load_identity(tmp_path).public
    first, second, third = (
        given(ANN, CARDS[0], CARDS[1]),
        given(BOB, CARDS[0]),
        given(BOB, CARDS[2]),
    )
    async with asyncio.timeout(SECONDS):
        async with (
            TableServer(config(tmp_path, witness=True)) as table,
            await guest(table) as client,
        ):
            await client.send("witness", None)
            assert (await client.expect("head"))[0][0] == 0
            trade, words, head = (await offered(client, first, *ground(key))).values
            assert trade == first.id and head[0] == 2
            said = {word.content.slot: word.content for word in map(read_record, words)}
            assert said.keys() == {one.slot for one in first.content.transfers}
            old = read_head(key, head)
        async with (
            TableServer(config(tmp_path, witness=True)) as table,
            await guest(table) as client,
        ):
            assert (await offered(client, second, *ground(key))).values == [Code.SPENT]
            assert (await offered(client, first)).values[1] == words  # the earlier answer
            new = read_head(key, (await offered(client, third, *ground(key))).values[2])
            await client.send("follow", old.size, new.size)
            check_consistency(old.log, new.log, (await client.expect("followed"))[2])
            for slot, seen in said.items():
                await client.send("prove", slot)
                _, shown, siblings, found, (word, path, trade) = await client.expect("proof")
                head = read_head(key, shown)
                assert (
                    trade_at(slot, MapProof(tuple(siblings), tuple(found)), head.map_root)
                    == first.id
                )
                leaf = leaf_hash(content_bytes(read_record(word).content))
                assert root_with(leaf, seen.position, head.size, path) == head.log_root
                assert trade == first.raw
            await client.send("prove", bytes(32))
            _, _, siblings, found, shown = await client.expect("proof")
            assert shown is None
            for bad in ((0, 1), (2, 9), (2, 1)):
                await client.send("follow", *bad)
                assert await client.expect("error") == [Code.BAD_MERKLE_PROOF]


@pytest.mark.slow
async def test_old_folder_signs_nothing_after_newer_head_is_shown(tmp_path):
    now, old = tmp_path / "now", tmp_path / "old"
    key = load_identity(now).public
    async with asyncio.timeout(SECONDS):
        async with TableServer(config(now, witness=True)) as table, await guest(table) as client:
            await offered(client, given(ANN, CARDS[0]), *ground(key))
        shutil.copytree(now, old)
        async with TableServer(config(now, witness=True)) as table, await guest(table) as client:
            head = (await offered(client, given(ANN, CARDS[1]), *ground(key))).values[2]
        for _ in range(2):  # it stays so after a restart
            async with (
                TableServer(config(old, witness=True)) as table,
                await guest(table) as client,
            ):
                await client.send("witness", head)
                assert await client.expect("error") == [Code.HEAD_AHEAD]
                assert (await offered(client, given(BOB, CARDS[1]), *ground(key))).values == [
                    Code.HEAD_AHEAD
                ]
        async with TableServer(config(now, witness=True)) as table, await guest(table) as client:
            await client.send("witness", head)
            assert (await client.expect("head"))[0] == head
            await client.send("witness", [*head[:3], bytes(64)])
            assert await client.expect("error") == [Code.BAD_SIGNATURE]


async def test_invalid_offer_is_refused_and_witness_continues(tmp_path):
    key = load_identity(tmp_path).public
    below = ground(key)
    forged = bytearray(TYPE.raw)
    forged[-1] ^= 1
    async with (
        asyncio.timeout(SECONDS),
        TableServer(config(tmp_path, witness=True, bounds={"witness_records": 12})) as table,
        await guest(table) as client,
    ):
        await client.send("certify", bytes(32))
        assert await client.expect("error") == [Code.LACKING]
        for raws, code in (
            ([bytes(forged)], Code.BAD_SIGNATURE),
            ([b"\xc1"], Code.BAD_ENCODING),
            ([given(ANN, CARDS[0]).raw], Code.LACKING),  # parents come first
        ):
            await client.send("records", raws)
            assert await client.expect("error") == [code]
        await client.send("records", [record.raw for record in below])
        # not a trade; the waiting records are dropped with it
        await client.send("certify", below[2].id)
        assert await client.expect("error") == [Code.LACKING]
        await client.send("which", [record.id for record in below])
        assert (await client.expect("lacking"))[0] == [record.id for record in below]
        assert (await offered(client, given(ANN, CARDS[0]), *below)).name == "certified"
        assert (await offered(client, given(ANN, CARDS[1]), *below)).name == "certified"
        assert (await offered(client, given(ANN, *CARDS[2:5]), *below)).values == [Code.TOO_MANY]


class SlowDisk:
    """Disk that writes when told to."""

    def __init__(self):
        self.jobs, self.written = [], []

    def submit(self, change, done, lost):
        self.jobs.append((change, done))

    def write(self):
        (change, done), self.jobs = self.jobs[0], self.jobs[1:]
        self.written.append(change)
        done()

    def kept(self):
        """Return the state that a new process reads."""
        words = [word for change in self.written for _, word in change.words]
        ledger = dict(record for change in self.written for record in change.records)
        return SavedTable([], 0, words, list(ledger.values()))


class Caller:
    """A client of the certifier."""

    def __init__(self, address="198.51.100.1"):
        self.connection, self.answers, self.address = self, [], address

    def send(self, payload):
        self.answers.append(messages.decode(payload, Sender.TABLE, ConnectionPhase.LOBBY))

    def charge(self, frames):
        pass

    def certify(self, certifier, trade, below):
        certifier.records(self, [record.raw for record in (*below, trade)])
        certifier.certify(self, trade.id)


WITNESS = Identity(bytes([77]) * 32)


@pytest.mark.slow
def test_statement_is_stored_before_sending_and_never_signed_twice():
    """The process may die at each moment; every announced statement is in the state that a new one
    reads.
    """
    below, names = ground(WITNESS.public), [ANN, BOB, CAROL]
    for seed in range(12):
        rng, disk, told = Random(seed), SlowDisk(), {}
        for _ in range(4):  # restarts of the process
            certifier, callers = Certifier(WITNESS, disk, disk.kept(), Bounds()), []
            disk.jobs.clear()
            for _ in range(rng.randrange(12)):
                if disk.jobs and rng.random() < 0.5:
                    disk.write()
                    continue
                callers.append(Caller())
                trade = given(rng.choice(names), *rng.sample(CARDS[:4], rng.randint(1, 2)))
                try:
                    callers[-1].certify(certifier, trade, below)
                except Exception as error:
                    assert getattr(error, "code", None) is Code.SPENT
                assert len(disk.jobs) <= 1
            for answer in (answer for caller in callers for answer in caller.answers):
                for word in (read_record(raw).content for raw in answer.values[1]):
                    assert told.setdefault(word.slot, word.trade) == word.trade
                    assert (
                        word.position
                        < answer.values[2][0]
                        <= sum(len(each.words) for each in disk.written)
                    )
        assert told


def test_pending_offers_are_bounded_and_leave_with_sender():
    """Too much of one sender, and too much in total; others' offers stay, and nothing is left
    afterwards.
    """
    records = [record.raw for record in ground(WITNESS.public)]
    size = sum(map(len, records))
    certifier = Certifier(
        WITNESS, SlowDisk(), SavedTable([], 0), Bounds(witness_pool=size, witness_pooled=2 * size)
    )
    one, other, third = Caller(), Caller(), Caller()
    for caller in (one, other):
        certifier.records(caller, records)
    certifier.records(one, records)  # none of them is new
    with pytest.raises(Declined) as refused:
        certifier.records(one, [given(ANN, CARDS[0]).raw])
    assert refused.value.code is Code.TOO_MANY
    assert certifier.pooled == size  # all of it is dropped
    certifier.records(one, records)
    certifier.records(third, records)  # the oldest one makes room
    assert certifier.pooled == 2 * size
    for caller in (one, third):
        certifier.leave(caller)
    assert certifier.pooled == 0


def test_record_flood_at_witness_blocks_nobody():
    """Strangers who send the maximum of records, and never an offer, block nobody's
    certification.
    """
    below = ground(WITNESS.public)
    records = [record.raw for record in below]
    certifier = Certifier(
        WITNESS,
        disk := SlowDisk(),
        SavedTable([], 0),
        Bounds(witness_pooled=3 * sum(map(len, records))),
    )
    honest = Caller("192.0.2.1")
    certifier.records(honest, records[:3])
    for _ in range(9):
        certifier.records(Caller(), records)
    honest.certify(certifier, given(ANN, CARDS[0]), below)
    disk.write()
    assert [answer.name for answer in honest.answers] == ["certified"]


async def test_witness_disk_refuses_second_statement_for_slot(tmp_path):
    disk, below = SlowDisk(), ground(WITNESS.public)
    # two processes without knowledge of each other, as after a program error
    for taker in (ANN, BOB):
        caller = Caller()
        caller.certify(
            Certifier(WITNESS, disk, SavedTable([], 0), Bounds()), given(taker, CARDS[0]), below
        )
    (first, _), (second, _) = disk.jobs
    journal = Journal(tmp_path, Bounds())
    try:
        journal.write([first])
        for change in (second, second._replace(first=1)):
            with pytest.raises(Exception, match="UNIQUE"):
                journal.write([change])
        assert tuple(word for _, word in first.words) == journal.load().words
    finally:
        journal.close()


def test_longest_witness_answers_fit_a_message():
    """The longest possible answers are sent whole."""
    long = [bytes(32)] * 256
    head = [2**62, bytes(32), bytes(32), bytes(64)]
    for name, values in (
        (
            "proof",
            [
                bytes(32),
                head,
                long,
                [bytes(32)] * 2,
                [bytes(200), [bytes(32)] * 63, bytes(48 * 1024)],
            ],
        ),
        ("certified", [bytes(32), [bytes(250)] * 64, head]),
        ("lacking", [[bytes(32)] * 1024]),
    ):
        assert len(messages.encode(name, *values)) <= 65_000
