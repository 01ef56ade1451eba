"""A table passes the rule file of its terms to whoever asks, over real sockets."""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.games.scripted.rule_file.rule_set import sign_rule_set
from protocol.limits import BYTES_A_FRAME
from protocol.match.clock import Allowance
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from table.config import Creation
from table.manager.server import TableServer
from tests.support.ledger import ANN
from tests.support.tables import config, guest

SIGNED = sign_rule_set(ANN, "evening", built_in_text("crazy-eights"))
TERMS = make_terms(
    Selection("script", (("rules", SIGNED.digest),)),
    Selection("verified"),
    Allowance().options(),
    2,
)
SENT = SIGNED.text.encode()


@pytest.fixture
async def table(tmp_path):
    async with TableServer(config(tmp_path, creation=Creation.ANY)) as opened:
        yield opened


async def waiting(table, seed=1):
    """Create a table for the set and wait there."""
    ann = await guest(table, seed)
    await ann.send("create", encode_terms(TERMS))
    (table_id,) = await ann.expect("created")
    await ann.send("join", table_id)
    await ann.expect("waiting")
    return ann, table_id


async def asked(client, table_id):
    await client.send("ask_rules", table_id)
    return await client.expect("rules")


async def test_table_passes_rules_from_who_waits_to_who_asks(table):
    ann, table_id = await waiting(table)
    bob = await guest(table, 2, "Bob")
    assert await asked(bob, table_id) == [table_id, b""]
    await ann.send("give_rules", SENT)
    while (await asked(bob, table_id))[1] != SENT:
        pass
    # the first text stays
    await ann.send("give_rules", SENT)
    assert await asked(bob, table_id) == [table_id, SENT]
    await ann.close()
    await bob.close()


@pytest.mark.parametrize("text", [SENT + b"#", b"\xff", built_in_text("mau-mau").encode()])
async def test_table_refuses_rules_that_terms_do_not_name(table, text):
    ann, table_id = await waiting(table)
    await ann.send("give_rules", text)
    await ann.expect_error(Code.OTHER_TERMS)
    bob = await guest(table, 2, "Bob")
    assert await asked(bob, table_id) == [table_id, b""]
    await ann.close()
    await bob.close()


async def test_table_takes_no_rules_from_who_does_not_wait(table):
    ann, table_id = await waiting(table)
    eve = await guest(table, 3, "Eve")
    await eve.send("give_rules", SENT)
    await eve.expect_closed(Code.BAD_MESSAGE, Code.BAD_MESSAGE)
    bob = await guest(table, 2, "Bob")
    assert await asked(bob, table_id) == [table_id, b""]
    for client in (ann, bob, eve):
        await client.close()


async def test_host_answers_with_own_rule_file(tmp_path):
    own = {"rule_text": SIGNED.text, "texts": frozenset({SIGNED.digest})}
    settings = replace(config(tmp_path, **own), terms=TERMS)
    async with TableServer(settings) as table:
        bob = await guest(table, 2, "Bob")
        assert await asked(bob, None) == ["main", SENT]
        # and at a table that somebody else has created for it
        ann, table_id = await waiting(table)
        assert await asked(bob, table_id) == [table_id, SENT]
        await ann.close()
        await bob.close()


async def test_asking_is_charged_to_who_asks_and_bounded(tmp_path):
    bounds = {"requests": (3.0, 0.001)}
    settings = config(tmp_path, creation=Creation.ANY, bounds=bounds)
    async with TableServer(settings) as table:
        ann, table_id = await waiting(table)
        await ann.send("give_rules", SENT)
        bob = await guest(table, 2, "Bob")
        for _ in range(3):
            await asked(bob, table_id)
        line = table.manager.people[bob.identity.public].connection
        spent = table.config.bounds.frames[0] - line.intake.left
        assert spent > len(SENT) // BYTES_A_FRAME
        await bob.send("ask_rules", table_id)
        await bob.expect_error(Code.TOO_MANY)
        await ann.close()
        await bob.close()
