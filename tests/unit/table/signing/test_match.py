"""Whole matches at tables whose key is a signer's: the same bytes as with the key at hand, and clean."""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.dealing import TABLE
from protocol.identity.keys import fingerprint
from protocol.match.log import Log, decode_entry, encode_entry
from protocol.match.logfile import read_records
from table.config import Config
from table.server import Table
from tests.support.signers import KEY, threaded
from tests.support.tables import config, exported
from tests.support.wire_client import play_match

pytestmark = pytest.mark.match


def with_signer(folder, signer, **values) -> Config:
    return config(folder, signer=signer.path, **values)


async def test_a_whole_match_and_each_signature_as_with_the_key_at_hand(tmp_path):
    with threaded(tmp_path / "signer") as signer:
        async with Table(with_signer(tmp_path, signer)) as table:
            assert table.link.fingerprint == fingerprint(KEY.public)
            players = await play_match(table.link)
            file = await exported(table, players[0].client.match_id)
    assert file == players[0].file and audit(file).verdict is Verdict.CLEAN
    records = list(read_records(file))
    log = Log(records[0][0])
    for number, (raw, head) in enumerate(records):
        entry = decode_entry(raw)
        if number:
            log.append(log.check(raw))
        assert head == log.head(KEY)
        if entry.author == TABLE:
            signed = KEY.sign("entry", log.match_id if number else bytes(32), entry.content)
            assert raw == encode_entry(entry.content, signed)
    assert sum(decode_entry(raw).author == TABLE for raw, _ in records) > 3
    assert not (tmp_path / "identity.key").exists()
