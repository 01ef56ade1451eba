"""Certification by witnesses: choice, addresses and order, and nothing counts without a proof."""

import asyncio
import shutil
from contextlib import closing
from random import Random

import pytest

from fairdeal.__main__ import main
from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from player.cards.witnesses.certification import Certification, find_unsettled, find_witness_link
from player.storage.identity_file import load_identity as load_player
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.record_contents import Attestation, Creator, FraudProof
from protocol.ledger.records import sign_record
from protocol.messages import table as messages
from table.manager.handlers import HANDLERS
from table.manager.server import TableServer
from table.storage.disk.keys import load_identity
from tests.support.ledger import ANN, BOB, CAROL, MAKER, TYPE, card, free, slot_of, traded
from tests.support.stores import left_open
from tests.support.tables import config

SECONDS = 60
ONE, TWO = card(1), card(2)


def named(*witnesses, quorum=1, link=""):
    return sign_record(
        Creator(MAKER.public, 0, None, "Maker", None, link, tuple(sorted(witnesses)), quorum), MAKER
    )


def collection(folder, *records):
    made = Collection(left_open(LedgerStore(folder, ANN.public, None)), ANN.public)
    made.add(records)
    return made


def given(taker, *cards):
    return traded(MAKER, taker, [slot_of(one.id) for one in cards])


async def settled(mine, *cards):
    trades = find_unsettled(mine, [one.id for one in cards])
    return await Certification(mine, Random(3)).settle(trades)


def key_of(folder):
    return load_identity(folder).public


async def test_trades_are_settled_in_order_of_origin(tmp_path):
    first = given(ANN, ONE)
    async with asyncio.timeout(SECONDS), TableServer(config(tmp_path / "w", witness=True)) as table:
        mine = collection(tmp_path / "a", named(key_of(tmp_path / "w")), TYPE, ONE, first)
        second = traded(ANN, BOB, free(mine.view, ONE))
        mine.add([second])
        with closing(mine.store):
            assert [one.id for one in find_unsettled(mine, [ONE.id])] == [first.id, second.id]
            nowhere = await settled(mine, ONE)
            assert nowhere.unknown == {key_of(tmp_path / "w")} and not nowhere.trades
            mine.store.add_witness(table.link)
            assert (await settled(mine, ONE)).trades == [first.id, second.id]
            assert mine.view.holding(ONE.id).settled
            assert find_unsettled(mine, [ONE.id]) == []
            assert mine.store.witness_head(key_of(tmp_path / "w")).size == 2


def test_settling_without_named_witness_is_reported(tmp_path, capsys):
    me = load_player(tmp_path, None, Random(3))
    with closing(LedgerStore(tmp_path, me.public, None)) as store:
        Collection(store, me.public).add([named(quorum=0), TYPE, ONE, given(me, ONE)])
    assert main(["cards", "settle", "--data", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "name no witness" in told and "Settled: 0 of 1" in told


async def test_quorum_is_reached_with_one_witness_away(tmp_path):
    folders = [tmp_path / str(number) for number in range(3)]
    keys = [key_of(folder) for folder in folders]
    first = given(ANN, ONE, TWO)
    mine = collection(tmp_path / "a", named(*keys, quorum=2), TYPE, ONE, TWO, first)
    with closing(mine.store):
        mine.store.add_witness(JoinLink("127.0.0.1", 1, fingerprint(keys[2])))
        async with asyncio.timeout(SECONDS), TableServer(config(folders[0], witness=True)) as one:
            mine.store.add_witness(one.link)
            assert (await settled(mine, ONE)).trades == []
            async with TableServer(config(folders[1], witness=True)) as two:
                mine.store.add_witness(two.link)
                out = await settled(mine, ONE)
                assert out.trades == [first.id] and set(out.silent) <= {keys[2]}
                assert all(isinstance(error, LocalError) for error in out.silent.values())


async def test_creator_link_leads_to_its_named_witness(tmp_path):
    key = key_of(tmp_path / "w")
    async with asyncio.timeout(SECONDS), TableServer(config(tmp_path / "w", witness=True)) as table:
        mine = collection(
            tmp_path / "a", named(key, link=str(table.link)), TYPE, ONE, given(ANN, ONE)
        )
        with closing(mine.store):
            assert find_witness_link(mine, key) == table.link
            assert find_witness_link(mine, key_of(tmp_path / "x")) is None
            assert len((await settled(mine, ONE)).trades) == 1


async def test_witness_address_from_strangers_cannot_block_settling(tmp_path):
    key, own = key_of(tmp_path / "w"), JoinLink("127.0.0.1", 2, fingerprint(key_of(tmp_path / "w")))
    dead = str(JoinLink("127.0.0.1", 1, fingerprint(key)))
    strangers = [
        sign_record(Creator(who.public, 0, None, "x", None, dead, (key,), 1), who)
        for who in (BOB, CAROL)
    ]
    mine = collection(tmp_path / "a", *strangers, named(key, link=str(own)))
    with closing(mine.store):
        mine.store.mark(MAKER.public, True)
        assert find_witness_link(mine, key) == own


async def test_witness_is_asked_again_after_its_statement_was_omitted(tmp_path):
    base = (named(key_of(tmp_path / "w")), TYPE, ONE, TWO, given(ANN, ONE, TWO))
    async with asyncio.timeout(SECONDS), TableServer(config(tmp_path / "w", witness=True)) as table:
        theirs, mine = collection(tmp_path / "b", *base), collection(tmp_path / "a", *base)
        with closing(mine.store), closing(theirs.store):
            for one in (theirs, mine):
                one.store.add_witness(table.link)
            await settled(theirs, ONE)
            words = [record for record in theirs.records if isinstance(record.content, Attestation)]
            assert len(words) == 2
            mine.add(words[:1])
            assert (await settled(mine, ONE)).trades == [base[-1].id]


async def test_second_trade_learns_of_first_and_names_cheat(tmp_path):
    key = key_of(tmp_path / "w")
    base = (named(key), TYPE, ONE, given(ANN, ONE))
    async with asyncio.timeout(SECONDS), TableServer(config(tmp_path / "w", witness=True)) as table:
        mine, theirs = collection(tmp_path / "a", *base), collection(tmp_path / "b", *base)
        with closing(mine.store), closing(theirs.store):
            start = free(mine.view, ONE)
            for who, taker in ((mine, BOB), (theirs, CAROL)):
                who.store.add_witness(table.link)
                who.add([traded(ANN, taker, start)])
            assert len((await settled(mine, ONE)).trades) == 2
            out = await settled(theirs, ONE)
            assert list(out.refused.values()) == [Code.SPENT]
            assert {alarm.key for alarm in theirs.view.alarms} == {ANN.public}
            assert theirs.view.holding(ONE.id).owner == BOB.public


@pytest.mark.slow
async def test_witness_with_restored_disk_is_skipped_or_named(tmp_path):
    """One copy loses its signatures: a client with a newer head notices; if both copies sign, that
    is a lie.
    """
    now, old = tmp_path / "now", tmp_path / "old"
    key = key_of(now)
    shutil.copytree(now, old)
    base = (named(key), TYPE, ONE, TWO)
    async with asyncio.timeout(SECONDS):
        mine, theirs = (
            collection(tmp_path / "a", *base, given(ANN, ONE)),
            collection(tmp_path / "b", *base),
        )
        with closing(mine.store), closing(theirs.store):
            async with TableServer(config(now, witness=True)) as table:
                mine.store.add_witness(table.link)
                assert len((await settled(mine, ONE)).trades) == 1
            async with TableServer(config(old, witness=True)) as table:
                theirs.store.add_witness(table.link)
                theirs.add([given(ANN, TWO)])
                assert len((await settled(theirs, TWO)).trades) == 1  # a lie that nobody could know
                mine.store.add_witness(table.link)
                mine.add([given(ANN, TWO)])
                out = await settled(mine, TWO)
                assert out.silent[key].code is Code.HEAD_AHEAD
            mine.store.keep_witness_head(key, theirs.store.witness_head(key))
            async with TableServer(config(now, witness=True)) as table:
                mine.store.add_witness(table.link)
                out = await settled(mine, TWO)
                # the witness stopped by itself when it saw its other head
                assert out.silent[key].code is Code.HEAD_AHEAD
            mine.add(
                record
                for record in theirs.records
                if key == getattr(record.content, "creator", None)
            )
            assert not any(isinstance(record.content, FraudProof) for record in mine.records)


async def test_table_without_witness_is_reported(tmp_path):
    key = key_of(tmp_path / "w")
    async with asyncio.timeout(SECONDS), TableServer(config(tmp_path / "w")) as table:
        mine = collection(tmp_path / "a", named(key), TYPE, ONE, given(ANN, ONE))
        with closing(mine.store):
            mine.store.add_witness(table.link)
            assert (await settled(mine, ONE)).silent[key].code is Code.NOT_A_WITNESS


def lying(**parts):
    """Return handlers of a table that answers some messages otherwise than an honest witness."""
    return {
        **HANDLERS,
        **{
            name: lambda manager, *values, part=part: part(manager, *values)
            for name, part in parts.items()
        },
    }


async def forked(tmp_path):
    """Return two folders of one witness, each with a trade of another card signed first, and a
    client of each.
    """
    now, old = tmp_path / "now", tmp_path / "old"
    key = key_of(now)
    shutil.copytree(now, old)
    people = []
    for name, folder, one in (("a", now, ONE), ("b", old, TWO)):
        mine = collection(tmp_path / name, named(key), TYPE, ONE, TWO, given(ANN, one))
        async with TableServer(config(folder, witness=True)) as table:
            mine.store.add_witness(table.link)
            assert len((await settled(mine, one)).trades) == 1
        people.append(mine)
    return key, old, *people


@pytest.mark.slow
async def test_witness_with_two_heads_is_named_and_void(tmp_path):
    async with asyncio.timeout(SECONDS):
        key, old, mine, theirs = await forked(tmp_path)
        handlers = lying(witness=lambda manager, peer, head: manager.certifier.head(peer, None))
        async with TableServer(config(old, witness=True), handlers=handlers) as table:
            with closing(mine.store), closing(theirs.store):
                mine.add([given(ANN, TWO)])
                mine.store.add_witness(table.link)
                assert (await settled(mine, TWO)).silent[key].code is Code.WITNESS_LIED
                assert {alarm.key for alarm in mine.view.alarms} == {key}
                assert not mine.view.holding(ONE.id).settled
                (lie,) = (
                    record for record in mine.records if isinstance(record.content, FraudProof)
                )
                theirs.take([lie.raw])  # the proof alone is enough for anybody
                assert not theirs.view.holding(TWO.id).settled


async def test_witness_denying_its_signature_is_named(tmp_path):
    async with asyncio.timeout(SECONDS):
        key, old, mine, theirs = await forked(tmp_path)
        theirs.store.close()
        with closing(mine.store):
            slot = given(ANN, ONE).content.transfers[0].slot
            words = [
                record.raw
                for record in mine.records.ids_under(slot)
                if isinstance(record.content, Attestation)
            ]
            head = mine.store.witness_head(key)

            def certify(manager, peer, trade):
                peer.send(messages.encode("certified", trade, words, head.values()))

            handlers = lying(
                certify=certify,
                witness=lambda manager, peer, head: manager.certifier.head(peer, None),
            )
            async with TableServer(config(old, witness=True), handlers=handlers) as table:
                other = collection(tmp_path / "c", named(key), TYPE, ONE, given(ANN, ONE))
                with closing(other.store):
                    other.store.add_witness(table.link)
                    out = await settled(other, ONE)
                    assert out.silent[key].code is Code.WITNESS_LIED and not out.trades
                    assert {alarm.key for alarm in other.view.alarms} == {key}


@pytest.mark.slow
async def test_person_types_witness_address_and_settles_cards(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "computer"))
    key, folder = key_of(tmp_path / "w"), tmp_path / "me"
    me = load_player(folder, None, Random(5))
    with closing(LedgerStore(folder, me.public, None)) as store:
        Collection(store, me.public).add([named(key), TYPE, ONE, given(me, ONE)])

    async def typed(*words):
        """Type a command; return its output and exit code."""
        code = await asyncio.to_thread(main, ["cards", *words, "--data", str(folder)])
        return code, capsys.readouterr().out

    async with asyncio.timeout(SECONDS), TableServer(config(tmp_path / "w", witness=True)) as table:
        assert (await typed("witness"))[1] == f"{fingerprint(key)}  -\n"
        code, said = await typed("settle")
        assert code == 1 and fingerprint(key) in said and "0 of 1" in said
        assert (await typed("witness", "fairdeal://127.0.0.1:7500"))[0] == 2
        assert (await typed("witness", str(table.link)))[0] == 0
        assert str(table.link) in (await typed("witness"))[1]
        code, said = await typed("settle", "Salamander#1")
        assert code == 0 and "1 of 1" in said
        code, said = await typed("settle")
        assert code == 0 and "Settled" not in said
