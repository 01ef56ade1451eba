"""Witness that is killed again and again with SIGKILL: it never signs two trades for one slot."""

import asyncio
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import Creator
from protocol.ledger.records import read_record, sign_record
from table.storage.disk.keys import load_identity
from tests.support.ledger import ANN, BOB, CAROL, MAKER, TYPE, card, slot_of, traded
from tests.support.wire_client import WireClient
from tests.system.kill_table import TableProcess

pytestmark = pytest.mark.process
SECONDS, LIVES, CARDS = 150, 4, 30


async def offer(client, below, trade):
    """Offer a trade without waiting for answers to earlier offers."""
    await client.send("records", [record.raw for record in (*below, trade)])
    await client.send("certify", trade.id)


async def listen(client, told, many):
    """Note answers until `many` have come or the line breaks."""
    for _ in range(many):
        message = await client.receive()
        if message is None:
            return
        if message.name == "certified":
            for seen in (read_record(raw).content for raw in message.values[1]):
                assert told.setdefault(seen.slot, seen.trade) == seen.trade
        else:
            assert message.values == [Code.SPENT]


async def test_killed_witness_never_signs_twice(tmp_path):
    rng, told = Random(11), {}
    table = TableProcess(tmp_path, "--witness", "--bound", "requests=1000/1000")
    key = load_identity(tmp_path / "table").public
    named = sign_record(Creator(MAKER.public, 0, None, "Maker", None, "", (key,), 1), MAKER)
    async with asyncio.timeout(SECONDS):
        for life in range(LIVES):
            await table.start()
            client = await (
                await WireClient(table.link, life + 1, patience=SECONDS).connect()
            ).greet()
            cards = [card(serial) for serial in rng.sample(range(CARDS), 20)]
            trades = [
                traded(MAKER, rng.choice((ANN, BOB, CAROL)), [slot_of(one.id)]) for one in cards
            ]
            for one, trade in zip(cards, trades, strict=True):
                await offer(client, (named, TYPE, one), trade)
            try:
                await listen(client, told, rng.randrange(1, 15))
                await table.kill()
                await listen(client, told, 100)
            except RemoteError:
                pass  # the line broke in the middle of a frame
            await client.close(polite=False)
        await table.start()
        client = await (await WireClient(table.link, 99, patience=SECONDS).connect()).greet()
        for slot, trade in told.items():  # the witness still knows everything that it signed
            await client.send("prove", slot)
            assert (await client.expect("proof"))[3] == [slot, trade]
        await client.close()
        await table.stop()
    assert told
